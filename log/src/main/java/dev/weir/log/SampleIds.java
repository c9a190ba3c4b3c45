package dev.weir.log;

import dev.weir.log.inspect.SampleId;
import dev.weir.log.json.JsonText;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The ids of the samples of a run, in order. The text of an id tells which sample it is, whether it
 * is a number or not; but programs that read logs tell {@code 1} from {@code "1"}, so that one log
 * must have it in one form everywhere.
 */
public final class SampleIds {

  /** Of a run of which they are not known. */
  public static final SampleIds NONE = of(List.of());

  private final List<String> texts;
  // Only these: the others either look like numbers and are, or do not. There may be a million ids.
  private final Set<String> digitsAsText;

  private SampleIds(List<String> texts, Set<String> digitsAsText) {
    this.texts = List.copyOf(texts);
    this.digitsAsText = Set.copyOf(digitsAsText);
  }

  public static SampleIds of(Iterable<SampleId> ids) {
    List<String> texts = new ArrayList<>();
    Set<String> digitsAsText = new HashSet<>();
    for (SampleId id : ids) {
      texts.add(id.text());
      if (!id.isNumber() && isWholeNumber(id.text())) {
        digitsAsText.add(id.text());
      }
    }
    return new SampleIds(texts, digitsAsText);
  }

  /** Ids of which none is a number, even if it looks like one. */
  public static SampleIds ofTexts(List<String> texts) {
    return of(texts.stream().map(SampleId::of).toList());
  }

  /** As JSON has it: no sign but a minus, and no zeros before it. */
  private static boolean isWholeNumber(String text) {
    int from = text.startsWith("-") ? 1 : 0;
    boolean isPlain = text.length() > from && (text.charAt(from) != '0' || text.equals("0"));
    return isPlain && text.chars().skip(from).allMatch(digit -> digit >= '0' && digit <= '9');
  }

  /**
   * The same, each in the form that it has in the log that a run goes on with: what is copied from
   * there stays as it is.
   */
  public SampleIds as(SampleIds before) {
    Set<String> known = new HashSet<>(before.texts);
    List<SampleId> all = new ArrayList<>();
    for (String id : texts) {
      all.add(new SampleId(id, known.contains(id) ? before.isNumber(id) : isNumber(id)));
    }
    return of(all);
  }

  /** What they are known by, in order. */
  public List<String> texts() {
    return texts;
  }

  /** How many there are. */
  public int size() {
    return texts.size();
  }

  /** Whether one is a number; one that is not known, if it looks like one. */
  public boolean isNumber(String id) {
    return isWholeNumber(id) && !digitsAsText.contains(id);
  }

  JsonText write(JsonText out, String before, String id) {
    return isNumber(id) ? out.add(before).add(id) : out.text(before, id);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof SampleIds ids
        && texts.equals(ids.texts)
        && digitsAsText.equals(ids.digitsAsText);
  }

  @Override
  public int hashCode() {
    return texts.hashCode();
  }

  @Override
  public String toString() {
    return texts.toString();
  }
}
