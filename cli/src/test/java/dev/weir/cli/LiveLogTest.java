package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.log.trace.TraceRecord;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LiveLogTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "connection to http://localhost:11434/v1: org.apache.HttpHostConnectException: Connect to"
            + " http://localhost:11434 failed: Connection refused | ollama/llama3.2 does not"
            + " answer: nothing listens at http://localhost:11434/v1; start the server, or say"
            + " where it is with --model-base-url.",
        "connection to http://no-such:1/v1: java.net.UnknownHostException: no-such |"
            + " ollama/llama3.2 does not answer: the host of http://no-such:1/v1 is not known;"
            + " check the address",
        "503: out of service | ollama/llama3.2 answers only with errors: 503: out of service."
            + " Weir probes it periodically and continues once it answers; --timeout bounds how"
            + " long a call waits, and Ctrl+C ends the run.",
      })
  void aServerThatIsAwayIsToldWithWhatToDo(String why, String words) {
    var record =
        new TraceRecord(
            Instant.EPOCH,
            "circuit:opened",
            "ollama@8966af703914/llama3.2",
            "as it stands in the trace",
            Map.of("why", why));
    assertThat(LiveLog.line(record))
        .contains(" " + words)
        .doesNotContain("@8966", "Exception", "circuit");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "circuit:opened | openai-api/loc/e500 answers only with errors: 500. Weir",
        "circuit:closed | openai-api/loc/e500 answers again.",
        "scope:stopped | openai-api/loc/e500: no more calls: 401 Unauthorized",
      })
  void whatHappensToLimitsIsToldInWordsWithTheModelAsItWasWritten(String event, String words) {
    var record =
        new TraceRecord(
            Instant.EPOCH,
            event,
            "loc@6a625adb0922",
            "as it stands in the trace",
            Map.of("model", "openai-api/loc/e500", "why", "500", "reason", "401 Unauthorized"));
    assertThat(LiveLog.line(record)).contains(" " + words).doesNotContain("@6a62", "scope:");
  }

  @Test
  void aModelThatWasNeverAskedIsToldByItsEngine() {
    var record =
        new TraceRecord(
            Instant.EPOCH, "scope:stopped", "loc@6a625adb0922", "", Map.of("reason", "401"));
    assertThat(LiveLog.line(record)).endsWith(" loc: no more calls: 401");
  }
}
