package dev.weir.eval.template;

import com.hubspot.jinjava.Jinjava;
import com.hubspot.jinjava.JinjavaConfig;
import com.hubspot.jinjava.el.ExtendedSyntaxBuilder;
import com.hubspot.jinjava.el.TruthyTypeConverter;
import com.hubspot.jinjava.el.ext.ExtendedParser;
import com.hubspot.jinjava.el.ext.TruncDivOperator;
import java.util.Map;
import java.util.Set;
import jinjava.de.odysseus.el.ExpressionFactoryImpl;
import jinjava.de.odysseus.el.misc.NumberOperations;
import jinjava.de.odysseus.el.misc.TypeConverter;
import jinjava.de.odysseus.el.tree.TreeStore;
import jinjava.de.odysseus.el.tree.impl.Builder;
import jinjava.de.odysseus.el.tree.impl.Cache;
import jinjava.de.odysseus.el.tree.impl.Parser;
import jinjava.de.odysseus.el.tree.impl.ast.AstBinary;
import jinjava.de.odysseus.el.tree.impl.ast.AstIdentifier;
import jinjava.de.odysseus.el.tree.impl.ast.AstNode;
import jinjava.javax.el.ExpressionFactory;
import org.jspecify.annotations.NullUnmarked;

/**
 * An engine that divides as Jinja does: not by zero, which would otherwise write "Infinity", and
 * with remainders that have the sign of the divisor; and that knows what it does not know.
 */
@NullUnmarked // As what it overrides.
final class Arithmetic extends Jinjava {

  static final String BY_ZERO = "it divides by zero";

  /** Expressions that are kept parsed, as many as the engine keeps by itself. */
  private static final int KEPT = 1_000;

  private static final AstBinary.Operator REMAINDER =
      new AstBinary.SimpleOperator() {
        @Override
        protected Object apply(TypeConverter converter, Object dividend, Object divisor) {
          Number rest = NumberOperations.mod(converter, dividend, divisor);
          double by = converter.convert(divisor, Double.class);
          return Math.signum(rest.doubleValue()) * Math.signum(by) < 0
              ? NumberOperations.add(converter, rest, divisor)
              : rest;
        }
      };

  /** What stands for the operators that the parser makes. */
  private static final Map<AstBinary.Operator, AstBinary.Operator> DIVISIONS =
      Map.of(AstBinary.DIV, checked(AstBinary.DIV), AstBinary.MOD, checked(REMAINDER));

  /** This division is an extension, which the parser makes in another way. */
  private static final Parser.ExtensionHandler WHOLE_DIVISION =
      new Parser.ExtensionHandler(TruncDivOperator.HANDLER.getExtensionPoint()) {
        @Override
        public AstNode createAstNode(AstNode... operands) {
          return new AstBinary(operands[0], operands[1], checked(TruncDivOperator.OP));
        }
      };

  private final Vocabulary vocabulary;
  private final ExpressionFactory expressions;

  /**
   * @param disabled filters that may not be used
   */
  Arithmetic(JinjavaConfig config, Set<String> disabled) {
    super(config);
    vocabulary = new Vocabulary(this, disabled);
    expressions =
        new ExpressionFactoryImpl(
            new TreeStore(new Syntax(vocabulary), new Cache(KEPT)), new TruthyTypeConverter());
  }

  Vocabulary vocabulary() {
    return vocabulary;
  }

  @Override
  public ExpressionFactory getExpressionFactory() {
    return expressions;
  }

  private static AstBinary.Operator checked(AstBinary.Operator division) {
    return (bindings, context, left, right) -> {
      Object result;
      try {
        result = division.eval(bindings, context, left, right);
      } catch (ArithmeticException byZero) {
        throw new ArithmeticException(BY_ZERO);
      }
      if (result instanceof Double number && !Double.isFinite(number)) {
        throw new ArithmeticException(BY_ZERO);
      }
      return result;
    };
  }

  private static final class Syntax extends ExtendedSyntaxBuilder {

    private static final long serialVersionUID = 1;

    private final transient Vocabulary vocabulary;

    Syntax(Vocabulary vocabulary) {
      super(Builder.Feature.METHOD_INVOCATIONS, Builder.Feature.VARARGS);
      this.vocabulary = vocabulary;
    }

    @Override
    protected Parser createParser(String expression) {
      return new ExtendedParser(this, expression) {
        {
          putExtensionHandler(TruncDivOperator.TOKEN, WHOLE_DIVISION);
        }

        @Override
        protected AstIdentifier createAstIdentifier(String name, int index) {
          vocabulary.require(name);
          return super.createAstIdentifier(name, index);
        }

        @Override
        protected AstBinary createAstBinary(
            AstNode left, AstNode right, AstBinary.Operator operator) {
          return super.createAstBinary(left, right, DIVISIONS.getOrDefault(operator, operator));
        }
      };
    }
  }
}
