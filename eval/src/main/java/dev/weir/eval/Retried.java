package dev.weir.eval;

import dev.weir.eval.dataset.Sample;
import dev.weir.eval.run.KeptSamples;
import dev.weir.log.Asked;
import dev.weir.log.Cost;
import dev.weir.log.EarlierUse;
import dev.weir.log.ErrorHistory;
import dev.weir.log.GoingOn;
import dev.weir.log.LoggedSample;
import dev.weir.log.RunLog;
import dev.weir.log.RunLogReader;
import dev.weir.log.RunResult;
import dev.weir.log.RunStart;
import dev.weir.log.SampleFailure;
import dev.weir.log.SamplePlace;
import dev.weir.log.SampleResult;
import dev.weir.log.SampleSummary;
import dev.weir.log.Tokens;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * What a run keeps of the log that it goes on with: samples that were finished, and ask what they
 * asked then. Thread-safe.
 *
 * @param log as it was given
 * @param end how that run ended; absent if it was killed
 * @param failed samples that ended with an error
 * @param errors what samples failed with that are run again
 * @param used what that run has used in all; what models did is known later if it was killed
 * @param damage what of the log could not be read so far, in sentences
 * @param choice what becomes of the samples; known when they are
 */
record Retried(
    Path log,
    RunStart start,
    Optional<RunResult> end,
    Map<SamplePlace, SampleSummary> finished,
    Map<SamplePlace, SampleSummary> failed,
    Map<SamplePlace, List<SampleFailure>> errors,
    EarlierUse used,
    List<String> damage,
    Choice choice) {

  private static final int MOST_SHOWN = 5;

  /** Histories are read before the first call, and kept until the last. */
  private static final int MOST_HISTORIES = 10_000;

  /** Characters of stack traces, which are kept likewise; later ones are left out. */
  private static final long MOST_TRACED = 10_000_000;

  private static final List<ErrorHistory> NO_ERRORS = List.of();

  Retried {
    // Not copied: there may be hundreds of thousands, and the first call waits for them.
    finished = Collections.unmodifiableMap(finished);
    failed = Collections.unmodifiableMap(failed);
    errors = Collections.unmodifiableMap(errors);
    damage = List.copyOf(damage);
  }

  /**
   * What becomes of the samples.
   *
   * @param changed samples that were finished, but ask something else now
   * @param leftOut how many were finished, but are not asked for now
   * @param unscored how many are kept that one of the scorers has not scored
   * @param run how many samples are run, each repetition counted
   * @param absent how many of those did not even fail before
   */
  record Choice(List<SamplePlace> changed, long leftOut, long unscored, long run, long absent) {

    static final Choice NONE = new Choice(List.of(), 0, 0, 0, 0);

    Choice {
      changed = List.copyOf(changed);
    }

    /** The first few ids. */
    private String shown() {
      List<String> ids =
          changed.stream().map(SamplePlace::id).distinct().limit(MOST_SHOWN).toList();
      return String.join(", ", ids) + (changed.size() > ids.size() ? ", …" : "");
    }
  }

  /** Reads what was finished; what is kept of it is known when the samples are. */
  static Retried read(Path log) throws IOException {
    try (var reader = RunLogReader.open(log)) {
      Map<SamplePlace, SampleSummary> finished = new HashMap<>();
      Map<SamplePlace, SampleSummary> failed = new HashMap<>();
      Optional<RunResult> end = reader.end();
      Tokens tokens = Tokens.NONE;
      Cost cost = Cost.NONE;
      boolean hasErrors = false;
      for (SampleSummary summary : reader.summaries()) {
        if (summary.hasFinished()) {
          finished.put(SamplePlace.of(summary), summary);
        } else if (summary.failed()) {
          failed.put(SamplePlace.of(summary), summary);
        }
        hasErrors |= !summary.hasFinished() && (summary.failed() || summary.errorRetries() > 0);
        tokens = tokens.plus(summary.tokens());
        cost = cost.plus(summary.cost());
      }
      // One that was killed before it ran all has not recorded what others failed with before.
      RunStart start = reader.start();
      hasErrors |=
          end.isEmpty()
              && start.retryOf().isPresent()
              && finished.size() < (long) start.samples() * start.epochs();
      EarlierUse used =
          end.isPresent()
              ? EarlierUse.of(end.get())
              : reader.usedBefore().sums().plus(tokens, cost);
      Map<SamplePlace, List<SampleFailure>> errors = new HashMap<>();
      // The index is read once more for them, which takes a while if it is large.
      long traced = 0;
      for (ErrorHistory history : hasErrors ? reader.errors(MOST_HISTORIES) : NO_ERRORS) {
        List<SampleFailure> kept = history.errors();
        traced += kept.stream().mapToLong(Retried::traced).sum();
        if (traced > MOST_TRACED) {
          kept = kept.stream().map(error -> SampleFailure.of(error.message())).toList();
        }
        errors.put(new SamplePlace(history.id(), history.epoch()), kept);
      }
      return new Retried(
          log, start, end, finished, failed, errors, used, reader.damage(), Choice.NONE);
    }
  }

  private static long traced(SampleFailure error) {
    return error.traceback().map(String::length).orElse(0);
  }

  /** The part of it that these samples keep. */
  Retried of(List<Sample> samples, int epochs, Set<String> scorers) {
    Map<SamplePlace, SampleSummary> kept = new HashMap<>();
    Map<SamplePlace, SampleSummary> failedStill = new HashMap<>();
    List<SamplePlace> changed = new ArrayList<>();
    long unscored = 0;
    Tokens tokens = Tokens.NONE;
    Cost cost = Cost.NONE;
    for (Sample sample : samples) {
      String hash = sample.contentHash();
      for (int epoch = 1; epoch <= epochs; epoch++) {
        var place = new SamplePlace(sample.id(), epoch);
        SampleSummary summary = finished.get(place);
        SampleSummary failure = failed.get(place);
        if (failure != null && asksTheSame(failure, sample, hash)) {
          failedStill.put(place, failure);
        }
        if (summary == null) {
          continue;
        }
        if (asksTheSame(summary, sample, hash)) {
          kept.put(place, summary.withContentHash(hash));
          unscored += summary.scores().keySet().containsAll(scorers) ? 0 : 1;
          tokens = tokens.plus(summary.tokens());
          cost = cost.plus(summary.cost());
        } else {
          changed.add(place);
        }
      }
    }
    long run = (long) samples.size() * epochs - kept.size();
    int leftOut = finished.size() - kept.size() - changed.size();
    var choice = new Choice(changed, leftOut, unscored, run, run - failedStill.size());
    return new Retried(
        log, start, end, kept, failedStill, errors, used.minus(tokens, cost), damage, choice);
  }

  private static boolean asksTheSame(SampleSummary summary, Sample sample, String hash) {
    if (!summary.contentHash().isEmpty()) {
      return summary.contentHash().equals(hash);
    }
    Asked now = Asked.of(sample.input(), sample.targets());
    // Of a conversation, other programs keep something else as its input.
    return summary.asked().mayBe(sample.messages().isEmpty() ? now : new Asked("", now.targets()));
  }

  KeptSamples kept() {
    return new KeptSamples() {
      @Override
      public Optional<SampleSummary> find(Sample sample, int epoch) {
        return Optional.ofNullable(finished.get(new SamplePlace(sample.id(), epoch)));
      }

      @Override
      public List<SampleFailure> errors(Sample sample, int epoch) {
        return errors.getOrDefault(new SamplePlace(sample.id(), epoch), List.of());
      }
    };
  }

  /** What becomes of its samples, for people. */
  String told() {
    var told =
        new StringBuilder(
            "%s: reusing %d finished sample%s, running %d"
                .formatted(
                    log.getFileName(),
                    finished.size(),
                    finished.size() == 1 ? "" : "s",
                    choice.run()));
    if (!choice.changed().isEmpty()) {
      told.append(
          ", %d of them because they have changed: %s"
              .formatted(choice.changed().size(), choice.shown()));
    }
    if (choice.leftOut() > 0) {
      told.append(
          "; %d finished samples are left out, because the dataset, or the choice of samples and epochs, does not have them now"
              .formatted(choice.leftOut()));
    }
    if (choice.unscored() > 0) {
      told.append(
          "; %d of those that are kept lack a score of this task, which `weir score` can give"
              .formatted(choice.unscored()));
    }
    damage.forEach(place -> told.append(". ").append(place));
    return told.toString();
  }

  /** What is known before a sample is copied; what models did is not. */
  GoingOn goingOn() {
    return new GoingOn(used.sums(), choice.changed());
  }

  /**
   * What was copied.
   *
   * @param missing how many samples could not be read
   * @param used what models did for them, if the log does not tell at its end
   */
  record Copied(int missing, EarlierUse used) {}

  /**
   * Copies what is kept into the log that goes on.
   *
   * @param warn is told what is damaged
   */
  Copied copyTo(RunLog to, Consumer<String> warn) throws IOException, InterruptedException {
    Set<SamplePlace> copied = new HashSet<>();
    EarlierUse inSamples = EarlierUse.NONE;
    EarlierUse inCopied = EarlierUse.NONE;
    EarlierUse limits = EarlierUse.NONE;
    EarlierUse read = EarlierUse.NONE;
    try (var from = RunLogReader.open(log)) {
      for (Optional<LoggedSample> next = from.logged(); next.isPresent(); next = from.logged()) {
        SampleResult sample = next.get().sample();
        inSamples = end.isPresent() ? inSamples : inSamples.withModelsOf(sample);
        read = read.plus(sample.tokens(), sample.cost());
        var place = new SamplePlace(sample.id(), sample.epoch());
        SampleSummary known = finished.get(place);
        if (known != null && sample.hasFinished() && copied.add(place)) {
          to.copy(next.get().withContentHash(known.contentHash()));
          limits = limits.withLimitOf(sample);
          inCopied = inCopied.withModelsOf(sample);
        }
      }
      if (end.isEmpty()) {
        inSamples =
            inSamples
                .plus(from.usedBefore().withoutSums())
                .plus(from.damage().isEmpty() ? EarlierUse.NONE : unread(from.summaries(), read));
      }
      from.damage().stream().filter(place -> !damage.contains(place)).forEach(warn);
    }
    EarlierUse notCopied = EarlierUse.NONE;
    for (Map.Entry<SamplePlace, SampleSummary> kept : finished.entrySet()) {
      if (!copied.contains(kept.getKey())) {
        notCopied = notCopied.plus(kept.getValue().tokens(), kept.getValue().cost());
      }
    }
    to.append(used.plus(inSamples).plus(notCopied).withoutModelsOf(inCopied));
    // Also if some are damaged: there are no others, and nobody need look for them there again.
    to.copied();
    return new Copied(finished.size() - copied.size(), inSamples.plus(limits));
  }

  /**
   * What models did for samples that are damaged, by what the index knows of them. It does not tell
   * which of several models it was: the evaluated one stands for all, so that the sum is right.
   */
  private EarlierUse unread(List<SampleSummary> summaries, EarlierUse read) {
    EarlierUse all = EarlierUse.NONE;
    for (SampleSummary summary : summaries) {
      all = all.plus(summary.tokens(), summary.cost());
    }
    EarlierUse left = all.minus(read.tokens(), read.cost());
    boolean isNothing =
        left.tokens().equals(Tokens.NONE)
            && left.cost().pricedCalls() + left.cost().unknownCalls() == 0;
    return isNothing ? EarlierUse.NONE : left.ofModel(start.model());
  }
}
