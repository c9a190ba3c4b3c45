package dev.weir.eval;

import dev.weir.eval.option.ModeConflicts;
import dev.weir.eval.option.Option;
import dev.weir.eval.option.Options;
import dev.weir.eval.option.RunOptions;
import dev.weir.eval.option.Secrets;
import dev.weir.eval.option.Settings;
import dev.weir.eval.source.TaskSources;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.eval.task.TaskInput;
import dev.weir.log.LogDirectory;
import dev.weir.log.LogEntry;
import dev.weir.log.LogFiles;
import dev.weir.log.LogRecovery;
import dev.weir.log.RunLogReader;
import dev.weir.log.RunStart;
import dev.weir.log.TaskOrigin;
import dev.weir.log.journal.JournalReader;
import dev.weir.model.ConfigurationException;
import dev.weir.model.PathSpelling;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** How a log says what was run, and how: for a run that goes on with it. */
final class Retrying {

  private Retrying() {}

  static Retried read(Path log) {
    // A journal may have become a whole log since somebody saw its name.
    Path file = Files.exists(log) ? log : LogFiles.eval(log);
    if (!Files.exists(file)) {
      throw new ConfigurationException(
          "there is no log %s%s".formatted(log, PathSpelling.hint(log)));
    }
    if (Files.isDirectory(file)) {
      throw new ConfigurationException(
          "%s is a directory; give the logs in it that are to go on".formatted(log));
    }
    try {
      if (JournalReader.isBeingWritten(file)) {
        throw new ConfigurationException(
            "%s: its run has not ended; wait until it has, or end it with Ctrl+C".formatted(log));
      }
      Retried old = Retried.read(file);
      requireRun(old);
      return old;
    } catch (IOException unreadable) {
      throw new ConfigurationException(
          "the log cannot be read: %s"
              .formatted(
                  Optional.ofNullable(unreadable.getMessage()).orElse(unreadable.toString())),
          unreadable);
    }
  }

  /** What a later log of the run has is not to be paid for twice. */
  static void requireNewest(Path path, Settings given) {
    Path log = LogFiles.current(path);
    if (!Files.isRegularFile(log)) {
      return;
    }
    if (isCopyOfRunning(log)) {
      throw new ConfigurationException(
          "%s is a copy that was made during its run, and lacks samples that finished since; resume the log of the run when it has ended, or use --again to resume the copy and pay again for the missing samples"
              .formatted(path));
    }
    Set<Path> directories = new LinkedHashSet<>();
    RunOptions.parse(given).logDir().ifPresent(directories::add);
    directories.add(log.resolveSibling(""));
    for (Path directory : directories) {
      Optional<LogEntry> later = continuedBy(log, directory);
      if (later.isPresent()) {
        throw new ConfigurationException(
            "%s has already been resumed by %s; %s, or use --again to resume the older one and pay again for what the newer one has run"
                .formatted(
                    path,
                    later.get().file(),
                    later.get().status() == LogEntry.Status.RUNNING
                        ? "wait until that run has ended"
                        : "resume that one"));
      }
    }
  }

  /** Weir makes logs without an end of runs that go on, and of no others; Inspect leaves such. */
  static boolean isCopyOfRunning(Path log) {
    // A journal is none, and an entry of it would count all its samples.
    if (log.toString().endsWith(LogFiles.JOURNAL)
        || LogDirectory.entry(log).status() != LogEntry.Status.STARTED) {
      return false;
    }
    try (var reader = RunLogReader.open(log)) {
      return !isForeign(reader.start());
    } catch (IOException unreadable) {
      // Told when it is read for the run.
      return false;
    }
  }

  private static Optional<LogEntry> continuedBy(Path log, Path directory) {
    try {
      return LogDirectory.continuedBy(log, directory);
    } catch (IOException unreadable) {
      throw new ConfigurationException(
          "%s cannot be read, and so may have a log that resumes %s: %s"
              .formatted(directory, log, LogTrouble.reason(unreadable)),
          unreadable);
    }
  }

  /** While the log with the answers is there, none of them is to be paid for twice. */
  private static void requireRun(Retried old) {
    Optional<Path> scored = LogFiles.scored(old.log(), old.start());
    if (scored.isEmpty()) {
      return;
    }
    boolean isCutOff = old.end().isEmpty();
    throw new ConfigurationException(
        isCutOff
            ? "%s cannot go on: %s".formatted(old.log(), LogRecovery.cutOff(scored.get()))
            : "%s only scores the answers of %s again: `weir eval-retry %s` runs samples that were not finished, and `weir score %s …` scores them"
                .formatted(old.log(), scored.get(), scored.get(), scored.get()));
  }

  /**
   * The settings of a run, for one that goes on.
   *
   * @param task what the task says itself, without what is replaced
   * @param problems what is not inherited, and what to do about it
   */
  record Inherited(Settings settings, Settings task, List<String> problems) {}

  /**
   * The settings of the run, which those that are given win over.
   *
   * @param task what the task says itself, also of what the log does not keep
   */
  static Inherited settings(Retried old, Settings given, Settings task) {
    RunStart start = old.start();
    String origin = "the log %s".formatted(old.log().getFileName());
    Settings inherited = Settings.NONE;
    List<String> problems = new ArrayList<>();
    for (Map.Entry<String, String> setting : start.config().entrySet()) {
      Optional<Option> option = Options.find(setting.getKey());
      if (option.isEmpty()) {
        continue;
      }
      String word = setting.getValue();
      Optional<String> known = given.orElse(task).word(option.get().name());
      boolean isGiven = known.isPresent();
      if (Secrets.isHidden(word)) {
        // A credential is not in the log, and must be given again, in the way it was.
        Optional<String> rest =
            option.get().merged() ? Secrets.withoutHidden(word) : Optional.empty();
        if (rest.isPresent()) {
          inherited = inherited.with(option.get(), rest.get(), origin);
        }
        lacking(option.get(), word, known).ifPresent(problems::add);
      } else if (isForeign(start)) {
        Optional<Settings> more = understood(inherited, option.get(), word, origin);
        if (more.isEmpty() && !isGiven) {
          problems.add(
              "--%s is not inherited, because '%s' means nothing to Weir"
                  .formatted(option.get().name(), word));
        }
        inherited = more.orElse(inherited);
      } else {
        inherited = inherited.with(option.get(), word, origin);
      }
    }
    inherited = inherited.with(Options.named("model"), start.model(), origin);
    Path beside = old.log().getParent();
    String directory = beside == null ? "." : beside.toString();
    inherited = inherited.with(Options.named("log-dir"), directory, origin);
    return withoutReplaced(given, inherited, task, problems);
  }

  /**
   * What is given for the retry replaces what it contradicts in the log, and what the log says
   * replaces what it contradicts in the task.
   */
  private static Inherited withoutReplaced(
      Settings given, Settings inherited, Settings task, List<String> problems) {
    Optional<ModeConflicts> inLog = ModeConflicts.of(given, inherited);
    inLog.ifPresent(
        found ->
            found
                .replaced()
                .forEach(option -> problems.add(found.told(option, inherited, "the log"))));
    Settings all = given.orElse(without(inLog, inherited));
    Optional<ModeConflicts> inTask = ModeConflicts.of(all, task);
    inTask.ifPresent(
        found ->
            found.replaced().stream()
                // A log has what its task said, too.
                .filter(option -> inLog.isEmpty() || !inLog.get().replaced().contains(option))
                .forEach(option -> problems.add(found.told(option, task, "the task"))));
    return new Inherited(all, without(inTask, task), problems);
  }

  private static Settings without(Optional<ModeConflicts> conflicts, Settings settings) {
    Settings rest = settings;
    for (String option : conflicts.map(ModeConflicts::replaced).orElse(List.of())) {
      rest = rest.without(option);
    }
    return rest;
  }

  private static Optional<String> lacking(Option option, String word, Optional<String> known) {
    List<String> keys = new ArrayList<>(option.merged() ? Secrets.hiddenKeys(word) : List.of());
    boolean isLacking = known.isEmpty();
    if (!keys.isEmpty()) {
      known.map(Secrets::keys).ifPresent(keys::removeAll);
      isLacking = !keys.isEmpty();
    }
    return isLacking
        ? Optional.of(
            "--%s%s is not inherited, because a log keeps no credentials; give it again if it is needed"
                .formatted(option.name(), keys.isEmpty() ? "" : " " + String.join(", ", keys)))
        : Optional.empty();
  }

  /** What random choices of the run depended on, given or drawn; other programs do not tell. */
  static Optional<Long> seed(Retried old) {
    return isForeign(old.start()) ? Optional.empty() : Optional.of(old.start().seed());
  }

  /** Whether another program wrote it: each run of Weir has a mode. */
  static boolean isForeign(RunStart start) {
    return start.concurrencyMode().isEmpty();
  }

  /** Inspect's lists are JSON, ours have commas. */
  static String own(String word) {
    return word.startsWith("[") && word.endsWith("]")
        ? word.substring(1, word.length() - 1).replace("\"", "").replace(" ", "")
        : word;
  }

  private static Optional<Settings> understood(
      Settings settings, Option option, String word, String origin) {
    try {
      Settings more = settings.with(option, own(word), origin);
      RunOptions.parse(more);
      return Optional.of(more);
    } catch (ConfigurationException foreign) {
      return Optional.empty();
    }
  }

  /**
   * Makes the task again.
   *
   * @param arguments of tasks, which win over those of the log
   */
  static TaskDefinition task(Retried old, Map<String, String> arguments, Host host) {
    TaskOrigin origin =
        old.start()
            .origin()
            .orElseThrow(
                () ->
                    new ConfigurationException(
                        isForeign(old.start())
                            ? "%s: it does not tell where its task '%s' is; name the file of one that asks the same with --task FILE"
                                .formatted(old.log(), old.start().task())
                            : "%s: its task was made by a program, and cannot be made again from a file; in Java, give it to Evaluation.retry(log, task)"
                                .formatted(old.log())));
    Map<String, String> all = open(origin);
    all.putAll(arguments);
    try {
      return task(old, origin.source(), origin.name(), all, host);
    } catch (ConfigurationException gone) {
      throw new ConfigurationException(
          "%s: its task cannot be made again (%s); name the file where it is now with --task FILE"
              .formatted(old.log(), gone.getMessage()),
          gone);
    }
  }

  /** Those that are in the log: of the others it is told that they are to be given again. */
  private static Map<String, String> open(TaskOrigin origin) {
    Map<String, String> open = new LinkedHashMap<>(origin.arguments());
    open.values().removeIf(Secrets::isHidden);
    return open;
  }

  /** The task of a log from where it is now. */
  static TaskDefinition task(Retried old, String source, Map<String, String> arguments, Host host) {
    Map<String, String> all = new LinkedHashMap<>();
    if (!isForeign(old.start())) {
      old.start().origin().ifPresent(origin -> all.putAll(open(origin)));
    }
    all.putAll(arguments);
    return task(old, source, old.start().origin().flatMap(TaskOrigin::name), all, host);
  }

  private static TaskDefinition task(
      Retried old, String source, Optional<String> name, Map<String, String> arguments, Host host) {
    List<TaskDefinition> tasks =
        TaskSources.load(source, new TaskInput(arguments, host.environment(), TaskInput.NO_STDIN));
    String wanted = name.orElse(old.start().task());
    return tasks.size() == 1
        ? tasks.getFirst()
        : tasks.stream()
            .filter(task -> task.name().equals(wanted))
            .findFirst()
            .orElseThrow(
                () ->
                    new ConfigurationException(
                        "there is no task '%s' in %s, but %s"
                            .formatted(
                                wanted,
                                source,
                                tasks.stream()
                                    .map(TaskDefinition::name)
                                    .collect(Collectors.joining(", ")))));
  }
}
