package dev.weir.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;

/** The rules, for a tree of packages below a root: the product's, or the fixtures'. */
final class Rules {

  /** Packages of other modules of the JDK below {@code java}. */
  private static final List<String> NOT_JAVA_BASE =
      List.of(
          "java.applet",
          "java.awt",
          "java.beans",
          "java.lang.instrument",
          "java.lang.management",
          "java.net.http",
          "java.rmi",
          "java.sql",
          "java.util.logging",
          "java.util.prefs");

  /** Packages of java.base below {@code javax}. */
  private static final List<String> JAVAX_OF_JAVA_BASE =
      List.of("javax.crypto", "javax.net", "javax.security.auth", "javax.security.cert");

  /** Packages of eval, in the order in which each may use those before it. */
  private static final List<String> EVAL_ORDER =
      List.of(
          "template",
          "component",
          "dataset",
          "sandbox",
          "sample",
          "tool",
          "solver",
          "scorer",
          "metric",
          "option",
          "task",
          "promptfoo",
          "source",
          "run",
          "select");

  /** For developers; not part of what users run. */
  private static final Set<String> ON_TOP = Set.of("benchmarks", "architecture", "examples");

  private static final List<String> JSON_LIBRARIES =
      List.of("tools.jackson.", "com.fasterxml.jackson.", "com.google.gson.", "org.snakeyaml.");

  private final String root;

  Rules(String root) {
    this.root = root;
  }

  /** Every rule under its name; a test runs each on the product and on the fixtures. */
  Map<String, ArchRule> all() {
    Map<String, ArchRule> rules = new LinkedHashMap<>();
    rules.put("modules depend downwards", modulesDependDownwards());
    rules.put("every module is in the table", modulesAreKnown());
    rules.put("packages of eval use those before them", evalInOrder());
    rules.put("nothing depends on benchmarks, architecture tests and examples", nothingOnTop());
    rules.put("no package cycles", noPackageCycles());
    rules.put("clock, waiting and chance only in time", timeOnlyInTime());
    rules.put("standard streams and exit only in cli", streamsOnlyInCli());
    rules.put("no JSON library in public signatures", noJsonInPublicSignatures());
    rules.put("limits and time need only java.base", onlyJavaBase());
    rules.put("provider packages do not see each other", providersApart());
    rules.put("JDBC only in cluster and parquet", jdbcOnlyInCluster());
    rules.put("every package is null-marked", packagesAreNullMarked());
    return rules;
  }

  private ArchRule modulesDependDownwards() {
    return classes()
        .that(areBelowRoot())
        .should(
            onlyHave(
                "dependencies on modules that the table allows",
                dependency -> {
                  String from = module(dependency.getOriginClass());
                  String to = module(dependency.getTargetClass());
                  return to.isEmpty()
                      || !Modules.MAY_USE.containsKey(from)
                      || !Modules.MAY_USE.containsKey(to)
                      || Modules.visibleTo(from).contains(to);
                }))
        .because(
            "the direction is always cli, eval, model, limits, time: lower modules stay usable"
                + " on their own, and a reader can stop at the module he needs");
  }

  private ArchRule modulesAreKnown() {
    return classes()
        .that(areBelowRoot())
        .should(
            new ArchCondition<>("be in a module of the table") {
              @Override
              public void check(JavaClass type, ConditionEvents events) {
                String module = module(type);
                if (!Modules.MAY_USE.containsKey(module) && !ON_TOP.contains(module)) {
                  events.add(
                      SimpleConditionEvent.violated(
                          type, type.getName() + " is in no module of the table"));
                }
              }
            })
        .because("a module that the table does not name would be free of its rules");
  }

  private ArchRule evalInOrder() {
    return classes()
        .that(areBelowRoot())
        .should(
            onlyHave(
                "no dependencies from a package of eval to a later one",
                dependency -> {
                  int from = evalPlace(dependency.getOriginClass());
                  return from < 0 || evalPlace(dependency.getTargetClass()) <= from;
                }))
        .because(
            "a task is read from the dataset upwards; the runner knows all, the dataset nothing");
  }

  /** The place of a class of eval in the order; those outside see all and are seen by all. */
  private int evalPlace(JavaClass type) {
    String prefix = root + ".eval.";
    String name = type.getBaseComponentType().getPackageName();
    return name.startsWith(prefix)
        ? EVAL_ORDER.indexOf(name.substring(prefix.length()).split("\\.", 2)[0])
        : -1;
  }

  private ArchRule nothingOnTop() {
    Set<String> top = ON_TOP;
    return classes()
        .that(areBelowRoot())
        .should(
            onlyHave(
                "no dependencies on benchmarks, architecture tests and examples",
                dependency ->
                    top.contains(module(dependency.getOriginClass()))
                        || !top.contains(module(dependency.getTargetClass()))))
        .because("they are for developers and are not part of what users run");
  }

  private ArchRule noPackageCycles() {
    return slices()
        .assignedFrom(
            new SliceAssignment() {
              @Override
              public SliceIdentifier getIdentifierOf(JavaClass type) {
                return isBelowRoot(type)
                    ? SliceIdentifier.of(type.getPackageName())
                    : SliceIdentifier.ignore();
              }

              @Override
              public String getDescription() {
                return "packages";
              }
            })
        .should()
        .beFreeOfCycles()
        .because(
            "a package may depend on its leaves, never the other way: then each can be"
                + " understood without the others");
  }

  private ArchRule timeOnlyInTime() {
    Predicate<JavaClass> excepted =
        type ->
            isIn(type, "time")
                // They talk to sockets and processes, which know nothing of our clock.
                || isIn(type, "providers.http")
                || isIn(type, "eval.sandbox")
                || isIn(type, "web")
                // It looks after the scheduler that runs the tasks of system time.
                || isIn(type, "cli.carriers")
                // Its scripts only compute, on threads whose memory can be measured.
                || isIn(type, "scripting")
                // It measures limiters that know nothing of it either.
                || isIn(type, "benchmarks.permits")
                || isIn(type, "benchmarks.http");
    return classes()
        .that(areBelowRoot())
        .and(
            DescribedPredicate.describe(
                "are not transport, sandbox, server, scheduler, script or comparison",
                excepted.negate()))
        .should(
            notAccess("clocks, waits, threads or unseeded chance", Banned::isTime)
                .and(
                    onlyHave(
                        "no types that wait, start work, or read a clock",
                        dependency -> !Banned.isTimeType(dependency.getTargetClass()))))
        .because(
            "whatever waits goes through dev.weir.time, or it would not run on virtual time, and"
                + " tests and rehearsals would be neither fast nor repeatable");
  }

  private ArchRule streamsOnlyInCli() {
    return classes()
        .that(areBelowRoot())
        .and(DescribedPredicate.describe("are outside cli", type -> !isIn(type, "cli")))
        .should(
            notAccess(
                "standard streams or exit",
                access ->
                    Banned.isStandardStreamOrExit(access)
                        // They end what the programs that they run have started.
                        && !((isIn(access.getOriginOwner(), "providers.custom")
                                || isIn(access.getOriginOwner(), "eval.sandbox"))
                            && Banned.endsProcess(access))))
        .because("a library that prints or ends the process cannot be used inside another program");
  }

  private ArchRule noJsonInPublicSignatures() {
    return classes()
        .that(areBelowRoot())
        .should(
            new ArchCondition<>("not show a JSON library in a public signature") {
              @Override
              public void check(JavaClass type, ConditionEvents events) {
                if (!isVisible(type)) {
                  return;
                }
                shown(type)
                    .filter(Rules::isJson)
                    .forEach(
                        json ->
                            events.add(
                                SimpleConditionEvent.violated(
                                    type, type.getName() + " shows " + json.getName())));
              }
            })
        .because("the JSON library is our choice, not our users': it must be exchangeable");
  }

  private ArchRule onlyJavaBase() {
    Set<String> pure = Set.of("time", "limits", "selection");
    return classes()
        .that(areBelowRoot())
        .and(
            DescribedPredicate.describe(
                "are in time, limits or selection", type -> pure.contains(module(type))))
        .should(
            onlyHave(
                "dependencies on java.base, annotations and modules below",
                dependency -> {
                  JavaClass target = dependency.getTargetClass().getBaseComponentType();
                  return isJavaBase(target)
                      || target.getPackageName().startsWith("org.jspecify.")
                      || isBelowRoot(target);
                }))
        .because("they are libraries of their own, for programs that want nothing else");
  }

  private ArchRule providersApart() {
    return classes()
        .that(areBelowRoot())
        .should(
            onlyHave(
                "no dependencies from one provider to another",
                dependency -> {
                  String from = provider(dependency.getOriginClass());
                  String to = provider(dependency.getTargetClass());
                  return from.isEmpty() || to.isEmpty() || to.equals("http") || from.equals(to);
                }))
        .because("a change at one provider must not touch another");
  }

  private ArchRule jdbcOnlyInCluster() {
    return noClasses()
        .that(areBelowRoot())
        .and(
            DescribedPredicate.describe(
                "are outside cluster and parquet",
                type -> !isIn(type, "cluster") && !isIn(type, "parquet")))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("java.sql..", "javax.sql..")
        .because("only they have a database to talk to")
        .allowEmptyShould(true);
  }

  private ArchRule packagesAreNullMarked() {
    return classes()
        .that(areBelowRoot())
        .should(
            new ArchCondition<>("be in a package that is @NullMarked") {
              @Override
              public void check(JavaClass type, ConditionEvents events) {
                JavaPackage javaPackage = type.getPackage();
                if (!javaPackage.isAnnotatedWith(NullMarked.class)) {
                  events.add(
                      SimpleConditionEvent.violated(
                          type, type.getName() + " is in a package without @NullMarked"));
                }
              }
            })
        .because("the compiler then knows what may be null, and NullAway checks it");
  }

  private DescribedPredicate<JavaClass> areBelowRoot() {
    return DescribedPredicate.describe("are below " + root, this::isBelowRoot);
  }

  private boolean isBelowRoot(JavaClass type) {
    return type.getPackageName().startsWith(root + ".");
  }

  private boolean isIn(JavaClass type, String module) {
    String name = type.getPackageName();
    return name.equals(root + "." + module) || name.startsWith(root + "." + module + ".");
  }

  /** The first package below the root; empty for a class from elsewhere. */
  private String module(JavaClass type) {
    JavaClass component = type.getBaseComponentType();
    return isBelowRoot(component)
        ? component.getPackageName().substring(root.length() + 1).split("\\.", 2)[0]
        : "";
  }

  private String provider(JavaClass type) {
    String prefix = root + ".providers.";
    String name = type.getBaseComponentType().getPackageName();
    return name.startsWith(prefix) ? name.substring(prefix.length()).split("\\.", 2)[0] : "";
  }

  private static boolean isJavaBase(JavaClass type) {
    String name = type.getPackageName();
    return type.isPrimitive()
        || JAVAX_OF_JAVA_BASE.stream().anyMatch(base -> (name + ".").startsWith(base + "."))
        || ((name.equals("java") || name.startsWith("java."))
            && NOT_JAVA_BASE.stream().noneMatch(other -> (name + ".").startsWith(other + ".")));
  }

  private static boolean isVisible(JavaClass type) {
    return isPublicOrProtected(type.getModifiers())
        && type.getEnclosingClass().map(Rules::isVisible).orElse(true);
  }

  private static boolean isPublicOrProtected(Set<JavaModifier> modifiers) {
    return modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED);
  }

  /** The types that a user of the class gets to see. */
  private static Stream<JavaClass> shown(JavaClass type) {
    List<JavaType> shown = new ArrayList<>();
    type.getSuperclass().ifPresent(shown::add);
    shown.addAll(type.getInterfaces());
    for (JavaMember member : type.getMembers()) {
      if (!isPublicOrProtected(member.getModifiers())) {
        continue;
      }
      switch (member) {
        case JavaField field -> shown.add(field.getType());
        case JavaCodeUnit unit -> {
          shown.add(unit.getReturnType());
          shown.addAll(unit.getParameterTypes());
          shown.addAll(unit.getExceptionTypes());
        }
        default -> {}
      }
    }
    return shown.stream().flatMap(javaType -> javaType.getAllInvolvedRawTypes().stream());
  }

  private static boolean isJson(JavaClass type) {
    return JSON_LIBRARIES.stream().anyMatch(type.getBaseComponentType().getName()::startsWith);
  }

  private static ArchCondition<JavaClass> notAccess(
      String what, Predicate<? super JavaAccess<?>> banned) {
    return new ArchCondition<>("not access " + what) {
      @Override
      public void check(JavaClass type, ConditionEvents events) {
        type.getAccessesFromSelf().stream()
            .filter(banned)
            .forEach(
                access ->
                    events.add(SimpleConditionEvent.violated(access, access.getDescription())));
      }
    };
  }

  private static ArchCondition<JavaClass> onlyHave(String what, Predicate<Dependency> allowed) {
    return new ArchCondition<>("have " + what) {
      @Override
      public void check(JavaClass type, ConditionEvents events) {
        type.getDirectDependenciesFromSelf().stream()
            .filter(allowed.negate())
            .forEach(
                dependency ->
                    events.add(
                        SimpleConditionEvent.violated(dependency, dependency.getDescription())));
      }
    };
  }
}
