package dev.weir.selection;

import java.util.OptionalInt;

/**
 * That an arm was given up.
 *
 * @param arm which
 * @param round the decision point, from 1
 * @param by the arm that it was found worse than, if it was one
 * @param reason for people, without the names of arms
 * @param isShown whether that is shown, but for the chance of error that the selector or the plan
 *     allows; otherwise it is a rule of thumb
 */
public record Elimination(int arm, int round, OptionalInt by, String reason, boolean isShown) {}
