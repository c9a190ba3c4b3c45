package dev.weir.eval.sample;

import dev.weir.eval.dataset.Sample;
import dev.weir.model.Content;
import dev.weir.model.Message;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.StopReason;
import dev.weir.model.ToolChoice;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A sample on its way through the solvers: the conversation so far, what the model said last, the
 * tools it may call. Not thread-safe: belongs to the task that runs the sample.
 */
public final class SampleState {

  private final Sample sample;
  private final int epoch;
  private List<Message> messages;
  private @Nullable String output;
  private @Nullable StopReason stopReason;
  private List<EvalTool> tools = List.of();
  private ToolChoice toolChoice = new ToolChoice.Auto();
  private final Map<String, Object> store = new LinkedHashMap<>();
  private List<String> choices;
  private Optional<Integer> messageLimit = Optional.empty();
  private Optional<TokenLimit> tokenLimit = Optional.empty();
  private boolean completed;

  /**
   * @param epoch which repetition of the sample this is, from 1
   */
  public SampleState(Sample sample, int epoch) {
    this.sample = sample;
    this.epoch = epoch;
    this.messages = new ArrayList<>(sample.conversation());
    this.choices = sample.choices();
  }

  public Sample sample() {
    return sample;
  }

  /** Which repetition of the sample this is, from 1. */
  public int epoch() {
    return epoch;
  }

  /** The conversation so far; {@link #add} and {@link #setMessages} change it. */
  public List<Message> messages() {
    return Collections.unmodifiableList(messages);
  }

  public void add(Message message) {
    messages.add(message);
  }

  public void setMessages(List<Message> changed) {
    messages = new ArrayList<>(changed);
  }

  /** What was last asked in words, if anything: the prompt that solvers rewrite. */
  public String userPrompt() {
    return messages.reversed().stream()
        .filter(Message.User.class::isInstance)
        .map(Message::text)
        .findFirst()
        .orElse("");
  }

  /** Replaces what was last asked in words, images stay; adds a question if nothing was. */
  public void setUserPrompt(String text) {
    for (int i = messages.size() - 1; i >= 0; i--) {
      if (messages.get(i) instanceof Message.User(List<Content> asked)) {
        List<Content> content = new ArrayList<>(List.of(new Content.Text(text)));
        asked.stream().filter(part -> !(part instanceof Content.Text)).forEach(content::add);
        messages.set(i, new Message.User(content));
        return;
      }
    }
    messages.add(Message.user(text));
  }

  /** Asks the model to go on, and takes its answer into the conversation. Runs no tools. */
  public Response.Reply generate(Generator model) throws InterruptedException {
    Response.Reply reply =
        model.generate(
            Request.of(messages)
                .withTools(tools.stream().map(EvalTool::definition).toList(), toolChoice));
    answered(reply);
    model.check();
    return reply;
  }

  /** Takes an answer into the conversation. */
  public void answered(Response.Reply reply) {
    messages.add(reply.message());
    output = reply.message().text();
    stopReason = reply.stopReason();
  }

  /** What is scored: what the model said last, or what a solver put in its place. */
  public Optional<String> output() {
    return Optional.ofNullable(output);
  }

  public void setOutput(String text) {
    output = text;
  }

  /** Why the last answer ended, if there was one. */
  public Optional<StopReason> stopReason() {
    return Optional.ofNullable(stopReason);
  }

  public List<EvalTool> tools() {
    return tools;
  }

  public void setTools(List<EvalTool> offered, ToolChoice choice) {
    tools = List.copyOf(offered);
    toolChoice = choice;
  }

  public ToolChoice toolChoice() {
    return toolChoice;
  }

  /** The answers to choose from, in the order in which they are shown. */
  public List<String> choices() {
    return choices;
  }

  public void setChoices(List<String> reordered) {
    choices = List.copyOf(reordered);
  }

  /** What solvers and scorers leave for each other: text, numbers, lists and maps of them. */
  public Map<String, Object> store() {
    return store;
  }

  /** A limit of this sample that wins over the task's. */
  public Optional<Integer> messageLimit() {
    return messageLimit;
  }

  public void setMessageLimit(int limit) {
    messageLimit = Optional.of(limit);
  }

  /** A limit of this sample that wins over the task's. */
  public Optional<TokenLimit> tokenLimit() {
    return tokenLimit;
  }

  public void setTokenLimit(long limit) {
    tokenLimit = Optional.of(TokenLimit.of(limit));
  }

  public void setTokenLimit(TokenLimit limit) {
    tokenLimit = Optional.of(limit);
  }

  /** Whether the solvers that are left are skipped. */
  public boolean completed() {
    return completed;
  }

  public void complete() {
    completed = true;
  }
}
