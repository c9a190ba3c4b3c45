package dev.weir.scripting;

import dev.weir.eval.promptfoo.ScriptEngine;
import dev.weir.eval.promptfoo.ScriptException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.mozilla.javascript.BaseFunction;
import org.mozilla.javascript.Context;
import org.mozilla.javascript.EvaluatorException;
import org.mozilla.javascript.Function;
import org.mozilla.javascript.NativeJSON;
import org.mozilla.javascript.NativePromise;
import org.mozilla.javascript.RhinoException;
import org.mozilla.javascript.Scriptable;
import org.mozilla.javascript.ScriptableObject;
import org.mozilla.javascript.Undefined;
import org.mozilla.javascript.json.JsonParser;

/**
 * Runs JavaScript with Rhino's interpreter.
 *
 * <p>What goes in and out is JSON, so no object of Java is ever within reach, and the standard
 * objects that scripts share are sealed. Bounded are the steps of a call, its depth, the memory it
 * asks for, and the lengths that a single operation on a text or a list may make. Steps are counted
 * between operations of the library; for those that take long by themselves the time of a call is
 * bounded as well.
 */
public final class RhinoScriptEngine implements ScriptEngine {

  /** About a second; most scripts of configurations take thousandths of it. */
  private static final long MOST_STEPS = 50_000_000;

  /** Asked for in one call, given back or not; most scripts take thousandths of it, too. */
  private static final long MOST_BYTES = 256L << 20;

  /** Ten times what the steps take, for machines that have other things to do. */
  private static final Duration LONGEST = Duration.ofSeconds(10);

  /** Each keeps a processor busy until its operation ends. */
  private static final int MOST_LOST = 4;

  /** Of all engines, as there is one machine. */
  private static final Workers SHARED =
      new Workers(Runtime.getRuntime().availableProcessors(), MOST_LOST, LONGEST);

  /** Characters of what a script returns. */
  private static final int LONGEST_RESULT = 4 << 20;

  /** Rhino does not know {@code const} here; nothing else changes by it. */
  private static final Pattern CONST_IN_FOR = Pattern.compile("\\bfor\\s*\\(\\s*const\\b");

  /** Buffers of any size, which one operation makes, and no configuration needs. */
  private static final List<String> UNLIMITED =
      List.of(
          "ArrayBuffer",
          "DataView",
          "Int8Array",
          "Uint8Array",
          "Uint8ClampedArray",
          "Int16Array",
          "Uint16Array",
          "Int32Array",
          "Uint32Array",
          "Float32Array",
          "Float64Array",
          "BigInt64Array",
          "BigUint64Array");

  /**
   * Lets no single operation make or walk through anything large, as steps are counted between
   * operations. What walks through nested lists looks at the memory on its way.
   */
  private static final String PRELUDE =
      """
      (function (look) {
        var longest = 1 << 20, apply = Reflect.apply;
        function bound(object, name, isTooLong) {
          var original = object[name];
          Object.defineProperty(object, name, {value: function () {
            if (isTooLong(this, arguments)) {
              throw new RangeError(String(name) + ' may not go beyond a length of ' + longest);
            }
            return apply(original, this, arguments);
          }});
        }
        bound(String.prototype, 'repeat', (text, given) => text.length * given[0] > longest);
        bound(String.prototype, 'padStart', (text, given) => given[0] > longest);
        bound(String.prototype, 'padEnd', (text, given) => given[0] > longest);
        ['replace', 'replaceAll'].forEach(name => bound(String.prototype, name, (text, given) =>
          text.length > longest
            || (typeof given[1] === 'string' && text.length * given[1].length > 64 * longest)));
        ['split', 'concat', 'normalize', 'toUpperCase', 'toLowerCase', 'matchAll', 'match']
          .forEach(name => bound(String.prototype, name, text => text.length > longest));
        Object.getOwnPropertyNames(Array.prototype)
          .concat([Symbol.iterator])
          .filter(name => typeof Array.prototype[name] === 'function' && name !== 'constructor')
          .forEach(name => bound(Array.prototype, name, list => list.length > longest));
        bound(Array.prototype, 'join', (list, given) =>
          list.length * String(given[0] === undefined ? ',' : given[0]).length > 16 * longest);
        bound(Array, 'from', (self, given) => given[0] != null && given[0].length > longest);
        bound(Function.prototype, 'apply', (self, given) =>
          given[1] != null && given[1].length > longest);
        bound(Reflect, 'apply', (self, given) => given[2] != null && given[2].length > longest);
        bound(Reflect, 'construct', (self, given) => given[1] != null && given[1].length > longest);
        Object.defineProperty(Array.prototype, 'flat', {value: function (depth) {
          var levels = depth === undefined ? 1 : Number(depth), flat = [];
          this.forEach(member => {
            if (Array.isArray(member) && levels >= 1) {
              member.flat(levels - 1).forEach(inner => flat.push(inner));
            } else {
              flat.push(member);
            }
          });
          return flat;
        }});
        // What scripts print is for nobody here.
        this.console = {};
        ['debug', 'error', 'info', 'log', 'trace', 'warn'].forEach(
          name => { this.console[name] = function () {}; });
        var stringify = JSON.stringify;
        Object.defineProperty(JSON, 'stringify', {value: function (value, replacer, indent) {
          if (Array.isArray(replacer)) {
            return stringify(value, replacer, indent);
          }
          return stringify(value, typeof replacer === 'function'
            ? function (key, member) { return replacer.call(this, key, look(key, member)); }
            : look, indent);
        }});
      })\
      """;

  private final BoundedContexts contexts;
  private final Workers workers;
  private final ScriptableObject shared;

  /** For ServiceLoader. */
  public RhinoScriptEngine() {
    this(MOST_STEPS, MOST_BYTES, SHARED);
  }

  RhinoScriptEngine(long mostSteps, long mostBytes, Workers workers) {
    this.contexts = new BoundedContexts(mostSteps, mostBytes);
    this.workers = workers;
    this.shared = standardObjects();
  }

  private ScriptableObject standardObjects() {
    try (Context context = contexts.enterContext()) {
      ScriptableObject standard = context.initSafeStandardObjects(null, false);
      UNLIMITED.forEach(standard::delete);
      Function prelude = (Function) context.evaluateString(standard, PRELUDE, "prelude", 1, null);
      prelude.call(context, standard, standard, new Object[] {new Look(contexts)});
      seal(standard);
      return standard;
    }
  }

  /** Called by the library for each member that it visits: as good as a step of the script's. */
  private static final class Look extends BaseFunction {

    private static final long serialVersionUID = 1L;

    private final transient BoundedContexts contexts;

    Look(BoundedContexts contexts) {
      this.contexts = contexts;
    }

    @Override
    public Object call(Context context, Scriptable scope, Scriptable self, Object[] arguments) {
      contexts.checkMemory(context);
      return arguments.length > 1 ? arguments[1] : Undefined.instance;
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
    var origin = new Origin(name, (int) plain.strip().lines().count());
    org.mozilla.javascript.Script script =
        switch (form) {
          case MODULE ->
              compiled(
                  origin,
                  "(function () { var module = {exports: {}}; var exports = module.exports;"
                      + " (function () {\n"
                      + plain
                      + "\n})(); return module.exports; })");
          case INLINE -> inline(origin, declared, plain.strip());
        };
    return arguments -> workers.run(() -> call(script, origin, form, export, arguments));
  }

  /**
   * Where a script is from.
   *
   * @param lines how many it has
   */
  private record Origin(String name, int lines) {

    /** For people; what is missing at the end is missed beyond it. */
    String at(@Nullable String file, int line) {
      return lines > 1 && name.equals(file)
          ? " (its line %d)".formatted(Math.clamp(line, 1, lines))
          : "";
    }
  }

  /** An expression if it is one; else the body of a function. */
  private org.mozilla.javascript.Script inline(Origin origin, String declared, String source) {
    String expression = source.replaceFirst(";+$", "");
    try {
      return compiled(origin, declared + " return (\n" + expression + "\n); })");
    } catch (ScriptException notAnExpression) {
      // That this is JavaScript at all is seen first, as it has the places for people.
      org.mozilla.javascript.Script body = compiled(origin, declared + "\n" + source + "\n})");
      String returning = returning(source);
      return returning.equals(source)
          ? body
          : compiled(origin, declared + "\n" + returning + "\n})");
    }
  }

  private String returning(String source) {
    try (Context context = contexts.enterContext()) {
      return FunctionBody.returning(context, source);
    } catch (StackOverflowError deep) {
      throw ScriptException.failed("this JavaScript is nested too deeply to be read");
    }
  }

  /** The source begins on the second line of what is compiled, which counts as the first. */
  private org.mozilla.javascript.Script compiled(Origin origin, String source) {
    try (Context context = contexts.enterContext()) {
      return context.compileString(source, origin.name(), 0, null);
    } catch (EvaluatorException malformed) {
      throw ScriptException.failed(
          "this JavaScript cannot be read%s: %s"
              .formatted(origin.at(origin.name(), malformed.lineNumber()), malformed.details()));
    } catch (StackOverflowError deep) {
      throw ScriptException.failed("this JavaScript is nested too deeply to be read");
    }
  }

  private Optional<String> call(
      org.mozilla.javascript.Script script,
      Origin origin,
      Form form,
      String export,
      List<String> arguments) {
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
      if (result instanceof NativePromise promise) {
        result = Settlement.of(promise, context, scope, shared);
      }
      return json(context, scope, result);
    } catch (BoundedContexts.OverBoundsError over) {
      throw ScriptException.overBounds("the script was ended: " + over.getMessage());
    } catch (StackOverflowError deep) {
      throw ScriptException.overBounds("the script was ended: it calls itself too deeply");
    } catch (OutOfMemoryError large) {
      throw ScriptException.overBounds("the script was ended: it took too much memory");
    } catch (RhinoException thrown) {
      throw ScriptException.failed(
          thrown.details() + origin.at(thrown.sourceName(), thrown.lineNumber()));
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

  private Optional<String> json(Context context, ScriptableObject scope, @Nullable Object result) {
    if (result == null || Undefined.isUndefined(result)) {
      return result == null ? Optional.of("null") : Optional.empty();
    }
    Object json = NativeJSON.stringify(context, scope, result, new Look(contexts), null);
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
