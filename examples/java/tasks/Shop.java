package tasks;

import static dev.weir.eval.scorer.Scorers.includes;
import static dev.weir.eval.solver.Solvers.react;

import dev.weir.eval.dataset.Sample;
import dev.weir.eval.sample.ToolSource;
import dev.weir.eval.task.EvalTask;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.eval.tool.Param;
import dev.weir.eval.tool.ToolException;
import dev.weir.eval.tool.ToolMethod;
import dev.weir.eval.tool.Tools;
import java.math.BigDecimal;
import java.util.Map;

/**
 * An agent with a tool that is written in Java. With replies from a file instead of a model:
 *
 * <pre>
 * ./weir eval examples/java/tasks/Shop.java --model mock/shop -M replies=examples/java/shop.yaml
 * </pre>
 */
final class Shop {

  private Shop() {}

  @EvalTask
  static TaskDefinition.Builder shop() {
    return TaskDefinition.named("shop")
        .dataset(
            new Sample("pens", "What do 3 pens cost?", "4.50"),
            new Sample("lamps", "What do 2 lamps cost?", "59.80"))
        .solver(react(Tools.of(new PriceList()).toArray(ToolSource[]::new)))
        .scorer(includes())
        .messageLimit(20)
        .turnLimit(5);
  }

  /** What the model may ask. */
  static final class PriceList {

    private static final Map<String, String> PRICES = Map.of("pen", "1.50", "lamp", "29.90");

    @ToolMethod("The price of some pieces of one item, in euros.")
    BigDecimal price(
        @Param("What is sold: pen or lamp") String item, @Param("How many pieces") int pieces) {
      String price = PRICES.get(item);
      if (price == null) {
        throw new ToolException("nothing is sold under the name " + item);
      }
      return new BigDecimal(price).multiply(BigDecimal.valueOf(pieces));
    }
  }
}
