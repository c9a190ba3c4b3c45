package dev.weir.junit;

import dev.weir.eval.Host;
import dev.weir.model.ConfigurationException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.BeforeTestExecutionCallback;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;
import org.junit.platform.commons.support.AnnotationSupport;

/** Runs what {@link Evaluation} asks for. */
final class EvaluationExtension
    implements TestTemplateInvocationContextProvider,
        BeforeTestExecutionCallback,
        ParameterResolver {

  private static final Namespace NAMESPACE = Namespace.create(EvaluationExtension.class);

  @Override
  public boolean supportsTestTemplate(ExtensionContext context) {
    return ofMethod(context).isPresent();
  }

  @Override
  public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(
      ExtensionContext context) {
    return plan(context, ofMethod(context).orElseThrow()).stream().map(Invocation::new);
  }

  private static List<PlannedEvaluation> plan(ExtensionContext context, Evaluation evaluation) {
    Class<?> testClass = context.getRequiredTestClass();
    String testMethod =
        testClass.getName()
            + context.getTestMethod().map(method -> "#" + method.getName()).orElse("");
    return PlannedEvaluation.plan(
        Instructions.of(testClass, evaluation, ofClass(context)), Host.process(), testMethod);
  }

  /** One evaluation of a method. */
  private record Invocation(PlannedEvaluation planned) implements TestTemplateInvocationContext {

    @Override
    public String getDisplayName(int index) {
      return planned.name();
    }

    @Override
    public List<Extension> getAdditionalExtensions() {
      BeforeTestExecutionCallback evaluating =
          context -> context.getStore(NAMESPACE).put(EvaluationResult.class, planned.run());
      return List.of(evaluating);
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == EvaluationResult.class
        && parameter.getDeclaringExecutable() instanceof Method method
        && context.getTestMethod().filter(method::equals).isPresent();
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    EvaluationResult result =
        context.getStore(NAMESPACE).get(EvaluationResult.class, EvaluationResult.class);
    if (result == null) {
      throw new ParameterResolutionException("the evaluation has not run");
    }
    return result;
  }

  /** A test of a class that is evaluated as a whole. What is thrown here is what the test shows. */
  @Override
  public void beforeTestExecution(ExtensionContext context) {
    boolean asks =
        List.of(context.getRequiredTestMethod().getParameterTypes())
            .contains(EvaluationResult.class);
    if (asks && ofMethod(context).isEmpty()) {
      Shared shared =
          context
              .getParent()
              .orElse(context)
              .getStore(NAMESPACE)
              .computeIfAbsent(Shared.class, _ -> Shared.of(context), Shared.class);
      context.getStore(NAMESPACE).put(EvaluationResult.class, shared.result());
    }
  }

  /** What the evaluation of a class came to. */
  private sealed interface Shared {

    /** What all tests get, or fail with. */
    EvaluationResult result();

    static Shared of(ExtensionContext context) {
      try {
        List<PlannedEvaluation> plan = plan(context, ofClass(context).orElseThrow());
        if (plan.size() > 1) {
          throw new ConfigurationException(
              "@Evaluation of a class must be one task on one model, to have one result, but there"
                  + " are %d: %s".formatted(plan.size(), plan));
        }
        return new Good(plan.getFirst().run());
      } catch (AssertionError failed) {
        return new Failed(failed);
      } catch (RuntimeException broken) {
        return new Broken(broken);
      }
    }

    record Good(EvaluationResult result) implements Shared {}

    record Failed(AssertionError failure) implements Shared {
      @Override
      public EvaluationResult result() {
        throw failure;
      }
    }

    record Broken(RuntimeException failure) implements Shared {
      @Override
      public EvaluationResult result() {
        throw failure;
      }
    }
  }

  private static Optional<Evaluation> ofMethod(ExtensionContext context) {
    return AnnotationSupport.findAnnotation(context.getTestMethod(), Evaluation.class);
  }

  private static Optional<Evaluation> ofClass(ExtensionContext context) {
    return AnnotationSupport.findAnnotation(
        context.getRequiredTestClass(), Evaluation.class, context.getEnclosingTestClasses());
  }
}
