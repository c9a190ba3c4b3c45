package dev.weir.cli;

import dev.weir.eval.option.Option;
import dev.weir.eval.option.Options;
import dev.weir.eval.option.Secrets;
import dev.weir.eval.option.Settings;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.model.Printable;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** The configuration that tasks would run with, and where each value comes from. */
final class ConfigTable {

  private static final JsonMapper JSON =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  private static final Pattern DEFAULT = Pattern.compile("Default: (.+?)\\.?$");

  private final List<TaskDefinition> tasks;
  private final Settings given;
  private final Secrets secrets;

  ConfigTable(List<TaskDefinition> tasks, Settings given, Secrets secrets) {
    this.tasks = tasks;
    this.given = given;
    this.secrets = secrets;
  }

  void print(PrintWriter out) {
    for (TaskDefinition task : tasks) {
      out.println(
          "%s: %s"
              .formatted(
                  Printable.line(task.name()),
                  Numbers.count(task.dataset().samples().size(), "sample")));
      List<Line> lines = lines(task);
      int keys = lines.stream().mapToInt(line -> line.key().length()).max().orElse(0);
      int values = lines.stream().mapToInt(line -> line.value().length()).max().orElse(0);
      for (Line line : lines) {
        out.println(
            ("  " + padded(line.key(), keys) + "  " + padded(line.value(), Math.min(values, 40)))
                + "  "
                + line.origin());
      }
    }
  }

  String json() {
    List<Map<String, Object>> all = new ArrayList<>();
    for (TaskDefinition task : tasks) {
      Map<String, Object> options = new LinkedHashMap<>();
      for (Line line : lines(task)) {
        options.put(line.key(), Map.of("value", line.value(), "origin", line.origin()));
      }
      Map<String, Object> document = new LinkedHashMap<>();
      document.put("task", task.name());
      document.put("samples", task.dataset().samples().size());
      document.put("options", options);
      all.add(document);
    }
    return JSON.writeValueAsString(all.size() == 1 ? all.getFirst() : all);
  }

  private record Line(String key, String value, String origin) {}

  private List<Line> lines(TaskDefinition task) {
    Settings settings = given.orElse(task.settings());
    return Options.all().stream()
        .map(
            option ->
                settings
                    .setting(option)
                    .map(
                        set ->
                            new Line(
                                option.key(),
                                secrets.hidden(Printable.line(set.word())),
                                Printable.line(set.origin())))
                    .orElseGet(() -> new Line(option.key(), defaultOf(option), "default")))
        .toList();
  }

  private static String defaultOf(Option option) {
    Matcher text = DEFAULT.matcher(option.description());
    return text.find() ? String.valueOf(text.group(1)) : "none";
  }

  private static String padded(String text, int width) {
    return text.length() >= width
        ? text
        : String.format(Locale.ROOT, "%s%s", text, " ".repeat(width - text.length()));
  }
}
