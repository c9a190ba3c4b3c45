package dev.weir.web;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Finds the handler for a request by path and method; 404 and 405 where there is none.
 *
 * <p>A path that ends with {@code /*} stands for all below it; an exact one wins.
 */
public final class Routes implements Handler {

  private static final String BELOW = "/*";

  private final Map<String, Map<String, Handler>> byPath;
  private final Complaint complaint;

  private Routes(Map<String, Map<String, Handler>> byPath, Complaint complaint) {
    this.byPath = byPath;
    this.complaint = complaint;
  }

  /** How a client is told that there is no handler for its request. */
  @FunctionalInterface
  public interface Complaint {

    /**
     * @param type for programs: {@code not_found_error}
     * @param message for people
     */
    Answer about(Request request, int status, String type, String message);
  }

  public static Builder builder() {
    return new Builder();
  }

  @Override
  public Answer handle(Request request) throws Exception {
    Map<String, Handler> methods = byPath.get(request.path());
    if (methods == null) {
      methods = below(request.path());
    }
    if (methods.isEmpty()) {
      return complaint.about(
          request,
          404,
          "not_found_error",
          "There is nothing at " + shortened(request.path()) + ".");
    }
    Handler handler = methods.get(request.method());
    if (handler == null) {
      String allowed = String.join(", ", methods.keySet());
      return complaint
          .about(
              request,
              405,
              "method_not_allowed_error",
              "%s takes %s, not %s."
                  .formatted(shortened(request.path()), allowed, request.method()))
          .with("allow", allowed);
    }
    return handler.handle(request);
  }

  private Map<String, Handler> below(String path) {
    int slash = path.lastIndexOf('/');
    while (slash >= 0) {
      Map<String, Handler> methods = byPath.get(path.substring(0, slash) + BELOW);
      if (methods != null) {
        return methods;
      }
      slash = slash == 0 ? -1 : path.lastIndexOf('/', slash - 1);
    }
    return Map.of();
  }

  private static String shortened(String path) {
    return path.length() <= 100 ? path : path.substring(0, 100) + "…";
  }

  /** Collects routes. */
  public static final class Builder {

    private final Map<String, Map<String, Handler>> byPath = new LinkedHashMap<>();

    private Complaint complaint = (_, status, type, message) -> Answer.error(status, type, message);

    private Builder() {}

    public Builder get(String path, Handler handler) {
      return on("GET", path, handler);
    }

    public Builder post(String path, Handler handler) {
      return on("POST", path, handler);
    }

    /** Instead of the usual form of an error. */
    public Builder otherwise(Complaint other) {
      this.complaint = other;
      return this;
    }

    public Routes build() {
      return new Routes(Map.copyOf(byPath), complaint);
    }

    private Builder on(String method, String path, Handler handler) {
      if (!path.startsWith("/")) {
        throw new IllegalArgumentException("`path` must begin with a slash, was " + path);
      }
      if (byPath.computeIfAbsent(path, _ -> new TreeMap<>()).put(method, handler) != null) {
        throw new IllegalArgumentException(
            "`path` must be new, but %s %s already exists".formatted(method, path));
      }
      return this;
    }
  }
}
