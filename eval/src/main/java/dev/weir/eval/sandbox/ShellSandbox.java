package dev.weir.eval.sandbox;

import dev.weir.eval.sandbox.SandboxFileException.Reason;
import dev.weir.time.Time;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * A sandbox of any type: starts commands, watches them, ends them. Thread-safe.
 *
 * <p>On no path a process is forgotten: a command that did not end by itself is ended by its tree
 * and by its mark, and closing ends by the mark of the sandbox whatever commands left behind.
 */
final class ShellSandbox implements Sandbox {

  private static final int CANNOT_RUN = 126;

  /** What the operating system says of arguments that are too long. */
  private static final Pattern TOO_LONG = Pattern.compile("error(=|: )7\\b");

  private static final Duration TO_COPY = Duration.ofMinutes(5);

  /** What Linux allows. */
  private static final int LONGEST_PATH = 4_096;

  private static final int COMPLAINT_LIMIT = 65_536;
  private static final byte[] NO_INPUT = {};

  private final SandboxSpec spec;
  private final Enclosure enclosure;
  private final SandboxFolder folder;
  private final String mark;
  private final Turns turns;
  private final Time time;
  private final Consumer<? super Sandbox> afterClosing;
  private final AtomicLong commands = new AtomicLong();

  // Set before what runs is ended, and looked at after each start: one of the two sees the other,
  // so no process is missed.
  private final AtomicBoolean closed = new AtomicBoolean();

  /** Whose turn it is to have a process, and who is told of the wait. */
  record Turns(Gate subprocesses, Waits waits) {}

  /**
   * @param mark how the marks of its commands begin
   * @param afterClosing called once, whether or not everything could be removed
   */
  ShellSandbox(
      SandboxSpec spec,
      Enclosure enclosure,
      SandboxFolder folder,
      String mark,
      Turns turns,
      Time time,
      Consumer<? super Sandbox> afterClosing) {
    this.spec = spec;
    this.enclosure = enclosure;
    this.folder = folder;
    this.mark = mark;
    this.turns = turns;
    this.time = time;
    this.afterClosing = afterClosing;
  }

  @Override
  public ExecResult exec(ExecRequest request) throws InterruptedException {
    byte[] input = request.stdin().getBytes(StandardCharsets.UTF_8);
    try {
      return run(request, enclosure.shellLimits(), input, spec.outputLimit()).asResult();
    } catch (IOException failed) {
      if (TOO_LONG.matcher(String.valueOf(failed.getMessage())).find()) {
        return new ExecResult(
            CANNOT_RUN, "", "the arguments of the command are too long", false, false, false);
      }
      throw broken(failed);
    }
  }

  @Override
  public Dialogue start(ExecRequest request) {
    requireOpen();
    String ownMark = mark + commands.incrementAndGet() + ".";
    Dialogue started;
    try {
      started =
          Dialogue.start(
              launch(request, enclosure.shellLimits(), ownMark),
              folder.folder(),
              time,
              () -> endUnlessClosed(ownMark));
    } catch (IOException failed) {
      throw broken(failed);
    }
    if (closed.get()) {
      // It may have been started after all others were ended.
      enclosure.end(ownMark);
      started.close();
      requireOpen();
    }
    return started;
  }

  /** When the sandbox is closed, it has ended everything. */
  private void endUnlessClosed(String ownMark) {
    if (!closed.get()) {
      enclosure.end(ownMark);
    }
  }

  @Override
  public byte[] readFile(String path) throws SandboxFileException, InterruptedException {
    String attempt = "cannot read";
    String wanted = resolve(path, attempt);
    List<String> script = ShellFiles.read(wanted, spec.fileLimit());
    Captured content = runScript(script, NO_INPUT, spec.fileLimit(), attempt, path);
    if (content.truncated()) {
      throw tooLarge(attempt, path);
    }
    return content.bytes();
  }

  @Override
  public void writeFile(String path, byte[] content)
      throws SandboxFileException, InterruptedException {
    String attempt = "cannot write";
    String wanted = resolve(path, attempt);
    if (content.length > spec.fileLimit()) {
      throw tooLarge(attempt, path);
    }
    runScript(ShellFiles.write(wanted), content, COMPLAINT_LIMIT, attempt, path);
  }

  @Override
  public String workingDirectory() {
    return enclosure.workingDirectory();
  }

  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    try {
      enclosure.close();
    } finally {
      try {
        folder.delete();
      } finally {
        afterClosing.accept(this);
      }
    }
  }

  /** For files that only a script of ours needs. */
  String temporaryDirectory() {
    return enclosure.temporaryDirectory();
  }

  private String resolve(String path, String attempt) throws SandboxFileException {
    if (path.length() > LONGEST_PATH) {
      throw new SandboxFileException(
          Reason.FAILED, attempt, path.substring(0, 100) + "…", "the path is too long");
    }
    return enclosure.resolve(path, attempt);
  }

  private Captured runScript(
      List<String> script, byte[] input, int outputLimit, String attempt, String path)
      throws SandboxFileException, InterruptedException {
    ExecRequest request =
        ExecRequest.of(script).withEnvironment(ShellFiles.ENVIRONMENT).withTimeout(TO_COPY);
    Finished finished;
    try {
      finished = run(request, ProcessLimits.NONE, input, outputLimit);
    } catch (IOException failed) {
      throw broken(failed);
    }
    if (finished.exitCode() != 0) {
      String errors = finished.errors().text();
      Reason reason = ShellFiles.reason(finished.exitCode(), errors);
      boolean unclear = reason == Reason.FAILED;
      throw new SandboxFileException(
          reason, attempt, path, unclear ? Complaint.of(finished.asResult()) : "");
    }
    return finished.output();
  }

  private SandboxFileException tooLarge(String attempt, String path) {
    return new SandboxFileException(
        Reason.TOO_LARGE, attempt, path, "the limit is %d bytes".formatted(spec.fileLimit()));
  }

  private Finished run(ExecRequest request, ProcessLimits limits, byte[] input, int outputLimit)
      throws IOException, InterruptedException {
    try (Gate.Pass _ = turns.subprocesses().enter(turns.waits())) {
      if (Thread.interrupted()) {
        throw new InterruptedException("cancelled before a command was run");
      }
      requireOpen();
      String ownMark = mark + commands.incrementAndGet() + ".";
      Launch launch = launch(request, limits, ownMark);
      return watch(
          RunningProcess.start(launch, input, folder.folder(), outputLimit, time),
          request.timeout(),
          ownMark);
    }
  }

  private Finished watch(RunningProcess started, Duration timeout, String ownMark)
      throws IOException, InterruptedException {
    boolean ended = false;
    try (RunningProcess process = started) {
      requireOpen();
      ended = process.await(timeout);
      return Finished.of(process, ended);
    } finally {
      if (!ended) {
        enclosure.end(ownMark);
      }
    }
  }

  private Launch launch(ExecRequest request, ProcessLimits limits, String ownMark) {
    Map<String, String> environment = new LinkedHashMap<>(request.environment());
    environment.put(ProcessTree.MARK, ownMark);
    String directory =
        request
            .workingDirectory()
            .map(path -> path.startsWith("/") ? path : workingDirectory() + "/" + path)
            .orElse(workingDirectory());
    return enclosure.launch(
        LimitedShell.command(limits, directory, request.command()), environment, request.user());
  }

  private void requireOpen() {
    if (closed.get()) {
      throw new IllegalStateException("cannot run a command: the sandbox is closed");
    }
  }

  private static SandboxException broken(IOException failed) {
    return new SandboxException(
        "a command cannot be run in the sandbox: " + failed.getMessage(), failed);
  }
}
