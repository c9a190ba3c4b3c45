package dev.weir.eval.component;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.eval.template.Template;
import dev.weir.model.ConfigurationException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ArgumentsTemplateTest {

  private static Arguments arguments(String template) {
    return new Arguments(
        Map.of("template", template),
        Path.of(""),
        (name, rule) -> new ConfigurationException("t.yaml, line 4: `%s` %s".formatted(name, rule)),
        Map.of("topic", "rivers"));
  }

  @Test
  void templatesKnowTheVariablesOfTheTask() {
    Template template = arguments("{{ topic | upper }}: {{ prompt }}").template("template").get();
    assertThat(template.render(Map.of("prompt", "hi"))).isEqualTo("RIVERS: hi");
    assertThat(arguments("x").template("other")).isEmpty();
  }

  @Test
  void errorsSayWhereTheTemplateStands() {
    Template template = arguments("{{ topik }}").template("template").get();
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> template.render(Map.of()))
        .withMessageStartingWith("t.yaml, line 4: `template`: there is no variable 'topik'");
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> arguments("{% if %}").template("template"))
        .withMessageStartingWith("t.yaml, line 4: `template`: ");
  }
}
