package dev.weir.time.virtual;

/**
 * One hand-over of the baton: the events of a run, in order, are its history.
 *
 * @param nanos the time at which the task goes on
 * @param sequence the number that its wake-up was given when it was scheduled
 * @param task the name of the task
 * @param after what it had been waiting for
 */
public record Step(long nanos, long sequence, String task, String after) {}
