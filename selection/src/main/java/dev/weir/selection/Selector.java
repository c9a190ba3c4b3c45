package dev.weir.selection;

/**
 * How evaluations are spent. Each is a record of its parameters; {@link Selectors} names them and
 * knows the defaults.
 */
public sealed interface Selector {

  /** Every arm on every datapoint. */
  record BruteForce() implements Selector {}

  /** A random share of the arms, each on every datapoint. */
  record RandomSearch(double sampleFraction) implements Selector {
    public RandomSearch {
      Checks.share("sample_fraction", sampleFraction);
    }
  }

  /**
   * From a random arm to better neighbours, which differ in one node.
   *
   * @param maxIterations batches of neighbours tried from one start
   * @param numRestarts starts
   * @param patience batches without a better neighbour after which a start is over
   * @param batchSize neighbours tried at once
   */
  record HillClimbing(int maxIterations, int numRestarts, int patience, int batchSize)
      implements Selector {
    public HillClimbing {
      Checks.atLeast("max_iterations", maxIterations, 1);
      Checks.atLeast("num_restarts", numRestarts, 1);
      Checks.atLeast("patience", patience, 1);
      Checks.atLeast("batch_size", batchSize, 1);
    }
  }

  /**
   * Rounds of growing batches; an arm leaves when its interval lies below that of another. The
   * interval is {@code confidence} standard errors: a rule of thumb without a guarantee.
   *
   * @param initial datapoints of the first batch; 0 for a tenth of the dataset
   * @param growth how much larger each batch is than the one before
   * @param confidence standard errors on either side
   * @param documented as AgentOpt does it, for comparison: the dataset's own order, no width
   *     without variance, and a winner among all arms, those that left included
   */
  record ArmElimination(int initial, double growth, double confidence, boolean documented)
      implements Selector {
    public ArmElimination {
      Checks.atLeast("n_initial", initial, 0);
      Checks.atLeast("growth_factor", growth, 1);
      Checks.positive("confidence", confidence);
    }
  }

  /**
   * Which arms are above a threshold: an arm is asked no more once it is surely above or below.
   *
   * @param threshold of the mean value
   * @param initial datapoints before the first look; 0 for a tenth of the dataset
   * @param delta the chance that any arm is put on the wrong side
   */
  record ThresholdElimination(double threshold, int initial, double delta) implements Selector {
    public ThresholdElimination {
      Checks.share("threshold", threshold);
      Checks.atLeast("n_initial", initial, 0);
      Checks.chance("delta", delta);
    }
  }

  /**
   * The leader and its closest rival are asked until they are apart (KL-LUCB).
   *
   * @param epsilon how far below the best the winner may be
   * @param initial datapoints for each arm at the beginning
   * @param delta the chance that the winner is further below the best than that
   */
  record EpsilonLucb(double epsilon, int initial, double delta) implements Selector {
    public EpsilonLucb {
      Checks.share("epsilon", epsilon);
      Checks.atLeast("n_initial", initial, 1);
      Checks.chance("delta", delta);
    }
  }

  /**
   * A Gaussian process over combinations, in which those that share models inform each other, says
   * which to try next on all datapoints.
   *
   * @param sampleFraction of the arms
   * @param batchSize arms tried at once
   */
  record BayesianOptimisation(double sampleFraction, int batchSize) implements Selector {
    public BayesianOptimisation {
      Checks.share("sample_fraction", sampleFraction);
      Checks.atLeast("batch_size", batchSize, 1);
    }
  }

  /**
   * Halves the arms in rounds of equal effort.
   *
   * @param sampleFraction of all evaluations
   */
  record SequentialHalving(double sampleFraction) implements Selector {
    public SequentialHalving {
      Checks.share("sample_fraction", sampleFraction);
    }
  }

  /**
   * Arms are compared with the leader on the same datapoints; one leaves when it is {@code
   * confidence} standard errors of the difference behind. A rule of thumb without a guarantee.
   *
   * @param initial datapoints before the first look; 0 for a tenth of the dataset
   * @param growth how much larger each batch is than the one before
   * @param confidence standard errors of the paired difference
   */
  record LeaderElimination(int initial, double growth, double confidence) implements Selector {
    public LeaderElimination {
      Checks.atLeast("n_initial", initial, 0);
      Checks.atLeast("growth_factor", growth, 1);
      Checks.positive("confidence", confidence);
    }
  }

  /**
   * Arms are compared with the leader on the same datapoints; one leaves when a bet against it has
   * won often enough, whenever one looks.
   *
   * @param initial datapoints before the first look; 0 for a tenth of the dataset
   * @param growth how much larger each batch is than the one before
   * @param delta the chance that any best arm leaves wrongly
   */
  record PairedElimination(int initial, double growth, double delta) implements Selector {
    public PairedElimination {
      Checks.atLeast("n_initial", initial, 0);
      Checks.atLeast("growth_factor", growth, 1);
      Checks.chance("delta", delta);
    }
  }

  /**
   * Draws a leader and a rival from what is believed of the arms, and tries both.
   *
   * @param sampleFraction of all evaluations
   * @param batch datapoints for each of the two; 0 for a twentieth of the dataset
   */
  record TopTwo(double sampleFraction, int batch) implements Selector {
    public TopTwo {
      Checks.share("sample_fraction", sampleFraction);
      Checks.atLeast("batch", batch, 0);
    }
  }
}
