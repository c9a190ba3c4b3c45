package dev.weir.eval.task;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.eval.promptfoo.PromptfooConfig;
import dev.weir.eval.template.Template;
import dev.weir.model.ConfigurationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is wrong in a task file is told in plain words, with its own line and column. */
class WhereItIsWrongTest {

  @TempDir Path directory;

  private void refuses(String yaml, String explanation) throws IOException {
    Files.writeString(directory.resolve("d.csv"), "id,question,answer,topic\n1,What?,Yes,a\n");
    Path file = Files.writeString(directory.resolve("t.yaml"), yaml);
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> TaskFile.read(file))
        .withMessageStartingWith(file + ", ")
        .withMessageContaining(explanation);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '§',
      quoteCharacter = '~',
      value = {
        "task: t¶dataset:¶  file: d.csv¶   fields: {input: a}¶ § line 4, column 10 § this line is"
            + " indented more than line 3, which has its value already; align it",
        "task: t¶solver:¶\t- generate¶ § line 3, column 1 § there is a tab; indent with spaces",
        "task: t¶dataset: [a¶solver: generate¶ § line 3, column 7 § the list [ at line 2, column 10"
            + " is not closed before this; add ]",
        "task: t¶dataset: {a: b¶solver: generate¶ § line 3, column 7 § the mapping { at line 2,"
            + " column 10 is not closed before this; add }",
        "task: \"t¶dataset: d.csv¶ § line 3, column 1 § the quote at line 1, column 7 is not"
            + " closed",
        "task: @t¶ § line 1, column 7 § a text cannot begin with @; put it in quotes",
        "task: a: b¶ § line 1, column 8 § a text with a colon and a space must be in quotes",
        "task: *x¶ § line 1, column 7 § *x refers to &x, which is nowhere before; put a text that"
            + " begins with * in quotes",
        "task: t¶- a¶ § line 2, column 1 § this does not go on with what begins at line 1, column"
            + " 1",
        "task: \"a\\q\"¶ § line 1, column 10 § \\q means nothing in double quotes; write \\\\q, or"
            + " use single quotes",
        "task: t¶---¶task: u¶ § line 2, column 1 § a file holds one document",
        "task: t¶dataset¶solver: x¶ § line 3, column 1 § what stands at line 2, column 1 needs a"
            + " colon and a value (key: value)",
      })
  void whatIsNoYamlIsToldInPlainWords(String yaml, String place, String words) throws Exception {
    refuses(yaml.replace('¶', '\n'), "%s: the file is not YAML: %s".formatted(place, words));
    Path promptfoo =
        Files.writeString(directory.resolve("promptfooconfig.yaml"), yaml.replace('¶', '\n'));
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> PromptfooConfig.read(promptfoo, Map.of()))
        .withMessageStartingWith("%s, %s: the file is not YAML: ".formatted(promptfoo, place))
        .withMessageContaining(words);
  }

  @Test
  void whatTheParserTellsNoPlaceOfIsToldWhereItStands() throws Exception {
    refuses(
        "task: t\ndataset: a\0b\n",
        "t.yaml, line 2, column 11: the file is not YAML: there is a character that no text has"
            + " (U+0000); remove it");
    String list = "task: t\na: &a [x]\nb: [" + "*a, ".repeat(60) + "]\n";
    refuses(
        list,
        "t.yaml, line 3, column 205: the file is not YAML: there are more than 50 references"
            + " (*name)");
  }

  private static String prompting(String template) {
    return "task: t\ndataset: {file: d.csv, fields: {input: question, target: answer}}\n"
        + "solver:\n  - prompt_template:\n      template: "
        + template
        + "\n  - generate\nscorer: includes\n";
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '§',
      quoteCharacter = '~',
      value = {
        "\"Hm: {{ x | upperr }}\" § line 5, column 29",
        "'{{ prompt }} {{ x | upperr }}' § line 5, column 38",
        "|¶        One.¶        {{ prompt }}, {{ x | upperr }} § line 7, column 30",
        // Folded lines are not where they are read: the place of the text, and that within it.
        ">¶        One.¶        {{ x | upperr }} § line 5, column 17",
      })
  void aTemplateIsWrongWhereItIsWritten(String template, String place) throws Exception {
    refuses(
        prompting(template.replace('¶', '\n')),
        place + ": `template`: there is no filter 'upperr'; did you mean 'upper'?");
  }

  @Test
  void aVariableThatIsNotThereIsToldWithThoseThatAre() {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(
            () -> Template.of("On {{ topik }}", "here").render(Map.of("topic", 1, "prompt", 2)))
        .withMessage(
            "here: there is no variable 'topik'; did you mean 'topic'? There are: prompt, topic"
                + " (line 1, column 4 of the template)");
  }

  @Test
  void columnsThatAreNotThereAreToldWithTheirPlaceAndThoseThatAre() throws Exception {
    String head =
        "task: t\nscorer: includes\nsolver: generate\ndataset:\n  file: d.csv\n  fields:\n";
    Files.writeString(directory.resolve("d.csv"), "id,question,answer,topic\n1,What?,Yes,a\n");
    Path file = directory.resolve("t.yaml");
    Files.writeString(file, head + "    input: qestion\n    target: answer\n");
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> TaskFile.read(file))
        .withMessageEndingWith(
            "d.csv, line 2, column 1: the row has no `qestion`, which `fields.input` names (%s, line 7, column"
                    .formatted(file)
                + " 12); did you mean 'question'? It has: id, question, answer, topic");
    Files.writeString(
        file, head + "    input: question\n    target: answer\n    metadata: [topic, level]\n");
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> TaskFile.read(file))
        .withMessageEndingWith(
            "d.csv: no row has the column 'level' that `fields.metadata` names (%s, line 9, column"
                    .formatted(file)
                + " 15). There are: id, question, answer, topic");
  }
}
