package dev.weir.cli;

import dev.weir.model.price.Price;
import dev.weir.model.price.PriceTable;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The models whose prices are known, for people or as JSON. */
record ModelPrices(Map<String, Price> prices) {

  private static final JsonMapper JSON = new JsonMapper();

  static ModelPrices of(PriceTable table) {
    return new ModelPrices(table.all());
  }

  void print(Surroundings surroundings, boolean asJson) {
    if (asJson) {
      prices.forEach((name, price) -> surroundings.out().println(document(name, price)));
      return;
    }
    List<List<String>> rows = new ArrayList<>();
    prices.forEach(
        (name, price) ->
            rows.add(
                List.of(
                    name,
                    dollars(price.rates().input()),
                    dollars(price.rates().output()),
                    price.batchFactor().map(BigDecimal::toPlainString).orElse("–"),
                    price.asOf().toString())));
    var grid =
        new Grid(
            List.of(
                Grid.Column.left("model", 5),
                Grid.Column.right("$/M in", 4),
                Grid.Column.right("$/M out", 4),
                Grid.Column.right("batch", 2),
                Grid.Column.left("as of", 1)),
            rows);
    Stream.of(
            grid.lines(surroundings.columns(), Grid.Style.PLAIN),
            List.of(
                "",
                "These models have a known price, in US dollars for a million tokens. Any other"
                    + " model of a provider works, too:",
                "weir providers lists what names begin with; --prices FILE adds prices"
                    + " (docs/models.md)."))
        .flatMap(List::stream)
        .map(String::stripTrailing)
        .forEach(surroundings.out()::println);
  }

  private static String dollars(BigDecimal amount) {
    return amount.stripTrailingZeros().toPlainString();
  }

  private static ObjectNode document(String name, Price price) {
    ObjectNode document =
        JSON.createObjectNode()
            .put("name", name)
            .put("input", price.rates().input())
            .put("output", price.rates().output());
    price.rates().cacheRead().ifPresent(rate -> document.put("cache_read", rate));
    price.rates().cacheWrite().ifPresent(rate -> document.put("cache_write", rate));
    price.batchFactor().ifPresent(factor -> document.put("batch_factor", factor));
    return document.put("as_of", price.asOf().toString()).put("source", price.source());
  }
}
