package dev.weir.log;

import dev.weir.log.SampleResult.LogMessage;
import dev.weir.log.SampleResult.Note;
import dev.weir.log.SampleResult.ScoreResult;
import dev.weir.log.json.JsonText;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;

/** What happened in a sample, as Inspect's logs have it. */
final class InspectEvents {

  private final SampleResult sample;
  private final SampleIds ids;
  private final Instant ended;
  private final JsonText out;
  private final InspectParts parts;

  InspectEvents(
      SampleResult sample, SampleIds ids, Instant ended, JsonText out, InspectParts parts) {
    this.sample = sample;
    this.ids = ids;
    this.ended = ended;
    this.out = out;
    this.parts = parts;
  }

  /** As it is when both are read from a log, which has microseconds. */
  static Instant after(Instant start, double seconds) {
    long micros = start.getNano() / 1_000;
    return Instant.ofEpochSecond(
        start.getEpochSecond(), micros * 1_000 + Math.round(seconds * 1e9));
  }

  /** As they follow each other, from the first. */
  void write() {
    out.add(",\"events\":[");
    init();
    happened();
    sample.limit().ifPresent(this::limited);
    sample.error().ifPresent(this::failed);
    sample.scores().forEach(this::scored);
    own();
    out.add("]");
  }

  /** Something that happened, and how it is written. */
  private record Happened(Instant at, Runnable write) {}

  private void happened() {
    boolean isPlain =
        sample.toolRuns().isEmpty()
            && sample.notes().isEmpty()
            && sample.states().changes().isEmpty();
    if (isPlain) {
      sample.calls().forEach(this::asked);
      return;
    }
    List<Happened> all = new ArrayList<>();
    sample.calls().forEach(call -> all.add(new Happened(call.at(), () -> asked(call))));
    sample.toolRuns().forEach(run -> all.add(new Happened(run.at(), () -> ran(run))));
    sample.notes().forEach(note -> all.add(new Happened(note.at(), () -> told(note))));
    sample
        .states()
        .changes()
        .forEach(change -> all.add(new Happened(change.at(), () -> changed(change))));
    all.sort(Comparator.comparing(Happened::at));
    all.forEach(one -> one.write().run());
  }

  private void event(String type, Instant at, double working) {
    out.text(",{\"event\":", type).time(",\"timestamp\":", at);
    out.seconds(",\"working_start\":", working);
  }

  private void atEnd(String type) {
    event(type, ended, sample.times().working());
  }

  private void init() {
    out.time("{\"event\":\"sample_init\",\"timestamp\":", sample.started());
    ids.write(out, ",\"working_start\":0,\"sample\":{\"id\":", sample.id());
    out.text(",\"input\":", sample.input());
    parts.target(",\"target\":", sample.targets());
    parts.choices(sample.choices());
    out.add("},\"state\":").add(sample.states().initial()).add("}");
  }

  private void limited(SampleResult.LimitHit hit) {
    atEnd("sample_limit");
    out.text(",\"type\":", InspectLimitType.ofEvent(hit)).number(",\"limit\":", hit.limit());
    out.text(",\"message\":", withValue(hit)).add("}");
  }

  /** Inspect has no place for how much was used, so the message must tell it. */
  private static String withValue(SampleResult.LimitHit hit) {
    String value = number(hit.value());
    boolean isTold =
        Pattern.compile("(?<![\\w.])" + Pattern.quote(value) + "(?!\\w|\\.\\d)")
            .matcher(hit.message())
            .find();
    return isTold
        ? hit.message()
        : "%s (%s of %s)".formatted(hit.message(), value, number(hit.limit()));
  }

  private static String number(double value) {
    return Double.isFinite(value)
        ? BigDecimal.valueOf(value)
            .setScale(6, RoundingMode.HALF_UP)
            .stripTrailingZeros()
            .toPlainString()
        : String.valueOf(value);
  }

  private void failed(String error) {
    atEnd("error");
    out.add(",\"error\":");
    parts.error(error, sample.traceback().orElse(error));
    out.add("}");
  }

  private void scored(String scorer, ScoreResult score) {
    atEnd("score");
    out.text(",\"scorer\":", scorer).add(",\"score\":");
    parts.score(score);
    parts.target(",\"target\":", sample.targets());
    out.add(",\"intermediate\":false}");
  }

  private void told(Note note) {
    event("info", note.at(), note.working());
    out.text(",\"source\":", note.source()).any(",\"data\":", note.data()).add("}");
  }

  private void changed(StateChange state) {
    event("state", state.at(), state.working());
    out.list(
        ",\"changes\":",
        state.changes(),
        change -> {
          out.text("{\"op\":", change.op()).text(",\"path\":", change.path());
          out.add(",\"value\":").add(change.value());
          out.add(",\"replaced\":").add(change.before()).add("}");
        });
    out.add("}");
  }

  /** Messages that several calls were shown are written once. */
  static boolean usesPool(SampleResult sample) {
    return sample.calls().size() > 1;
  }

  private void asked(ModelCall call) {
    event("model", call.at(), call.working());
    out.text(",\"model\":", call.model());
    if (!call.isEvaluated()) {
      out.text(",\"role\":", call.role());
    }
    shown(call);
    CallTerms terms = call.terms();
    out.add(",\"tools\":").add(terms.tools()).add(",\"tool_choice\":").add(terms.toolChoice());
    out.add(",\"config\":").add(terms.config()).add(",\"output\":");
    answer(call);
    out.number(",\"retries\":", call.retries());
    out.text(",\"error\":", call.error());
    if (call.cached()) {
      out.add(",\"cache\":\"read\"");
    }
    out.time(",\"completed\":", after(call.at(), call.times().total()));
    out.seconds(",\"working_time\":", call.times().working());
    out.add(",\"metadata\":{\"weir\":{\"times\":");
    parts.own(call.times());
    out.add(",\"cost\":");
    parts.own(call.cost());
    out.text(",\"request_id\":", call.requestId());
    call.answer().ifPresent(index -> out.number(",\"answer\":", index));
    out.add("}}}");
  }

  private void shown(ModelCall call) {
    if (usesPool(sample)) {
      out.list(
          ",\"input\":[],\"input_refs\":",
          call.input(),
          span -> out.number("[", span.from()).number(",", span.to()).add("]"));
      return;
    }
    List<LogMessage> shown = new ArrayList<>();
    for (ModelCall.Span span : call.input()) {
      for (int i = span.from(); i < span.to(); i++) {
        shown.add(sample.message(i));
      }
    }
    out.list(",\"input\":", shown, parts::message);
  }

  private void answer(ModelCall call) {
    out.text("{\"model\":", call.model()).add(",\"choices\":[");
    String completion = "";
    if (call.answer().isPresent()) {
      LogMessage message = sample.message(call.answer().get());
      out.add("{\"message\":");
      parts.message(message);
      String reason = InspectParts.stopReason(call.stopReason().orElse("unknown"));
      out.text(",\"stop_reason\":", reason).add("}");
      completion = message.content();
    }
    out.text("],\"completion\":", completion);
    out.add(",\"usage\":");
    parts.usage(call.tokens(), call.cost());
    out.seconds(",\"time\":", call.times().called());
    out.text(",\"error\":", call.error()).add("}");
  }

  private void ran(ToolRun run) {
    event("tool", run.at(), run.working());
    out.text(",\"type\":\"function\",\"id\":", run.id());
    out.text(",\"function\":", run.tool());
    out.add(",\"arguments\":").add(InspectParts.arguments(run.arguments()));
    out.text(",\"result\":", run.result());
    out.add(",\"events\":[]");
    if (run.failed()) {
      parts.toolError(run.result(), run.timedOut());
      out.add(",\"failed\":true");
    }
    out.time(",\"completed\":", after(run.at(), run.seconds()));
    out.seconds(",\"working_time\":", run.seconds()).add("}");
  }

  /** What Inspect has no field for. */
  private void own() {
    atEnd("info");
    out.text(",\"source\":\"weir\",\"data\":{\"content_hash\":", sample.contentHash());
    if (sample.cancelled()) {
      out.flag(",\"cancelled\":", true);
    }
    if (sample.retries() != 0) {
      out.number(",\"retries\":", sample.retries());
    }
    if (!sample.requestIds().isEmpty()) {
      out.texts(",\"request_ids\":", sample.requestIds());
    }
    if (sample.cachedAnswers() != 0) {
      out.number(",\"cached_answers\":", sample.cachedAnswers());
    }
    out.add(",\"tokens\":");
    parts.own(sample.tokens());
    out.add(",\"cost\":");
    parts.own(sample.cost());
    out.add(",\"times\":");
    parts.own(sample.times());
    if (sample.targets().isEmpty()) {
      out.add(",\"targets\":[]");
    }
    sample.limit().ifPresent(hit -> out.any(",\"limit\":", hit));
    out.text(",\"stop_reason\":", sample.stopReason());
    if (!sample.otherMessages().isEmpty()) {
      out.any(",\"other_messages\":", sample.otherMessages());
    }
    out.add("}}");
  }
}
