package dev.weir.eval.sandbox;

import dev.weir.time.Time;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Opens sandboxes on this machine, no more at once than allowed, and knows those that are open.
 *
 * <p>Closing closes those as well, for a program that has to end at once, and opens no more.
 * Thread-safe.
 */
public final class Sandboxes implements SandboxProvider, AutoCloseable {

  private final Time time;
  private final Map<String, String> host;
  private final Path parent;
  private final Machine machine;
  private final Map<SandboxType, Gate> gates = new EnumMap<>(SandboxType.class);
  private final Gate subprocesses;

  private final Set<Kind> checked = ConcurrentHashMap.newKeySet();
  private final Set<Sandbox> open = ConcurrentHashMap.newKeySet();

  // Set before those that are open are closed, and looked at after one is added: none is missed.
  private volatile boolean closed;

  /** What decides whether a sandbox can be opened; all else may differ from sample to sample. */
  private record Kind(SandboxType type, boolean network, List<Path> mounts) {}

  /**
   * @param caps how much may go on at once
   * @param host the variables of this program; of them only PATH and LANG reach commands, and those
   *     for docker the docker command
   */
  public Sandboxes(Time time, SandboxCaps caps, Map<String, String> host) {
    this(
        time,
        caps,
        host,
        Path.of(System.getProperty("java.io.tmpdir")),
        Runtime.getRuntime().availableProcessors());
  }

  /**
   * @param parent where directories of sandboxes are made
   */
  Sandboxes(Time time, SandboxCaps caps, Map<String, String> host, Path parent, int processors) {
    this.time = time;
    this.host = Map.copyOf(host);
    this.parent = parent;
    this.machine = new Machine(time, this.host, parent);
    for (SandboxType type : SandboxType.values()) {
      String place = "a place for a %s sandbox".formatted(type.word());
      gates.put(type, new Gate(time, place, caps.sandboxes(type, processors)));
    }
    this.subprocesses =
        new Gate(time, "a turn to run a command in a sandbox", caps.subprocesses(processors));
  }

  /** How many sandboxes of a type are open, how many may be, and how many are waited for. */
  public Gate gate(SandboxType type) {
    return Objects.requireNonNull(gates.get(type));
  }

  /** How many commands run, how many may, and how many wait for their turn. */
  public Gate subprocesses() {
    return subprocesses;
  }

  @Override
  public int waiting() {
    return subprocesses.waiting() + gates.values().stream().mapToInt(Gate::waiting).sum();
  }

  @Override
  public int waitingForCommands() {
    return subprocesses.waiting();
  }

  @Override
  public void check(SandboxSpec spec) throws InterruptedException {
    var kind = new Kind(spec.type(), spec.network(), spec.mounts());
    if (!checked.contains(kind)) {
      machine.check(spec);
      checked.add(kind);
    }
  }

  @Override
  public boolean has(SandboxSpec spec, String program) {
    return machine.has(spec, program);
  }

  @Override
  public Sandbox open(SandboxSpec spec, SandboxSetup setup, Waits waits)
      throws InterruptedException {
    requireOpen();
    check(spec);
    Gate.Pass pass = gate(spec.type()).enter(waits);
    ShellSandbox sandbox;
    try {
      sandbox = bare(spec, waits, pass);
    } catch (InterruptedException | RuntimeException | Error failed) {
      pass.close();
      throw failed;
    }
    try {
      requireOpen();
      new Preparation(sandbox, spec.fileLimit()).perform(setup);
      return sandbox;
    } catch (InterruptedException | RuntimeException | Error failed) {
      closeAfter(failed, sandbox);
      throw failed;
    }
  }

  /** Closes all that are open; a failure does not spare the others. */
  @Override
  public void close() {
    closed = true;
    SandboxException failure = null;
    for (Sandbox sandbox : open) {
      try {
        sandbox.close();
      } catch (SandboxException failed) {
        if (failure == null) {
          failure = failed;
        } else {
          failure.addSuppressed(failed);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("cannot open a sandbox: no more are to be opened");
    }
  }

  private ShellSandbox bare(SandboxSpec spec, Waits waits, Gate.Pass pass)
      throws InterruptedException {
    String id = HexFormat.of().toHexDigits(time.freshSeed());
    String mark = id + ".";
    SandboxFolder folder = SandboxFolder.create(parent);
    Enclosure enclosure;
    try {
      enclosure = enclosure(spec, folder, id, mark);
    } catch (InterruptedException | RuntimeException | Error failed) {
      folder.delete();
      throw failed;
    }
    var turns = new ShellSandbox.Turns(subprocesses, waits);
    var sandbox =
        new ShellSandbox(
            spec,
            enclosure,
            folder,
            mark,
            turns,
            time,
            ended -> {
              open.remove(ended);
              pass.close();
            });
    open.add(sandbox);
    return sandbox;
  }

  private Enclosure enclosure(SandboxSpec spec, SandboxFolder folder, String id, String mark)
      throws InterruptedException {
    return switch (spec.type()) {
      case LOCAL -> new LocalEnclosure(spec, folder, host, mark);
      case BUBBLEWRAP ->
          new BubblewrapEnclosure(
              spec, machine.program(BubblewrapEnclosure.PROGRAM, spec), folder, host, mark);
      case DOCKER -> DockerEnclosure.start(spec, machine.docker(spec, folder.folder()), id);
    };
  }

  private static void closeAfter(Throwable failed, Sandbox sandbox) {
    try {
      sandbox.close();
    } catch (SandboxException notRemoved) {
      failed.addSuppressed(notRemoved);
    }
  }
}
