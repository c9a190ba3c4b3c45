package dev.weir.log.inspect;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;

/**
 * Writes a {@code .eval} log: how the run began, then samples with their summaries, then how it
 * ended. Memory does not grow with the samples. The file has its name only once it is whole and on
 * the disk; whoever closes without an end leaves nothing behind. Members are compressed by deflate,
 * which every version of Inspect reads.
 *
 * <p>Not thread-safe.
 */
public final class InspectLogWriter implements Closeable {

  private final Path file;
  private final ZipWriter zip;

  /** The summaries so far, as a JSON array that is not closed yet. */
  private final PartialFile summaries;

  private boolean hasBegun;
  private boolean hasEnded;
  private boolean isBroken;

  private InspectLogWriter(Path file, ZipWriter zip, PartialFile summaries) {
    this.file = file;
    this.zip = zip;
    this.summaries = summaries;
  }

  /** Begins a log that replaces what has its name when it is finished. */
  public static InspectLogWriter create(Path file) throws IOException {
    ZipWriter zip = new ZipWriter(file);
    try {
      return new InspectLogWriter(file, zip, PartialFile.beside(file));
    } catch (IOException notWritable) {
      zip.close();
      throw notWritable;
    }
  }

  /** How the run began: version, eval and plan. The first to be written. */
  public void start(JsonBody body) throws IOException {
    if (hasBegun) {
      throw new IllegalStateException(file + " has begun already");
    }
    hasBegun = true;
    write(EvalFile.START, body);
  }

  /** A sample; one with the same id and epoch replaces it if it comes later. */
  public void sample(SampleId id, int epoch, byte[] json) throws IOException {
    checkOpen();
    zip.add(id.member(epoch), json);
  }

  /**
   * A sample whose JSON is deflated already.
   *
   * @param size of the JSON
   * @param crc its CRC-32
   */
  public void sample(SampleId id, int epoch, byte[] deflated, long size, int crc)
      throws IOException {
    checkOpen();
    zip.add(id.member(epoch), deflated, size, crc);
  }

  /** A sample of any size. */
  public void sample(SampleId id, int epoch, JsonBody body) throws IOException {
    checkOpen();
    write(id.member(epoch), body);
  }

  /** The summary of a sample. */
  public void summary(byte[] json) throws IOException {
    checkOpen();
    summaries.write(new byte[] {(byte) (summaries.position() == 0 ? '[' : ',')}, 0, 1);
    summaries.write(json, 0, json.length);
  }

  /** The scores of each sample over its epochs: an array. May be left out. */
  public void reductions(JsonBody body) throws IOException {
    checkOpen();
    write(EvalFile.REDUCTIONS, body);
  }

  /** Ends the log of a run that has ended: everything of a log but samples and reductions. */
  public void finish(JsonBody header) throws IOException {
    checkOpen();
    writeSummaries(EvalFile.SUMMARIES);
    write(EvalFile.HEADER, header);
    end();
  }

  /** Ends the log of a run that goes on: readers take it for started. */
  public void finishStarted() throws IOException {
    checkOpen();
    writeSummaries(EvalFile.journalSummaries(1));
    end();
  }

  private void end() throws IOException {
    zip.finish();
    hasEnded = true;
  }

  private void checkOpen() {
    if (!hasBegun) {
      throw new IllegalStateException(file + " begins with how the run began");
    }
    if (hasEnded) {
      throw new IllegalStateException(file + " is finished");
    }
    if (isBroken) {
      throw new IllegalStateException(file + " cannot go on: a part of it could not be written");
    }
  }

  private void writeSummaries(String member) throws IOException {
    try (OutputStream out = zip.add(member);
        InputStream spooled = summaries.content()) {
      if (summaries.position() == 0) {
        out.write('[');
      }
      spooled.transferTo(out);
      out.write(']');
    }
  }

  private void write(String member, JsonBody body) throws IOException {
    // A member that breaks off must never become part of a log.
    isBroken = true;
    try (OutputStream out = zip.add(member);
        Utf8Writer text = new Utf8Writer(out)) {
      body.writeTo(text);
    }
    isBroken = false;
  }

  @Override
  public void close() throws IOException {
    try (summaries) {
      zip.close();
    }
  }
}
