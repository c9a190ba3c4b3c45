package dev.weir.eval.sample;

import dev.weir.model.price.Spend;
import java.time.Duration;

/**
 * What a sample has used so far, all models together.
 *
 * @param called how long models took over answers, without any waiting and without attempts that
 *     failed
 * @param spend what the answers cost
 */
public record Used(Duration called, Spend spend) {

  public static final Used NOTHING = new Used(Duration.ZERO, Spend.NONE);
}
