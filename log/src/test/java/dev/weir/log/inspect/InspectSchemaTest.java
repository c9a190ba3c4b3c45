package dev.weir.log.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InspectSchemaTest {

  private static final Pattern MISSING =
      Pattern.compile(".*required properties \\[\\[(.*)]]", Pattern.DOTALL);

  private static final InspectSchema SCHEMA = new InspectSchema();

  @ParameterizedTest
  @ValueSource(strings = {"epochs", "errors", "failed", "limits", "started", "tools"})
  void logsOfTheNewestInspectFollowTheSchema(String log) throws IOException {
    assertThat(SCHEMA.problems(Logs.file(log + ".eval"))).isEmpty();
  }

  /** They were written before fields were added that have to be there now, and lack only those. */
  @Test
  void olderLogsLackFieldsThatCameLater() throws IOException {
    assertThat(missing("mmlu-summary-choices.eval"))
        .containsExactly(
            "connection_limit_history", "metadata", "params_passed", "role_usage", "tags");
    assertThat(missing("log_formats.eval"))
        .containsExactly(
            "completed",
            "completion",
            "connection_limit_history",
            "eval_id",
            "history",
            "invalidated",
            "metadata",
            "model_generate_config",
            "model_usage",
            "params_passed",
            "role_usage",
            "tags",
            "task_args_passed");
    Set<String> oldest = missing("log_formats.eval");
    oldest.addAll(Set.of("intermediate", "params", "working_start"));
    assertThat(missing("log_streaming.eval")).isEqualTo(oldest);
  }

  private Set<String> missing(String log) throws IOException {
    Set<String> missing = new TreeSet<>();
    for (List<String> problems : SCHEMA.problems(Logs.file(log)).values()) {
      for (String problem : problems) {
        Matcher matcher = MISSING.matcher(problem);
        if (matcher.matches()) {
          missing.addAll(List.of(matcher.group(1).split(", ", -1)));
        } else {
          // Of an optional object that lacks a field: neither that nor null.
          assertThat(problem).containsAnyOf("should be [null]", "any of the schemas");
        }
      }
    }
    return missing;
  }

  @Test
  void whatIsWrongIsFound() throws IOException {
    assertThat(problems("samples/1_epoch_1.json", "{\"id\":1.5,\"epoch\":\"x\"}"))
        .anyMatch(problem -> problem.startsWith("/epoch: "))
        .anyMatch(problem -> problem.contains("required") && problem.contains("attachments"));
    assertThat(problems("summaries.json", "{}")).containsExactly(": not an array");
    assertThat(problems("reductions.json", "[{\"scorer\":1,\"samples\":[]}]"))
        .anyMatch(problem -> problem.startsWith("/0/scorer: "));
    assertThat(problems("_journal/start.json", "{\"version\":2}")).isNotEmpty();
  }

  @Test
  void anUnknownEventIsFound() throws IOException {
    assertThat(
            problems(
                "samples/1_epoch_1.json",
                "{\"id\":1,\"epoch\":1,\"events\":[{\"event\":\"weir\"},{\"event\":\"info\"}]}"))
        .anyMatch(problem -> problem.startsWith("/events/0/event: "))
        .anyMatch(problem -> problem.startsWith("/events/1: ") && problem.contains("timestamp"));
  }

  private List<String> problems(String member, String json) throws IOException {
    return SCHEMA.problems(member, json.getBytes(StandardCharsets.UTF_8));
  }
}
