package dev.weir.providers.mock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.ModelName;
import dev.weir.model.Request;
import dev.weir.model.spi.Surroundings;
import dev.weir.time.virtual.VirtualTime;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MockShapeTest {

  @TempDir Path folder;

  private static String shape(Map<String, String> arguments) {
    return new MockProvider()
        .open(ModelName.parse("mock/x"), arguments, new Surroundings(VirtualTime.seeded(1), 1))
        .shape(Request.of("?"));
  }

  @Test
  void otherRepliesInTheSameFileAreAnotherModelToTheCache() throws Exception {
    Path file = folder.resolve("replies.yaml");
    Map<String, String> arguments = Map.of("replies", file.toString());
    Files.writeString(file, "[Paris]");
    String before = shape(arguments);
    assertThat(shape(arguments)).isEqualTo(before).isNotEmpty();
    Files.writeString(file, "[Lima!]");
    assertThat(shape(arguments)).isNotEqualTo(before);
    assertThat(shape(Map.of("text", "Paris"))).isEmpty();
  }
}
