package dev.weir.eval.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.retry.Outcome;
import dev.weir.model.ModelName;
import dev.weir.model.Origin;
import dev.weir.model.Response;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class EndingTest {

  private static final ModelName MODEL = ModelName.parse("openai/gpt-4o");

  private static Response.Failure credit() {
    return new Response.QuotaExhausted(
        "no credit is left", Outcome.Reach.ACCOUNT, Origin.of(MODEL));
  }

  @Test
  void theFirstReasonHolds() {
    var ending = new Ending();
    ending.fail("sample 1 failed", Optional.of("trace 1"));
    ending.refuse("sample 2 was refused", Optional.of("trace 2"), credit());
    assertThat(ending.error()).hasValue("sample 1 failed");
    assertThat(ending.traceback()).hasValue("trace 1");
    assertThat(ending.refusal()).isPresent();
  }
}
