package dev.weir.providers.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class PageTextTest {

  @Test
  void aPageBecomesALine() {
    assertThat(
            PageText.line(
                " <!DOCTYPE html>\n<html><head><TITLE>Blocked</TITLE><style>a{}</style></head>"
                    + "<body><!-- hidden --><h1>Access&nbsp;denied</h1><svg><p>no</p></svg>\n\n"
                    + "<script>no()</script><p>Ray 7 &lt;x&gt;</p></body></html>",
                500))
        .isEqualTo("Blocked: Access denied Ray 7 <x>");
  }

  @Test
  void textThatIsNoPageIsLeftAsItIs() {
    assertThat(PageText.line("if a<b and c>d\nthen", 500)).isEqualTo("if a<b and c>d then");
    assertThat(PageText.line("\u001b[31mred", 500)).doesNotContain("\u001b");
  }

  @Test
  void aLineIsCutBetweenCharacters() {
    assertThat(PageText.line("ab😀cd", 3)).isEqualTo("ab…");
    assertThat(PageText.line("ab😀cd", 4)).isEqualTo("ab😀…");
    assertThat(PageText.line("abc", 3)).isEqualTo("abc");
  }

  @Test
  @Timeout(30)
  void aHostilePageTakesNoTime() {
    for (String part :
        new String[] {"<", "<!--", "<script ", "<title>", "<style><", "&amp;", " "}) {
      assertThat(PageText.line("<html>" + part.repeat(200_000), 100)).hasSizeLessThan(102);
    }
  }
}
