package dev.weir.log;

import dev.weir.log.SampleResult.LogMessage;
import dev.weir.log.SampleResult.ScoreResult;
import dev.weir.log.json.JsonText;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A sample as Inspect's logs have it: whole, and in short for lists. Both begin with the same
 * fields, so that the short form of most samples is found in the whole one without reading it.
 */
final class InspectSampleWriter {

  /** The error of a sample that has none of its own. */
  static final String CANCELLED = "the sample was cancelled";

  /** A list of samples shows the beginning of each. */
  private static final int LONGEST_SUMMARY_TEXT = 5_120;

  private static final int LONGEST_SUMMARY_METADATA = 1_024;

  /** The bytes of the end of a summary. */
  private static final int USUAL_END = 512;

  private final SampleResult sample;
  private final SampleIds ids;
  private final Instant ended;
  private final JsonText out = new JsonText();
  private final InspectParts parts = new InspectParts(out);

  private InspectSampleWriter(SampleResult sample, SampleIds ids) {
    this.sample = sample;
    this.ids = ids;
    this.ended = InspectEvents.after(sample.started(), sample.times().total());
  }

  /**
   * A sample as it is stored.
   *
   * @param json the member {@code samples/ID_epoch_N.json}
   * @param key what is known of it without reading it
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Whole(byte[] json, SampleKey key) {}

  /**
   * @param ids those of the run
   */
  static Whole whole(SampleResult sample, SampleIds ids) {
    return new InspectSampleWriter(sample, ids).whole();
  }

  private Whole whole() {
    head(sample.input(), sample.targets(), sample.metadata(), sample.scores());
    int headLength = out.length();
    rest();
    byte[] json = out.bytes();
    return new Whole(
        json,
        new SampleKey(
            SampleSummary.of(sample),
            sample.messages().size(),
            turns(),
            SampleKey.checksum(json),
            isShort() ? headLength : 0));
  }

  /** Whether the summary tells nothing that the whole does not begin with. */
  private boolean isShort() {
    boolean isShort =
        sample.error().isEmpty()
            && sample.limit().isEmpty()
            && sample.errorRetries().isEmpty()
            && isShort(sample.input())
            && smallMetadata().size() == sample.metadata().size();
    for (String target : sample.targets()) {
      isShort &= isShort(target);
    }
    for (ScoreResult score : sample.scores().values()) {
      isShort &= score.metadata().isEmpty();
      isShort &= isShort(score.answer().orElse("")) && isShort(score.explanation().orElse(""));
    }
    return isShort;
  }

  private static boolean isShort(String text) {
    return text.length() <= LONGEST_SUMMARY_TEXT;
  }

  /** The place of a sample in {@code summaries.json}. */
  static byte[] summary(SampleResult sample, SampleIds ids) {
    return new InspectSampleWriter(sample, ids).summary();
  }

  private byte[] summary() {
    Map<String, ScoreResult> scores = new LinkedHashMap<>();
    sample.scores().forEach((scorer, score) -> scores.put(scorer, cut(score)));
    head(
        cut(sample.input()),
        sample.targets().stream().map(InspectSampleWriter::cut).toList(),
        smallMetadata(),
        scores);
    out.text(",\"error\":", sample.error().map(InspectSampleWriter::cut));
    sample.limit().ifPresent(hit -> out.text(",\"limit\":", InspectLimitType.ofSample(hit)));
    if (!sample.errorRetries().isEmpty()) {
      out.number(",\"retries\":", sample.errorRetries().size());
    }
    summaryEnd(out, SampleSummary.of(sample), sample.messages().size(), turns());
    return out.bytes();
  }

  /** What follows in the summary of a sample on the fields that it shares with the whole. */
  static byte[] summaryEnd(SampleSummary summary, int messages, int turns) {
    var out = new JsonText(USUAL_END);
    summaryEnd(out, summary, messages, turns);
    return out.bytes();
  }

  private static void summaryEnd(JsonText out, SampleSummary summary, int messages, int turns) {
    if (summary.cancelled() && !summary.failed()) {
      out.text(",\"error\":", CANCELLED);
    }
    out.number(",\"message_count\":", messages);
    out.number(",\"turn_count\":", turns);
    out.add(",\"completed\":true");
    ownEnd(out, summary);
  }

  /** The last of a summary: what Inspect has no field for. */
  static JsonText ownEnd(SampleSummary summary) {
    var out = new JsonText(USUAL_END);
    ownEnd(out, summary);
    return out;
  }

  private static void ownEnd(JsonText out, SampleSummary summary) {
    var parts = new InspectParts(out);
    out.text(",\"weir\":{\"content_hash\":", summary.contentHash());
    out.flag(",\"cancelled\":", summary.cancelled());
    out.add(",\"tokens\":");
    parts.own(summary.tokens());
    out.add(",\"cost\":");
    parts.own(summary.cost());
    out.add(",\"times\":");
    parts.own(summary.times());
    out.add("}}");
  }

  private static String cut(String text) {
    return isShort(text) ? text : text.substring(0, LONGEST_SUMMARY_TEXT) + "…";
  }

  private static ScoreResult cut(ScoreResult score) {
    return new ScoreResult(
        score.value(),
        score.answer().map(InspectSampleWriter::cut),
        score.explanation().map(InspectSampleWriter::cut),
        Map.of());
  }

  private Map<String, Object> smallMetadata() {
    if (sample.metadata().isEmpty()) {
      return Map.of();
    }
    Map<String, Object> small = new LinkedHashMap<>();
    int room = LONGEST_SUMMARY_METADATA;
    for (Map.Entry<String, Object> known : sample.metadata().entrySet()) {
      int length = known.getKey().length() + String.valueOf(known.getValue()).length();
      if (isScalar(known.getValue()) && length <= room) {
        small.put(known.getKey(), known.getValue());
        room -= length;
      }
    }
    return small;
  }

  private static boolean isScalar(Object value) {
    return value instanceof String || value instanceof Number || value instanceof Boolean;
  }

  private Optional<String> error() {
    return sample.error().isEmpty() && sample.cancelled() ? Optional.of(CANCELLED) : sample.error();
  }

  private void head(
      String input,
      List<String> targets,
      Map<String, Object> metadata,
      Map<String, ScoreResult> scores) {
    ids.write(out, "{\"id\":", sample.id());
    out.number(",\"epoch\":", sample.epoch());
    out.text(",\"input\":", input);
    parts.choices(sample.choices());
    parts.target(",\"target\":", targets);
    out.any(",\"metadata\":", metadata);
    if (!scores.isEmpty()) {
      out.map(",\"scores\":", scores, parts::score);
    }
    Map<String, Used> models = new LinkedHashMap<>();
    Map<String, Used> roles = new LinkedHashMap<>();
    for (ModelCall call : sample.calls()) {
      var used = new Used(call.tokens(), call.cost());
      models.merge(call.model(), used, Used::plus);
      if (!call.isEvaluated()) {
        roles.merge(call.role(), used, Used::plus);
      }
    }
    out.map(",\"model_usage\":", models, this::usage);
    out.map(",\"role_usage\":", roles, this::usage);
    out.time(",\"started_at\":", sample.started());
    out.time(",\"completed_at\":", ended);
    out.seconds(",\"total_time\":", sample.times().total());
    out.seconds(",\"working_time\":", sample.times().working());
    // The same for the same sample of the same log, so that converting twice gives the same file.
    out.text(
        ",\"uuid\":",
        sample.contentHash() + "-" + sample.epoch() + "-" + sample.started().toEpochMilli());
  }

  private void usage(Used used) {
    parts.usage(used.tokens, used.cost);
  }

  private record Used(Tokens tokens, Cost cost) {
    private Used plus(Used other) {
      return new Used(tokens.plus(other.tokens), cost.plus(other.cost));
    }
  }

  private int turns() {
    int turns = 0;
    for (ModelCall call : sample.calls()) {
      turns += call.isEvaluated() && call.answer().isPresent() ? 1 : 0;
    }
    return turns;
  }

  private void rest() {
    out.list(",\"messages\":", sample.messages(), parts::message);
    out.add(",\"output\":");
    output();
    out.any(",\"store\":", sample.store());
    new InspectEvents(sample, ids, ended, out, parts).write();
    if (InspectEvents.usesPool(sample)) {
      List<LogMessage> pool = new ArrayList<>(sample.messages());
      pool.addAll(sample.otherMessages());
      out.list(",\"events_data\":{\"messages\":", pool, parts::message).add(",\"calls\":[]}");
    }
    error()
        .ifPresent(
            error -> {
              out.add(",\"error\":");
              parts.error(error, sample.traceback().orElse(error));
            });
    if (!sample.errorRetries().isEmpty()) {
      out.list(",\"error_retries\":", sample.errorRetries(), parts::failure);
    }
    sample
        .limit()
        .ifPresent(
            hit ->
                out.text(",\"limit\":{\"type\":", InspectLimitType.ofSample(hit))
                    .number(",\"limit\":", hit.limit())
                    .add("}"));
    out.number(",\"turn_count\":", turns());
    out.add(",\"attachments\":{}}");
  }

  /** What was scored; the last answer, if a solver has put nothing else in its place. */
  private void output() {
    ModelCall last = null;
    for (ModelCall call : sample.calls()) {
      // One that was cut off tells nothing, unless there is no other.
      if (call.isEvaluated() && (last == null || call.answer().isPresent())) {
        last = call;
      }
    }
    out.text("{\"model\":", last == null ? "" : last.model());
    out.add(",\"choices\":[");
    sample.output().ifPresent(text -> parts.choice(text, sample.stopReason().orElse("unknown")));
    out.text("],\"completion\":", sample.output().orElse(""));
    if (last != null) {
      out.add(",\"usage\":");
      parts.usage(last.tokens(), last.cost());
      out.seconds(",\"time\":", last.times().called());
    }
    out.add("}");
  }
}
