package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.header.QuotaSnapshot;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.model.Adapter;
import dev.weir.model.Content;
import dev.weir.model.Message;
import dev.weir.model.Origin;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.StopReason;
import dev.weir.time.Task;
import java.util.ArrayList;
import java.util.List;

/** What is promised about answers. */
final class AnswerChecks {

  private static final int AT_ONCE = 50;

  /** A picture of one point. */
  private static final String IMAGE =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

  private AnswerChecks() {}

  static Response.Reply reply(Response response) {
    assertThat(response).isInstanceOf(Response.Reply.class);
    return (Response.Reply) response;
  }

  private static Response.Reply play(ProviderContract suite, Scene scene) throws Exception {
    return reply(suite.open(scene).exchange(suite.request(scene)));
  }

  static void question(ProviderContract suite) throws Exception {
    Response.Reply reply = play(suite, new Scene.Says("Paris, on the Seine."));
    assertThat(reply.message().text()).isEqualTo("Paris, on the Seine.");
    assertThat(reply.message().toolCalls()).isEmpty();
    assertThat(reply.stopReason()).isEqualTo(StopReason.STOP);
    assertThat(reply.origin().model()).isEqualTo(suite.model());
  }

  static void usage(ProviderContract suite) throws Exception {
    Response.Reply reply = play(suite, new Scene.Says("Counted."));
    assertThat(reply.usage().inputTokens()).isPositive();
    assertThat(reply.usage().outputTokens()).isPositive();
  }

  static void wire(ProviderContract suite) throws Exception {
    var scene = new Scene.Says("Recorded.");
    Origin origin = play(suite, scene).origin();
    assertThat(origin.status()).hasValue(200);
    assertThat(origin.requestId()).isPresent();
    assertThat(origin.bytesSent()).isPositive();
    assertThat(origin.bytesReceived()).isPositive();
    assertThat(origin.raw().map(Origin.Raw::request).orElse("")).contains("Recorded.");
    assertThat(origin.raw().map(Origin.Raw::response).orElse("")).contains("Recorded.");
  }

  static void conversation(ProviderContract suite) throws Exception {
    var scene = new Scene.Says("Lima.");
    Request last = suite.request(scene);
    Request whole =
        after(
            List.of(
                Message.instructions("You know capitals."),
                Message.user("Capital of Chile?"),
                Message.assistant("Santiago.")),
            last);
    Response.Reply reply = reply(suite.open(scene).exchange(whole));
    assertThat(reply.message().text()).isEqualTo("Lima.");
    if (reply.origin().raw().isPresent()) {
      assertThat(reply.origin().raw().get().request())
          .contains("You know capitals.", "Capital of Chile?", "Santiago.");
    }
  }

  /** The same request with something said before. */
  private static Request after(List<Message> before, Request last) {
    List<Message> all = new ArrayList<>(before);
    all.addAll(last.messages());
    return new Request(
        all,
        last.tools(),
        last.toolChoice(),
        last.settings(),
        last.target(),
        last.mistake(),
        last.epoch(),
        last.deadlineNanos());
  }

  static void image(ProviderContract suite) throws Exception {
    var scene = new Scene.Says("A point.");
    Request request =
        Request.of(
            List.of(
                new Message.User(
                    List.of(
                        Content.Image.data("image/png", IMAGE),
                        new Content.Text(suite.prompt(scene))))));
    Response.Reply reply = reply(suite.open(scene).exchange(request));
    assertThat(reply.message().text()).isEqualTo("A point.");
    assertThat(reply.origin().raw().map(Origin.Raw::request).orElse(""))
        // As a media type, or as the name of a format.
        .contains(IMAGE, "png");
  }

  static void maxTokens(ProviderContract suite) throws Exception {
    String text = "one two three four five six seven eight nine ten";
    var scene = new Scene.Says(text);
    Request request = suite.request(scene);
    Response.Reply reply =
        reply(suite.open(scene).exchange(request.with(request.settings().withMaxTokens(3))));
    assertThat(reply.stopReason()).isEqualTo(StopReason.MAX_TOKENS);
    assertThat(reply.message().text()).isNotEqualTo(text);
    assertThat(text).startsWith(reply.message().text());
  }

  static void concurrent(ProviderContract suite) throws Exception {
    Adapter adapter = suite.open(new Scene.Says(""));
    List<Task<Response>> tasks = new ArrayList<>();
    for (int i = 0; i < AT_ONCE; i++) {
      Request request = suite.request(new Scene.Says("Answer number " + i + "."));
      tasks.add(suite.time().start("exchange " + i, () -> adapter.exchange(request)));
    }
    for (int i = 0; i < AT_ONCE; i++) {
      assertThat(reply(tasks.get(i).join()).message().text()).isEqualTo("Answer number " + i + ".");
    }
  }

  static void stream(ProviderContract suite) throws Exception {
    String text = "This answer has more words than one, and comes in pieces: Zürich, 東京, 🙂.";
    var scene = new Scene.Says(text);
    var heard = new Heard(true);
    Response.Reply reply = reply(suite.open(scene).exchange(suite.request(scene), heard));
    assertThat(reply.message().text()).isEqualTo(text);
    assertThat(heard.text()).isEqualTo(text);
    assertThat(heard.chunks()).hasSizeGreaterThan(1);
    assertThat(heard.facts()).isNotEmpty();
    assertThat(heard.chunkBeforeFacts()).as("a piece came before the facts").isFalse();
    assertThat(reply.stopReason()).isEqualTo(StopReason.STOP);
    if (suite.has(Feature.USAGE)) {
      assertThat(reply.usage().inputTokens()).isPositive();
      assertThat(reply.usage().outputTokens()).isPositive();
    }
  }

  static void facts(ProviderContract suite) throws Exception {
    var scene = new Scene.Says("Known.");
    var heard = new Heard(false);
    reply(suite.open(scene).exchange(suite.request(scene), heard));
    assertThat(heard.facts()).hasSize(1);
    assertThat(heard.chunks()).as("nobody wanted pieces").isEmpty();
  }

  static void nothingLeft(ProviderContract suite) throws Exception {
    var scene = new Scene.SaysWithNothingLeft("The last one.");
    var heard = new Heard(false);
    Response.Reply reply = reply(suite.open(scene).exchange(suite.request(scene), heard));
    assertThat(reply.message().text()).isEqualTo("The last one.");
    assertThat(heard.facts().stream().map(ResponseFacts::quotas).flatMap(List::stream))
        .extracting(QuotaSnapshot::remaining)
        .anySatisfy(remaining -> assertThat(remaining).hasValue(0));
  }
}
