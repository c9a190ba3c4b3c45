package dev.weir.eval.template;

import com.hubspot.jinjava.interpret.Context;
import com.hubspot.jinjava.interpret.JinjavaInterpreter;
import com.hubspot.jinjava.lib.filter.Filter;
import com.hubspot.jinjava.lib.filter.ToJsonFilter;
import org.jspecify.annotations.NullUnmarked;

/** The filters of Nunjucks that Jinja does not have. */
final class Nunjucks {

  private Nunjucks() {}

  static void addTo(Context context) {
    context.registerFilter(new Dump());
    context.registerFilter(new LineBreaks());
  }

  /** The filter that writes JSON. */
  private static final class Dump extends ToJsonFilter {

    @Override
    public String getName() {
      return "dump";
    }
  }

  /** Writes line breaks for HTML. */
  @NullUnmarked // As what it overrides.
  private static final class LineBreaks implements Filter {

    @Override
    public String getName() {
      return "nl2br";
    }

    @Override
    public Object filter(Object value, JinjavaInterpreter interpreter, String... arguments) {
      return value == null ? "" : value.toString().replaceAll("\\r?\\n", "<br />\n");
    }
  }
}
