package dev.weir.eval.promptfoo;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Reads the providers of a configuration. Not thread-safe. */
final class TargetReader {

  private final ConfigFiles files;
  private final Scripts scripts;
  private final Problems problems;
  private final Map<String, String> environment;

  TargetReader(
      ConfigFiles files, Scripts scripts, Problems problems, Map<String, String> environment) {
    this.files = files;
    this.scripts = scripts;
    this.problems = problems;
    this.environment = environment;
  }

  /** All of them, in order, with labels and names that were made of labels made distinct. */
  List<Target> read(Value providers) {
    List<Target> targets = new ArrayList<>();
    for (Value provider : providers.oneOrMore()) {
      targets.addAll(readEntry(provider));
    }
    Set<String> labels = new LinkedHashSet<>();
    Set<String> models = new LinkedHashSet<>();
    List<Target> distinct = new ArrayList<>();
    for (Target target : targets) {
      String label = target.label();
      for (int i = 2; !labels.add(label); i++) {
        label = "%s (%d)".formatted(target.label(), i);
      }
      String model = target.model();
      for (int i = 2; isDescribed(target) && !models.add(model); i++) {
        model = "%s-%d".formatted(target.model(), i);
      }
      distinct.add(named(target, label, model));
    }
    return distinct;
  }

  private static boolean isDescribed(Target target) {
    return HttpProvider.isOne(target.id()) || ExecProvider.isOne(target.id());
  }

  private static Target named(Target target, String label, String model) {
    return label.equals(target.label()) && model.equals(target.model())
        ? target
        : new Target(
            target.id(),
            label,
            model,
            target.arguments(),
            target.baseUrl(),
            target.words(),
            target.seed(),
            target.tools(),
            target.parsesJson(),
            target.prompts(),
            target.transform(),
            target.place());
  }

  private List<Target> readEntry(Value provider) {
    if (ConfigFiles.isReference(provider)) {
      String reference = provider.text().orElse("");
      if (!reference.matches(".*\\.(ya?ml|json)")) {
        unsupported(reference, provider.place());
        return List.of();
      }
      List<Target> read = new ArrayList<>();
      for (Path file : files.find(reference, provider.place())) {
        files
            .data(file, provider.place())
            .ifPresent(data -> data.oneOrMore().forEach(one -> read.addAll(readEntry(one))));
      }
      return read;
    }
    return readOne(provider).stream().toList();
  }

  /** One that stands alone: a name, or a mapping with {@code id} and {@code config}. */
  Optional<Target> readOne(Value provider) {
    if (provider.text().isPresent()) {
      return make(provider.text().get(), Value.of(null, provider.place()), provider.place());
    }
    if (provider.isMapping()
        && provider.member("id").isEmpty()
        && provider.entries().size() == 1
        && provider.member("config").isEmpty()
        && provider.entries().values().iterator().next().isMapping()) {
      Map.Entry<String, Value> only = provider.entries().entrySet().iterator().next();
      String id = only.getValue().member("id").flatMap(Value::text).orElse(only.getKey());
      return make(id, only.getValue(), provider.placeOf(only.getKey()));
    }
    Optional<String> id = provider.member("id").flatMap(Value::text);
    if (id.isEmpty()) {
      problems.add(
          provider.place(), "a provider must be a name such as openai:gpt-4o, or have an `id`");
      return Optional.empty();
    }
    return make(id.get(), provider, provider.place());
  }

  private Optional<Target> make(String id, Value provider, Place place) {
    var section = new Section(provider, "a provider", problems);
    section.ignore("id", "inputs");
    Optional<String> label = section.text("label");
    List<String> prompts = section.texts("prompts");
    Optional<Transform> transform =
        section.value("transform").flatMap(value -> scripts.transform(value, "output"));
    section.unsupported("delay", "give `delay` in `evaluateOptions`, for all providers");
    section.unsupported("env", "give variables in the `env` of the configuration");
    Value config = section.value("config").orElse(Value.of(null, place));
    section.finish();
    if (HttpProvider.isOne(id)) {
      return HttpProvider.description(id, config, place, problems)
          .map(description -> described("http", id, label, description, prompts, transform, place));
    }
    if (ExecProvider.isOne(id)) {
      return ExecProvider.description(
              id,
              label.orElse(id),
              config,
              files.directory(),
              Optional.ofNullable(environment.get("PATH")),
              place,
              problems)
          .map(description -> described("exec", id, label, description, prompts, transform, place));
    }
    Optional<Vendors.Named> named = Vendors.find(id);
    if (named.isEmpty()) {
      unsupported(id, place);
      return Optional.empty();
    }
    var read = new ProviderConfig(config, named.get(), files, problems, environment);
    return Optional.of(
        new Target(
            id,
            label.orElse(id),
            named.get().model(),
            read.arguments(),
            read.baseUrl(),
            read.words(),
            read.seed(),
            read.tools(),
            read.parsesJson(),
            prompts,
            transform,
            place));
  }

  /** One that is described to a provider of Weir's in full. */
  private static Target described(
      String provider,
      String id,
      Optional<String> label,
      String description,
      List<String> prompts,
      Optional<Transform> transform,
      Place place) {
    return new Target(
        id,
        label.orElse(id),
        provider + "/" + label.orElse(id).replaceAll("[^\\w.-]+", "-"),
        Map.of("config", description),
        Optional.empty(),
        Map.of(),
        OptionalLong.empty(),
        OfferedTools.NONE,
        false,
        prompts,
        transform,
        place);
  }

  private void unsupported(String id, Place place) {
    problems.unsupported(
        place, "the provider '%s'".formatted(id), "supported are: " + Vendors.known());
  }
}
