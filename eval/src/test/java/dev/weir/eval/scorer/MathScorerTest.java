package dev.weir.eval.scorer;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MathScorerTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "1/2; 0.5",
        "no  real solution; No real solution",
        "\\text{no solution}; no  solution",
        "\\frac{1}{2}; 0.5",
        "\\frac12; .50",
        "\\dfrac{3}{6}; 1/2",
        "50%; 0.5",
        "50\\%; 1/2",
        "-\\frac{1}{3}; \\frac{-1}{3}",
        "1 1/2; 3/2",
        "1\\frac{1}{2}; 1.5",
        "2\\frac{x}{3}; 2x/3",
        "1,234,567; 1234567",
        "2^10; 1024",
        "2**10; 1024",
        "2^{-1}; 0.5",
        "-2^2; -4",
        "2^3^2; 512",
        "10!; 10!",
        "\\sqrt{8}; 2\\sqrt{2}",
        "\\sqrt2; 2^(1/2)",
        "\\sqrt[3]{-8}; -2",
        "sqrt(16); 4",
        "\\frac{\\sqrt{3}}{3}; 1/\\sqrt{3}",
        "2\\pi; 6.283185307179586",
        "π; \\pi",
        "\\sin(\\pi/6); 1/2",
        "\\sin^2 x + \\cos^2 x; 1",
        "\\log_2 8; 3",
        "\\log_{10} 100; 2",
        "\\ln e; 1",
        "(x+1)^2; x^2 + 2x + 1",
        "(a+b)(a-b); a^2-b^2",
        "x(x+1); x^2+x",
        "\\frac{x^2-1}{x-1}; x+1",
        "2xy; y x + xy",
        "x_1 + x_{2}; x_2 + x_1",
        "\\alpha + 1; 1 + \\alpha",
        "x = 5; 5",
        "5; x=5",
        "2x + 1 = 5; 1 + 2x = 5",
        "(1, 2); (1,\\frac{4}{2})",
        "\\left(\\frac{1}{2}, 3\\right); (0.5, 3)",
        "[0, \\infty); [0,\\infty)",
        "\\{3, 1, 2\\}; \\{1,2,3\\}",
        "5\\text{ cm}; 5",
        "90^\\circ; 90",
        "90°; 90",
        "$12; 12",
        "|-3|; 3",
        "3 \\cdot 4; 12",
        "3 × 4; 12",
        "6 ÷ 4; 1.5",
        "1e3; 1000",
        "-(-3); 3",
        "Red; red",
        "\\text{odd}; \\text{odd}",
      })
  void equivalent(String left, String right) {
    assertThat(Formula.areEquivalent(Formula.parse(left), Formula.parse(right))).isTrue();
    assertThat(Formula.areEquivalent(Formula.parse(right), Formula.parse(left))).isTrue();
  }

  /** Too long to be read as mathematics, it is compared as text like other words. */
  @Test
  void longTextsAreTheSameWithOtherSpace() {
    String words = "no such number ".repeat(200);
    assertThat(Formula.areEquivalent(Formula.parse(words), Formula.parse(words.replace(" ", "  "))))
        .isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "0.333; 1/3",
        "123456789012345678; 123456789012345679",
        "0.0000000000001; 0.0000000000002",
        "50%; 50",
        "x; y",
        "\\sqrt{x^2}; x",
        "ln(x^2); 2 ln x",
        "(1, 2); (2, 1)",
        "(1, 2); [1, 2]",
        "\\{1, 2\\}; \\{1, 2, 2\\}",
        "x = 5; x = 6",
        "on; no",
        "1/0; 2/0",
        "2^2; 2",
        "12; 1 2",
        "\\sqrt{2}; 1.414",
        "red; blue",
        "''; 0",
        "x + ; x",
        "3.; 4",
      })
  void different(String left, String right) {
    assertThat(Formula.areEquivalent(Formula.parse(left), Formula.parse(right))).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "So \\boxed{\\frac{1}{2}}, or \\boxed{\\frac{3}{4}}.; \\frac{3}{4}",
        "ANSWER: 42; 42",
        "It is clear that the answer is 42.; 42",
        "Thus x = 2 + 3 = 5; 5",
        "x=5; 5",
        "We get $a$ and then $b + 1$.; b + 1",
        "7; 7",
        "An open \\boxed{3; An open \\boxed{3",
      })
  void findsTheAnswerInAnOutput(String output, String answer) {
    assertThat(MathScorer.answer(output)).isEqualTo(answer);
  }

  @Test
  void scoresAnOutput() throws Exception {
    Score score =
        Scoring.score(Scorers.math(), "We add.\nThe sum is \\boxed{0.75}", "1", "\\frac{3}{4}");
    assertThat(score.value()).isEqualTo(1);
    assertThat(score.answer()).contains("0.75");
    assertThat(Scoring.score(Scorers.math(), "\\boxed{0.7}", "\\boxed{0.75}").value()).isZero();
    assertThat(Scoring.score(Scorers.math(), "", "1").value()).isZero();
  }

  @Test
  void whatIsHugeOrDeepIsNotComputed() {
    for (String huge :
        new String[] {
          "9^9^9^9^9",
          "((10^999)^999)^999",
          "(".repeat(5_000) + "1" + ")".repeat(5_000),
          "-".repeat(900) + "1",
          "2^".repeat(400) + "2",
          "\\frac{".repeat(100) + "1",
          "1e999",
          "(1,".repeat(400) + "1" + ")".repeat(400),
          "1=".repeat(1_000_000) + "1",
        }) {
      assertThat(Formula.areEquivalent(Formula.parse(huge), Formula.parse("1"))).isFalse();
    }
  }
}
