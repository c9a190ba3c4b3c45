package dev.weir.eval.source;

import dev.weir.eval.task.EvalTask;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.MethodModel;
import java.util.List;
import java.util.Optional;

/**
 * The methods of a class file that make tasks, in the order of the source. The class is not loaded:
 * most classes of a jar are none of our business.
 *
 * @param className as {@link Class#forName} takes it
 * @param names at least one
 */
record AnnotatedMethods(String className, List<String> names) {

  private static final String DESCRIPTOR = EvalTask.class.descriptorString();

  /**
   * @throws IllegalArgumentException if the bytes are no class file
   */
  static Optional<AnnotatedMethods> in(byte[] classFile) {
    ClassModel model = ClassFile.of().parse(classFile);
    List<String> names =
        model.methods().stream()
            .filter(AnnotatedMethods::isAnnotated)
            .map(method -> method.methodName().stringValue())
            .toList();
    return names.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new AnnotatedMethods(
                model.thisClass().asInternalName().replace('/', '.'), List.copyOf(names)));
  }

  private static boolean isAnnotated(MethodModel method) {
    return method
        .findAttribute(Attributes.runtimeVisibleAnnotations())
        .map(
            found ->
                found.annotations().stream()
                    .anyMatch(annotation -> annotation.className().equalsString(DESCRIPTOR)))
        .orElse(false);
  }
}
