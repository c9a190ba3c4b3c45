package dev.weir.model.price;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.model.ConfigurationException;
import dev.weir.model.Message;
import dev.weir.model.ModelName;
import dev.weir.model.Origin;
import dev.weir.model.Response;
import dev.weir.model.StopReason;
import dev.weir.model.Usage;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PriceTableTest {

  private static final PriceTable BUILT_IN = PriceTable.builtIn();
  private static final Usage MILLION_EACH = new Usage(1_000_000, 1_000_000);

  @TempDir Path directory;

  private static Optional<Price> price(String model) {
    return BUILT_IN.priceOf(ModelName.parse(model));
  }

  private static BigDecimal usd(String amount) {
    return new BigDecimal(amount);
  }

  private Path file(String json) throws IOException {
    return Files.writeString(directory.resolve("prices.json"), json);
  }

  @Test
  void everyBuiltInPriceSaysWhenAndWhereItWasSeen() {
    assertThat(BUILT_IN.all()).hasSizeGreaterThan(40);
    BUILT_IN
        .all()
        .forEach(
            (model, price) -> {
              if (List.of("sim/*", "mock/*").contains(model)) {
                return;
              }
              assertThat(URI.create(price.source()).getScheme()).as(model).isEqualTo("https");
              assertThat(price.asOf())
                  .as(model)
                  .isBetween(LocalDate.parse("2025-01-01"), LocalDate.parse("2026-11-15"));
              assertThat(price.rates().input()).as(model).isPositive();
              assertThat(price.rates().output()).as(model).isGreaterThan(price.rates().input());
              price
                  .rates()
                  .cacheRead()
                  .ifPresent(read -> assertThat(read).as(model).isLessThan(price.rates().input()));
              price
                  .longPrompts()
                  .ifPresent(
                      higher ->
                          assertThat(higher.rates().input())
                              .as(model)
                              .isGreaterThan(price.rates().input()));
            });
  }

  @ParameterizedTest
  @CsvSource({
    "openai/gpt-4o, 12.50",
    "openai/gpt-4o-2024-08-06, 12.50",
    "openai/gpt-4o-2024-05-13, 20",
    "openai/gpt-4o-mini-2024-07-18, 0.75",
    "anthropic/claude-sonnet-4-5-20250929, 18",
    "anthropic/claude-3-5-haiku-latest, 4.80",
    "anthropic/claude-opus-4-1-20250805, 90",
    "google/gemini-2.0-flash-001, 0.50",
    "groq/openai/gpt-oss-120b, 0.75"
  })
  void aDatedNameHasThePriceOfItsFamily(String model, BigDecimal expected) {
    Price.Rates rates = price(model).orElseThrow().rates();
    assertThat(rates.input().add(rates.output())).isEqualByComparingTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "openai/gpt-5-pro",
        "openai/gpt-4o-audio-preview",
        "openai/gpt-4o-",
        "openai/gpt",
        "openai/o3-deep-research-2025-06-26",
        "mistral/mistral-large-2411",
        "azure/gpt-4o",
        "openrouter/openai/gpt-4o",
        "vllm/meta-llama/Llama-3.1-8B",
        "ollama/llama3.1",
        "llama-cpp/any",
        "lm-studio/any",
        "sglang/any"
      })
  void whatNobodyKnowsIsUnknownAndNotFree(String model) {
    assertThat(price(model)).isEmpty();
    Spend spend = Spend.of(price(model), reply(MILLION_EACH, false));
    assertThat(spend.total()).isEmpty();
    assertThat(spend).hasToString("unknown");
  }

  @Test
  void whereNobodyIsAskedNobodyIsPaid() {
    for (String model : List.of("sim/demo", "mock/any")) {
      assertThat(Spend.of(price(model), reply(MILLION_EACH, false))).hasToString("$0.0000");
    }
  }

  private static Response.Reply reply(Usage usage, boolean fromCache) {
    return new Response.Reply(
        Message.assistant("x"),
        StopReason.STOP,
        usage,
        new Origin(
            ModelName.parse("a/b"),
            OptionalInt.empty(),
            "",
            Optional.empty(),
            0,
            0,
            Optional.empty(),
            fromCache));
  }

  @Test
  void costsAreExact() {
    Price price = price("anthropic/claude-sonnet-4-5").orElseThrow();
    assertThat(price.costOf(new Usage(1, 1))).contains(usd("0.000018"));
    // 1,000 of the input were read from the cache and 500 written to it.
    assertThat(price.costOf(new Usage(3_000, 100, 1_000, 500, 50)).orElseThrow())
        .isEqualByComparingTo("0.008175");
    assertThat(price.costOfBatched(MILLION_EACH).orElseThrow()).isEqualByComparingTo("9");
    assertThat(price.costOf(Usage.NONE).orElseThrow()).isEqualByComparingTo("0");
  }

  @Test
  void longPromptsCostMoreAsAWhole() {
    Price price = price("google/gemini-2.5-pro").orElseThrow();
    assertThat(price.costOf(new Usage(200_000, 0)).orElseThrow()).isEqualByComparingTo("0.25");
    assertThat(price.costOf(new Usage(200_001, 0)).orElseThrow()).isEqualByComparingTo("0.5000025");
    assertThat(price.costOf(new Usage(300_000, 1_000)).orElseThrow()).isEqualByComparingTo("0.765");
  }

  @Test
  void aRateThatIsNotKnownLeavesTheCostUnknown() {
    Price price = price("google/gemini-2.5-pro").orElseThrow();
    assertThat(price.costOf(new Usage(100, 10, 1, 0, 0))).isEmpty();
    assertThat(price.costOf(new Usage(100, 10, 0, 1, 0))).isEmpty();
    // More cached than read.
    assertThat(price("openai/gpt-4o").orElseThrow().costOf(new Usage(100, 10, 101, 0, 0)))
        .isEmpty();
    assertThat(price("openai/gpt-5.5").orElseThrow().costOfBatched(MILLION_EACH)).isEmpty();
  }

  @Test
  void aSumSaysWhatItDoesNotKnow() {
    Optional<Price> known = price("openai/gpt-4o-mini");
    Spend one = Spend.of(known, reply(MILLION_EACH, false));
    assertThat(one.total().orElseThrow()).isEqualByComparingTo("0.75");
    assertThat(one).hasToString("$0.7500");
    Spend mixed = one.plus(Spend.of(Optional.empty(), reply(MILLION_EACH, false))).plus(one);
    assertThat(mixed.total()).isEmpty();
    assertThat(mixed.known()).isEqualByComparingTo("1.5");
    assertThat(mixed.unknownCalls()).isEqualTo(1);
    assertThat(mixed).hasToString("at least $1.5000");
    assertThat(Spend.NONE).hasToString("$0.0000");
  }

  @Test
  void anAnswerFromTheCacheIsNotPaidForAgain() {
    assertThat(Spend.of(price("openai/gpt-4o"), reply(MILLION_EACH, true))).isEqualTo(Spend.NONE);
    assertThat(Spend.of(Optional.empty(), reply(MILLION_EACH, true))).isEqualTo(Spend.NONE);
  }

  @Test
  void theSumDoesNotDependOnTheOrder() {
    var random = new SplittableRandom(5);
    Price price = price("openai/gpt-4o-mini").orElseThrow();
    Usage all = Usage.NONE;
    Spend sum = Spend.NONE;
    for (int i = 0; i < 1_000; i++) {
      long input = random.nextLong(100_000);
      var usage = new Usage(input, random.nextLong(10_000), random.nextLong(input + 1), 0, 0);
      all = all.plus(usage);
      sum = sum.plus(Spend.of(Optional.of(price), reply(usage, false)));
    }
    assertThat(sum.known()).isEqualByComparingTo(price.costOf(all).orElseThrow());
  }

  @Test
  void pricesOfAFileWinOneByOne() throws IOException {
    Path file =
        file(
            """
            {"prices": [
              {"models": ["openai/gpt-4o", "vllm/*"], "input": 1, "output": 2,
               "as_of": "2026-01-01", "source": "our contract"}
            ]}
            """);
    PriceTable table = PriceTable.of(Map.of("WEIR_PRICES", file.toString()));
    assertThat(table.priceOf(ModelName.parse("openai/gpt-4o-2024-11-20")).orElseThrow().source())
        .isEqualTo("our contract");
    assertThat(table.priceOf(ModelName.parse("vllm/any/thing"))).isPresent();
    assertThat(table.priceOf(ModelName.parse("openai/gpt-4o-mini")))
        .isEqualTo(price("openai/gpt-4o-mini"));
    ModelName mine = ModelName.parse("sim/demo");
    assertThat(PriceTable.EMPTY.with(mine, price("openai/gpt-4o").orElseThrow()).priceOf(mine))
        .isPresent();
    assertThat(PriceTable.of(Map.of()).all()).isEqualTo(BUILT_IN.all());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
"""
nonsense                                                        | line 1, column 1: the file is not JSON: 'nonsense' is no value
          {"prices": [{"models": ["a/b"},]}                               | line 1, column 30: the file is not JSON: there is a } where a list [
          []                                                              | line 1, column 1: the file must be an object {…}, was a list
          {}                                                              | line 1, column 1: `prices` is missing
          {"prices": 5}                                                   | line 1, column 12: `prices` must be a list
          {"prices": {}}                                                  | line 1, column 12: `prices` must be a list
          {"prices": null}                                                | line 1, column 12: `prices` must be a list
          {"price": []}                                                   | line 1, column 2: there is no key 'price'; did you mean
          {"prices": []} []                                               | line 1, column 16: the file is not JSON: there is something after its end
          {"prices": [1]}                                                 | line 1, column 13: an entry of `prices` must be an object
          {"prices": [{"models":["a/b"],"inputs":1}]}                     | line 1, column 31: there is no key 'inputs'; did you mean
          {"prices": [{"models":["a/b"],"input":1,"as_of":"2026-01-01","source":"x"}]} | line 1, column 13: `output` is missing
          {"prices": [{"models":["a/b"],"input":-1,"output":1,"as_of":"2026-01-01","source":"x"}]} | line 1, column 39: `input` must be >= 0, was -1
          {"prices": [{"models":["a/b"],"input":"1","output":1,"as_of":"2026-01-01","source":"x"}]} | line 1, column 39: `input` must be a number, was '1'
          {"prices": [{"models":["a/b"],"input":1e999,"output":1,"as_of":"2026-01-01","source":"x"}]} | line 1, column 39: `input` must not have more than
          {"prices": [{"models":["a/b"],"input":1e99999999999,"output":1,"as_of":"2026-01-01","source":"x"}]} | line 1, column 39: the number 1e99999999999 is too large
          {"prices": [{"models":["a/b"],"input":1,"output":1,"as_of":"today","source":"x"}]} | line 1, column 60: `as_of` must be a date such as 2026-11-15, was 'today'
          {"prices": [{"models":["a/b"],"input":1,"output":1,"as_of":"2026-01-01"}]} | line 1, column 13: `source` is missing
          {"prices": [{"models":["a/b"],"input":1,"output":1,"as_of":"2026-01-01","source":5}]} | line 1, column 82: `source` must be a text, was 5
          {"prices": [{"models":[],"input":1,"output":1,"as_of":"2026-01-01","source":"x"}]} | line 1, column 23: `models` must be a list
          {"prices": [{"models":["a"],"input":1,"output":1,"as_of":"2026-01-01","source":"x"}]} | provider/model
          {"prices": [{"models":[7],"input":1,"output":1,"as_of":"2026-01-01","source":"x"}]} | line 1, column 24: `models` must be names such as openai/gpt-4o, was 7
          {"prices": [{"models":["a/b","a/b"],"input":1,"output":1,"as_of":"2026-01-01","source":"x"}]} | line 1, column 30: `models`: 'a/b' is there twice
          {"prices": [{"models":["a/b"],"input":1,"input":1,"output":1,"as_of":"2026-01-01","source":"x"}]} | the key 'input' is there twice
          {"prices": [{"models":["a/b"],"input":1,"output":1,"batch_factor":2,"as_of":"2026-01-01","source":"x"}]} | line 1, column 67: `batch_factor` must be from 0 to 1, was 2
          {"prices": [{"models":["a/b"],"input":1,"output":1,"long_prompts":{"input":1,"output":1},"as_of":"2026-01-01","source":"x"}]} | line 1, column 67: `above` is missing
          {"prices": [{"models":["a/b"],"input":1,"output":1,"long_prompts":{"above":0.5,"input":1,"output":1},"as_of":"2026-01-01","source":"x"}]} | line 1, column 76: `above` must be a whole number >= 1, was 0.5
""")
  void aFileThatMakesNoSenseIsRefusedWithAReason(String json, String reason) throws IOException {
    Path file = file(json);
    assertThatThrownBy(() -> PriceTable.read(file))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageStartingWith("the price file " + file + ", line ")
        .hasMessageContaining(reason);
  }

  @Test
  void theLineOfALongFileIsTold() throws IOException {
    Path file =
        file(
            """
            {"prices": [
              {"models": ["openai/gpt-4o"], "input": 1, "output": 2,
               "as_of": "2026-01-01", "source": "our contract"},
              {"models": ["vllm/*"], "input": 1, "output": 2,
               "as_of": "2026-01-01", "source": "our contract",
               "noted": "half as much at night"}
            ]}
            """);
    assertThatThrownBy(() -> PriceTable.read(file))
        .hasMessage(
            "the price file %s, line 6, column 4: there is no key 'noted'; did you mean 'note'?"
                .formatted(file));
  }

  @Test
  void aFileNeedNotBeginWithItsFirstLetterButMustBeUtf8() throws IOException {
    assertThat(PriceTable.read(file("\uFEFF{\"prices\": []}")).all()).isEmpty();
    Path file = Files.write(directory.resolve("prices.json"), new byte[] {'{', (byte) 0xE9, '}'});
    assertThatThrownBy(() -> PriceTable.read(file))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("is not UTF-8");
  }

  @Test
  void googleIsPricedByTheNameThatItsProviderHas() {
    assertThat(price("google/gemini-2.5-flash")).isPresent();
    assertThat(BUILT_IN.all().keySet()).noneMatch(name -> name.startsWith("gemini/"));
  }

  @Test
  void aFileThatIsNotThereIsNamed() {
    Path file = directory.resolve("none.json");
    assertThatThrownBy(() -> PriceTable.of(Map.of("WEIR_PRICES", file.toString())))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("none.json");
  }
}
