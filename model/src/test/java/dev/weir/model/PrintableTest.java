package dev.weir.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PrintableTest {

  @Test
  void ordinaryTextStaysAsItIs() {
    String text = "Größe 数 👩‍🔬 · – «x»";
    assertThat(Printable.isLine(text)).isTrue();
    assertThat(Printable.line(text)).isSameAs(text);
  }

  @Test
  void whatWouldSteerATerminalIsReplaced() {
    assertThat(Printable.line("a\u001b[2Jb\u0007\u007f\u009bc")).isEqualTo("a�[2Jb���c");
    assertThat(Printable.line("abc\u202Edef\u2066")).isEqualTo("abc�def�");
    assertThat(Printable.isLine("a\u001b")).isFalse();
  }

  @Test
  void severalLinesBecomeOne() {
    assertThat(Printable.line("a\r\nb\nc\td\u2028e")).isEqualTo("a b c d e");
    assertThat(Printable.isLine("a\n")).isFalse();
  }
}
