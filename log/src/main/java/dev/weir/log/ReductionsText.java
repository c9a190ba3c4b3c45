package dev.weir.log;

import dev.weir.log.json.JsonText;
import java.io.IOException;
import java.io.Writer;
import org.jspecify.annotations.Nullable;

/**
 * What reducers made of samples, as Inspect's logs have it; part by part, since it may be large.
 */
final class ReductionsText {

  private final Writer out;
  private final SampleIds ids;
  private @Nullable Reduced before;

  ReductionsText(Writer out, SampleIds ids) throws IOException {
    this.out = out;
    this.ids = ids;
    out.write('[');
  }

  /** All of the same scorer and reducer come one after the other. */
  void add(Reduced part) throws IOException {
    var json = new JsonText();
    Reduced last = before;
    boolean goesOn =
        last != null
            && last.scorer().equals(part.scorer())
            && last.reducer().equals(part.reducer());
    if (goesOn) {
      json.add(",");
    } else {
      json.add(last == null ? "" : "]},");
      json.text("{\"scorer\":", part.scorer()).text(",\"reducer\":", part.reducer());
      json.add(",\"samples\":[");
    }
    String comma = "";
    for (Reduced.Value sample : part.samples()) {
      json.add(comma).number("{\"value\":", sample.value());
      ids.write(json, ",\"history\":[],\"sample_id\":", sample.id()).add("}");
      comma = ",";
    }
    out.write(json.toString());
    before = part;
  }

  void end() throws IOException {
    out.write(before == null ? "]" : "]}]");
  }
}
