package dev.weir.providers.openai;

import dev.weir.model.Chunk;
import dev.weir.model.ExchangeListener;
import dev.weir.model.Response;
import dev.weir.model.ToolCall;
import dev.weir.model.Usage;
import dev.weir.providers.http.ErrorReply;
import dev.weir.providers.http.Json;
import dev.weir.providers.http.ServerEvent;
import dev.weir.providers.http.UnreadableException;
import dev.weir.providers.http.Wire;
import dev.weir.providers.openai.ChatCompletionsWire.ChatAnswer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Puts the pieces of a chat completion together. Not thread-safe. */
final class ChatStream implements Wire.StreamDecoder {

  private final ChatCompletionsWire wire;
  private final WireSetup setup;
  private final StringBuilder text = new StringBuilder();
  private final StringBuilder refusal = new StringBuilder();
  private final StringBuilder thoughts = new StringBuilder();
  private final Map<String, Object> kept = new LinkedHashMap<>();
  private final List<Object> details = new ArrayList<>();
  private final List<Draft> drafts = new ArrayList<>();
  private Optional<Usage> usage = Optional.empty();
  private @Nullable String finishReason;
  private @Nullable Json error;
  private boolean done;

  ChatStream(ChatCompletionsWire wire, WireSetup setup) {
    this.wire = wire;
    this.setup = setup;
  }

  @Override
  public boolean event(ServerEvent event, ExchangeListener listener)
      throws UnreadableException, InterruptedException {
    if (event.data().strip().equals("[DONE]")) {
      done = true;
      return true;
    }
    Json piece = Json.parse(event.data());
    Json choice = piece.list("choices").stream().findFirst().orElse(Json.ABSENT);
    if (ApiError.isIn(piece)) {
      error = piece;
      return true;
    }
    if (ApiError.isIn(choice)) {
      error = choice;
      return true;
    }
    Optional<Usage> told = ChatUsage.in(piece);
    usage = told.isPresent() ? told : usage;
    choice
        .text("finish_reason")
        .filter(reason -> !reason.isEmpty())
        .ifPresent(reason -> finishReason = reason);
    read(choice.at("delta"), listener);
    return false;
  }

  @Override
  public Response end(ErrorReply reply) {
    if (error != null) {
      return setup.inside(reply, error);
    }
    if (finishReason == null && !(done && hasSomething())) {
      return new Response.Transient("the answer broke off before its end", reply.origin());
    }
    if (!details.isEmpty()) {
      kept.put("reasoning_details", details);
    }
    return wire.answer(
        new ChatAnswer(
            text.toString(),
            refusal.toString(),
            thoughts.toString(),
            drafts.stream().map(Draft::call).toList(),
            kept,
            finishReason == null ? "" : finishReason,
            usage),
        reply);
  }

  private boolean hasSomething() {
    return !text.isEmpty() || !refusal.isEmpty() || !drafts.isEmpty();
  }

  private void read(Json delta, ExchangeListener listener) throws InterruptedException {
    String thought = Thoughts.text(delta);
    if (!thought.isEmpty()) {
      thoughts.append(thought);
      keep("reasoning_content", delta);
      keep("reasoning", delta);
      Wire.tell(listener, new Chunk.Reasoning(thought));
    }
    delta.list("reasoning_details").forEach(detail -> details.add(detail.embedded()));
    String words = ChatCompletionsWire.text(delta);
    if (!words.isEmpty()) {
      text.append(words);
      Wire.tell(listener, new Chunk.Text(words));
    }
    String declined = delta.text("refusal").orElse("");
    if (!declined.isEmpty()) {
      refusal.append(declined);
      Wire.tell(listener, new Chunk.Text(declined));
    }
    for (Json call : delta.list("tool_calls")) {
      readCall(call, listener);
    }
  }

  private void keep(String field, Json delta) {
    delta
        .text(field)
        .filter(piece -> !piece.isEmpty())
        .ifPresent(
            piece -> kept.merge(field, piece, (before, after) -> String.valueOf(before) + after));
  }

  private void readCall(Json piece, ExchangeListener listener) throws InterruptedException {
    String id = piece.text("id").orElse("");
    String name = piece.text("function", "name").orElse("");
    String arguments = ChatCompletionsWire.arguments(piece);
    int at = place(piece, id, name);
    Draft draft = drafts.get(at);
    draft.arguments.append(arguments);
    draft.name = draft.name.isEmpty() ? name : draft.name;
    Wire.tell(listener, new Chunk.ToolCallPart(at, id, name, arguments));
  }

  /**
   * Which call a piece belongs to. A new id begins a new one, since not all servers count; unless
   * it comes with the name that is known, or none: some servers make an id for each piece.
   */
  private int place(Json piece, String id, String name) {
    long index = piece.whole("index").orElse(drafts.size() - (id.isEmpty() ? 1 : 0));
    for (int at = drafts.size() - 1; at >= 0; at--) {
      Draft draft = drafts.get(at);
      if (draft.index == index
          && (id.isEmpty() || id.equals(draft.id) || draft.goesOn(piece, name))) {
        return at;
      }
    }
    drafts.add(new Draft(index, id.isEmpty() ? "call_" + drafts.size() : id));
    return drafts.size() - 1;
  }

  /** A tool call that is still being told. */
  private static final class Draft {

    private final long index;
    private final String id;
    private final StringBuilder arguments = new StringBuilder();
    private String name = "";

    Draft(long index, String id) {
      this.index = index;
      this.id = id;
    }

    /** The same tool again may be another call: only if the first is not complete it is not. */
    boolean goesOn(Json piece, String more) {
      return piece.whole("index").isPresent()
          && (more.isEmpty() || (more.equals(name) && !isComplete()));
    }

    private boolean isComplete() {
      String told = arguments.toString();
      return told.endsWith("}") && Json.parseOrAbsent(told).isObject();
    }

    ToolCall call() {
      return new ToolCall(id, name, arguments.toString());
    }
  }
}
