package dev.weir.eval.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.eval.component.Arguments;
import dev.weir.eval.sample.EvalTool;
import dev.weir.eval.sample.ToolSource;
import dev.weir.model.ConfigurationException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.json.JsonMapper;

/** Real programs in a real sandbox. */
@Timeout(120)
class ProgramsTest {

  private static final JsonMapper JSON = new JsonMapper();

  private final RealContext context = new RealContext();

  @AfterEach
  void close() {
    context.close();
  }

  private EvalTool.Result bash(String command) throws InterruptedException {
    return bash(Tools.bash(), command);
  }

  private EvalTool.Result bash(EvalTool tool, String command) throws InterruptedException {
    return context.call(tool, JSON.writeValueAsString(Map.of("cmd", command)));
  }

  @Test
  void complaintsComeFirstAndAnExitCodeLast() throws Exception {
    assertThat(bash("echo hello")).isEqualTo(EvalTool.Result.of("hello\n"));
    assertThat(bash("printf out; echo oops >&2; exit 3"))
        .isEqualTo(EvalTool.Result.of("oops\nout\n[exit code 3]"));
    assertThat(bash("false").text()).isEqualTo("[exit code 1]");
    assertThat(bash("no-such-program").text()).contains("not found", "[exit code 127]");
  }

  @Test
  void filesStayAndVariablesDoNot() throws Exception {
    bash("x=1; echo $x > file; cd /");
    assertThat(bash("cat file; echo [$x]").text()).isEqualTo("1\n[]\n");
  }

  @Test
  void aCommandMayLookLikeAnOption() throws Exception {
    assertThat(bash("-x").text()).contains("[exit code 127]");
  }

  @Test
  void aTimeOutIsToldWithWhatWasPrinted() throws Exception {
    EvalTool.Result result = bash(Tools.bash(Duration.ofMillis(700)), "echo begun; sleep 100");
    assertThat(result)
        .isEqualTo(
            EvalTool.Result.timeout(
                "the command took longer than 0.7 s and was ended. It had printed:\nbegun\n"));
    assertThat(bash(Tools.bash(Duration.ofMillis(100)), "sleep 100").text())
        .endsWith("It had printed nothing.");
  }

  @Test
  void hugeOutputLosesItsMiddle() throws Exception {
    EvalTool.Result result = bash("seq 1 5000000");
    assertThat(result.text().length()).isBetween(16_384, 16_600);
    assertThat(result.text())
        .startsWith("1\n2\n3\n")
        .contains("characters are left out here")
        .endsWith("[there was more on stdout, which was not kept]");
  }

  @Test
  void badArgumentsAreTold() throws Exception {
    assertThat(context.call(Tools.bash(), "ls").failed()).isTrue();
    assertThat(context.call(Tools.bash(), "{\"command\": \"ls\"}").text())
        .isEqualTo("`command` is not known; known are: cmd");
    assertThat(bash("a\0b").text()).isEqualTo("`cmd` must not contain a zero character");
    assertThat(bash("echo " + "x".repeat(3_000_000)).text()).contains("too long");
  }

  @Test
  void aTaskSaysHowItRuns() throws Exception {
    ToolSource limited =
        Tools.find("bash")
            .orElseThrow()
            .make(Arguments.of(Map.of("timeout", "0.5", "max_output", 100)));
    EvalTool tool = limited.tools(context).getFirst();
    assertThat(bash(tool, "seq 1 100; sleep 100").text())
        .contains("longer than 0.5 s")
        .hasSizeLessThan(300);
    ToolSource other =
        Tools.find("bash").orElseThrow().make(Arguments.of(Map.of("user", "nobody")));
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> bash(other.tools(context).getFirst(), "id"))
        .withMessageContaining("cannot run a command as another user");
  }

  @Test
  @Tag("installed")
  void pythonRunsAndPrints() throws Exception {
    String code = "print('größer', 6 * 7)\nopen('made', 'w').write('by python')";
    EvalTool.Result printed =
        context.call(Tools.python(), JSON.writeValueAsString(Map.of("code", code)));
    assertThat(printed).isEqualTo(EvalTool.Result.of("größer 42\n"));
    assertThat(bash("cat made").text()).isEqualTo("by python");
    assertThat(context.call(Tools.python(), "{\"code\": \"1 / 0\"}").text())
        .contains("ZeroDivisionError")
        .endsWith("[exit code 1]");
    String endless = "import time\nprint('begun')\ntime.sleep(100)";
    assertThat(
            context.call(
                Tools.python(Duration.ofSeconds(2)),
                JSON.writeValueAsString(Map.of("code", endless))))
        .isEqualTo(
            EvalTool.Result.timeout(
                "the code took longer than 2 s and was ended. It had printed:\nbegun\n"));
  }
}
