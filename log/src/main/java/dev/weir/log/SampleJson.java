package dev.weir.log;

import dev.weir.log.SampleResult.LogMessage;
import dev.weir.log.SampleResult.LogToolCall;
import dev.weir.log.SampleResult.Note;
import dev.weir.log.SampleResult.ScoreResult;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.io.JsonStringEncoder;

/**
 * A sample as it stands in the log, written by hand: the same characters that {@link LogJson} would
 * write, for a fraction of the work. There is one for each sample, and reflection was a tenth of
 * what a sample costs.
 */
final class SampleJson {

  private static final int USUAL_LENGTH = 1_024;

  private static final JsonStringEncoder QUOTES = JsonStringEncoder.getInstance();

  private final StringBuilder out = new StringBuilder(USUAL_LENGTH);

  private SampleJson() {}

  /** The fields of the object and its end, without the brace that begins it. */
  static String fields(SampleResult sample) {
    var json = new SampleJson();
    json.write(sample);
    return json.out.append('}').toString();
  }

  private void write(SampleResult sample) {
    out.append("\"id\":");
    text(sample.id());
    number(",\"epoch\":", sample.epoch());
    text(",\"content_hash\":", sample.contentHash());
    text(",\"started\":", sample.started().toString());
    text(",\"input\":", sample.input());
    list(",\"targets\":", sample.targets(), this::text);
    list(",\"choices\":", sample.choices(), this::text);
    any(",\"metadata\":", sample.metadata());
    list(",\"messages\":", sample.messages(), this::message);
    list(",\"other_messages\":", sample.otherMessages(), this::message);
    list(",\"calls\":", sample.calls(), this::call);
    list(",\"tool_runs\":", sample.toolRuns(), this::toolRun);
    text(",\"output\":", sample.output());
    text(",\"stop_reason\":", sample.stopReason());
    any(",\"store\":", sample.store());
    out.append(",\"scores\":{");
    String comma = "";
    for (Map.Entry<String, ScoreResult> score : sample.scores().entrySet()) {
      out.append(comma);
      text(score.getKey());
      out.append(':');
      score(score.getValue());
      comma = ",";
    }
    out.append('}');
    text(",\"error\":", sample.error());
    flag(",\"cancelled\":", sample.cancelled());
    list(",\"error_retries\":", sample.errorRetries(), this::text);
    any(",\"limit\":", sample.limit().orElse(null));
    number(",\"retries\":", sample.retries());
    list(",\"request_ids\":", sample.requestIds(), this::text);
    tokens(sample.tokens());
    cost(sample.cost());
    number(",\"cached_answers\":", sample.cachedAnswers());
    list(",\"notes\":", sample.notes(), this::note);
    times(sample.times());
  }

  private void message(LogMessage message) {
    text("{\"role\":", message.role());
    text(",\"content\":", message.content());
    list(",\"tool_calls\":", message.toolCalls(), this::toolCall);
    text(",\"tool_call_id\":", message.toolCallId());
    text(",\"tool\":", message.tool());
    flag(",\"failed\":", message.failed());
    out.append('}');
  }

  private void toolCall(LogToolCall call) {
    text("{\"id\":", call.id());
    text(",\"name\":", call.name());
    text(",\"arguments\":", call.arguments());
    out.append('}');
  }

  private void call(ModelCall call) {
    text("{\"at\":", call.at().toString());
    number(",\"working\":", call.working());
    text(",\"model\":", call.model());
    text(",\"role\":", call.role());
    list(",\"input\":", call.input(), this::span);
    out.append(",\"answer\":").append(call.answer().map(String::valueOf).orElse("null"));
    text(",\"stop_reason\":", call.stopReason());
    list(",\"tools\":", call.tools(), this::text);
    tokens(call.tokens());
    cost(call.cost());
    number(",\"retries\":", call.retries());
    times(call.times());
    flag(",\"cached\":", call.cached());
    text(",\"request_id\":", call.requestId());
    text(",\"error\":", call.error());
    out.append('}');
  }

  private void span(ModelCall.Span span) {
    number("{\"from\":", span.from());
    number(",\"to\":", span.to());
    out.append('}');
  }

  private void toolRun(ToolRun run) {
    text("{\"at\":", run.at().toString());
    number(",\"working\":", run.working());
    text(",\"id\":", run.id());
    text(",\"tool\":", run.tool());
    text(",\"arguments\":", run.arguments());
    text(",\"result\":", run.result());
    flag(",\"failed\":", run.failed());
    number(",\"seconds\":", run.seconds());
    out.append('}');
  }

  private void score(ScoreResult score) {
    number("{\"value\":", score.value());
    text(",\"answer\":", score.answer());
    text(",\"explanation\":", score.explanation());
    any(",\"metadata\":", score.metadata());
    out.append('}');
  }

  private void note(Note note) {
    text("{\"source\":", note.source());
    any(",\"data\":", note.data());
    out.append('}');
  }

  private void tokens(Tokens tokens) {
    number(",\"tokens\":{\"input\":", tokens.input());
    number(",\"output\":", tokens.output());
    number(",\"cache_read\":", tokens.cacheRead());
    number(",\"cache_write\":", tokens.cacheWrite());
    number(",\"reasoning\":", tokens.reasoning());
    out.append('}');
  }

  private void cost(Cost cost) {
    out.append(",\"cost\":{\"usd\":").append(cost.usd().map(BigDecimal::toString).orElse("null"));
    out.append(",\"known_usd\":").append(cost.knownUsd());
    number(",\"priced_calls\":", cost.pricedCalls());
    number(",\"unknown_calls\":", cost.unknownCalls());
    out.append('}');
  }

  private void times(Times times) {
    number(",\"times\":{\"queued\":", times.queued());
    number(",\"paced\":", times.paced());
    number(",\"backed_off\":", times.backedOff());
    number(",\"failed\":", times.failed());
    number(",\"called\":", times.called());
    number(",\"shared\":", times.shared());
    number(",\"working\":", times.working());
    number(",\"total\":", times.total());
    out.append('}');
  }

  private <T> void list(String name, List<T> values, Consumer<T> write) {
    out.append(name).append('[');
    for (int i = 0; i < values.size(); i++) {
      if (i > 0) {
        out.append(',');
      }
      write.accept(values.get(i));
    }
    out.append(']');
  }

  /** What may be anything is for the library to write. */
  private void any(String name, @Nullable Object value) {
    out.append(name);
    if (value == null) {
      out.append("null");
    } else if (value instanceof Map<?, ?> map && map.isEmpty()) {
      out.append("{}");
    } else {
      out.append(LogJson.LINES.writeValueAsString(value));
    }
  }

  private void text(String name, String value) {
    out.append(name);
    text(value);
  }

  private void text(String name, Optional<String> value) {
    out.append(name);
    if (value.isPresent()) {
      text(value.get());
    } else {
      out.append("null");
    }
  }

  private void text(String value) {
    out.append('"');
    QUOTES.quoteAsString(value, out);
    out.append('"');
  }

  private void flag(String name, boolean value) {
    out.append(name).append(value);
  }

  private void number(String name, long value) {
    out.append(name).append(value);
  }

  private void number(String name, double value) {
    out.append(name);
    if (Double.isFinite(value)) {
      out.append(value);
    } else {
      out.append('"').append(value).append('"');
    }
  }
}
