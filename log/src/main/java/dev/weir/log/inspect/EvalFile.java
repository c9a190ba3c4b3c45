package dev.weir.log.inspect;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A {@code .eval} log: a zip file with a member for each sample. */
final class EvalFile implements LogContent {

  static final String HEADER = "header.json";
  static final String START = "_journal/start.json";
  static final String SUMMARIES = "summaries.json";
  static final String REDUCTIONS = "reductions.json";
  static final String SAMPLES = "samples/";

  private static final String EPOCH = "_epoch_";
  private static final String ENDING = ".json";

  private static final String JOURNAL_SUMMARIES = "_journal/summaries/";

  private final Path file;
  private final ZipReader zip;
  private final MemberDamage damage = new MemberDamage();
  private @Nullable Boolean hasWholeSummaries;

  EvalFile(Path file, Source source) throws IOException {
    this.file = file;
    this.zip = new ZipReader(file, source);
    zip.misplaced().ifPresent(why -> damage.add("", new DamagedException(why)));
  }

  static String journalSummaries(int number) {
    return JOURNAL_SUMMARIES + number + ".json";
  }

  /** Without a header the run has not ended, or was killed; how it began tells the rest. */
  @Override
  public InputStream header() throws IOException {
    Optional<ZipMember> header = zip.find(HEADER);
    if (header.isPresent()) {
      try {
        return whole(header.get());
      } catch (DamagedException damaged) {
        if (zip.find(START).isEmpty()) {
          throw damaged;
        }
        damage.add(HEADER, damaged);
      }
    }
    return whole(
        zip.find(START)
            .orElseThrow(
                () ->
                    new IOException(
                        "%s is not the log of an evaluation: it has neither %s nor %s"
                            .formatted(file, HEADER, START))));
  }

  /** All of it at once: so it is known to be whole before anything is made of it. */
  private InputStream whole(ZipMember member) throws IOException {
    return new ByteArrayInputStream(zip.read(member));
  }

  @Override
  public Cursor<InspectSample> samples() throws IOException {
    Cursor<InspectSample> members = samples(new LastOfName(zip, EvalFile::isSample));
    return new Cursor<>() {
      private @Nullable SeenSamples seen = new SeenSamples();

      @Override
      public @Nullable InspectSample next() throws IOException {
        InspectSample next = members.next();
        if (next != null && seen != null) {
          seen.add(next);
        } else if (seen != null) {
          noteMissing(seen);
          seen = null;
        }
        return next;
      }

      @Override
      public void close() throws IOException {
        members.close();
      }
    };
  }

  /** A member whose name is damaged is found by nobody: only the list tells that it was there. */
  private void noteMissing(SeenSamples seen) throws IOException {
    List<String> missing = new ArrayList<>();
    try (Cursor<InspectSample> listed = summaries()) {
      for (InspectSample next = listed.next(); next != null; next = listed.next()) {
        String member = next.id().member(next.epoch());
        if (!seen.has(next) && !damage.has(member)) {
          missing.add(member);
        }
      }
    } catch (DamagedException unreadable) {
      // Then nothing in it is believed; the samples that are there are whole.
      return;
    }
    for (String member : missing) {
      damage.add(
          member,
          new DamagedException(
              "%s: %s is damaged: the sample is in the list of samples, but no member has it"
                  .formatted(file, member)));
    }
  }

  @Override
  public Cursor<InspectSample> samples(Set<String> ids) throws IOException {
    return samples(
        new LastOfName(
            zip,
            name ->
                isSample(name)
                    && ids.contains(name.substring(SAMPLES.length(), name.lastIndexOf(EPOCH)))));
  }

  private Cursor<InspectSample> samples(LastOfName names) {
    return new Cursor<>() {
      @Override
      public @Nullable InspectSample next() throws IOException {
        for (ZipMember member = names.next(); member != null; member = names.next()) {
          try {
            return InspectSample.whole(file + ": " + member.name(), zip.readUnderAnyName(member));
          } catch (DamagedException damaged) {
            damage.add(member.name(), damaged);
          }
        }
        return null;
      }

      @Override
      public void close() {
        // The file is closed with the log.
      }
    };
  }

  /** Whether a member is {@code samples/ID_epoch_N.json}; anything may stand in the id. */
  private static boolean isSample(String name) {
    int epoch = name.lastIndexOf(EPOCH) + EPOCH.length();
    int end = name.length() - ENDING.length();
    return name.startsWith(SAMPLES)
        && name.endsWith(ENDING)
        && epoch > EPOCH.length()
        && epoch < end
        && name.substring(epoch, end).chars().allMatch(c -> c >= '0' && c <= '9');
  }

  private InspectSample sample(ZipMember member) throws IOException {
    return InspectSample.of(file + ": " + member.name(), zip.read(member));
  }

  @Override
  public Optional<InspectSample> sample(SampleId id, int epoch) throws IOException {
    Optional<ZipMember> member = zip.find(id.member(epoch));
    return member.isEmpty() ? Optional.empty() : Optional.of(sample(member.get()));
  }

  /**
   * Those of the end; or, as long as there is no end, those of the journal, as they were written.
   */
  @Override
  public Cursor<InspectSample> summaries() throws IOException {
    return new Summaries(summaryMembers());
  }

  private LastOfName summaryMembers() throws IOException {
    String from = zip.find(SUMMARIES).isPresent() ? SUMMARIES : JOURNAL_SUMMARIES;
    return new LastOfName(zip, name -> name.startsWith(from));
  }

  /** Only at its end is a member known to be whole, and by then its summaries would be used. */
  @Override
  public boolean hasWholeSummaries() throws IOException {
    Boolean known = hasWholeSummaries;
    if (known == null) {
      known = true;
      LastOfName members = summaryMembers();
      for (ZipMember member = members.next(); member != null; member = members.next()) {
        known &= isWholeJson(member);
      }
      hasWholeSummaries = known;
    }
    return known;
  }

  private boolean isWholeJson(ZipMember member) throws IOException {
    try (InputStream in = zip.open(member)) {
      InspectJson.skip(file + ": " + member.name(), in);
      return true;
    } catch (DamagedException damaged) {
      damage.add(member.name(), cause(member).orElse(damaged));
      return false;
    }
  }

  /** What is no JSON any more mostly has a wrong checksum, too, which says more. */
  private Optional<DamagedException> cause(ZipMember member) throws IOException {
    try (InputStream in = zip.open(member)) {
      in.transferTo(OutputStream.nullOutputStream());
      return Optional.empty();
    } catch (DamagedException damaged) {
      return Optional.of(damaged);
    }
  }

  @Override
  public Optional<byte[]> reductions() throws IOException {
    Optional<ZipMember> member = zip.find(REDUCTIONS);
    try {
      return member.isEmpty() ? Optional.empty() : Optional.of(zip.read(member.get()));
    } catch (DamagedException damaged) {
      damage.add(REDUCTIONS, damaged);
      return Optional.empty();
    }
  }

  @Override
  public MemberDamage damage() {
    return damage;
  }

  @Override
  public void close() throws IOException {
    zip.close();
  }

  /** The summaries in the arrays of some members. */
  private final class Summaries implements Cursor<InspectSample> {

    private final LastOfName members;
    private @Nullable ArraySplitter array;

    Summaries(LastOfName members) {
      this.members = members;
    }

    @Override
    public @Nullable InspectSample next() throws IOException {
      while (true) {
        if (array == null) {
          ZipMember member = members.next();
          if (member == null) {
            return null;
          }
          array = new ArraySplitter(file + ": " + member.name(), zip.open(member));
        }
        byte[] json = array.next();
        if (json != null) {
          return InspectSample.of("a summary in " + file, json);
        }
        close();
      }
    }

    @Override
    public void close() throws IOException {
      if (array != null) {
        array.close();
        array = null;
      }
    }
  }
}
