/**
 * Evaluations as tests: {@link dev.weir.junit.Evaluation} on a method or class of JUnit Jupiter.
 */
@NullMarked
package dev.weir.junit;

import org.jspecify.annotations.NullMarked;
