package dev.weir.architecture;

import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import java.util.Map;
import java.util.Set;

/** Accesses that belong to one place only. */
final class Banned {

  private static final String CONSTRUCTOR = "<init>";

  /** Types that wait, start or schedule: not even to be mentioned. */
  private static final Set<String> WAITING_TYPES =
      Set.of(
          "java.io.PipedInputStream",
          "java.io.PipedReader",
          "java.lang.Thread$Builder",
          "java.lang.ThreadGroup",
          "java.lang.ref.Cleaner",
          "java.net.http.HttpClient",
          "java.nio.channels.Selector",
          "java.nio.file.WatchService",
          "java.util.Timer",
          "java.util.TimerTask",
          "java.util.concurrent.BlockingQueue",
          "java.util.concurrent.CompletableFuture",
          "java.util.concurrent.CompletionService",
          "java.util.concurrent.CompletionStage",
          "java.util.concurrent.CountDownLatch",
          "java.util.concurrent.CyclicBarrier",
          "java.util.concurrent.Exchanger",
          "java.util.concurrent.Executor",
          "java.util.concurrent.Executors",
          "java.util.concurrent.Flow$Subscriber",
          "java.util.concurrent.ForkJoinTask",
          "java.util.concurrent.Future",
          "java.util.concurrent.Phaser",
          "java.util.concurrent.Semaphore",
          "java.util.concurrent.StructuredTaskScope",
          "java.util.concurrent.SubmissionPublisher",
          "java.util.concurrent.TransferQueue",
          "java.util.concurrent.locks.AbstractQueuedSynchronizer",
          "java.util.concurrent.locks.Condition",
          "java.util.concurrent.locks.Lock",
          "java.util.concurrent.locks.LockSupport",
          "java.util.concurrent.locks.ReadWriteLock",
          "java.util.concurrent.locks.StampedLock",
          "java.util.stream.StreamSupport");

  /** Types that read a clock or make randomness nobody chose. */
  private static final Set<String> CHANCE_AND_CLOCK_TYPES =
      Set.of(
          "java.lang.management.RuntimeMXBean",
          "java.security.SecureRandom",
          "java.time.Clock",
          "java.time.InstantSource",
          "java.util.Calendar",
          "java.util.concurrent.ThreadLocalRandom");

  /** Methods of types that are harmless otherwise. */
  private static final Map<String, Set<String>> TIME_METHODS =
      Map.ofEntries(
          Map.entry(
              "java.lang.Thread",
              Set.of(
                  CONSTRUCTOR,
                  "join",
                  "ofPlatform",
                  "ofVirtual",
                  "onSpinWait",
                  "sleep",
                  "start",
                  "startVirtualThread",
                  "yield")),
          Map.entry("java.lang.Object", Set.of("wait", "notify", "notifyAll")),
          Map.entry("java.lang.System", Set.of("nanoTime", "currentTimeMillis")),
          Map.entry("java.lang.Runtime", Set.of("addShutdownHook")),
          Map.entry("java.lang.Process", Set.of("waitFor", "onExit")),
          Map.entry("java.lang.ProcessHandle", Set.of("onExit")),
          Map.entry("java.lang.Math", Set.of("random")),
          Map.entry("java.lang.StrictMath", Set.of("random")),
          Map.entry("java.util.UUID", Set.of("randomUUID")),
          Map.entry("java.util.random.RandomGenerator", Set.of("getDefault", "of")),
          Map.entry("java.util.random.RandomGeneratorFactory", Set.of("getDefault")),
          Map.entry("java.util.Arrays", Set.of("parallelPrefix", "parallelSetAll", "parallelSort")),
          Map.entry("java.util.Collection", Set.of("parallelStream")),
          Map.entry("java.lang.ref.ReferenceQueue", Set.of("remove")),
          Map.entry("java.io.File", Set.of("createTempFile")),
          Map.entry("java.nio.file.Files", Set.of("createTempDirectory", "createTempFile")),
          Map.entry("java.util.stream.BaseStream", Set.of("parallel")),
          Map.entry("java.util.concurrent.TimeUnit", Set.of("sleep", "timedJoin", "timedWait")));

  /** Constructors that seed themselves, or read the clock, when they are given nothing. */
  private static final Set<String> SELF_SEEDED =
      Set.of("java.util.Random", "java.util.SplittableRandom", "java.util.Date");

  private Banned() {}

  /** Whether the access waits, starts work, reads a clock or draws from unseeded randomness. */
  static boolean isTime(JavaAccess<?> access) {
    AccessTarget target = access.getTarget();
    JavaClass owner = access.getTargetOwner();
    return isTimeType(owner)
        || TIME_METHODS.entrySet().stream()
            .anyMatch(
                entry ->
                    owner.isAssignableTo(entry.getKey())
                        && entry.getValue().contains(target.getName())
                        && declares(entry.getKey(), access))
        || isClock(owner, target)
        || isSelfSeeded(owner, target)
        || isParallelMapOperation(owner, target);
  }

  /** The bulk operations of a concurrent map that take a parallelism threshold. */
  private static boolean isParallelMapOperation(JavaClass owner, AccessTarget target) {
    return owner.getName().equals("java.util.concurrent.ConcurrentHashMap")
        && target instanceof AccessTarget.CodeUnitAccessTarget unit
        && !unit.getRawParameterTypes().isEmpty()
        && unit.getRawParameterTypes().getFirst().getName().equals("long");
  }

  /** Whether the type itself stands for waiting, starting, a clock or chance. */
  static boolean isTimeType(JavaClass type) {
    return WAITING_TYPES.stream().anyMatch(type::isAssignableTo)
        || CHANCE_AND_CLOCK_TYPES.stream().anyMatch(type::isAssignableTo);
  }

  /** Whether the access touches a standard stream, the console, or ends the process. */
  static boolean isStandardStreamOrExit(JavaAccess<?> access) {
    String owner = access.getTargetOwner().getName();
    String name = access.getTarget().getName();
    return switch (owner) {
      case "java.lang.System" ->
          Set.of("out", "err", "in", "setOut", "setErr", "setIn", "exit", "console").contains(name);
      case "java.io.FileDescriptor" -> Set.of("in", "out", "err").contains(name);
      case "java.lang.ProcessBuilder" -> name.equals("inheritIO");
      case "java.lang.ProcessHandle" -> Set.of("destroy", "destroyForcibly").contains(name);
      case "java.lang.Runtime" -> Set.of("exit", "halt").contains(name);
      case "java.lang.Thread" -> name.equals("dumpStack");
      default ->
          access.getTargetOwner().isAssignableTo(Throwable.class)
              && name.equals("printStackTrace")
              && parameters(access.getTarget()) == 0;
    };
  }

  /** Whether the access ends some process, perhaps this one. */
  static boolean endsProcess(JavaAccess<?> access) {
    return access.getTargetOwner().getName().equals("java.lang.ProcessHandle")
        && isStandardStreamOrExit(access);
  }

  private static boolean isClock(JavaClass owner, AccessTarget target) {
    return owner.getPackageName().startsWith("java.time")
        && Set.of("now", "dateNow").contains(target.getName());
  }

  private static boolean isSelfSeeded(JavaClass owner, AccessTarget target) {
    boolean seedless = parameters(target) == 0;
    return (SELF_SEEDED.contains(owner.getName())
            && target.getName().equals(CONSTRUCTOR)
            && seedless)
        || (owner.getName().equals("java.util.random.RandomGeneratorFactory")
            && target.getName().equals("create")
            && seedless)
        || (owner.getName().equals("java.util.Collections")
            && target.getName().equals("shuffle")
            && parameters(target) == 1);
  }

  /** A method of its own that happens to be called `wait` or `start` is not the banned one. */
  private static boolean declares(String type, JavaAccess<?> access) {
    return access.getTarget() instanceof AccessTarget.CodeUnitAccessTarget target
        && (access.getTargetOwner().getName().equals(type)
            || target
                .resolveMember()
                .map(member -> member.getOwner().getName().equals(type))
                .orElse(false));
  }

  private static int parameters(AccessTarget target) {
    return target instanceof AccessTarget.CodeUnitAccessTarget unit
        ? unit.getRawParameterTypes().size()
        : -1;
  }
}
