package dev.weir.log.inspect;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A {@code .json} log: one object with everything, read as a stream. */
final class JsonFile implements LogContent {

  private final Path file;
  private final Source source;

  JsonFile(Path file, Source source) {
    this.file = file;
    this.source = source;
  }

  @Override
  public InputStream header() throws IOException {
    return new SourceStream(source, 0, source.size());
  }

  private ArrayCursor array(String field) throws IOException {
    return new ArrayCursor(file + ", field '" + field + "',", header(), field);
  }

  @Override
  public Cursor<InspectSample> samples() throws IOException {
    ArrayCursor samples = array("samples");
    return new Cursor<>() {
      @Override
      public @Nullable InspectSample next() throws IOException {
        byte[] json = samples.next();
        return json == null ? null : InspectSample.of("a sample in " + file, json);
      }

      @Override
      public void close() throws IOException {
        samples.close();
      }
    };
  }

  @Override
  public Cursor<InspectSample> samples(Set<String> ids) throws IOException {
    Cursor<InspectSample> samples = samples();
    return new Cursor<>() {
      @Override
      public @Nullable InspectSample next() throws IOException {
        InspectSample sample = samples.next();
        while (sample != null && !ids.contains(sample.id().text())) {
          sample = samples.next();
        }
        return sample;
      }

      @Override
      public void close() throws IOException {
        samples.close();
      }
    };
  }

  /** Such a log has none: they are made of the samples. */
  @Override
  public Cursor<InspectSample> summaries() throws IOException {
    Cursor<InspectSample> samples = samples();
    return new Cursor<>() {
      @Override
      public @Nullable InspectSample next() throws IOException {
        InspectSample sample = samples.next();
        return sample == null
            ? null
            : InspectSample.of("a sample in " + file, Summary.of(sample.json()));
      }

      @Override
      public void close() throws IOException {
        samples.close();
      }
    };
  }

  @Override
  public boolean hasWholeSummaries() {
    return true;
  }

  @Override
  public Optional<InspectSample> sample(SampleId id, int epoch) throws IOException {
    InspectSample found = null;
    try (Cursor<InspectSample> samples = samples()) {
      for (InspectSample sample = samples.next(); sample != null; sample = samples.next()) {
        if (sample.epoch() == epoch && sample.id().text().equals(id.text())) {
          found = sample;
        }
      }
    }
    return Optional.ofNullable(found);
  }

  @Override
  public Optional<byte[]> reductions() throws IOException {
    var all = new ByteArrayOutputStream();
    try (ArrayCursor reductions = array("reductions")) {
      for (byte[] json = reductions.next(); json != null; json = reductions.next()) {
        all.write(all.size() == 0 ? '[' : ',');
        all.writeBytes(json);
      }
    }
    all.write(']');
    return all.size() == 1 ? Optional.empty() : Optional.of(all.toByteArray());
  }

  /** One document: what cannot be read of it ends the reading. */
  @Override
  public MemberDamage damage() {
    return new MemberDamage();
  }

  @Override
  public void close() throws IOException {
    source.close();
  }
}
