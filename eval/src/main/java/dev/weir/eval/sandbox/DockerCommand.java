package dev.weir.eval.sandbox;

import dev.weir.time.Time;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The docker command of this machine, for everything but the commands of a sandbox. */
final class DockerCommand {

  static final String PROGRAM = "docker";

  private static final int OUTPUT_LIMIT = 65_536;

  private final Path program;
  private final Map<String, String> environment;
  private final Path folder;
  private final Time time;

  /**
   * @param host the variables of this program, of which those for docker are passed on
   * @param folder where it runs
   */
  DockerCommand(Path program, Map<String, String> host, Path folder, Time time) {
    this.program = program;
    this.environment = HostEnvironment.forDocker(host);
    this.folder = folder;
    this.time = time;
  }

  Path program() {
    return program;
  }

  /** What the command itself has; a container gets none of it. */
  Map<String, String> environment() {
    return environment;
  }

  /** Runs it; ends it when the task is cancelled or time is up. */
  ExecResult run(Duration timeout, Map<String, String> added, List<String> arguments)
      throws InterruptedException {
    try (RunningProcess process = start(added, arguments)) {
      return Finished.of(process, process.await(timeout)).asResult();
    } catch (IOException failed) {
      throw cannotRun(failed);
    }
  }

  /** Runs it to its end although the task may be cancelled: for removing things. */
  ExecResult runPatiently(Duration timeout, List<String> arguments) {
    try (RunningProcess process = start(Map.of(), arguments)) {
      return Finished.of(process, process.awaitPatiently(timeout)).asResult();
    } catch (IOException failed) {
      throw cannotRun(failed);
    }
  }

  private RunningProcess start(Map<String, String> added, List<String> arguments)
      throws IOException {
    List<String> command = new ArrayList<>(List.of(program.toString()));
    command.addAll(arguments);
    Map<String, String> all = new LinkedHashMap<>(environment);
    all.putAll(added);
    return RunningProcess.start(new Launch(command, all), new byte[0], folder, OUTPUT_LIMIT, time);
  }

  private SandboxException cannotRun(IOException failed) {
    return new SandboxException("cannot run %s: %s".formatted(program, failed), failed);
  }
}
