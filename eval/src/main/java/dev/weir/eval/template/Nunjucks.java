package dev.weir.eval.template;

import com.hubspot.jinjava.interpret.Context;
import com.hubspot.jinjava.interpret.JinjavaInterpreter;
import com.hubspot.jinjava.lib.filter.Filter;
import com.hubspot.jinjava.lib.filter.FromJsonFilter;
import com.hubspot.jinjava.lib.filter.ToJsonFilter;
import org.jspecify.annotations.NullUnmarked;

/** The filters of Nunjucks, and of promptfoo, that Jinja does not have. */
final class Nunjucks {

  private Nunjucks() {}

  static void addTo(Context context) {
    context.registerFilter(new Dump());
    context.registerFilter(new LineBreaks());
    context.registerFilter(new Load());
  }

  /** The filter that writes JSON. */
  private static final class Dump extends ToJsonFilter {

    @Override
    public String getName() {
      return "dump";
    }
  }

  /** What promptfoo calls the filter that reads JSON. */
  private static final class Load extends FromJsonFilter {

    @Override
    public String getName() {
      return "load";
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
