package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class CtlTableTest {

  @Test
  void timesAreShownToTheSecond() {
    var evaluation =
        new JsonMapper()
            .readTree(
                """
                {"id": "1k2j", "pid": 7, "started": "2026-11-19T10:11:18.917402149Z", "pause": ""}
                """);
    assertThat(CtlTable.show(evaluation))
        .first()
        .isEqualTo("1k2j, process 7, since 2026-11-19T10:11:18Z");
  }
}
