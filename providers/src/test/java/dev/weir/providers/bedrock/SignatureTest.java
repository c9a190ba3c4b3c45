package dev.weir.providers.bedrock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.spi.Surroundings;
import dev.weir.providers.replay.Opened;
import dev.weir.providers.replay.ScriptedServer;
import dev.weir.providers.replay.ScriptedServer.Answer;
import dev.weir.time.virtual.VirtualTime;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests as they arrive carry a signature that a server would compute, too. */
class SignatureTest {

  private static final String SECRET_KEY = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";

  private static final Pattern AUTHORIZATION =
      Pattern.compile(
          "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/(\\d{8})/(\\S+)/bedrock/aws4_request,"
              + " SignedHeaders=(\\S+), Signature=([0-9a-f]{64})");

  /**
   * The check itself against the published vectors get-vanilla and post-vanilla of the Signature
   * Version 4 test suite (github.com/boto/botocore, tests/unit/auth/aws4_testsuite).
   */
  @ParameterizedTest
  @CsvSource({
    "GET, 5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
    "POST, 5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"
  })
  void isCheckedAsPublished(String method, String expected) throws Exception {
    var check =
        new SignatureCheck(
            method,
            "/",
            Map.of("host", "example.amazonaws.com", "x-amz-date", "20150830T123600Z"),
            List.of("host", "x-amz-date"),
            "",
            "20150830T123600Z",
            "us-east-1",
            "service");

    assertThat(check.signature(SECRET_KEY)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "amazon.nova-lite-v1:0, /model/amazon.nova-lite-v1%3A0/converse",
    "arn:aws:bedrock:eu-west-1:123456789012:inference-profile/eu.x.y-v1:0, "
        + "/model/arn%3Aaws%3Abedrock%3Aeu-west-1%3A123456789012%3Ainference-profile%2F"
        + "eu.x.y-v1%3A0/converse"
  })
  void signsWhatIsSent(String model, String path) throws Exception {
    try (var server = ScriptedServer.of(Answer.json(200, BedrockReplayTest.ANSWER))) {
      assertThat(ask(server, model, Map.of())).isInstanceOf(Response.Reply.class);

      ScriptedServer.Received sent = server.only();
      assertThat(sent.target()).isEqualTo(path);
      assertSigned(sent);
      assertThat(sent.headers()).doesNotContainKey("x-amz-security-token");
    }
  }

  @Test
  void signsTheSessionToken() throws Exception {
    try (var server = ScriptedServer.of(Answer.json(200, BedrockReplayTest.ANSWER))) {
      assertThat(ask(server, "m", Map.of("AWS_SESSION_TOKEN", "session-1")))
          .isInstanceOf(Response.Reply.class);

      ScriptedServer.Received sent = server.only();
      assertSigned(sent);
      assertThat(sent.headers()).containsEntry("x-amz-security-token", "session-1");
      assertThat(sent.headers().get("authorization")).contains("x-amz-security-token");
    }
  }

  @Test
  void showsNoTokenThatAnErrorRepeats() throws Exception {
    // An error about a signature repeats the request as the server saw it.
    Answer answer =
        Answer.json(403, "{\"message\": \"should have been x-amz-security-token:session-1\"}")
            .with("x-amzn-ErrorType", "InvalidSignatureException");
    try (var server = ScriptedServer.of(answer)) {
      Response response = ask(server, "m", Map.of("AWS_SESSION_TOKEN", "session-1"));

      assertThat(response).isInstanceOf(Response.Authentication.class);
      assertThat(response.toString()).contains("[redacted]").doesNotContain("session-1");
    }
  }

  private static Response ask(ScriptedServer server, String model, Map<String, String> more)
      throws InterruptedException {
    var environment = new java.util.HashMap<>(more);
    environment.put("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE");
    environment.put("AWS_SECRET_ACCESS_KEY", SECRET_KEY);
    environment.put("AWS_DEFAULT_REGION", "eu-west-1");
    var time = VirtualTime.observed(7, Instant.parse("2026-11-15T10:20:30Z"), _ -> {});
    return Opened.model(
            "bedrock/" + model,
            Map.of(),
            new Surroundings(time, 7, environment, Optional.of(server.address())))
        .exchange(Request.of("Hi"));
  }

  private static void assertSigned(ScriptedServer.Received sent) throws Exception {
    Matcher parts = AUTHORIZATION.matcher(sent.headers().getOrDefault("authorization", ""));
    assertThat(parts.matches()).as("%s", sent.headers()).isTrue();
    assertThat(sent.headers()).containsEntry("x-amz-date", "20261115T102030Z");
    assertThat(parts.group(1)).isEqualTo("20261115");
    assertThat(parts.group(2)).isEqualTo("eu-west-1");
    List<String> signed = List.of(parts.group(3).split(";", -1));
    assertThat(signed).contains("host", "x-amz-date", "content-type");
    var check =
        new SignatureCheck(
            sent.method(),
            sent.target(),
            sent.headers(),
            signed,
            sent.body(),
            "20261115T102030Z",
            "eu-west-1",
            "bedrock");
    assertThat(parts.group(4)).isEqualTo(check.signature(SECRET_KEY));
  }
}
