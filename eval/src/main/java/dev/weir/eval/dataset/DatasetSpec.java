package dev.weir.eval.dataset;

import java.util.Optional;

/**
 * How a source is made a dataset.
 *
 * @param format such as {@code csv}; the ending of the file's name says it if this does not
 * @param fields which columns make up a sample
 * @param autoId whether samples are numbered from 1 whatever ids they have
 * @param targetsRequired whether a sample without a target is an error
 * @param selection which samples it has
 */
public record DatasetSpec(
    Optional<String> format,
    Fields fields,
    boolean autoId,
    boolean targetsRequired,
    Selection selection) {

  /** Columns that are called as what they are, and all samples. */
  public static final DatasetSpec DEFAULT =
      new DatasetSpec(Optional.empty(), Fields.DEFAULT, false, true, Selection.ALL);

  public DatasetSpec withFormat(String changed) {
    return new DatasetSpec(Optional.of(changed), fields, autoId, targetsRequired, selection);
  }

  public DatasetSpec withFields(Fields changed) {
    return new DatasetSpec(format, changed, autoId, targetsRequired, selection);
  }

  public DatasetSpec withAutoId(boolean changed) {
    return new DatasetSpec(format, fields, changed, targetsRequired, selection);
  }

  public DatasetSpec withTargetsRequired(boolean changed) {
    return new DatasetSpec(format, fields, autoId, changed, selection);
  }

  public DatasetSpec withSelection(Selection changed) {
    return new DatasetSpec(format, fields, autoId, targetsRequired, changed);
  }
}
