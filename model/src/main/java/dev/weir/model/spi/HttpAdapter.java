package dev.weir.model.spi;

import dev.weir.model.Adapter;
import dev.weir.model.Response;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An adapter that speaks HTTP. Under the typed call lies the raw one, on which a gateway passes
 * bodies through untouched.
 */
public interface HttpAdapter extends Adapter {

  /**
   * One exchange of bodies; ends when the headers are there.
   *
   * @throws IOException if the server cannot be reached, or hangs up
   */
  RawReply raw(RawCall call) throws IOException, InterruptedException;

  /**
   * What a response means.
   *
   * @param headers by name in any case
   * @return nothing if it is an answer
   */
  Optional<Response.Failure> classify(
      int status, String statusText, Map<String, List<String>> headers, byte[] body);
}
