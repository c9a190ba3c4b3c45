package dev.weir.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static com.microsoft.playwright.assertions.PlaywrightAssertions.setDefaultAssertionTimeout;
import static org.assertj.core.api.Assertions.assertThat;

import com.deque.html.axecore.playwright.AxeBuilder;
import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Browser.NewContextOptions;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType.LaunchOptions;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Page.ScreenshotOptions;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.Cookie;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The page that {@code weir eval --metrics-port} serves, while a real run is active behind it. */
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SaturationPageTest {

  private static final String CHROMIUM = "/usr/bin/chromium";
  private static final Path PICTURES = Path.of("target", "pictures");

  private final List<AutoCloseable> open = new ArrayList<>();
  private Path limits = Path.of("");
  private String page = "";
  private String link = "";
  private @Nullable Browser launched;

  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    // The file is looked at every two seconds, and the page is sent as often.
    setDefaultAssertionTimeout(30_000);
    limits = directory.resolve("limits.yaml");
    limit(10);
    Files.writeString(
        directory.resolve("many.csv"),
        IntStream.range(0, 100_000)
            .mapToObj("s%1$d,[[echo: %1$d]],%1$d\n"::formatted)
            .collect(Collectors.joining("", "id,input,target\n", "")));
    Files.writeString(
        directory.resolve("task.yaml"),
        "task: many\ndataset: many.csv\nsolver: generate\nscorer: includes\n");
    Weir provider =
        closed(Weir.start(directory, Map.of(), "simulate", "--port", "0", "--latency", "300ms"));
    String address = provider.until("http://127\\.0\\.0\\.1:\\d+").group();
    Weir run =
        closed(
            Weir.start(
                directory,
                Map.of("OPENAI_API_KEY", "x", "OPENAI_BASE_URL", address + "/v1"),
                "eval",
                "task.yaml",
                "--model",
                "openai/gpt-4o,openai/gpt-4o-mini",
                "--max-connections",
                "7",
                "--engine-limits",
                limits.toString(),
                "--no-memory",
                "--metrics-port",
                "0"));
    page = run.until("saturation is at (\\S+);").group(1);
    link = run.until("works once: (\\S+)").group(1);
    Playwright playwright =
        closed(
            Playwright.create(
                new Playwright.CreateOptions()
                    .setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1"))));
    launched =
        closed(
            playwright
                .chromium()
                .launch(
                    new LaunchOptions()
                        .setExecutablePath(Path.of(CHROMIUM))
                        .setArgs(List.of("--no-sandbox"))));
    Files.createDirectories(PICTURES);
  }

  private void limit(int concurrency) throws Exception {
    Files.writeString(
        limits,
        "engines: {openai: {concurrency: %d, models: {gpt-*: {concurrency: 8, requests: 4000}}}}"
            .formatted(concurrency));
  }

  private Browser browser() {
    return Objects.requireNonNull(launched);
  }

  private <T extends AutoCloseable> T closed(T resource) {
    open.addFirst(resource);
    return resource;
  }

  @AfterAll
  void close() throws Exception {
    for (AutoCloseable resource : open) {
      resource.close();
    }
  }

  private Page opened(BrowserContext context, String address) {
    Page shown = context.newPage();
    List<String> problems = new ArrayList<>();
    shown.onConsoleMessage(
        message -> {
          if (message.type().equals("error")) {
            problems.add(message.text());
          }
        });
    shown.navigate(address);
    assertThat(shown.locator("#state")).hasText("live");
    assertThat(problems).isEmpty();
    return shown;
  }

  @ParameterizedTest
  @CsvSource({"LIGHT, 1280", "DARK, 1280", "LIGHT, 400", "DARK, 400"})
  void itCanBeReadByEverybody(ColorScheme scheme, int width) {
    try (BrowserContext context =
        browser()
            .newContext(
                new NewContextOptions().setColorScheme(scheme).setViewportSize(width, 900))) {
      Page shown = opened(context, page);
      assertThat(shown.locator("h2").first()).hasText("openai");
      assertThat(shown.locator("tbody tr").first().locator(".chip")).hasText("hard");
      assertThat(new AxeBuilder(shown).analyze().getViolations()).isEmpty();
      assertThat(shown.evaluate("document.documentElement.scrollWidth <= innerWidth"))
          .as("nothing is wider than the window")
          .isEqualTo(true);
      shown.screenshot(
          new ScreenshotOptions()
              .setPath(PICTURES.resolve("saturation-%s-%d.png".formatted(scheme, width)))
              .setFullPage(true));
    }
  }

  @Test
  void itFollowsWhatHappensWithoutALoad() throws Exception {
    try (BrowserContext context = browser().newContext()) {
      Page shown = opened(context, page);
      shown.evaluate("document.title = 'not loaded again'");
      limit(100);
      // What was of ten before is of a hundred now.
      assertThat(shown.locator("tbody tr").first().locator(".number").last()).hasText("10 %");
      assertThat(shown).hasTitle("not loaded again");
      limit(10);
      assertThat(shown.locator("tbody tr").first().locator(".chip")).hasText("hard");
    }
  }

  @Test
  void theLinkShowsLimitsOnceAndLeavesNoTokenInTheAddress() {
    try (BrowserContext context = browser().newContext()) {
      Page shown = opened(context, link);
      assertThat(shown).hasURL(page);
      assertThat(shown.locator("#live")).containsText("/ 10");
      assertThat(shown.locator("form")).hasCount(0);
      assertThat(new AxeBuilder(shown).analyze().getViolations()).isEmpty();
      shown.screenshot(
          new ScreenshotOptions()
              .setPath(PICTURES.resolve("saturation-limits.png"))
              .setFullPage(true));
      Cookie cookie = context.cookies().getFirst();
      assertThat(cookie.name).startsWith("weir-");
      assertThat(cookie.httpOnly).isTrue();
      assertThat(shown.evaluate("document.cookie")).isEqualTo("");
    }
    try (BrowserContext another = browser().newContext()) {
      Page shown = another.newPage();
      shown.navigate(link);
      assertThat(shown.locator("[role=alert]")).containsText("Invalid token");
      assertThat(shown.locator("#live")).not().containsText("/ 10");
      String token = link.substring(link.indexOf('=') + 1);
      shown.getByLabel("Token").fill("wrong");
      shown.getByText("Show limits").click();
      assertThat(shown.locator("[role=alert]")).isVisible();
      shown.getByLabel("Token").fill(token);
      shown.getByText("Show limits").click();
      assertThat(shown).hasURL(page);
      assertThat(shown.locator("#live")).containsText("/ 10");
    }
  }
}
