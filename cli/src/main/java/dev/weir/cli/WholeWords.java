package dev.weir.cli;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.ColorScheme;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * Makes help break lines between words only. picocli also breaks {@code gpt-5.6-terra} after its
 * point.
 */
final class WholeWords {

  /** Java breaks no line beside it, and it is removed before a line is printed. */
  private static final String GLUE = "\uFEFF";

  /** Where picocli breaks words: behind these. */
  private static final Pattern BREAK = Pattern.compile("(?<=[./:=-])(?=[^\\s%])");

  private WholeWords() {}

  /** Options and parameters with glue, for {@link #rendered} to remove. */
  static Help help(CommandSpec spec, ColorScheme scheme) {
    return new Glued(spec, scheme);
  }

  /** A section of help; descriptions have glue while it is made. */
  static String rendered(IHelpSectionRenderer renderer, Help help) {
    Map<UsageMessageSpec, String[]> descriptions = new LinkedHashMap<>();
    CommandSpec spec = help.commandSpec();
    descriptions.put(spec.usageMessage(), spec.usageMessage().description());
    spec.subcommands()
        .values()
        .forEach(
            below -> {
              UsageMessageSpec message = below.getCommandSpec().usageMessage();
              descriptions.put(message, message.description());
            });
    descriptions.forEach(
        (message, lines) ->
            message.description(
                Arrays.stream(lines).map(WholeWords::glued).toArray(String[]::new)));
    try {
      return renderer.render(help).replace(GLUE, "");
    } finally {
      descriptions.forEach(UsageMessageSpec::description);
    }
  }

  private static String glued(String text) {
    return BREAK.matcher(text).replaceAll(GLUE);
  }

  private static final class Glued extends Help {

    Glued(CommandSpec spec, ColorScheme scheme) {
      super(spec, scheme);
    }

    @Override
    public IOptionRenderer createDefaultOptionRenderer() {
      IOptionRenderer usual = super.createDefaultOptionRenderer();
      return (option, labels, scheme) -> glued(usual.render(option, labels, scheme), scheme);
    }

    @Override
    public IParameterRenderer createDefaultParameterRenderer() {
      IParameterRenderer usual = super.createDefaultParameterRenderer();
      return (parameter, labels, scheme) -> glued(usual.render(parameter, labels, scheme), scheme);
    }

    /** The last cell of a row is a part of the description. */
    private static Ansi.Text[][] glued(Ansi.Text[][] rows, ColorScheme scheme) {
      for (Ansi.Text[] row : rows) {
        int last = row.length - 1;
        row[last] = scheme.ansi().new Text(WholeWords.glued(row[last].plainString()), scheme);
      }
      return rows;
    }
  }
}
