package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.log.trace.TraceRecord;
import java.time.Instant;
import java.util.Map;
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
        "503: out of service | ollama/llama3.2 does not answer: 503: out of service. A call tries"
            + " again from time to time, and all go on when one is answered; --timeout bounds how"
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
        .doesNotContain("@8966", "Exception", "probe", "circuit");
  }
}
