package dev.weir.eval.scorer;

import java.math.BigDecimal;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.DoubleUnaryOperator;

/** A formula. It can be computed exactly where it is a fraction, and at any point otherwise. */
sealed interface Expression {

  /** Absent if it is not a fraction, or has variables. */
  Optional<Rational> exact();

  /** Its value where the variables have these; not a number where it has none. */
  double at(Map<String, Double> point);

  void collectVariables(Set<String> into);

  record Literal(BigDecimal value) implements Expression {

    @Override
    public Optional<Rational> exact() {
      return Rational.of(value);
    }

    @Override
    public double at(Map<String, Double> point) {
      return value.doubleValue();
    }

    @Override
    public void collectVariables(Set<String> into) {}
  }

  /** A number with a name: π, e. */
  record Constant(double value) implements Expression {

    @Override
    public Optional<Rational> exact() {
      return Optional.empty();
    }

    @Override
    public double at(Map<String, Double> point) {
      return value;
    }

    @Override
    public void collectVariables(Set<String> into) {}
  }

  record Variable(String name) implements Expression {

    @Override
    public Optional<Rational> exact() {
      return Optional.empty();
    }

    @Override
    public double at(Map<String, Double> point) {
      return point.getOrDefault(name, Double.NaN);
    }

    @Override
    public void collectVariables(Set<String> into) {
      into.add(name);
    }
  }

  /** What two formulas are joined by. */
  enum Operator {
    PLUS,
    TIMES,
    OVER,
    POWER
  }

  record Binary(Operator operator, Expression left, Expression right) implements Expression {

    @Override
    public Optional<Rational> exact() {
      return left.exact()
          .flatMap(
              a ->
                  right
                      .exact()
                      .flatMap(
                          b ->
                              switch (operator) {
                                case PLUS -> a.plus(b);
                                case TIMES -> a.times(b);
                                case OVER -> a.dividedBy(b);
                                case POWER -> a.power(b);
                              }));
    }

    @Override
    public double at(Map<String, Double> point) {
      double a = left.at(point);
      double b = right.at(point);
      return switch (operator) {
        case PLUS -> a + b;
        case TIMES -> a * b;
        case OVER -> a / b;
        case POWER -> Math.pow(a, b);
      };
    }

    @Override
    public void collectVariables(Set<String> into) {
      left.collectVariables(into);
      right.collectVariables(into);
    }
  }

  record Negated(Expression of) implements Expression {

    @Override
    public Optional<Rational> exact() {
      return of.exact().map(Rational::negated);
    }

    @Override
    public double at(Map<String, Double> point) {
      return -of.at(point);
    }

    @Override
    public void collectVariables(Set<String> into) {
      of.collectVariables(into);
    }
  }

  /** A function of one formula: a sine, a root. */
  record Applied(DoubleUnaryOperator function, Expression of) implements Expression {

    @Override
    public Optional<Rational> exact() {
      return Optional.empty();
    }

    @Override
    public double at(Map<String, Double> point) {
      return function.applyAsDouble(of.at(point));
    }

    @Override
    public void collectVariables(Set<String> into) {
      of.collectVariables(into);
    }
  }
}
