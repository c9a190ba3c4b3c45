package dev.weir.providers.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.ModelName;
import dev.weir.model.price.PriceTable;
import dev.weir.model.spi.Providers;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Suggestions for models without a provider, compared with the models and providers there are. */
class SuggestedModelTest {

  @Test
  void everyPricedModelIsSuggestedWithItsProvider() {
    List<ModelName> models =
        PriceTable.builtIn().all().keySet().stream()
            .map(ModelName::parse)
            .filter(
                model -> List.of("openai", "anthropic", "google", "xai").contains(model.provider()))
            .toList();
    assertThat(models).hasSizeGreaterThan(40);
    assertThat(models)
        .allSatisfy(model -> assertThat(ModelName.suggested(model.model())).contains(model));
  }

  @Test
  void everySuggestedProviderExists() {
    for (String model :
        List.of(
            "gpt-4o",
            "claude-x",
            "gemini-x",
            "grok-x",
            "mistral-x",
            "deepseek-x",
            "sonar",
            "llama3")) {
      assertThat(Providers.all())
          .as(model)
          .containsKey(ModelName.suggested(model).orElseThrow().provider());
    }
  }
}
