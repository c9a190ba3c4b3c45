package dev.weir.eval.template;

import com.hubspot.jinjava.el.ext.JinjavaBeanELResolver;
import com.hubspot.jinjava.el.ext.JinjavaListELResolver;
import com.hubspot.jinjava.lib.exptest.ExpTest;
import com.hubspot.jinjava.lib.filter.Filter;
import com.hubspot.jinjava.objects.Namespace;
import com.hubspot.jinjava.util.ForLoop;
import java.util.List;
import java.util.Map;
import jinjava.javax.el.ELContext;
import jinjava.javax.el.ELResolver;
import jinjava.javax.el.MapELResolver;
import org.jspecify.annotations.NullUnmarked;

/**
 * What expressions of a template may see: members of maps and lists, characters and the methods of
 * texts, and the engine's own parts. No property or method of any other class, so none that leads
 * to classes, files or programs.
 */
@NullUnmarked // The overridden methods mean "not mine" by null, in many places.
final class SafeResolver extends ELResolver {

  private final ELResolver lists = new JinjavaListELResolver(true);
  private final ELResolver maps = new MapELResolver(true);
  private final ELResolver engine = new JinjavaBeanELResolver(true);

  @Override
  public Object getValue(ELContext context, Object base, Object property) {
    return switch (base) {
      case Namespace namespace -> maps.getValue(context, namespace, property);
      case Map<?, ?> map -> maps.getValue(context, map, property);
      case List<?> list -> lists.getValue(context, list, property);
      case String text when isIndex(property) -> character(context, text, property);
      case ForLoop loop -> engine.getValue(context, loop, property);
      case null, default -> null;
    };
  }

  /** The engine hands numbers over as text. */
  private static boolean isIndex(Object property) {
    return String.valueOf(property).matches("-?\\d{1,9}");
  }

  private static Object character(ELContext context, String text, Object index) {
    int given = Integer.parseInt(String.valueOf(index));
    int at = given < 0 ? text.length() + given : given;
    context.setPropertyResolved(true);
    return at >= 0 && at < text.length() ? text.substring(at, at + 1) : null;
  }

  @Override
  public Object invoke(
      ELContext context, Object base, Object method, Class<?>[] types, Object[] arguments) {
    if (base instanceof Filter || base instanceof ExpTest) {
      return engine.invoke(context, base, method, types, arguments);
    }
    Object result = TextMethods.call(base, String.valueOf(method), arguments);
    if (result != null) {
      context.setPropertyResolved(true);
    }
    return result;
  }

  @Override
  public Class<?> getType(ELContext context, Object base, Object property) {
    return null;
  }

  @Override
  public void setValue(ELContext context, Object base, Object property, Object value) {
    // Nothing can be set; the engine says so.
  }

  @Override
  public boolean isReadOnly(ELContext context, Object base, Object property) {
    return true;
  }

  @Override
  public Class<?> getCommonPropertyType(ELContext context, Object base) {
    return null;
  }

  @Override
  public java.util.Iterator<java.beans.FeatureDescriptor> getFeatureDescriptors(
      ELContext context, Object base) {
    return null;
  }
}
