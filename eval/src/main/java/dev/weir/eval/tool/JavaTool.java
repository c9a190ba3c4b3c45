package dev.weir.eval.tool;

import dev.weir.eval.sample.EvalTool;
import dev.weir.eval.sample.Outset;
import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sample.SampleState;
import dev.weir.eval.tool.Members.Member;
import dev.weir.model.Tool;
import dev.weir.model.ToolCall;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A method as a tool. As thread-safe as the method. */
final class JavaTool implements EvalTool {

  private static final List<Class<?>> GIVEN_BY_RUNNER =
      List.of(SampleContext.class, SampleState.class, ToolCall.class);

  private final Object bean;
  private final Method method;
  private final Members members;
  private final Tool definition;

  private JavaTool(Object bean, Method method, ToolMethod told) {
    this.bean = bean;
    this.method = method;
    this.members = members(method);
    this.definition =
        new Tool(
            told.name().isEmpty() ? method.getName() : told.name(),
            told.value(),
            members.schema().toString());
    method.setAccessible(true);
  }

  /** The annotated methods, by name. */
  static List<EvalTool> of(Object bean) {
    List<EvalTool> tools = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (Class<?> type = bean.getClass(); type != null; type = type.getSuperclass()) {
      for (Method method : type.getDeclaredMethods()) {
        ToolMethod told = method.getAnnotation(ToolMethod.class);
        if (told != null && !method.isBridge()) {
          var tool = new JavaTool(bean, method, told);
          if (!names.add(tool.definition.name())) {
            throw new IllegalArgumentException(
                "`%s` must be the name of one tool of %s, was that of two; use @ToolMethod(name)"
                    .formatted(tool.definition.name(), bean.getClass().getName()));
          }
          tools.add(tool);
        }
      }
    }
    if (tools.isEmpty()) {
      throw new IllegalArgumentException(
          "`bean` must have a method with @ToolMethod, was a " + bean.getClass().getName());
    }
    // The order of methods in a class file is nobody's promise.
    tools.sort(Comparator.comparing(tool -> tool.definition().name()));
    return List.copyOf(tools);
  }

  private static Members members(Method method) {
    List<Member> members = new ArrayList<>();
    for (Parameter parameter : method.getParameters()) {
      if (!GIVEN_BY_RUNNER.contains(parameter.getType())) {
        members.add(member(method, parameter));
      }
    }
    return new Members(members);
  }

  private static Member member(Method method, Parameter parameter) {
    String where =
        "parameter `%s` of %s.%s"
            .formatted(parameter.getName(), method.getDeclaringClass().getName(), method.getName());
    Param told = parameter.getAnnotation(Param.class);
    if (told == null) {
      throw new IllegalArgumentException(
          where + " must have a @Param that tells the model what it is");
    }
    if (told.name().isEmpty() && !parameter.isNamePresent()) {
      throw new IllegalArgumentException(
          where + " must have a name: compile with -parameters, or use @Param(name)");
    }
    return Member.of(
        told.name().isEmpty() ? parameter.getName() : told.name(),
        told.value(),
        parameter.getParameterizedType(),
        where,
        Set.of());
  }

  @Override
  public List<String> foresee(Outset outset) {
    if (bean instanceof InSandbox ours) {
      ours.requireUsable(outset.requireSandbox(definition.name()));
      ours.programs().forEach(program -> outset.requireProgram(definition.name(), program));
    }
    return List.of(definition.name());
  }

  @Override
  public Tool definition() {
    return definition;
  }

  @Override
  public Result run(ToolCall call, SampleState state, SampleContext context)
      throws InterruptedException {
    try {
      Object[] given = members.read(CallJson.arguments(call), "");
      Object result = invoke(all(given, call, state, context));
      return result instanceof Result told ? told : Result.of(CallJson.text(result));
    } catch (ToolException told) {
      return told.result();
    }
  }

  private Object[] all(Object[] given, ToolCall call, SampleState state, SampleContext context) {
    var next = Arrays.asList(given).iterator();
    return Arrays.stream(method.getParameterTypes())
        .map(
            type -> {
              if (type == SampleContext.class) {
                return context;
              }
              if (type == SampleState.class) {
                return state;
              }
              return type == ToolCall.class ? call : next.next();
            })
        .toArray();
  }

  private @Nullable Object invoke(Object[] arguments) throws InterruptedException {
    try {
      return method.invoke(Modifier.isStatic(method.getModifiers()) ? null : bean, arguments);
    } catch (InvocationTargetException thrown) {
      switch (thrown.getCause()) {
        case InterruptedException cancelled -> throw cancelled;
        case RuntimeException failed -> throw failed;
        case Error broken -> throw broken;
        case null, default ->
            throw new IllegalStateException(
                "the tool %s failed: %s".formatted(definition.name(), thrown.getCause()), thrown);
      }
    } catch (IllegalAccessException impossible) {
      throw new IllegalStateException("cannot call " + method, impossible);
    }
  }
}
