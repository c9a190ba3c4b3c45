package dev.weir.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whoever reads journals without Weir has nothing but the document. */
class LogFormatDocumentTest {

  private static final Path DOCUMENT =
      Path.of(System.getProperty("weir.root", "..")).resolve("docs/log-format.md");

  @ParameterizedTest
  @ValueSource(
      classes = {
        RunStart.class,
        RunStart.Step.class,
        TaskOrigin.class,
        DatasetRecord.class,
        LimitChange.class,
        ConfigChange.class,
        RunResult.class,
        RunResult.Counts.class,
        RunResult.ScorerMetrics.class,
        RunResult.Range.class,
        RunResult.FailedSample.class,
        RunResult.ModelUse.class,
        Tokens.class,
        Cost.class,
        Times.class,
        Reduced.class,
        Reduced.Value.class,
        EarlierUse.class,
        GoingOn.class,
        SamplePlace.class
      })
  void hasEachKeyOfARecord(Class<?> record) throws IOException {
    String document = Files.readString(DOCUMENT);
    assertThat(Arrays.stream(record.getRecordComponents()).map(RecordComponent::getName))
        // Record 5 leaves it out: it is record 1.
        .filteredOn(name -> !(record == RunResult.class && name.equals("start")))
        .allSatisfy(
            name ->
                assertThat(document)
                    .contains(
                        "`" + name.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT) + "`"));
  }
}
