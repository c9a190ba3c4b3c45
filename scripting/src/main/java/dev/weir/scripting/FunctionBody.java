package dev.weir.scripting;

import dev.weir.eval.promptfoo.ScriptException;
import org.jspecify.annotations.Nullable;
import org.mozilla.javascript.CompilerEnvirons;
import org.mozilla.javascript.Context;
import org.mozilla.javascript.Node;
import org.mozilla.javascript.Parser;
import org.mozilla.javascript.ast.AstNode;
import org.mozilla.javascript.ast.AstRoot;
import org.mozilla.javascript.ast.EmptyStatement;
import org.mozilla.javascript.ast.ExpressionStatement;
import org.mozilla.javascript.ast.FunctionNode;
import org.mozilla.javascript.ast.NodeVisitor;
import org.mozilla.javascript.ast.ReturnStatement;
import org.mozilla.javascript.ast.ThrowStatement;

/** Statements that are to give a value: {@code const x = 1; x === 1} gives its last. */
final class FunctionBody {

  private static final String START = "function body() {\n";

  private FunctionBody() {}

  /**
   * The same statements, with a {@code return} before the last expression if there is none at all.
   *
   * @throws ScriptException if they can never give a value
   * @throws org.mozilla.javascript.EvaluatorException if they are no JavaScript
   */
  static String returning(Context context, String source) {
    var settings = new CompilerEnvirons();
    settings.initFromContext(context);
    AstRoot root = new Parser(settings).parse(START + source + "\n}", "body", 0);
    var seen = new Ends();
    AstNode last = null;
    if (root.getFirstChild() instanceof FunctionNode function) {
      function.getBody().visit(seen);
      last = lastStatement(function.getBody());
    }
    if (seen.returns) {
      return source;
    }
    if (last instanceof ExpressionStatement statement) {
      int at = statement.getExpression().getAbsolutePosition() - START.length();
      return source.substring(0, at) + "return " + source.substring(at);
    }
    if (!seen.throwsSomething) {
      throw ScriptException.failed(
          "this JavaScript returns nothing; end it with an expression, or with `return`");
    }
    return source;
  }

  private static @Nullable AstNode lastStatement(AstNode body) {
    AstNode last = null;
    for (Node child : body) {
      if (child instanceof AstNode statement && !(child instanceof EmptyStatement)) {
        last = statement;
      }
    }
    return last;
  }

  /** Looks for how the statements end; functions among them end by themselves. */
  private static final class Ends implements NodeVisitor {

    private boolean returns;
    private boolean throwsSomething;

    @Override
    public boolean visit(AstNode node) {
      returns |= node instanceof ReturnStatement;
      throwsSomething |= node instanceof ThrowStatement;
      return !(node instanceof FunctionNode);
    }
  }
}
