package dev.weir.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.log.trace.TraceDirectory;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StateDirectoryTest {

  private static final Map<String, String> USER =
      Map.of("HOME", "/home/me", "LOCALAPPDATA", "/local");

  @Test
  void isTheUsualPlaceOfThePlatform() {
    assertThat(StateDirectory.of(USER, "Linux")).contains(Path.of("/home/me/.local/state/weir"));
    assertThat(StateDirectory.of(USER, "Mac OS X"))
        .contains(Path.of("/home/me/Library/Application Support/weir"));
    assertThat(StateDirectory.of(USER, "Windows 11")).contains(Path.of("/local/weir"));
  }

  @Test
  void followsTheVariablesOnEveryPlatform() {
    for (String system : new String[] {"Linux", "Mac OS X", "Windows 11"}) {
      assertThat(
              StateDirectory.of(
                  Map.of("HOME", "/home/me", "LOCALAPPDATA", "/local", "XDG_STATE_HOME", "/state"),
                  system))
          .contains(Path.of("/state/weir"));
      assertThat(
              StateDirectory.of(
                  Map.of("WEIR_STATE_DIR", "mine", "XDG_STATE_HOME", "/state"), system))
          .contains(Path.of("mine"));
    }
  }

  @Test
  void ignoresWhatIsEmptyOrRelativeAgainstTheStandard() {
    assertThat(
            StateDirectory.of(
                Map.of("WEIR_STATE_DIR", " ", "XDG_STATE_HOME", "state", "HOME", "/home/me"),
                "Linux"))
        .contains(Path.of("/home/me/.local/state/weir"));
    assertThat(StateDirectory.of(Map.of(), "Linux")).isEmpty();
  }

  @Test
  void holdsTracesUnlessTheyHaveADirectory() {
    assertThat(TraceDirectory.of(Map.of("WEIR_STATE_DIR", "/mine")))
        .contains(Path.of("/mine/traces"));
    assertThat(TraceDirectory.of(Map.of("WEIR_STATE_DIR", "/mine", "WEIR_TRACE_DIR", "/traces")))
        .contains(Path.of("/traces"));
  }
}
