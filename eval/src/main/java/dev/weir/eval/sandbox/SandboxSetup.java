package dev.weir.eval.sandbox;

import dev.weir.eval.dataset.Sample;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What is done in a new sandbox before it is used.
 *
 * @param files by their path in the sandbox, written in this order
 * @param script run by bash, after the files are there
 * @param timeout for the script
 */
public record SandboxSetup(
    Map<String, SandboxFile> files, Optional<String> script, Duration timeout) {

  /** Long enough to install something. */
  public static final Duration DEFAULT_TIMEOUT = Duration.ofMinutes(5);

  public static final SandboxSetup NONE =
      new SandboxSetup(Map.of(), Optional.empty(), DEFAULT_TIMEOUT);

  /** What a sample brings with it. */
  public static SandboxSetup of(Sample sample) {
    if (sample.files().isEmpty() && sample.setup().isEmpty()) {
      return NONE;
    }
    Map<String, SandboxFile> files = new LinkedHashMap<>();
    sample.files().forEach((path, content) -> files.put(path, file(content)));
    return new SandboxSetup(files, sample.setup(), DEFAULT_TIMEOUT);
  }

  private static SandboxFile file(String content) {
    return content.startsWith(Sample.FILE)
        ? new SandboxFile.Copy(Path.of(content.substring(Sample.FILE.length())))
        : new SandboxFile.Text(content);
  }

  /** Why it could not be done in such a sandbox, for people; empty if nothing is in the way. */
  public Optional<String> problem(SandboxSpec spec) {
    var places = new FilePlaces(spec);
    return files.entrySet().stream()
        .flatMap(file -> places.problem(file.getKey(), file.getValue()).stream())
        .findFirst();
  }

  public SandboxSetup {
    files = Collections.unmodifiableMap(new LinkedHashMap<>(files));
    if (!timeout.isPositive()) {
      throw new IllegalArgumentException("`timeout` must be > 0, was " + timeout);
    }
  }
}
