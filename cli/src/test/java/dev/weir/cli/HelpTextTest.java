package dev.weir.cli;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.component.Component;
import dev.weir.eval.component.Parameter;
import dev.weir.eval.option.Option;
import dev.weir.eval.option.Options;
import dev.weir.eval.scorer.Scorers;
import dev.weir.eval.solver.Solvers;
import dev.weir.eval.tool.Tools;
import dev.weir.time.Time;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** What holds for the help of every command, and for the examples in the documents. */
class HelpTextTest {

  private static final Path ROOT = Path.of(System.getProperty("weir.root"));

  /** What can only be understood together with the text before or after it. */
  private static final Pattern DEPENDENT =
      Pattern.compile(
          "^(the same\\b|likewise|as above|ditto|also\\b|too\\b|similarly|the opposite|the other"
              + "|this also|as before|and\\b|or\\b|but\\b)"
              + "|\\b(see above|as above|see below|even so|the option (above|below)|previous option"
              + "|next option|the former|the latter)\\b",
          Pattern.CASE_INSENSITIVE);

  private static final Pattern JQ = Pattern.compile("\\bjq((?: -\\w+)*) (\\S+)");

  private static CommandLine root() {
    var silent = new PrintWriter(new StringWriter());
    return Weir.commandLine(new Surroundings(Time.system(), silent, silent, Map.of(), false));
  }

  private static List<CommandLine> commands(CommandLine command) {
    List<CommandLine> all = new ArrayList<>(List.of(command));
    command.getSubcommands().values().forEach(below -> all.addAll(commands(below)));
    return all;
  }

  private static String name(CommandLine command) {
    return command.getCommandSpec().qualifiedName();
  }

  /** Each text that describes one thing among others, by what it describes. */
  private static Map<String, String> texts() {
    Map<String, String> texts = new LinkedHashMap<>();
    for (CommandLine command : commands(root())) {
      CommandSpec spec = command.getCommandSpec();
      spec.args()
          .forEach(
              argument ->
                  texts.put(
                      name(command)
                          + " "
                          + (argument instanceof OptionSpec option
                              ? option.longestName()
                              : argument.paramLabel()),
                      String.join(" ", argument.description())));
    }
    Stream.concat(Options.all().stream(), Options.ofSelection().stream())
        .forEach(option -> texts.put("option " + option.name(), option.description()));
    Stream.of(Scorers.all(), Solvers.all(), Tools.all())
        .flatMap(List::stream)
        .forEach(component -> addTexts(component, texts));
    return texts;
  }

  private static void addTexts(Component<?> component, Map<String, String> texts) {
    texts.put("component " + component.name(), component.description());
    for (Parameter parameter : component.parameters()) {
      texts.put(
          "component %s: %s".formatted(component.name(), parameter.name()),
          parameter.description());
    }
  }

  @Test
  void noTextDependsOnItsNeighbour() {
    Map<String, String> texts = texts();
    assertThat(texts).hasSizeGreaterThan(300);
    assertThat(texts)
        .allSatisfy(
            (what, text) -> {
              assertThat(text).as(what).isNotBlank();
              assertThat(DEPENDENT.matcher(text).find()).as("%s: %s", what, text).isFalse();
            });
  }

  @Test
  void dependentTextsAreFound() {
    assertThat(
            List.of(
                "The same without the time spent waiting.",
                "Likewise, for tokens.",
                "Run all samples even so, and fail at the end.",
                "A limit on tokens, see above."))
        .allSatisfy(text -> assertThat(DEPENDENT.matcher(text).find()).as(text).isTrue());
    assertThat(DEPENDENT.matcher("The seed: the same seed gives the same scores.").find())
        .isFalse();
  }

  @Test
  void helpBeginsWithOneLineOfUsage() {
    assertThat(commands(root()))
        .hasSizeGreaterThan(30)
        .allSatisfy(
            command -> {
              List<String> lines =
                  command.getUsageMessage(CommandLine.Help.Ansi.OFF).lines().toList();
              assertThat(lines.getFirst())
                  .startsWith("Usage: " + name(command))
                  .hasSizeLessThan(81);
              assertThat(lines.get(1)).as(name(command)).matches("\\p{Lu}.*");
            });
  }

  @Test
  void descriptionsBeginWithAVerbInTheImperative() {
    for (CommandLine command : commands(root())) {
      String first = command.getCommandSpec().usageMessage().description()[0];
      assertThat(first).as(name(command)).matches("\\p{Lu}[a-z]*[a-rt-z]\\b.*");
    }
  }

  /** picocli would break {@code gpt-5.6-terra} after its point. */
  @Test
  void linesBreakBetweenWordsOnly() {
    for (CommandLine command : commands(root())) {
      String help = command.getUsageMessage(CommandLine.Help.Ansi.OFF);
      assertThat(help).as(name(command)).doesNotContain("\uFEFF");
      String words = help.replaceAll("\\s+", " ");
      for (OptionSpec option : command.getCommandSpec().options()) {
        String text =
            String.join(" ", option.description()).replace("%%", "%").replaceAll("\\s+", " ");
        assertThat(words).as(name(command)).contains(text);
      }
    }
  }

  /** picocli takes a percent sign for a format, and warns on the terminal of the user. */
  @Test
  void percentSignsAreEscaped() {
    for (CommandLine command : commands(root())) {
      assertThat(command.getCommandSpec().usageMessage().description())
          .as(name(command))
          .allSatisfy(text -> assertThat(text.replace("%%", "")).doesNotContain("%"));
    }
  }

  /** In the order of the one table of options, under the headings of their groups. */
  @Test
  void optionsThatBelongTogetherStandTogether() {
    CommandLine eval = requireNonNull(root().getSubcommands().get("eval"));
    String help = eval.getUsageMessage(CommandLine.Help.Ansi.OFF);
    int last = 0;
    for (Option.Group group : Option.Group.values()) {
      for (Option option : Options.all()) {
        if (option.group() == group) {
          Matcher shown =
              Pattern.compile("(?m)^ .{5}--%s\\b[ =\\[\\n]".formatted(option.name())).matcher(help);
          assertThat(shown.find()).as(option.name()).isTrue();
          assertThat(shown.start()).as(option.name()).isGreaterThan(last);
          last = shown.start();
        }
      }
    }
  }

  /** A shell takes {@code $5} without quotes for an argument of its own, which is empty. */
  @Test
  void amountsOfMoneyInExamplesAreQuoted() {
    for (CommandLine command : commands(root())) {
      for (String line : command.getCommandSpec().usageMessage().footer()) {
        assertThat(line.replaceAll("'[^']*'", ""))
            .as(name(command))
            .doesNotContainPattern("\\$\\d");
      }
    }
  }

  /** zsh takes {@code .[0]} without quotes for a pattern of file names. */
  @Test
  void filtersOfJqAreQuoted() throws IOException {
    Map<String, String> places = new LinkedHashMap<>();
    try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"));
        Stream<Path> examples = Files.walk(ROOT.resolve("examples"));
        Stream<Path> top = Files.list(ROOT)) {
      for (Path file : Stream.of(docs, examples, top).flatMap(files -> files).toList()) {
        if (file.toString().endsWith(".md")) {
          places.put(ROOT.relativize(file).toString(), Files.readString(file));
        }
      }
    }
    for (CommandLine command : commands(root())) {
      places.put(
          name(command), String.join("\n", command.getCommandSpec().usageMessage().footer()));
    }
    int found = 0;
    for (Map.Entry<String, String> place : places.entrySet()) {
      Matcher filter = JQ.matcher(place.getValue());
      while (filter.find()) {
        if (filter.group().contains(".")) {
          assertThat(filter.group(2)).as(place.getKey()).startsWith("'");
          found++;
        }
      }
    }
    assertThat(found).isGreaterThan(10);
  }
}
