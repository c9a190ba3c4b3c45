package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CellsTest {

  @Test
  void aLongNameKeepsItsEndToo() {
    String low = "Comparing behavior at different temperatures: low";
    String high = "Comparing behavior at different temperatures: high";
    assertThat(Cells.cutInside(low, 20)).isEqualTo("Comparing …ures: low");
    assertThat(Cells.cutInside(high, 20)).isEqualTo("Comparing …res: high");
    assertThat(Cells.cutInside("short", 20)).isEqualTo("short");
    assertThat(Cells.cutInside(low, 1)).isEqualTo("…");
    assertThat(Cells.width(Cells.cutInside("日本語の長い名前のタスク", 11))).isBetween(10, 11);
  }
}
