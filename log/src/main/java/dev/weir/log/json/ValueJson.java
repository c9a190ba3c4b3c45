package dev.weir.log.json;

import tools.jackson.core.StreamWriteConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.json.JsonMapper;

/** How is written what may be anything: what solvers, scorers and datasets bring along. */
final class ValueJson {

  /**
   * How deep a value may be that stands somewhere in a sample: readers take no more than 500 levels
   * in all.
   */
  private static final int DEEPEST_VALUE = 400;

  static final JsonMapper VALUES =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamWriteConstraints(
                      StreamWriteConstraints.builder().maxNestingDepth(DEEPEST_VALUE).build())
                  .build())
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .enable(EnumFeature.WRITE_ENUMS_TO_LOWERCASE)
          .build();

  private ValueJson() {}
}
