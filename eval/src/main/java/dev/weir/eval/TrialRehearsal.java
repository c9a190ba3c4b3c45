package dev.weir.eval;

import dev.weir.eval.dataset.Sample;
import dev.weir.limits.LimitKey;
import dev.weir.model.Adapter;
import dev.weir.model.ConfigurationException;
import dev.weir.model.ExchangeListener;
import dev.weir.model.Message;
import dev.weir.model.ModelName;
import dev.weir.model.Origin;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.Spelling;
import dev.weir.model.StopReason;
import dev.weir.model.Usage;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Rehearses a few samples to see which roles are asked for: a node that nothing asks would be paid
 * for in vain. If they fail with models that only say what is expected, nobody can tell.
 */
final class TrialRehearsal {

  private static final int REHEARSED = 3;

  private TrialRehearsal() {}

  /** As the other host, but all models are stand-ins. */
  static Host stage(Host host) {
    return new Host(host.environment(), Optional.empty(), (_, _) -> {}, Optional.of(StandIn::new));
  }

  /**
   * @param rehearsal trials on a stage
   */
  static void requireAsked(
      Trials rehearsal, Map<String, List<String>> nodes, Map<String, String> places) {
    Map<String, String> first = new LinkedHashMap<>();
    nodes.forEach((role, words) -> first.put(role, words.getFirst()));
    for (Sample sample : rehearsal.samples().stream().limit(REHEARSED).toList()) {
      if (rehearsal.run(first, sample).score().isEmpty()) {
        return;
      }
    }
    Set<String> asked = rehearsal.askedRoles();
    for (String role : nodes.keySet()) {
      if (!Trials.EVALUATED.contains(role) && !asked.contains(role)) {
        throw new ConfigurationException(
            "%sthe task %s asks for no role '%s'%s; --no-validate takes it all the same"
                .formatted(
                    Trials.place(places, role),
                    rehearsal.task(),
                    role,
                    asked.isEmpty() ? "; it asks for none" : Spelling.hint(role, asked)));
      }
    }
  }

  /** Says what is expected, at once. */
  private record StandIn(ModelName name) implements Adapter {

    @Override
    public LimitKey key() {
      return LimitKey.named(name.toString());
    }

    @Override
    public Response exchange(Request request, ExchangeListener listener) {
      return new Response.Reply(
          Message.assistant(request.target().orElse("")),
          StopReason.STOP,
          new Usage(1, 1),
          Origin.of(name));
    }
  }
}
