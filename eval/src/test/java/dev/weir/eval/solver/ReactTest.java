package dev.weir.eval.solver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.eval.sample.EvalTool;
import dev.weir.eval.sample.SampleLimitExceededException;
import dev.weir.eval.sample.SampleLimits;
import dev.weir.eval.scorer.Scorers;
import dev.weir.log.SampleResult;
import dev.weir.log.SampleResult.LogMessage;
import dev.weir.log.SampleResult.Note;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Message;
import dev.weir.model.Request;
import dev.weir.model.Tool;
import dev.weir.model.ToolChoice;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Agents in real runs, on virtual time. */
class ReactTest {

  private static final String PARIS = "{\"answer\": \"Paris\"}";
  private static final String LYON = "{\"answer\": \"Lyon\"}";

  private final ScriptedRun run = new ScriptedRun();
  private final FakeTool search = FakeTool.giving("search", "It is on the Seine.");

  private static List<String> roles(SampleResult result) {
    return result.messages().stream().map(LogMessage::role).toList();
  }

  @Test
  void callsToolsUntilItSubmits() throws Exception {
    run.calls("search", "{\"q\": \"France\"}")
        .calls("search", "{\"q\": \"Seine\"}")
        .calls("submit", PARIS);
    SampleResult result = run.run(Solvers.react(search));
    assertThat(result.error()).isEmpty();
    assertThat(result.output()).contains("Paris");
    assertThat(result.score()).contains(1.0);
    assertThat(search.given()).containsExactly("{\"q\": \"France\"}", "{\"q\": \"Seine\"}");
    assertThat(roles(result))
        .containsExactly(
            "system", "user", "assistant", "tool", "assistant", "tool", "assistant", "tool");
    // Three answers of a second each, two tools of two seconds each.
    assertThat(result.times().total()).isEqualTo(7.0);
  }

  @Test
  void aToolThatTookTooLongIsRecordedAsThat() throws Exception {
    var slow = new FakeTool("slow", _ -> EvalTool.Result.timeout("it took longer than 1 s"));
    run.calls("slow", "{}").calls("submit", PARIS);
    SampleResult result = run.run(Solvers.react(slow));
    assertThat(result.toolRuns().getFirst().timedOut()).isTrue();
    assertThat(result.messages())
        .filteredOn(message -> message.role().equals("tool"))
        .extracting(LogMessage::timedOut)
        .containsExactly(true, false);
  }

  @Test
  void theModelIsToldOfItsToolsAndHowToSubmit() throws Exception {
    run.calls("finish", PARIS);
    SampleResult result =
        run.run(
            Solvers.systemMessage("Be brief."),
            Solvers.useTools(new ToolChoice.Required(), FakeTool.giving("look", "x")),
            Solvers.react(search)
                .withPrompt("You are a geographer.")
                .with(Submission.DEFAULT.withName("finish").withDescription("Ends it.")));
    assertThat(result.output()).contains("Paris");
    Request request = run.asked().getFirst();
    assertThat(request.tools()).extracting(Tool::name).containsExactly("look", "search", "finish");
    assertThat(request.tools().getLast().description()).isEqualTo("Ends it.");
    assertThat(request.toolChoice()).isEqualTo(new ToolChoice.Auto());
    assertThat(run.lastSeen().getFirst()).isEqualTo("Instructions: Be brief.");
    assertThat(run.lastSeen().get(1))
        .startsWith("Instructions: You are a geographer.")
        .contains("call finish with your final answer");
  }

  @Test
  void aModelThatCallsNoToolIsToldToGoOn() throws Exception {
    run.says("Let me think.")
        .says("Hm.")
        .calls("search", "{}")
        .says("I see.")
        .calls("submit", PARIS);
    SampleResult result = run.run(Solvers.react(search).withContinue("Use {{ submit }}!", 2));
    assertThat(result.score()).contains(1.0);
    assertThat(run.lastSeen()).filteredOn("User: Use submit!"::equals).hasSize(3);
    assertThat(result.notes()).isEmpty();
  }

  @Test
  void aModelThatStaysStuckIsScoredAsItIs() throws Exception {
    run.says("I do not know.").says("Really.").says("Paris");
    SampleResult result = run.run(Solvers.react().withContinue("Go on.", 2));
    assertThat(result.error()).isEmpty();
    assertThat(result.limit()).isEmpty();
    assertThat(result.output()).contains("Paris");
    assertThat(run.asked()).hasSize(3);
    assertThat(result.notes())
        .extracting(Note::data)
        .containsExactly(Map.of("ended", "the model called no tool", "continues", 2));
  }

  @Test
  void withoutAToolToSubmitWithTheFirstMessageWithoutACallIsTheAnswer() throws Exception {
    run.calls("search", "{}").says("Paris");
    SampleResult result = run.run(Solvers.react(search).withoutSubmission());
    assertThat(result.score()).contains(1.0);
    assertThat(run.asked().getFirst().tools()).extracting(Tool::name).containsExactly("search");
  }

  @Test
  void aWrongAttemptIsToldAndMayBeFollowedByAnother() throws Exception {
    run.calls("submit", LYON).calls("submit", PARIS).calls("submit", LYON);
    SampleResult result =
        run.run(
            Solvers.react()
                .with(Submission.DEFAULT.withAttempts(3).withIncorrectMessage("Wrong: {{ id }}.")));
    assertThat(result.output()).contains("Paris");
    assertThat(result.score()).contains(1.0);
    assertThat(run.asked()).hasSize(2);
    assertThat(run.lastSeen().getLast()).isEqualTo("User: Wrong: s.");
    assertThat(result.notes())
        .extracting(Note::data)
        .containsExactly(Map.of("attempt", 1, "score", 0.0), Map.of("attempt", 2, "score", 1.0));
  }

  @Test
  void theLastAttemptIsNotJudgedTwice() throws Exception {
    List<String> judged = new ArrayList<>();
    run.with(
        (state, context) -> {
          judged.add(state.output().orElse(""));
          return Scorers.exact().score(state, context);
        });
    run.calls("submit", "{\"answer\": \"Nice\"}").calls("submit", LYON).calls("submit", PARIS);
    SampleResult result = run.run(Solvers.react().with(Submission.DEFAULT.withAttempts(2)));
    assertThat(result.score()).contains(0.0);
    assertThat(judged).containsExactly("Nice", "Lyon");
  }

  @Test
  void mistakesInCallsAreToldToTheModel() throws Exception {
    run.calls("serach", "{}")
        .calls("search", "{\"q\": ")
        .calls("search", "[1]")
        .calls("submit", "{\"anwser\": \"Paris\"}")
        .calls("submit", PARIS);
    SampleResult result = run.run(Solvers.react(search));
    assertThat(result.score()).contains(1.0);
    assertThat(search.given()).isEmpty();
    assertThat(result.messages().stream().filter(LogMessage::failed).map(LogMessage::content))
        .satisfiesExactly(
            unknown ->
                assertThat(unknown).isEqualTo("There is no tool 'serach'; did you mean 'search'?"),
            broken -> assertThat(broken).contains("are not JSON", "call it again"),
            list -> assertThat(list).contains("must be a JSON object, but were: [1]"),
            missing -> assertThat(missing).contains("`answer` is missing"));
  }

  @Test
  void callsOfOneMessageRunInOrderAndEachIsAnswered() throws Exception {
    run.calls("search", "{\"q\": 1}", "search", "{\"q\": 2}", "submit", PARIS);
    SampleResult result = run.run(Solvers.react(search));
    assertThat(search.given()).containsExactly("{\"q\": 1}", "{\"q\": 2}");
    assertThat(result.messages().stream().flatMap(message -> message.toolCallId().stream()))
        .containsExactly("call-0", "call-1", "call-2");
    assertThat(result.score()).contains(1.0);
  }

  @Test
  void aToolThatFailsIsAMessageAndOneThatThrowsAnError() throws Exception {
    var failing = new FakeTool("search", _ -> EvalTool.Result.failure("no network"));
    run.calls("search", "{}").calls("submit", PARIS);
    SampleResult told = run.run(Solvers.react(failing));
    assertThat(told.score()).contains(1.0);
    assertThat(run.lastSeen().getLast()).isEqualTo("ToolResult: no network");

    var broken =
        new FakeTool(
            "search",
            _ -> {
              throw new IllegalStateException("a defect");
            });
    SampleResult failed = new ScriptedRun().calls("search", "{}").run(Solvers.react(broken));
    assertThat(failed.error().orElseThrow()).contains("a defect");
  }

  @Test
  void aLimitOfTheAgentEndsTheSampleAndItIsScored() throws Exception {
    run.calls("search", "{}").calls("search", "{}").calls("submit", PARIS);
    SampleResult turns = run.run(Solvers.react(search).with(SampleLimits.ofTurns(2)));
    assertThat(turns.error()).isEmpty();
    assertThat(turns.limit().orElseThrow().type()).isEqualTo("turn");
    assertThat(turns.limit().orElseThrow().limit()).isEqualTo(2);
    assertThat(turns.score()).contains(0.0);
    assertThat(search.given()).hasSize(2);

    // System, user, and two messages for each call.
    var messages = new ScriptedRun();
    messages.calls("search", "{}").calls("search", "{}").calls("submit", PARIS);
    SampleResult result = messages.run(Solvers.react(search).with(SampleLimits.ofMessages(6)));
    assertThat(result.limit().orElseThrow().type()).isEqualTo("message");
    assertThat(messages.asked()).hasSize(2);
  }

  @Test
  void earlierTurnsDoNotCountForTheAgent() throws Exception {
    run.says("Hello.").calls("submit", PARIS);
    SampleResult result =
        run.run(Solvers.generate(), Solvers.react().with(SampleLimits.ofTurns(1)));
    assertThat(result.limit()).isEmpty();
    assertThat(result.score()).contains(1.0);
  }

  @Test
  void aLimitOfTheSampleEndsTheAgentInTheMiddleOfATool() throws Exception {
    // Asked from 0 to 1, the tool would run from 1 to 3.
    run.with("time_limit", 2).calls("search", "{}").calls("submit", PARIS);
    SampleResult result = run.run(Solvers.react(search));
    assertThat(result.error()).isEmpty();
    assertThat(result.limit().orElseThrow().type()).isEqualTo("time");
    assertThat(result.times().total()).isEqualTo(2.0);
    assertThat(run.asked()).hasSize(1);
  }

  @Test
  void aToolMayEndTheSampleByALimitOfItsOwn() throws Exception {
    var game =
        new FakeTool(
            "move",
            _ -> {
              throw new SampleLimitExceededException("custom", 12, 10, "too many moves");
            });
    SampleResult result = run.calls("move", "{}").run(Solvers.react(game));
    assertThat(result.error()).isEmpty();
    assertThat(result.limit().orElseThrow().message()).isEqualTo("too many moves");
  }

  @Test
  void theOldestExchangesGoWhenTheModelCannotReadAll() throws Exception {
    for (int i = 1; i <= 4; i++) {
      run.calls("search", "{\"q\": %d}".formatted(i));
    }
    run.refuses("This model's maximum context length is 8192 tokens.")
        .refuses("This model's maximum context length is 8192 tokens.")
        .calls("submit", PARIS);
    SampleResult result = run.run(Solvers.react(search));
    assertThat(result.score()).contains(1.0);
    assertThat(result.notes())
        .extracting(Note::data)
        .containsExactly(
            Map.of("truncated", 4, "messages", 6), Map.of("truncated", 2, "messages", 4));
    List<Message> seen = run.asked().getLast().messages();
    assertThat(seen).hasSize(4);
    assertThat(seen.get(1)).isEqualTo(Message.user("What is the capital of France?"));
    assertThat(seen.get(2))
        .isInstanceOfSatisfying(
            Message.Assistant.class,
            last -> assertThat(last.toolCalls().getFirst().arguments()).isEqualTo("{\"q\": 4}"));
    assertThat(seen.get(3)).isInstanceOf(Message.ToolResult.class);
  }

  @Test
  void whatCannotBeShortenedIsAnError() throws Exception {
    SampleResult first = run.refuses("prompt is too long").run(Solvers.react(search));
    assertThat(first.error().orElseThrow()).contains("prompt is too long");

    var disabled = new ScriptedRun().calls("search", "{}").calls("search", "{}");
    SampleResult result =
        disabled.refuses("prompt is too long").run(Solvers.react(search).withoutTruncation());
    assertThat(result.error().orElseThrow()).contains("prompt is too long");

    var other = new ScriptedRun().calls("search", "{}").calls("search", "{}");
    assertThat(other.refuses("no such parameter").run(Solvers.react(search)).error().orElseThrow())
        .contains("no such parameter");
    assertThat(other.asked()).hasSize(3);
  }

  @Test
  void laterStepsHaveTheToolsOfEarlierOnes() throws Exception {
    run.calls("submit", PARIS).says("Paris");
    run.run(Solvers.react(search), Solvers.userMessage("Sure?"), Solvers.generate());
    assertThat(run.asked().getLast().tools()).isEmpty();
  }

  @Test
  void anAgentWithoutLimitsEndsToo() throws Exception {
    for (int i = 0; i <= 1_000; i++) {
      run.calls("search", "{}");
    }
    SampleResult result = run.run(Solvers.react(search));
    assertThat(result.limit().orElseThrow().type()).isEqualTo("turn");
    assertThat(run.asked()).hasSize(1_000);
    assertThat(Duration.ofNanos(run.time().nanos())).isGreaterThan(Duration.ofMinutes(49));
  }

  @Test
  void twoToolsOfOneNameAreRefused() throws Exception {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> Solvers.react(search, FakeTool.giving("search", "y")))
        .withMessageContaining("two tools are called 'search'");
    SampleResult result = run.run(Solvers.react(FakeTool.giving("submit", "x")));
    assertThat(result.error().orElseThrow()).contains("two tools are called 'submit'");
  }
}
