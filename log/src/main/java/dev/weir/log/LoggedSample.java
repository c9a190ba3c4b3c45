package dev.weir.log;

import dev.weir.log.inspect.InspectLogWriter;
import dev.weir.log.inspect.InspectSample;
import dev.weir.log.inspect.SampleId;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A sample as it stands in a log. What another program wrote has more than Weir understands: it is
 * copied as it stands.
 */
public final class LoggedSample {

  private final SampleResult sample;
  private final byte @Nullable [] foreign;

  /**
   * @param foreign the JSON of it, if another program wrote it
   */
  LoggedSample(SampleResult sample, byte @Nullable [] foreign) {
    this.sample = sample;
    this.foreign = foreign;
  }

  /** What Weir understands of it. */
  public SampleResult sample() {
    return sample;
  }

  /** The same, known to ask this. */
  public LoggedSample withContentHash(String hash) {
    return new LoggedSample(sample.withContentHash(hash), foreign);
  }

  /**
   * The same with other scores; nothing else of what another program wrote changes.
   *
   * @param scored what became of it
   * @param keepsScores whether the scores that are there stay
   * @param at when it was scored
   */
  public LoggedSample scored(SampleResult scored, boolean keepsScores, Instant at)
      throws IOException {
    return new LoggedSample(
        scored,
        foreign == null ? null : new ForeignScores(sample, scored, keepsScores, at).in(foreign));
  }

  byte @Nullable [] foreign() {
    return foreign;
  }

  byte[] json(SampleIds ids) {
    return whole(ids).json();
  }

  /**
   * @param ids those of the run
   */
  InspectSampleWriter.Whole whole(SampleIds ids) {
    return foreign == null
        ? InspectSampleWriter.whole(sample, ids)
        : new InspectSampleWriter.Whole(
            foreign,
            new SampleKey(
                SampleSummary.of(sample),
                sample.messages().size(),
                (int) sample.calls().stream().filter(call -> call.answer().isPresent()).count(),
                SampleKey.checksum(foreign),
                0));
  }

  void writeTo(InspectLogWriter writer, SampleIds ids) throws IOException {
    writer.sample(SampleId.of(sample.id()), sample.epoch(), json(ids));
    writer.summary(summary(ids));
  }

  /** The place of it in {@code summaries.json}. */
  byte[] summary(SampleIds ids) throws IOException {
    if (foreign == null) {
      return InspectSampleWriter.summary(sample, ids);
    }
    byte[] summary = InspectSample.of("a sample", foreign).summary();
    var json = new ByteArrayOutputStream();
    // Without its last brace.
    json.writeBytes(Arrays.copyOf(summary, summary.length - 1));
    json.writeBytes(InspectSampleWriter.ownEnd(SampleSummary.of(sample)).bytes());
    return json.toByteArray();
  }
}
