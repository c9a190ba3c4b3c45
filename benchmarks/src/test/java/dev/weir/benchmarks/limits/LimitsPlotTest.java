package dev.weir.benchmarks.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.simulator.provider.Scenarios;
import java.io.StringReader;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

class LimitsPlotTest {

  @Test
  void isAPictureWithATickForEachRefusal() throws Exception {
    PlottedRun rate = PlottedRun.of(Scenarios.named("a"), 11, false);
    PlottedRun window = PlottedRun.of(Scenarios.named("d"), 11, true);
    String picture = LimitsPlot.picture(List.of(rate, window));
    assertThat(picture).doesNotContain("NaN").doesNotContain("Infinity");

    Document document =
        DocumentBuilderFactory.newDefaultInstance()
            .newDocumentBuilder()
            .parse(new InputSource(new StringReader(picture)));
    int ticks = 0;
    var lines = document.getElementsByTagName("line");
    for (int i = 0; i < lines.getLength(); i++) {
      if (lines.item(i).getAttributes().getNamedItem("class").getNodeValue().equals("refused")) {
        ticks++;
      }
    }
    int legend = 4;
    assertThat(ticks)
        .isEqualTo(legend + rate.result().refused().size() + window.result().refused().size());
    assertThat(document.getElementsByTagName("path").getLength()).isEqualTo(6);
  }

  @Test
  void oneSeedGivesOnePicture() {
    assertThat(LimitsPlot.picture(List.of(PlottedRun.of(Scenarios.named("i"), 3, false))))
        .isEqualTo(LimitsPlot.picture(List.of(PlottedRun.of(Scenarios.named("i"), 3, false))));
  }
}
