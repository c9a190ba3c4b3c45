package dev.weir.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.model.cache.CacheAge;
import dev.weir.time.virtual.VirtualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CacheOptionsTest {

  @TempDir Path directory;

  @Test
  void thePlaceIsWhereUsersAndSystemsSay() {
    Map<String, String> all =
        Map.of("WEIR_CACHE_DIR", "mine", "XDG_CACHE_HOME", "/caches", "HOME", "/home/me");
    assertThat(CacheOptions.directory(all)).isEqualTo(Path.of("mine"));
    assertThat(CacheOptions.directory(Map.of("XDG_CACHE_HOME", "/caches", "HOME", "/home/me")))
        .isEqualTo(Path.of("/caches/weir/responses"));
    assertThat(CacheOptions.directory(Map.of("XDG_CACHE_HOME", "caches", "HOME", "/home/me")))
        .isEqualTo(Path.of("/home/me/.cache/weir/responses"));
    assertThat(
            CacheOptions.directory(
                Map.of("WEIR_CACHE_DIR", " ", "XDG_CACHE_HOME", "", "HOME", "/home/me")))
        .isEqualTo(Path.of("/home/me/.cache/weir/responses"));
    assertThat(CacheOptions.directory(Map.of("LOCALAPPDATA", "/local")))
        .isEqualTo(Path.of("/local/weir/responses"));
    assertThatThrownBy(() -> CacheOptions.directory(Map.of()))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("set WEIR_CACHE_DIR");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-1", "1GB", "65535", "99999999999999999999"})
  void aSizeThatIsNoneIsRefused(String text) {
    assertThatThrownBy(() -> CacheOptions.maxBytes(Map.of("WEIR_CACHE_MAX_BYTES", text)))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("WEIR_CACHE_MAX_BYTES")
        .hasMessageContaining("'" + text + "'");
  }

  @Test
  void sizesAndAges() {
    assertThat(CacheOptions.maxBytes(Map.of())).isEqualTo(1L << 30);
    assertThat(CacheOptions.maxBytes(Map.of("WEIR_CACHE_MAX_BYTES", "65536"))).isEqualTo(65536);
    assertThat(CacheOptions.age("--cache", "never")).isEqualTo(CacheAge.NEVER);
    assertThatThrownBy(() -> CacheOptions.age("--cache", "soon"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessage("--cache must be an age such as 30m, 12h, 2d or 1w, or never, was 'soon'");
  }

  @Test
  void aPlaceThatCannotBeUsedIsToldWithTheRemedy() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "");
    assertThatThrownBy(
            () ->
                CacheOptions.open(
                    VirtualTime.seeded(1),
                    CacheAge.DEFAULT,
                    Map.of("WEIR_CACHE_DIR", file.toString())))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("it is a file")
        .hasMessageContaining("WEIR_CACHE_DIR");
  }
}
