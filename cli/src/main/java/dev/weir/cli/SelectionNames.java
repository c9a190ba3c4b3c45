package dev.weir.cli;

import dev.weir.model.Printable;
import dev.weir.selection.Arms;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Names of combinations for people. A model may be written with all its settings; where its
 * candidates differ without them, they are left out.
 */
final class SelectionNames {

  private static final Pattern MODEL_OF_MAPPING = Pattern.compile("\"model\"\\s*:\\s*\"([^\"]*)\"");

  private final Arms arms;
  // Of each node: the short name by the word of the model.
  private final List<Map<String, String>> names = new ArrayList<>();

  SelectionNames(Arms arms) {
    this.arms = arms;
    for (int node = 0; node < arms.nodes().size(); node++) {
      names.add(shortened(words(node)));
    }
  }

  private Set<String> words(int node) {
    Set<String> words = new HashSet<>();
    for (int arm = 0; arm < arms.size(); arm++) {
      words.add(arms.models(arm).get(node));
    }
    return words;
  }

  private static Map<String, String> shortened(Set<String> words) {
    Map<String, String> names = new HashMap<>();
    words.forEach(word -> names.put(word, Printable.line(withoutSettings(word))));
    boolean differ = Set.copyOf(names.values()).size() == words.size();
    return differ ? names : Map.of();
  }

  private static String withoutSettings(String word) {
    Matcher mapping = MODEL_OF_MAPPING.matcher(word);
    if (word.startsWith("{")) {
      return mapping.find() ? mapping.group(1) : word;
    }
    int settings = word.indexOf(":");
    // ollama/llama3:8b is a name: settings have values.
    return settings > 0 && word.indexOf('=', settings) > 0 ? word.substring(0, settings) : word;
  }

  /** Of each node. */
  List<String> models(int arm) {
    List<String> models = arms.models(arm);
    List<String> shown = new ArrayList<>();
    for (int node = 0; node < models.size(); node++) {
      String word = models.get(node);
      shown.add(names.get(node).getOrDefault(word, Printable.line(word)));
    }
    return shown;
  }

  /** {@code openai/gpt-5.6-terra + openai/gpt-5.6-luna}, in the order of the nodes. */
  String brief(int arm) {
    return String.join(" + ", models(arm));
  }

  /** With all that was written. */
  String whole(int arm) {
    return Printable.line(arms.label(arm));
  }
}
