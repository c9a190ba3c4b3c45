package dev.weir.eval.dataset;

import dev.weir.model.JsonWords;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The samples of a task, in order, with distinct ids.
 *
 * @param places where they were read
 */
public record Dataset(List<Sample> samples, Places places) {

  public static final Dataset EMPTY = new Dataset(List.of());

  /**
   * Where samples were read, for people.
   *
   * @param source the file, or what else they come from
   * @param byId the place in it: {@code "line 7"}
   */
  public record Places(String source, Map<String, String> byId) {

    /** Of samples that a program makes. */
    static final Places NONE = new Places("", Map.of());

    public Places {
      // No copy: there may be very many.
      byId = Collections.unmodifiableMap(byId);
    }
  }

  public Dataset {
    samples = List.copyOf(samples);
    Set<String> ids = new HashSet<>();
    for (Sample sample : samples) {
      if (!ids.add(sample.id())) {
        throw new IllegalArgumentException(
            "ids must be distinct, but '%s' is there twice".formatted(sample.id()));
      }
      if (HalfCharacters.in(sample.id())) {
        throw new IllegalArgumentException(
            JsonWords.halfCharacter("the id '%s'".formatted(HalfCharacters.marked(sample.id()))));
      }
    }
  }

  public Dataset(List<Sample> samples) {
    this(samples, Places.NONE);
  }

  public static Dataset of(Sample... samples) {
    return new Dataset(List.of(samples));
  }

  /** Only some of them, or in another order. */
  Dataset with(List<Sample> selected) {
    return new Dataset(selected, places);
  }

  /** File and line of a sample, if it was read. */
  public Optional<String> placeOf(Sample sample) {
    return Optional.ofNullable(places.byId().get(sample.id()))
        .map(place -> place.startsWith(places.source()) ? place : places.source() + ", " + place);
  }
}
