package dev.weir.eval.run;

import java.util.Optional;

/**
 * Somebody does not want to wait for a sample any more.
 *
 * @param asError whether it has failed; else it is scored as it stands
 * @param author who wants that
 * @param reason why, as they said it
 */
public record EarlyEnd(boolean asError, String author, Optional<String> reason) {

  String message() {
    return "ended early by %s%s".formatted(author, reason.map(why -> ": " + why).orElse(""));
  }
}
