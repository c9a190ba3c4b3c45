package dev.weir.eval.promptfoo;

import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;

/**
 * Runs JavaScript of a configuration; found with ServiceLoader, in the module {@code
 * weir-scripting}. A script sees nothing but what it is given, and is ended when it takes too much.
 * Thread-safe.
 */
public interface ScriptEngine {

  /**
   * A script that is ready to be called.
   *
   * @param name where it stands, for people
   * @param source an expression, or the body of a function, over the parameters; or a module
   * @param export which function of the module; empty for the module itself; ignored otherwise
   * @throws ScriptException if it is no JavaScript, with line, or can never give a value
   */
  Script compile(String name, String source, Form form, String export, List<String> parameters);

  /** What a source is. */
  enum Form {
    /** An expression, or statements that return a value or end with an expression. */
    INLINE,
    /** A file that sets {@code module.exports}. */
    MODULE
  }

  /** A script. Thread-safe: nothing is kept from one call to the next. */
  @FunctionalInterface
  interface Script {

    /**
     * @param arguments each as JSON
     * @return what it returned, as JSON; empty for {@code undefined}; of a promise what it was kept
     *     with
     * @throws ScriptException if it throws, or takes too much
     */
    Optional<String> call(List<String> arguments);
  }

  /** The one on the class path, if the module is there. */
  static Optional<ScriptEngine> find() {
    return ServiceLoader.load(ScriptEngine.class).findFirst();
  }
}
