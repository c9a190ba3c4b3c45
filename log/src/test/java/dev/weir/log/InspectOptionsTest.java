package dev.weir.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InspectOptionsTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          limit          | 20                 | {"limit":20}
          limit          | 5-20               | {"limit":[4,20]}
          sample_id      | a, b               | {"sample_id":["a","b"]}
          sample_shuffle | 42                 | {"sample_shuffle":42}
          fail_on_error  | 0.5                | {"fail_on_error":0.5}
          fail_on_error  | false              | {"fail_on_error":false}
          retry_on_error | 2                  | {"retry_on_error":2}
          time_limit     | 2m                 | {"time_limit":120}
          working_limit  | 90s                | {"working_limit":90}
          time_limit     | 1500ms             | {"time_limit":2}
          token_limit    | 500k               | {"token_limit":500000}
          token_limit    | output:1.5m        | {"token_limit":1500000,"token_limit_type":"output"}
          cost_limit     | 0.5                | {"cost_limit":0.5}
          epochs_reducer | mean,pass_at_2     | {"epochs_reducer":["mean","pass_at_2"]}
          time_limit     | soon               | {}
          rpm            | 60                 | {}
          """)
  void optionsOfARunAreInTheFieldsForThem(String name, String word, String expected) {
    assertThat(InspectOptions.run(Map.of(name, word))).hasToString(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          timeout          | 30s   | {"timeout":30}
          attempt_timeout  | 1h    | {"attempt_timeout":3600}
          seed             | 5     | {"seed":5}
          temperature      | 0.5   | {"temperature":0.5}
          stop_seqs        | A,B   | {"stop_seqs":["A","B"]}
          reasoning_effort | low   | {"reasoning_effort":"low"}
          """)
  void soAreThoseOfRequests(String name, String word, String expected) {
    assertThat(InspectOptions.generation(Map.of(name, word))).hasToString(expected);
  }

  @Test
  void argumentsOfAModelAreTakenApartWhereThatIsPlain() {
    assertThat(InspectOptions.modelArguments(Map.of("model_args", "text=Paris,rpm=60")))
        .hasToString("{\"text\":\"Paris\",\"rpm\":\"60\"}");
    assertThat(InspectOptions.modelArguments(Map.of("model_args", "{\"text\": \"a,b\"}")))
        .hasToString("{}");
    assertThat(InspectOptions.modelArguments(Map.of())).hasToString("{}");
  }
}
