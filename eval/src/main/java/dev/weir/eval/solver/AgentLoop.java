package dev.weir.eval.solver;

import dev.weir.eval.sample.EvalTool;
import dev.weir.eval.sample.GenerationFailedException;
import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sample.SampleState;
import dev.weir.eval.sample.ToolSource;
import dev.weir.eval.template.Template;
import dev.weir.model.Message;
import dev.weir.model.Response;
import dev.weir.model.ToolChoice;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One agent at work on one sample.
 *
 * <pre>
 *   ask ──calls──> run tools ──nothing submitted──> ask
 *    │                 └──submitted──> judge ──wrong, attempts left──> ask
 *    │                                   └──else──> end
 *    └──no call──> told to go on ──> ask, a few times in a row, then end
 * </pre>
 *
 * <p>Not thread-safe: belongs to the task that runs the sample.
 */
final class AgentLoop {

  private static final String SOURCE = "react";

  private static final Template SUBMIT_HINT =
      Prompts.of(
          "When you are done, call {{ submit }} with your final answer. Only what you submit"
              + " counts.",
          "the hint to submit");

  private final React agent;
  private final SampleState state;
  private final SampleContext context;
  private final Optional<SubmitTool> submit;
  private int kept;
  private int attempts;
  private int continued;

  AgentLoop(React agent, SampleState state, SampleContext context) {
    this.agent = agent;
    this.state = state;
    this.context = context;
    this.submit = agent.submission().map(SubmitTool::new);
  }

  void run() throws Exception {
    List<EvalTool> earlier = state.tools();
    ToolChoice choice = state.toolChoice();
    List<ToolSource> own = new ArrayList<>(agent.tools());
    submit.ifPresent(own::add);
    state.setTools(ToolList.open(earlier, own, context), new ToolChoice.Auto());
    instruct();
    kept = state.messages().size();
    try {
      context.within(agent.limits(), this::work);
    } finally {
      // Steps after this one have no use for the tool to submit with.
      state.setTools(earlier, choice);
    }
  }

  private void instruct() {
    String told = filled(agent.prompt());
    if (!told.isBlank()) {
      Texts.instruct(state, submit.isPresent() ? told + "\n\n" + filled(SUBMIT_HINT) : told);
    }
  }

  private boolean work() throws Exception {
    boolean isDone = false;
    while (!isDone && !state.completed()) {
      Response.Reply reply = ask();
      isDone = reply.message().toolCalls().isEmpty() ? silent() : called();
    }
    return true;
  }

  /** Asks with as much of the conversation as the model can read. */
  private Response.Reply ask() throws InterruptedException {
    while (true) {
      try {
        return state.generate(context.model());
      } catch (GenerationFailedException failed) {
        List<Message> messages = state.messages();
        if (!agent.truncates() || !ContextOverflow.isCause(failed.failure())) {
          throw failed;
        }
        List<Message> shorter = ContextOverflow.shortened(messages, kept);
        if (shorter.size() == messages.size()) {
          throw failed;
        }
        context.note(
            SOURCE,
            Map.of("truncated", messages.size() - shorter.size(), "messages", shorter.size()));
        state.setMessages(shorter);
      }
    }
  }

  /** The model called no tool. Whether the work ends. */
  private boolean silent() {
    if (submit.isEmpty()) {
      return true;
    }
    if (continued == agent.continues()) {
      context.note(SOURCE, Map.of("ended", "the model called no tool", "continues", continued));
      return true;
    }
    continued++;
    state.add(Message.user(filled(agent.onContinue())));
    return false;
  }

  /** The model called tools. Whether the work ends. */
  private boolean called() throws Exception {
    continued = 0;
    agent.toolLoop().run(state, context);
    Optional<String> answer = submit.flatMap(SubmitTool::take);
    return answer.isPresent() && submitted(answer.get(), agent.submission().orElseThrow());
  }

  private boolean submitted(String answer, Submission submission) throws Exception {
    state.setOutput(answer);
    attempts++;
    if (attempts == submission.attempts()) {
      return true;
    }
    double score = context.judge(state);
    context.note(SOURCE, Map.of("attempt", attempts, "score", score));
    if (score >= 1) {
      return true;
    }
    state.add(Message.user(filled(submission.incorrectMessage())));
    return false;
  }

  private String filled(Template template) {
    return Prompts.fill(
        template, state, Map.of("submit", agent.submission().map(Submission::name).orElse("")));
  }
}
