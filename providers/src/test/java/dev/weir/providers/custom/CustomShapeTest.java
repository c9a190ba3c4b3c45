package dev.weir.providers.custom;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.ModelName;
import dev.weir.model.Request;
import dev.weir.model.spi.Providers;
import dev.weir.model.spi.Surroundings;
import dev.weir.time.Time;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** To the cache, a model is another one after each edit of the files that it is made of. */
class CustomShapeTest {

  @TempDir Path folder;

  private static String shape(String name) {
    ModelName model = ModelName.parse(name);
    return Providers.find(model)
        .open(model, Map.of(), new Surroundings(Time.system(), 1))
        .shape(Request.of("?"));
  }

  @Test
  void anEditOfTheDescriptionOfAProgramOrOfTheProgramIsSeen() throws Exception {
    Path config = ExecFolder.fill(folder, "command: [./model.sh]");
    String name = "exec:" + config;
    String first = shape(name);
    assertThat(shape(name)).isEqualTo(first).isNotEmpty();
    Files.writeString(config, "command: [./model.sh, -v]");
    String second = shape(name);
    assertThat(second).isNotEqualTo(first);
    Files.writeString(folder.resolve("model.sh"), "#!/bin/sh\necho other\n");
    assertThat(shape(name)).isNotEqualTo(second);
  }

  @Test
  void anEditOfAScriptThatAnInterpreterIsGivenIsSeen() throws Exception {
    Path config = ExecFolder.fill(folder, "command: [sh, model.sh]");
    String first = shape("exec:" + config);
    Files.writeString(folder.resolve("model.sh"), "echo other\n");
    assertThat(shape("exec:" + config)).isNotEqualTo(first);
  }

  @Test
  void anEditOfAProgramWithoutADescriptionIsSeen() throws Exception {
    ExecFolder.fill(folder, "command: [./model.sh]");
    Path program = folder.resolve("model.sh");
    String first = shape("exec:" + program);
    Files.writeString(program, "#!/bin/sh\necho other\n");
    assertThat(shape("exec:" + program)).isNotEqualTo(first);
  }

  @Test
  void anEditOfTheDescriptionOfAServerIsSeen() throws Exception {
    String config =
        """
        url: http://127.0.0.1:9/v1
        body: {q: "%s {{prompt}}"}
        response: {text: $.text}
        """;
    Path file = folder.resolve("model.yaml");
    Files.writeString(file, config.formatted("Q"));
    String first = shape("http:" + file);
    assertThat(shape("http:" + file)).isEqualTo(first).isNotEmpty();
    Files.writeString(file, config.formatted("A"));
    assertThat(shape("http:" + file)).isNotEqualTo(first);
  }
}
