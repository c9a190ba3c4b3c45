package dev.weir.junit;

import dev.weir.eval.Host;
import dev.weir.eval.memory.MemoryUse;
import dev.weir.model.ConfigurationException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeTestExecutionCallback;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;
import org.junit.platform.commons.annotation.Testable;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ReflectionSupport;

/** Runs what {@link Evaluation} asks for. */
final class EvaluationExtension
    implements TestTemplateInvocationContextProvider,
        BeforeTestExecutionCallback,
        AfterAllCallback,
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
        Instructions.of(testClass, evaluation, ofClass(context)),
        // A test must not depend on what ran before it.
        Host.process().withMemory(MemoryUse.NEVER),
        testMethod);
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
    if (asks(context.getRequiredTestMethod()) && ofMethod(context).isEmpty()) {
      context.getStore(NAMESPACE).put(EvaluationResult.class, shared(context).result());
    }
  }

  /**
   * A class of which no test uses the evaluation is evaluated nevertheless: what it asks for would
   * seem to hold. What is thrown here fails the class.
   */
  @Override
  public void afterAll(ExtensionContext context) {
    Class<?> testClass = context.getRequiredTestClass();
    if (isEvaluated(context) && context.getExecutionException().isEmpty() && !isUsed(testClass)) {
      EvaluationResult _ = shared(context).result();
    }
  }

  /** Not by which tests run: a test that was left out on purpose must not cost anything. */
  private static boolean isUsed(Class<?> testClass) {
    Predicate<Method> uses =
        method ->
            AnnotationSupport.isAnnotated(method, Evaluation.class)
                || (AnnotationSupport.isAnnotated(method, Testable.class) && asks(method));
    return !ReflectionSupport.findMethods(testClass, uses, HierarchyTraversalMode.TOP_DOWN)
            .isEmpty()
        || ReflectionSupport.findNestedClasses(
                testClass, nested -> AnnotationSupport.isAnnotated(nested, Nested.class))
            .stream()
            .filter(nested -> !AnnotationSupport.isAnnotated(nested, Evaluation.class))
            .anyMatch(EvaluationExtension::isUsed);
  }

  private static boolean asks(Method method) {
    return List.of(method.getParameterTypes()).contains(EvaluationResult.class);
  }

  /** Kept where the annotation is, for the classes within as well. */
  private static Shared shared(ExtensionContext context) {
    ExtensionContext evaluated = context;
    while (!isEvaluated(evaluated)) {
      evaluated = evaluated.getParent().orElseThrow();
    }
    ExtensionContext ofClass = evaluated;
    return ofClass
        .getStore(NAMESPACE)
        .computeIfAbsent(ofClass.getRequiredTestClass(), _ -> Shared.of(ofClass), Shared.class);
  }

  /** Whether this is the class that has the annotation. */
  private static boolean isEvaluated(ExtensionContext context) {
    return context
        .getElement()
        .filter(element -> element instanceof Class)
        .filter(element -> AnnotationSupport.isAnnotated(element, Evaluation.class))
        .isPresent();
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
