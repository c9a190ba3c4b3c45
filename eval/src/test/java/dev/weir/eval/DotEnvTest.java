package dev.weir.eval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.model.ConfigurationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DotEnvTest {

  @TempDir private Path directory;

  private Map<String, String> read(String text) throws IOException {
    Files.writeString(directory.resolve(".env"), text);
    return DotEnv.merge(Map.of(), directory);
  }

  @Test
  void readsWhatSuchFilesHold() throws IOException {
    assertThat(
            read(
                """
                # a comment
                PLAIN=value

                export EXPORTED = with spaces around   # and a comment
                DOUBLE="a # b \\"c\\" \\n d"  # comment
                SINGLE='as it \\n is'
                EMPTY=
                HASH=a#b
                EQUALS=a=b=c
                WITH-DASH=x
                PEM="-----BEGIN
                  two
                END-----" # several lines
                """))
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                "PLAIN", "value",
                "EXPORTED", "with spaces around",
                "DOUBLE", "a # b \"c\" \n d",
                "SINGLE", "as it \\n is",
                "EMPTY", "",
                "HASH", "a#b",
                "EQUALS", "a=b=c",
                "WITH-DASH", "x",
                "PEM", "-----BEGIN\n  two\nEND-----"));
    assertThat(read("\uFEFFBOM=1\n")).isEqualTo(Map.of("BOM", "1"));
  }

  @Test
  void theProcessWinsAndTheNearestFileCounts() throws IOException {
    Files.writeString(directory.resolve(".env"), "A=file\nB=file\n");
    assertThat(DotEnv.merge(Map.of("A", ""), directory)).containsEntry("A", "file");
    Path below = Files.createDirectories(directory.resolve("x/y"));
    assertThat(DotEnv.merge(Map.of("A", "process"), below))
        .isEqualTo(Map.of("A", "process", "B", "file"));
    Files.writeString(below.resolve(".env"), "C=near\n");
    assertThat(DotEnv.merge(Map.of(), below)).isEqualTo(Map.of("C", "near"));
  }

  @Test
  void whatIsWrongIsToldWithoutTheValue() throws IOException {
    Files.writeString(directory.resolve(".env"), "A=1\nsk-secret-without-a-name\n");
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> DotEnv.merge(Map.of(), directory))
        .withMessageContaining("line 2")
        .withMessageContaining("NAME=value")
        .withMessageNotContaining("secret");
    Files.writeString(directory.resolve(".env"), "KEY=\"sk-secret\n");
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> DotEnv.merge(Map.of(), directory))
        .withMessageContaining("line 1")
        .withMessageNotContaining("secret");
    Files.write(directory.resolve(".env"), new byte[] {'A', '=', (byte) 0xff, (byte) 0xfe});
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> DotEnv.merge(Map.of(), directory))
        .withMessageContaining("UTF-8");
  }
}
