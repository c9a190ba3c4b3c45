package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The models that README, documents, examples and help texts name are those of one list. */
class NamedModelsTest {

  private static final Path ROOT =
      Path.of(System.getProperty("weir.root")).toAbsolutePath().normalize();

  private static final String LIST = "docs/current-models.md";

  /** With its provider and perhaps an account, or a family that needs none to be recognised. */
  private static final Pattern MODEL =
      Pattern.compile(
          "(?<![\\w/.@-])(?:(openai|anthropic|google|ollama|mistral|groq|deepseek|together)"
              + "(?:@[a-z0-9-]+)?/([a-z][a-z0-9.-]*\\d[a-z0-9.:-]*))"
              + "|\\b((?:gpt-|claude-[a-z]+-|claude-|gemini-)\\d[a-z0-9.-]*)");

  private static final Pattern ROW = Pattern.compile("(?m)^\\| `([^`]+)` \\| ([^|]*) \\|");

  /** Those of promptfoo are its own, and a changelog is history. */
  private static final Set<String> ELSEWHERE =
      Set.of("target", ".weir", ".git", "promptfoo", "test", "logs", "CHANGELOG.md");

  /** Models without their providers, each with the files that may name it; empty for all. */
  private final Map<String, String> listed = new HashMap<>();

  private void read() throws IOException {
    Matcher row = ROW.matcher(Files.readString(ROOT.resolve(LIST)));
    boolean isExact;
    while (row.find()) {
      String model = String.valueOf(row.group(1));
      String files = String.valueOf(row.group(2));
      isExact = files.startsWith("`");
      listed.put(model.substring(model.indexOf('/') + 1), isExact ? files : "");
    }
  }

  /** What a reader sees: documents, examples and the sources of help texts. */
  private static List<Path> shown() throws IOException {
    List<Path> all = new ArrayList<>();
    for (Path file : below(ROOT)) {
      String name = ROOT.relativize(file).toString();
      boolean isHelp =
          name.startsWith("cli/src/main/")
              || name.startsWith("eval/src/main/java/dev/weir/eval/option/");
      if (name.endsWith(".md") || name.startsWith("examples/") || isHelp) {
        all.add(file);
      }
    }
    return all;
  }

  private static List<Path> below(Path directory) throws IOException {
    List<Path> files = new ArrayList<>();
    List<Path> children;
    try (Stream<Path> listing = Files.list(directory)) {
      children = listing.filter(it -> !ELSEWHERE.contains(it.getFileName().toString())).toList();
    }
    for (Path child : children) {
      if (Files.isDirectory(child)) {
        files.addAll(below(child));
      } else if (child.toString().matches(".*\\.(md|yaml|yml|java|csv|json|jsonl|sh|txt)")) {
        files.add(child);
      }
    }
    return files;
  }

  @Test
  void documentsNameOnlyModelsOfTheList() throws IOException {
    read();
    Set<String> unknown = new TreeSet<>();
    Set<String> named = new HashSet<>();
    for (Path file : shown()) {
      String name = ROOT.relativize(file).toString();
      Matcher found = MODEL.matcher(Files.readString(file));
      while (found.find()) {
        String model =
            found.group(2) == null
                ? String.valueOf(found.group(3))
                : String.valueOf(found.group(2));
        String plain = model.replaceAll("[.:-]+$", "");
        if (!name.equals(LIST)) {
          named.add(plain);
          String files = listed.get(plain);
          if (files == null || !(files.isEmpty() || files.contains("`" + name + "`"))) {
            unknown.add(plain + " in " + name);
          }
        }
      }
    }
    assertThat(unknown).as("models that are not in " + LIST).isEmpty();
    assertThat(named).as("all of " + LIST + " are named").containsAll(listed.keySet());
  }
}
