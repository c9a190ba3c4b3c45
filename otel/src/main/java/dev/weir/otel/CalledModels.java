package dev.weir.otel;

import dev.weir.model.ModelCall;
import dev.weir.telemetry.Telemetry;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The attributes of models that are called: the same for metrics and spans.
 *
 * <p>Clients of a gateway may make up names: from the {@link Telemetry#MOST_MODEL_NAMES}th on, new
 * ones count under {@value #OTHER} of their engine. Thread-safe.
 */
final class CalledModels {

  static final String OTHER = "other";

  private static final int HTTP_PORT = 80;
  private static final int HTTPS_PORT = 443;

  private final GenAiNames names;
  private final int mostNames;
  private final Map<Place, CalledModel> known = new ConcurrentHashMap<>();

  CalledModels(GenAiNames names, int mostNames) {
    this.names = names;
    this.mostNames = mostNames;
  }

  /**
   * A model as it is named outside.
   *
   * @param attributes engine, model and server
   */
  record CalledModel(String provider, String model, Attributes attributes) {}

  private record Place(String engine, String model, String endpoint) {}

  CalledModel of(ModelCall call) {
    var place = new Place(call.key().engine(), call.key().model(), call.endpoint());
    CalledModel model = known.get(place);
    if (model != null) {
      return model;
    }
    synchronized (this) {
      return known.size() < mostNames
          ? known.computeIfAbsent(place, this::made)
          : made(new Place(place.engine, OTHER, ""));
    }
  }

  private CalledModel made(Place place) {
    String provider = names.provider(place.engine);
    AttributesBuilder attributes =
        Attributes.builder()
            .put(GenAiNames.OPERATION, GenAiNames.CHAT)
            .put(names.provider(), provider)
            .put(GenAiNames.REQUEST_MODEL, place.model);
    putServer(place.endpoint, attributes);
    return new CalledModel(provider, place.model, attributes.build());
  }

  /** Host and port alone: the rest of an address may hold a credential. */
  private static void putServer(String endpoint, AttributesBuilder attributes) {
    try {
      URI address = new URI(endpoint);
      if (address.getHost() != null) {
        int usual = "https".equals(address.getScheme()) ? HTTPS_PORT : HTTP_PORT;
        attributes.put(GenAiNames.SERVER_ADDRESS, address.getHost());
        attributes.put(
            GenAiNames.SERVER_PORT, (long) (address.getPort() < 0 ? usual : address.getPort()));
      }
    } catch (URISyntaxException noAddress) {
      // A program on this machine, by its path.
    }
  }
}
