package dev.weir.log.inspect;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.node.ObjectNode;

/**
 * A log file of Inspect, {@code .eval} or {@code .json}, for reading. Opening one and reading its
 * header costs kilobytes whatever the size of the file; samples and summaries are held one at a
 * time. What is damaged, or no such log, is reported as an {@link IOException} that names the file,
 * what is wrong and where; a damaged part that the rest does not need is skipped and noted.
 *
 * <p>Not thread-safe.
 */
public final class InspectLog implements Closeable {

  private static final String SCHEMA = "inspect-openapi.json";

  private final Path file;
  private final LogContent content;
  private @Nullable InspectHeader header;

  private InspectLog(Path file, LogContent content) {
    this.file = file;
    this.content = content;
  }

  /** Opens a log; its content, not its name, tells which form it has. */
  public static InspectLog open(Path file) throws IOException {
    return open(file, Source.of(file));
  }

  static InspectLog open(Path file, Source source) throws IOException {
    LogContent content = null;
    try {
      content = content(file, source);
      return new InspectLog(file, content);
    } finally {
      if (content == null) {
        source.close();
      }
    }
  }

  private static LogContent content(Path file, Source source) throws IOException {
    ByteBuffer first = ByteBuffer.allocate(16);
    int count = source.read(first, 0);
    if (count <= 0) {
      throw new IOException(file + " is empty");
    }
    String start = new String(first.array(), 0, count, StandardCharsets.UTF_8);
    String text = start.stripLeading();
    if (text.startsWith("[") || text.startsWith("\"")) {
      throw new IOException(
          file + " is not the log of an evaluation: a log in JSON is an object, {…}");
    }
    return text.startsWith("{") || start.startsWith("\ufeff")
        ? new JsonFile(file, source)
        : new EvalFile(file, source);
  }

  /** The description of every JSON type of the format: an OpenAPI document, as Inspect has it. */
  public static String schema() {
    try (InputStream in = InspectLog.class.getResourceAsStream(SCHEMA)) {
      if (in == null) {
        throw new IllegalStateException("the schema is missing from the program");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException notReadable) {
      throw new UncheckedIOException(notReadable);
    }
  }

  public Path file() {
    return file;
  }

  /** Read once. A log of a run that has not ended, or was killed, has the status started. */
  public InspectHeader header() throws IOException {
    if (header == null) {
      try (InputStream in = content.header()) {
        header = HeaderReader.read(file.toString(), in);
      }
    }
    return header;
  }

  /** The whole header as JSON, without samples and reductions; held in memory as a whole. */
  public String headerJson() throws IOException {
    header();
    try (InputStream in = content.header()) {
      return InspectJson.reading(
          file.toString(),
          () -> {
            try (JsonParser parser = InspectJson.MAPPER.createParser(in)) {
              return new String(InspectJson.bytes(headerTree(parser)), StandardCharsets.UTF_8);
            }
          });
    }
  }

  private static ObjectNode headerTree(JsonParser parser) {
    ObjectNode tree = InspectJson.MAPPER.createObjectNode();
    parser.nextToken();
    while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
      String field = parser.currentName();
      parser.nextToken();
      if (field.equals("samples") || field.equals("reductions")) {
        parser.skipChildren();
      } else {
        tree.set(field, InspectJson.MAPPER.readTree(parser));
      }
    }
    // How a run began has none.
    if (!tree.has("status")) {
      tree.put("status", "started");
    }
    return tree;
  }

  /**
   * The samples in the order of the file; of several with the same id and epoch, the last. A sample
   * in a member of its own that is damaged is skipped and noted in {@link #damage}.
   */
  public Cursor<InspectSample> samples() throws IOException {
    header();
    return content.samples();
  }

  /** As {@link #samples()}, but only those with such ids, of any epoch; the others are not read. */
  public Cursor<InspectSample> samples(Set<String> ids) throws IOException {
    header();
    return content.samples(ids);
  }

  /**
   * The summaries of the samples. In the log of a run that has not ended, a sample that was run
   * again has several, of which the last counts.
   */
  public Cursor<InspectSample> summaries() throws IOException {
    header();
    return content.summaries();
  }

  /**
   * Whether the summaries can be read to their end. If not, that is noted in {@link #damage}; the
   * samples tell the same.
   */
  public boolean hasWholeSummaries() throws IOException {
    header();
    return content.hasWholeSummaries();
  }

  /** Whether {@link #sample} reads only the one sample, and not all before it. */
  public boolean readsAnywhere() {
    return !(content instanceof JsonFile);
  }

  /** A single sample. The text of the id decides, not whether it is a number. */
  public Optional<InspectSample> sample(SampleId id, int epoch) throws IOException {
    header();
    return content.sample(id, epoch);
  }

  /** The scores of each sample over its epochs: a JSON array, if the log has it. */
  public Optional<String> reductionsJson() throws IOException {
    header();
    return content.reductions().map(json -> new String(json, StandardCharsets.UTF_8));
  }

  /** What was damaged and skipped so far, in sentences; the first places are named. */
  public List<String> damage() {
    return content.damage().told();
  }

  /** Whether a sample was skipped because it is damaged. */
  public boolean isDamaged(SampleId id, int epoch) {
    return content.damage().has(id.member(epoch));
  }

  @Override
  public void close() throws IOException {
    content.close();
  }
}
