package dev.weir.eval.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import dev.weir.eval.option.Settings;
import dev.weir.eval.sample.EvalTool;
import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sample.SampleState;
import dev.weir.limits.retry.Outcome;
import dev.weir.log.CallTerms;
import dev.weir.log.ModelCall;
import dev.weir.log.RunResult;
import dev.weir.log.SampleResult;
import dev.weir.log.StateChange;
import dev.weir.log.StateChange.Change;
import dev.weir.log.StateHistory;
import dev.weir.log.Times;
import dev.weir.model.Message;
import dev.weir.model.Origin;
import dev.weir.model.Response;
import dev.weir.model.Tool;
import dev.weir.model.ToolCall;
import dev.weir.model.ToolChoice;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What happens in a sample is in its record. */
class SampleEventsTest {

  private final ScriptedRun runs = new ScriptedRun();

  @Test
  void aSampleThatIsOnlyAskedAndAnsweredHasNoMoreToTell() throws Exception {
    SampleResult sample = runs.runOne();

    assertThat(sample.states()).isEqualTo(StateHistory.NONE);
    assertThat(sample.calls()).hasSize(1);
    assertThat(sample.calls().getFirst().terms()).isEqualTo(CallTerms.NONE);
  }

  @Test
  void eachStepTellsWhatItChanged() throws Exception {
    runs.before =
        List.of(
            (state, _) -> state.setMessages(with(Message.instructions("Be brief."), state)),
            (state, _) -> state.setUserPrompt("Again: " + state.userPrompt()),
            (state, _) -> {
              state.store().put("a/b", new ArrayList<>(List.of(1)));
              state.complete();
            });
    SampleResult sample = runs.runOne();

    assertThat(sample.states().initial()).contains("\"content\":\"question 1\"");
    assertThat(sample.states().changes())
        .extracting(StateChange::changes)
        .containsExactly(
            List.of(Change.add("/messages/0", "{\"role\":\"system\",\"content\":\"Be brief.\"}")),
            List.of(Change.replace("/messages/1", user("Again: question 1"), user("question 1"))),
            List.of(
                Change.add("/store/a~1b", "[1]"), Change.replace("/completed", "true", "false")));
  }

  @Test
  void whatIsChangedInPlaceIsToldAndWhatWasOnlySaidComesWithIt() throws Exception {
    List<Object> list = new ArrayList<>(List.of(1));
    runs.before =
        List.of(
            (state, _) -> state.store().put("list", list),
            (state, context) -> state.generate(context.model()),
            (state, _) -> {
              list.add(2);
              state.setOutput("better");
            });
    SampleResult sample = runs.runOne();

    assertThat(sample.states().changes()).hasSize(2);
    assertThat(sample.states().changes().get(1).at()).isEqualTo(sample.started().plusSeconds(1));
    assertThat(sample.states().changes().get(1).changes())
        .extracting(Change::op, Change::path, Change::before)
        .containsExactly(
            tuple("add", "/messages/1", "null"),
            tuple("replace", "/store/list", "[1]"),
            tuple("replace", "/output/completion", "\"\""));
  }

  @Test
  void whatIsTooLongIsLeftOutAndSaidSo() throws Exception {
    runs.before =
        List.of(
            (state, _) -> state.store().put("long", "x".repeat(99_000)),
            (state, _) -> state.store().put("long", "y".repeat(99_000)));
    List<StateChange> changes = runs.runOne().states().changes();

    assertThat(changes.get(0).changes().getFirst().value()).hasSize(99_002);
    assertThat(changes.get(1).changes())
        .containsExactly(
            Change.replace(
                "/store/long",
                "\"[left out: 99002 characters]\"",
                "\"[left out: 99002 characters]\""));
  }

  @Test
  void callsTellWhatTheModelWasAskedWith() throws Exception {
    runs.settings = Settings.NONE.with("temperature", 0.5).with("max_tokens", 7);
    runs.before =
        List.of((state, _) -> state.setTools(List.of(new Bell()), new ToolChoice.Required()));
    SampleResult sample = runs.runOne();

    CallTerms terms = sample.calls().getFirst().terms();
    assertThat(terms.config()).isEqualTo("{\"temperature\":0.5,\"max_tokens\":7}");
    assertThat(terms.toolChoice()).isEqualTo("\"any\"");
    assertThat(terms.tools())
        .startsWith("[{\"name\":\"bell\",\"description\":\"Rings.\",\"parameters\":")
        .contains("\"how\":{\"default\":null,\"type\":\"string\"}");
    assertThat(sample.states().changes().getFirst().changes())
        .extracting(Change::path)
        .containsExactly("/tools", "/tool_choice");
  }

  @Test
  void aCallThatALimitCutsOffIsToldAsSuch() throws Exception {
    runs.settings = Settings.NONE.with("time_limit", "2500ms");
    runs.latency = _ -> Duration.ofSeconds(5);
    SampleResult sample = runs.runOne();

    assertThat(sample.calls()).hasSize(1);
    ModelCall call = sample.calls().getFirst();
    assertThat(call.answer()).isEmpty();
    assertThat(call.error().orElseThrow()).startsWith("cut off: ").contains("time limit");
    assertThat(call.times().total()).isEqualTo(2.5, within(1e-6));
  }

  @Test
  void attemptsOfACallThatIsCutOffAreTold() throws Exception {
    runs.settings = Settings.NONE.with("time_limit", "20s");
    runs.model = _ -> ScriptedRun.transientFailure();
    runs.samples = 1;
    RunResult result = runs.run();
    SampleResult sample = runs.log.getFirst();

    ModelCall call = sample.calls().getFirst();
    assertThat(call.error().orElseThrow()).startsWith("cut off: ");
    assertThat(call.retries()).isPositive().isEqualTo(sample.retries());
    Times times = call.times();
    assertThat(times.failed()).isGreaterThanOrEqualTo(2);
    assertThat(times.backedOff()).isPositive();
    assertThat(times.queued() + times.paced() + times.backedOff() + times.failed())
        .isEqualTo(times.total(), within(1e-6));
    assertThat(result.retries()).isEqualTo(call.retries());
    assertThat(result.models().getFirst().retries()).isEqualTo(call.retries());
  }

  @Test
  void attemptsOfACallThatARefusalOfOthersEndsAreTold() throws Exception {
    runs.samples = 2;
    runs.model =
        request ->
            runs.requests.size() > 8 && request.toString().contains("question 2")
                ? new Response.Authentication(
                    "no such key", Outcome.Reach.ACCOUNT, Origin.of(ScriptedRun.NAME))
                : ScriptedRun.transientFailure();
    RunResult result = runs.run();

    List<ModelCall> calls = runs.log.stream().flatMap(one -> one.calls().stream()).toList();
    assertThat(calls)
        .filteredOn(call -> call.error().orElseThrow().contains("is stopped"))
        .singleElement()
        .satisfies(call -> assertThat(call.retries()).isPositive())
        .satisfies(call -> assertThat(call.times().failed()).isGreaterThanOrEqualTo(2));
    assertThat(calls.stream().mapToLong(ModelCall::retries).sum())
        .isEqualTo(result.retries())
        .isEqualTo(result.models().getFirst().retries());
  }

  @Test
  void notesTellWhenTheyWereMade() throws Exception {
    runs.before = List.of((state, context) -> state.generate(context.model()));
    runs.solver = (_, context) -> context.note("test", Map.of("x", 1));
    SampleResult sample = runs.runOne();

    assertThat(sample.notes().getFirst().at()).isEqualTo(sample.started().plusSeconds(1));
    assertThat(sample.notes().getFirst().working()).isEqualTo(1, within(1e-6));
  }

  private static List<Message> with(Message first, SampleState state) {
    List<Message> all = new ArrayList<>(List.of(first));
    all.addAll(state.messages());
    return all;
  }

  private static String user(String text) {
    return "{\"role\":\"user\",\"content\":\"%s\",\"source\":\"input\"}".formatted(text);
  }

  private static final class Bell implements EvalTool {

    @Override
    public Tool definition() {
      return new Tool(
          "bell", "Rings.", "{\"type\":\"object\",\"properties\":{\"how\":{\"type\":\"string\"}}}");
    }

    @Override
    public Result run(ToolCall call, SampleState state, SampleContext context) {
      return Result.of("ding");
    }
  }
}
