package dev.weir.eval.memory;

import dev.weir.limits.pace.PaceMemory;
import dev.weir.model.Printable;

/**
 * What was learned about one scope, with what people recognise it by.
 *
 * @param scope as the regulator names it: {@code "openai@3f9a0c51d2e7/gpt-4o"}; it holds a
 *     fingerprint of the account, never the credential
 * @param model as the user wrote it: {@code "openai/gpt-4o"}; the last one asked, if the provider
 *     pools several
 * @param host of the base URL, with its port if it has one; empty if there is none
 * @param memory what the next run can start from
 */
public record LearnedLimits(String scope, String model, String host, PaceMemory memory) {

  public LearnedLimits {
    for (String text : new String[] {scope, model, host}) {
      if (!Printable.isLine(text)) {
        throw new IllegalArgumentException(
            "`scope`, `model` and `host` must be single lines, was '%s'"
                .formatted(Printable.line(text)));
      }
    }
    if (scope.isBlank()) {
      throw new IllegalArgumentException("`scope` must not be blank");
    }
  }

  /** The fingerprint of the account; empty if there is none. */
  public String account() {
    int at = scope.indexOf('@');
    if (at < 0) {
      return "";
    }
    String rest = scope.substring(at + 1);
    int end = 0;
    while (end < rest.length() && rest.charAt(end) != '/' && rest.charAt(end) != '#') {
      end++;
    }
    return rest.substring(0, end);
  }

  /** The name under which the provider pools several models; empty if it does not. */
  public String family() {
    int account = scope.indexOf('@') + account().length() + 1;
    return account < scope.length() && scope.charAt(account) == '#'
        ? scope.substring(account + 1)
        : "";
  }
}
