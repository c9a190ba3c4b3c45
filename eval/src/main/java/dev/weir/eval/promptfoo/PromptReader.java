package dev.weir.eval.promptfoo;

import dev.weir.model.Printable;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reads the prompts of a configuration: texts, files, and mappings with labels. */
final class PromptReader {

  private static final Pattern SEPARATOR = Pattern.compile("(?m)^---\\s*\\R");
  private static final Pattern FILE_NAME =
      Pattern.compile("[^\\n{}]*\\.(txt|md|j2|json|jsonl|ya?ml|csv)");
  private static final Pattern PROGRAM =
      Pattern.compile(
          "(?:file://|exec:)?[^\\n{}]*\\.([cm]?js|ts|py|sh|rb|exe|bat|ps1)(?::[\\w.]+)?|exec:.*");
  private static final int LONGEST_LABEL = 60;

  private final ConfigFiles files;
  private final Problems problems;

  PromptReader(ConfigFiles files, Problems problems) {
    this.files = files;
    this.problems = problems;
  }

  /** All of them, in order, with distinct labels. */
  List<Prompt> read(Value prompts) {
    List<Prompt> read = new ArrayList<>();
    if (prompts.isMapping()) {
      prompts
          .entries()
          .forEach(
              (reference, label) ->
                  readText(reference, label.text(), prompts.placeOf(reference), read));
    }
    for (Value prompt : prompts.isMapping() ? List.<Value>of() : prompts.oneOrMore()) {
      if (prompt.isMapping()) {
        readMapping(prompt, read);
      } else if (prompt.text().isPresent()) {
        readText(prompt.text().get(), Optional.empty(), prompt.place(), read);
      } else {
        problems.add(prompt.place(), "a prompt must be text, a file, or have `raw` or `id`");
      }
    }
    read.forEach(this::check);
    return distinct(read);
  }

  private void check(Prompt prompt) {
    // The text of a conversation has what JSON writes otherwise.
    Object written = prompt.conversation().<Object>map(list -> list).orElse(prompt.raw());
    Templates.check(Value.ofPlain(written, prompt.place()), "prompts", problems);
  }

  private static List<Prompt> distinct(List<Prompt> prompts) {
    List<Prompt> distinct = new ArrayList<>();
    for (Prompt prompt : prompts) {
      String label = prompt.label();
      for (int i = 2; isTaken(label, distinct); i++) {
        label = "%s (%d)".formatted(prompt.label(), i);
      }
      distinct.add(
          new Prompt(label, prompt.raw(), prompt.conversation(), prompt.aliases(), prompt.place()));
    }
    return distinct;
  }

  private static boolean isTaken(String label, List<Prompt> prompts) {
    return prompts.stream().anyMatch(prompt -> prompt.label().equals(label));
  }

  private void readMapping(Value prompt, List<Prompt> read) {
    var section = new Section(prompt, "a prompt", problems);
    Optional<String> label = section.text("label").or(() -> section.text("display"));
    section.ignore("display");
    Optional<Value> raw = section.value("raw");
    Optional<String> id = section.text("id");
    section.unsupported("config", "give it to the provider");
    section.unsupported("function", "write the prompt as a template");
    section.finish();
    List<String> aliases = id.stream().toList();
    if (raw.isPresent()) {
      String text = raw.get().text().orElseGet(() -> Json.write(raw.get().plain()));
      if (ConfigFiles.isReference(text) || PROGRAM.matcher(text).matches()) {
        readText(text, label.or(() -> id), prompt.place(), read);
      } else {
        read.add(
            Prompt.of(
                label.or(() -> id).orElse(shortened(text)), text, aliases, raw.get().place()));
      }
    } else if (id.isPresent()) {
      readText(id.get(), label, prompt.place(), read);
    } else {
      problems.add(prompt.place(), "a prompt must have `raw` or `id`");
    }
  }

  private void readText(String text, Optional<String> label, Place place, List<Prompt> read) {
    if (PROGRAM.matcher(text).matches()) {
      problems.unsupported(
          place,
          "the prompt function '%s'".formatted(shortened(text)),
          "write the prompt as a template");
    } else if (ConfigFiles.isReference(text) || isFile(text)) {
      List<Path> found = files.find(text, place);
      for (Path file : found) {
        readFile(file, label, place, text, read);
      }
    } else {
      read.add(Prompt.of(label.orElse(shortened(text)), text, List.of(), place));
    }
  }

  /** A name without {@code file://} is one if it looks like one, and the file is there. */
  private boolean isFile(String text) {
    if (!FILE_NAME.matcher(text).matches()) {
      return false;
    }
    try {
      return text.contains("*") || Files.isRegularFile(files.path(text));
    } catch (InvalidPathException notAPath) {
      return false;
    }
  }

  private void readFile(
      Path file, Optional<String> label, Place place, String reference, List<Prompt> read) {
    String name = label.orElse(String.valueOf(file.getFileName()));
    switch (ConfigFiles.ending(file)) {
      case "csv" -> readTable(file, name, place, read);
      case "yaml", "yml" ->
          files
              .data(file, place)
              .ifPresent(
                  data ->
                      read.add(
                          Prompt.of(
                              name, Json.text(data.plain()), List.of(reference), Place.of(file))));
      case "txt", "jsonl" -> {
        boolean isLines = ConfigFiles.ending(file).equals("jsonl");
        List<String> parts =
            files.text(file, place).stream()
                .flatMap(text -> isLines ? text.lines() : SEPARATOR.splitAsStream(text))
                .map(part -> isLines ? part : part.strip())
                .filter(part -> !part.isBlank())
                .toList();
        for (int i = 0; i < parts.size(); i++) {
          String numbered = parts.size() == 1 ? name : "%s #%d".formatted(name, i + 1);
          read.add(Prompt.of(numbered, parts.get(i), List.of(reference, name), Place.of(file)));
        }
      }
      default ->
          files
              .text(file, place)
              .ifPresent(
                  text -> read.add(Prompt.of(name, text, List.of(reference), Place.of(file))));
    }
  }

  private void readTable(Path file, String name, Place place, List<Prompt> read) {
    int number = 0;
    for (CsvTable.Row row : CsvTable.read(file, place, problems)) {
      number++;
      Map<String, String> fields = row.fields();
      String text = fields.getOrDefault("prompt", fields.values().iterator().next());
      String label = fields.getOrDefault("label", "");
      read.add(
          Prompt.of(
              label.isBlank() ? "%s #%d".formatted(name, number) : label,
              text,
              List.of(),
              row.place()));
    }
  }

  private static String shortened(String text) {
    String line = Printable.line(text.strip());
    return line.length() <= LONGEST_LABEL ? line : line.substring(0, LONGEST_LABEL) + "…";
  }
}
