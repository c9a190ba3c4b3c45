package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.time.virtual.VirtualTime;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Credentials that a run was given are in nothing that it leaves behind. */
class HiddenCredentialsTest {

  @TempDir Path directory;

  private final VirtualTime time = VirtualTime.seeded(1);
  private final Map<String, String> environment = new HashMap<>();

  @BeforeEach
  void findLogs() {
    environment.put("HOME", directory.toString());
    environment.put("WEIR_LOG_DIR", directory.resolve("logs").toString());
  }

  private Path task(String solver, String scorer, String more) throws IOException {
    return Files.writeString(
        directory.resolve("task.yaml"),
        """
        task: small
        dataset: [{id: a, input: Hello, target: x}]
        solver: %s
        scorer: %s
        model: sim/x:accuracy=1,latency=1s,rpm=0
        %s
        """
            .formatted(solver, scorer, more));
  }

  private Spoken weir(Object... words) throws Exception {
    Spoken said = time.run(() -> Spoken.of(time, environment, words));
    assertThat(said.code()).as(said.err()).isZero();
    return said;
  }

  /** What a log has of the run as a whole, or of its samples. */
  private static String members(Path log, boolean ofSamples) throws IOException {
    var all = new StringBuilder();
    try (var members = new ZipFile(log.toFile())) {
      for (ZipEntry member : Collections.list(members.entries())) {
        if (member.getName().startsWith("samples/") == ofSamples) {
          try (var in = members.getInputStream(member)) {
            all.append(new String(in.readAllBytes(), StandardCharsets.UTF_8));
          }
        }
      }
    }
    return all.toString();
  }

  private static Path log(Spoken said) {
    return Path.of(said.json().path("log").asString());
  }

  @Test
  void whatStepsAreGivenIsHiddenAndNoChangeForWhoGoesOn() throws Exception {
    environment.put("X_TOKEN", "TOKENSECRET1");
    environment.put("MY_API_KEY", "KEYSECRET22");
    Path task =
        task(
            "[{system_message: \"key ${MY_API_KEY}\"}, generate]",
            "{pattern: \"(${X_TOKEN}|.*)\"}",
            "");

    Spoken first = weir("eval", task, "--json");
    environment.put("X_TOKEN", "TOKENSECRET3");
    Spoken second = weir("eval-retry", log(first), "--epochs", 2, "--json");

    assertThat(second.err())
        .contains("reusing 1 finished sample,")
        .doesNotContain("other settings");
    for (Spoken said : new Spoken[] {first, second}) {
      assertThat(said.out() + said.err() + members(log(said), false))
          .contains("key …", "(…|.*)")
          .doesNotContain("TOKENSECRET")
          .doesNotContain("KEYSECRET22");
    }
    // The model is still told the real one.
    assertThat(members(log(second), true)).contains("key KEYSECRET22");
  }

  @Test
  void shortOnesAreHiddenToo() throws Exception {
    environment.put("A_KEY", "q7");
    environment.put("B_TOKEN", "hidme");
    Path task =
        task(
            "generate",
            "{pattern: \"${A_KEY}\"}",
            "metadata: {a: \"${A_KEY}\", b: \"with ${B_TOKEN}!\"}\ntags: \"${A_KEY}\"");

    Spoken shown = weir("eval", task, "--show-config");
    Spoken said = weir("eval", task, "--json");

    assertThat(shown.out()).contains("with …!").doesNotContain("q7").doesNotContain("hidme");
    // Not the names of runs, which are made by chance.
    assertThat(said.out() + members(log(said), false))
        .contains("with …!")
        .doesNotContain("\"q7\"")
        .doesNotContain("hidme");
  }

  @Test
  void fieldsOfRequestsAreHiddenInEachSample() throws Exception {
    environment.put("SOME_KEY", "ENVSECRET");
    Path task = task("generate", "includes", "");
    String body =
        """
        {"api_key": "BODYSECRET", "user": "ENVSECRET", "deep": {"password": "DEEPSECRET", "n": 1, "no": null}}\
        """;

    Spoken said = weir("eval", task, "--json", "--extra-body", body);

    String log = members(log(said), true);
    assertThat(log)
        .contains(
            """
            "extra_body":{"api_key":"…","deep":{"password":"…","n":1,"no":null},"user":"…"}\
            """);
    assertThat(said.out() + said.err() + log + members(log(said), false)).doesNotContain("SECRET");
  }

  @Test
  void argumentsOfATaskAreHiddenAndAskedForAgain() throws Exception {
    Path task =
        task(
            "[{system_message: \"{{ password }} in {{ city }}\"}, generate]",
            "includes",
            "vars: {password: none, city: Rome}");

    Spoken first = weir("eval", task, "--json", "-T", "password=ARGSECRET", "-T", "city=Oslo");
    Spoken second = weir("eval-retry", log(first), "--epochs", 2, "--json");
    Spoken third =
        weir("eval-retry", log(second), "--epochs", 3, "--json", "-T", "password=ARGSECRET");

    for (Spoken said : new Spoken[] {first, second, third}) {
      assertThat(said.out() + said.err() + members(log(said), false))
          .contains("in Oslo")
          .doesNotContain("ARGSECRET");
    }
    assertThat(second.err()).contains("--task-args password is not inherited");
    assertThat(members(log(second), true)).contains("none in Oslo");
    assertThat(third.err()).doesNotContain("not inherited");
    assertThat(members(log(third), true)).contains("ARGSECRET in Oslo");
  }
}
