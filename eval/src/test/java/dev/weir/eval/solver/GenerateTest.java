package dev.weir.eval.solver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.log.SampleResult;
import dev.weir.log.SampleResult.LogMessage;
import dev.weir.model.GenerationSettings;
import dev.weir.model.Request;
import dev.weir.model.ToolChoice;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class GenerateTest {

  private final ScriptedRun run = new ScriptedRun();
  private final FakeTool search = FakeTool.giving("search", "It is on the Seine.");

  @Test
  void runsToolsUntilTheModelCallsNone() throws Exception {
    run.calls("search", "{}").calls("search", "").says("Paris");
    SampleResult result = run.run(Solvers.useTools(search), Solvers.generate());
    assertThat(result.score()).contains(1.0);
    // Nothing at all means no arguments.
    assertThat(search.given()).containsExactly("{}", "{}");
    assertThat(run.asked()).hasSize(3);
  }

  @Test
  void runsToolsOnceOrNotAtAllIfToldSo() throws Exception {
    run.calls("search", "{}");
    SampleResult single =
        run.run(Solvers.useTools(search), Solvers.generate().with(Generate.ToolCalls.SINGLE));
    assertThat(single.messages().getLast().role()).isEqualTo("tool");
    assertThat(run.asked()).hasSize(1);

    var none = new ScriptedRun().calls("search", "{}");
    SampleResult left =
        none.run(Solvers.useTools(search), Solvers.generate().with(Generate.ToolCalls.NONE));
    assertThat(left.messages().getLast().role()).isEqualTo("assistant");
    assertThat(search.given()).hasSize(1);
  }

  @Test
  void aForcedCallIsForcedOnce() throws Exception {
    run.calls("search", "{}").says("Paris");
    run.run(Solvers.useTools(new ToolChoice.Named("search"), search), Solvers.generate());
    assertThat(run.asked())
        .extracting(Request::toolChoice)
        .containsExactly(new ToolChoice.Named("search"), new ToolChoice.Auto());
  }

  @Test
  void itsSettingsWinOverThoseOfTheRun() throws Exception {
    run.with("temperature", 1).with("top_p", 0.5).says("Paris");
    run.run(Solvers.generate(GenerationSettings.NONE.withTemperature(0).withMaxTokens(7)));
    GenerationSettings settings = run.asked().getFirst().settings();
    assertThat(settings.temperature()).hasValue(0);
    assertThat(settings.maxTokens()).hasValue(7);
    assertThat(settings.topP()).hasValue(0.5);
  }

  @Test
  void theMiddleOfALongOutputIsCutOut() throws Exception {
    run.calls("search", "{}").says("Paris");
    String output = "BEGIN" + "é€😀".repeat(10_000) + "END";
    SampleResult result =
        run.run(Solvers.useTools(FakeTool.giving("search", output)), Solvers.generate());
    String shown = content(result);
    int bytes = shown.getBytes(StandardCharsets.UTF_8).length;
    assertThat(bytes).isBetween(16 * 1024, 16 * 1024 + 100);
    assertThat(shown).startsWith("BEGIN").endsWith("END").contains("bytes are cut out here");
    // No character is torn apart.
    assertThat(shown.replaceAll("[é€😀]+", "~"))
        .matches("BEGIN~\n\\[[0-9,]+ bytes are cut out here: a tool may give back 16,384\\]\n~END");
  }

  @Test
  void howMuchIsCutOutCanBeSaid() throws Exception {
    String output = "0123456789".repeat(100);
    Map<Integer, String> shown = new TreeMap<>();
    for (int most : List.of(0, 4, 744, 745, 1_000)) {
      var again = new ScriptedRun().calls("search", "{}").says("Paris");
      shown.put(
          most,
          content(
              again.run(
                  Solvers.useTools(FakeTool.giving("search", output)),
                  Solvers.generate().withMaxToolOutput(most))));
    }
    assertThat(shown)
        .containsEntry(0, output)
        .containsEntry(4, "01\n[996 bytes are cut out here: a tool may give back 4]\n89")
        .containsEntry(745, output)
        .containsEntry(1_000, output);
    assertThat(shown.get(744)).contains("[256 bytes are cut out here");
  }

  private static String content(SampleResult result) {
    return result.messages().stream()
        .filter(message -> message.role().equals("tool"))
        .map(LogMessage::content)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aLoopWithoutLimitsEndsToo() throws Exception {
    for (int i = 0; i <= 1_000; i++) {
      run.calls("search", "{}");
    }
    SampleResult result = run.run(Solvers.useTools(search), Solvers.generate());
    assertThat(result.limit().orElseThrow().type()).isEqualTo("turn");
    assertThat(run.asked()).hasSize(1_000);
  }
}
