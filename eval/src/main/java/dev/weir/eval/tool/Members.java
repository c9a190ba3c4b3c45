package dev.weir.eval.tool;

import dev.weir.model.Spelling;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Named values that belong together: the arguments of a method, or the components of a record. */
record Members(List<Member> members) {

  Members {
    members = List.copyOf(members);
    Set<String> names = new HashSet<>();
    for (Member member : members) {
      if (!names.add(member.name)) {
        throw new IllegalArgumentException(
            "`%s` must be the name of one argument, was that of two".formatted(member.name));
      }
    }
  }

  /**
   * @param optional whether it may be left out, and is an {@code Optional} in Java
   */
  record Member(String name, String description, ArgumentType type, boolean optional) {

    /**
     * @param where for the message: {@code parameter `names` of Desk.find}
     * @param within the records that it is a part of
     */
    static Member of(
        String name, String description, Type type, String where, Set<Class<?>> within) {
      Optional<Type> held = ArgumentType.optional(type);
      return new Member(
          name, description, ArgumentType.of(held.orElse(type), where, within), held.isPresent());
    }
  }

  /** Makes a record of the values of its components. */
  @FunctionalInterface
  interface Maker {
    /**
     * @throws IllegalArgumentException if the record refuses them
     */
    Object make(Object[] values);
  }

  static ArgumentType ofRecord(Class<?> type, String where, Set<Class<?>> within) {
    if (within.contains(type)) {
      throw new IllegalArgumentException(
          "%s must have an end, but %s contains itself".formatted(where, type.getSimpleName()));
    }
    Set<Class<?>> deeper = new HashSet<>(within);
    deeper.add(type);
    List<Member> members = new ArrayList<>();
    for (RecordComponent component : type.getRecordComponents()) {
      Param told = component.getAnnotation(Param.class);
      members.add(
          Member.of(
              told == null || told.name().isEmpty() ? component.getName() : told.name(),
              told == null ? "" : told.value(),
              component.getGenericType(),
              "component `%s` of %s".formatted(component.getName(), type.getSimpleName()),
              deeper));
    }
    return new ArgumentType.RecordOf(new Members(members), maker(type));
  }

  private static Maker maker(Class<?> type) {
    Class<?>[] types =
        Arrays.stream(type.getRecordComponents())
            .map(RecordComponent::getType)
            .toArray(Class<?>[]::new);
    try {
      Constructor<?> constructor = type.getDeclaredConstructor(types);
      constructor.setAccessible(true);
      return values -> make(constructor, values);
    } catch (NoSuchMethodException impossible) {
      throw new IllegalStateException("cannot find the constructor of a record", impossible);
    }
  }

  private static Object make(Constructor<?> constructor, Object[] values) {
    try {
      return constructor.newInstance(values);
    } catch (InvocationTargetException thrown) {
      switch (thrown.getCause()) {
        case RuntimeException refused -> throw refused;
        case Error broken -> throw broken;
        case null, default -> throw new IllegalStateException("cannot make a record", thrown);
      }
    } catch (ReflectiveOperationException impossible) {
      throw new IllegalStateException("cannot make a record", impossible);
    }
  }

  ObjectNode schema() {
    ObjectNode schema = JsonNodeFactory.instance.objectNode().put("type", "object");
    ObjectNode properties = schema.putObject("properties");
    for (Member member : members) {
      ObjectNode property = member.type.schema();
      if (!member.description.isEmpty()) {
        property.put("description", member.description);
      }
      properties.set(member.name, property);
    }
    members.stream()
        .filter(member -> !member.optional)
        .forEach(member -> schema.withArray("required").add(member.name));
    return schema.put("additionalProperties", false);
  }

  /**
   * The values in the order of the members.
   *
   * @param where for the message; empty for the arguments of a call
   * @throws ToolException what is wrong, for the model
   */
  Object[] read(JsonNode given, String where) {
    if (!given.isObject()) {
      throw ArgumentType.wrong(where.isEmpty() ? "the arguments" : where, "an object", given);
    }
    List<String> known = members.stream().map(Member::name).toList();
    for (String name : given.propertyNames()) {
      if (!known.contains(name)) {
        throw new ToolException(
            "%s is not known%s".formatted(inner(where, name), Spelling.hint(name, known)));
      }
    }
    Object[] values = new Object[members.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = value(members.get(i), given, where);
    }
    return values;
  }

  private static Object value(Member member, JsonNode object, String where) {
    JsonNode given = object.get(member.name);
    String inner = inner(where, member.name);
    if (given == null || given.isNull()) {
      if (!member.optional) {
        throw new ToolException("%s is missing".formatted(inner));
      }
      return Optional.empty();
    }
    Object value = member.type.read(given, inner);
    return member.optional ? Optional.of(value) : value;
  }

  private static String inner(String where, String name) {
    return where.isEmpty()
        ? "`%s`".formatted(name)
        : "%s.%s`".formatted(where.substring(0, where.length() - 1), name);
  }
}
