package dev.weir.eval.template;

import com.hubspot.jinjava.Jinjava;
import com.hubspot.jinjava.JinjavaConfig;
import com.hubspot.jinjava.el.ExtendedSyntaxBuilder;
import com.hubspot.jinjava.el.TruthyTypeConverter;
import com.hubspot.jinjava.el.ext.ExtendedParser;
import jinjava.de.odysseus.el.ExpressionFactoryImpl;
import jinjava.de.odysseus.el.misc.NumberOperations;
import jinjava.de.odysseus.el.misc.TypeConverter;
import jinjava.de.odysseus.el.tree.TreeStore;
import jinjava.de.odysseus.el.tree.impl.Builder;
import jinjava.de.odysseus.el.tree.impl.Parser;
import jinjava.de.odysseus.el.tree.impl.ast.AstBinary;
import jinjava.de.odysseus.el.tree.impl.ast.AstNode;
import jinjava.javax.el.ExpressionFactory;
import org.jspecify.annotations.NullUnmarked;

/** An engine that refuses to divide by zero, which would otherwise write "Infinity". */
@NullUnmarked // As what it overrides.
final class Arithmetic extends Jinjava {

  static final String BY_ZERO = "it divides by zero";

  private static final AstBinary.Operator DIVISION =
      new AstBinary.SimpleOperator() {
        @Override
        protected Object apply(TypeConverter converter, Object left, Object right) {
          Object result = NumberOperations.div(converter, left, right);
          if (result instanceof Double number && !Double.isFinite(number)) {
            throw new ArithmeticException(BY_ZERO);
          }
          return result;
        }
      };

  private final ExpressionFactory expressions =
      new ExpressionFactoryImpl(new TreeStore(new Syntax(), null), new TruthyTypeConverter());

  Arithmetic(JinjavaConfig config) {
    super(config);
  }

  @Override
  public ExpressionFactory getExpressionFactory() {
    return expressions;
  }

  private static final class Syntax extends ExtendedSyntaxBuilder {

    private static final long serialVersionUID = 1;

    Syntax() {
      super(Builder.Feature.METHOD_INVOCATIONS);
    }

    @Override
    protected Parser createParser(String expression) {
      return new ExtendedParser(this, expression) {
        @Override
        protected AstBinary createAstBinary(
            AstNode left, AstNode right, AstBinary.Operator operator) {
          return super.createAstBinary(
              left, right, operator.equals(AstBinary.DIV) ? DIVISION : operator);
        }
      };
    }
  }
}
