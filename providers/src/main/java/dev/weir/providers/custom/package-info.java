/**
 * The providers {@code exec} and {@code http}: models that are described in a YAML file, a program
 * that is asked on standard input, or any server that takes a JSON body.
 */
@NullMarked
package dev.weir.providers.custom;

import org.jspecify.annotations.NullMarked;
