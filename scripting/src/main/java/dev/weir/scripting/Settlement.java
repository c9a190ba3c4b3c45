package dev.weir.scripting;

import dev.weir.eval.promptfoo.ScriptException;
import org.jspecify.annotations.Nullable;
import org.mozilla.javascript.BaseFunction;
import org.mozilla.javascript.Context;
import org.mozilla.javascript.Function;
import org.mozilla.javascript.NativePromise;
import org.mozilla.javascript.Scriptable;
import org.mozilla.javascript.ScriptableObject;
import org.mozilla.javascript.Undefined;

/** What became of a promise: nothing goes on beside a script here, so it is settled, or never. */
final class Settlement {

  private boolean kept;
  private boolean broken;
  private @Nullable Object value;

  private Settlement() {}

  /**
   * What the promise was kept with.
   *
   * @param standard where scripts cannot change what a promise is
   * @throws ScriptException if it was broken, or is neither
   */
  static @Nullable Object of(
      NativePromise promise, Context context, Scriptable scope, Scriptable standard) {
    var settlement = new Settlement();
    Scriptable promises = ScriptableObject.getClassPrototype(standard, "Promise");
    Function then = (Function) ScriptableObject.getProperty(promises, "then");
    then.call(
        context,
        scope,
        promise,
        new Object[] {new Ear(settlement, false), new Ear(settlement, true)});
    context.processMicrotasks();
    if (settlement.broken) {
      throw ScriptException.failed(Context.toString(settlement.value));
    }
    if (!settlement.kept) {
      throw ScriptException.overBounds("the script returned a promise that is never kept");
    }
    return settlement.value;
  }

  /** Is told of one of both ends. */
  private static final class Ear extends BaseFunction {

    private static final long serialVersionUID = 1L;

    private final transient Settlement settlement;
    private final boolean breaks;

    Ear(Settlement settlement, boolean breaks) {
      this.settlement = settlement;
      this.breaks = breaks;
    }

    @Override
    public Object call(Context context, Scriptable scope, Scriptable self, Object[] arguments) {
      settlement.broken = breaks;
      settlement.kept = !breaks;
      settlement.value = arguments.length > 0 ? arguments[0] : Undefined.instance;
      return Undefined.instance;
    }
  }
}
