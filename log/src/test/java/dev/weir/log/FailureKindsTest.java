package dev.weir.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FailureKindsTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          timed out after 31.5 s                          | timed out after 7 s
          HTTP 500 from https://a.example/v1 (req_011CSabc)  | HTTP 500 from https://b.example/v2?x=1 (req_022XYzzz)
          there is no file "a.txt"                        | there is no file "b.txt"
          call 3f2a9c1e-7b6d-4f00-9c1e-aaaabbbbcccc lost  | call 11112222-3333-4444-5555-666677778888 lost
          """)
  void errorsThatDifferInDetailsAreOfOneKind(String one, String other) {
    assertThat(FailureKinds.kind(one)).isEqualTo(FailureKinds.kind(other));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          sim/demo: 500: internal error | sim/demo: 503: internal error
          openai/gpt-4o-mini: 500: down | openai/gpt-4o-2024-08-06: 500: down
          HTTP 500 from the provider   | HTTP 503 from the provider
          ValueError('no such file')   | ValueError('bad number')
          the grader's reply is empty  | the grader's reply is too long
          """)
  void errorsOfDifferentKindsAreToldApart(String one, String other) {
    assertThat(FailureKinds.kind(one)).isNotEqualTo(FailureKinds.kind(other));
  }

  @Test
  void countsFailedAndRetriedErrorsOfALogOfInspect() throws Exception {
    FailureKinds failures =
        FailureKinds.of(Path.of("src/test/resources/dev/weir/log/inspect/errors.eval"));
    assertThat(failures.failed()).isEqualTo(1);
    assertThat(failures.damage()).isEmpty();
    assertThat(failures.kinds())
        .singleElement()
        .satisfies(
            kind -> {
              assertThat(kind.example()).isEqualTo("ValueError('made to fail')");
              assertThat(kind.samples()).containsExactly(new SamplePlace("bad/one", 1));
              assertThat(kind.recovered()).isEqualTo(1);
            });
  }
}
