package dev.weir.scripting;

import dev.weir.eval.promptfoo.ScriptEngine;
import dev.weir.eval.promptfoo.ScriptException;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.mozilla.javascript.Context;
import org.mozilla.javascript.EvaluatorException;
import org.mozilla.javascript.Function;
import org.mozilla.javascript.NativeJSON;
import org.mozilla.javascript.NativePromise;
import org.mozilla.javascript.RhinoException;
import org.mozilla.javascript.ScriptableObject;
import org.mozilla.javascript.Undefined;
import org.mozilla.javascript.json.JsonParser;

/**
 * Runs JavaScript with Rhino's interpreter.
 *
 * <p>What goes in and out is JSON, so no object of Java is ever within reach, and the standard
 * objects that scripts share are sealed. Bounded are the steps of a call, its depth, and the
 * lengths that a single operation on a text may make. Not bounded is what one long operation of the
 * library takes, a regular expression or a sort, nor memory as such: a script that keeps what it
 * makes can fill hundreds of megabytes before its steps are used up.
 */
public final class RhinoScriptEngine implements ScriptEngine {

  /** About a second; most scripts of configurations take thousandths of it. */
  private static final long MOST_STEPS = 50_000_000;

  /** Characters of what a script returns. */
  private static final int LONGEST_RESULT = 4 << 20;

  /** Rhino does not know {@code const} here; nothing else changes by it. */
  private static final Pattern CONST_IN_FOR = Pattern.compile("\\bfor\\s*\\(\\s*const\\b");

  private static final String PRELUDE =
      """
      (function () {
        var longest = 1 << 20;
        ['repeat', 'padStart', 'padEnd'].forEach(function (name) {
          var original = String.prototype[name];
          Object.defineProperty(String.prototype, name, {value: function (count) {
            if ((name === 'repeat' ? this.length * count : count) > longest) {
              throw new RangeError('a text may not become longer than ' + longest + ' by ' + name);
            }
            return original.apply(this, arguments);
          }});
        });
        ['join', 'fill', 'toString', 'toLocaleString'].forEach(function (name) {
          var original = Array.prototype[name];
          Object.defineProperty(Array.prototype, name, {value: function () {
            if (this.length > longest) {
              throw new RangeError('the list is longer than ' + longest);
            }
            return original.apply(this, arguments);
          }});
        });
      })\
      """;

  private final BoundedContexts contexts;
  private final ScriptableObject shared;

  /** For ServiceLoader. */
  public RhinoScriptEngine() {
    this(MOST_STEPS);
  }

  RhinoScriptEngine(long mostSteps) {
    this.contexts = new BoundedContexts(mostSteps);
    try (Context context = contexts.enterContext()) {
      shared = context.initSafeStandardObjects(null, false);
      Function prelude = (Function) context.evaluateString(shared, PRELUDE, "prelude", 1, null);
      prelude.call(context, shared, shared, new Object[0]);
      seal(shared);
    }
  }

  /** All scripts share the standard objects, so none may change them. */
  private static void seal(ScriptableObject standard) {
    for (Object name : standard.getAllIds()) {
      if (name instanceof String word
          && standard.get(word, standard) instanceof ScriptableObject object) {
        if (object.get("prototype", object) instanceof ScriptableObject prototype) {
          prototype.sealObject();
        }
        object.sealObject();
      }
    }
    standard.sealObject();
  }

  @Override
  public Script compile(
      String name, String source, Form form, String export, List<String> parameters) {
    String plain = CONST_IN_FOR.matcher(source).replaceAll("for (let");
    String declared = "(function (%s) {".formatted(String.join(", ", parameters));
    org.mozilla.javascript.Script script =
        switch (form) {
          case MODULE ->
              compiled(
                  name,
                  "(function () { var module = {exports: {}}; var exports = module.exports;"
                      + " (function () {\n"
                      + plain
                      + "\n})(); return module.exports; })");
          case INLINE -> inline(name, declared, plain.strip());
        };
    return arguments -> call(script, form, export, arguments);
  }

  /** An expression if it is one; else the body of a function. */
  private org.mozilla.javascript.Script inline(String name, String declared, String source) {
    String expression = source.replaceFirst(";+$", "");
    try {
      return compiled(name, declared + " return (\n" + expression + "\n); })");
    } catch (ScriptException notAnExpression) {
      return compiled(name, declared + "\n" + source + "\n})");
    }
  }

  /** The source begins on the second line of what is compiled, which counts as the first. */
  private org.mozilla.javascript.Script compiled(String name, String source) {
    try (Context context = contexts.enterContext()) {
      return context.compileString(source, name, 0, null);
    } catch (EvaluatorException malformed) {
      throw ScriptException.failed(
          "this JavaScript cannot be read (its line %d): %s"
              .formatted(malformed.lineNumber(), malformed.details()));
    } catch (StackOverflowError deep) {
      throw ScriptException.failed("this JavaScript is nested too deeply to be read");
    }
  }

  private Optional<String> call(
      org.mozilla.javascript.Script script, Form form, String export, List<String> arguments) {
    try (Context context = contexts.enterContext()) {
      ScriptableObject scope = (ScriptableObject) context.newObject(shared);
      scope.setPrototype(shared);
      scope.setParentScope(null);
      Object[] given = new Object[arguments.size()];
      for (int i = 0; i < given.length; i++) {
        given[i] = new JsonParser(context, scope).parseValue(arguments.get(i));
      }
      Object result =
          ((Function) script.exec(context, scope, scope))
              .call(context, scope, scope, form == Form.MODULE ? new Object[0] : given);
      if (form == Form.MODULE) {
        result = exported(result, export).call(context, scope, scope, given);
      } else if (result instanceof Function function) {
        result = function.call(context, scope, scope, given);
      }
      return json(context, scope, result);
    } catch (BoundedContexts.TooManyStepsError over) {
      throw ScriptException.overBounds("the script was ended: " + over.getMessage());
    } catch (StackOverflowError deep) {
      throw ScriptException.overBounds("the script was ended: it calls itself too deeply");
    } catch (OutOfMemoryError large) {
      throw ScriptException.overBounds("the script was ended: it took too much memory");
    } catch (RhinoException thrown) {
      throw ScriptException.failed(
          "%s (its line %d)".formatted(thrown.details(), thrown.lineNumber()));
    } catch (JsonParser.ParseException impossible) {
      throw new IllegalStateException("an argument was no JSON: " + impossible, impossible);
    }
  }

  private static Function exported(@Nullable Object module, String export) {
    Object found = module;
    if (!export.isEmpty() && module instanceof ScriptableObject object) {
      found = object.get(export, object);
    } else if (!(module instanceof Function) && module instanceof ScriptableObject object) {
      found = object.get("default", object);
    }
    if (found instanceof Function function) {
      return function;
    }
    throw ScriptException.failed(
        export.isEmpty()
            ? "module.exports must be a function"
            : "module.exports has no function '%s'".formatted(export));
  }

  private static Optional<String> json(
      Context context, ScriptableObject scope, @Nullable Object result) {
    if (result instanceof NativePromise) {
      throw ScriptException.failed("the script returned a promise; only plain values can be used");
    }
    if (result == null || Undefined.isUndefined(result)) {
      return result == null ? Optional.of("null") : Optional.empty();
    }
    Object json = NativeJSON.stringify(context, scope, result, null, null);
    if (Undefined.isUndefined(json)) {
      return Optional.empty();
    }
    String text = json.toString();
    if (text.length() > LONGEST_RESULT) {
      throw ScriptException.overBounds(
          "the script returned more than %d characters".formatted(LONGEST_RESULT));
    }
    return Optional.of(text);
  }
}
