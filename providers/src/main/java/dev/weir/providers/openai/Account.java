package dev.weir.providers.openai;

import dev.weir.limits.LimitKey;
import dev.weir.model.ModelName;
import dev.weir.model.Secret;
import dev.weir.model.spi.Surroundings;
import dev.weir.providers.http.HttpModel;
import dev.weir.providers.http.Transport;
import dev.weir.providers.http.Wire;

/**
 * Who asks whom.
 *
 * @param engine who serves it
 * @param place what tells accounts of one key apart: the base address, and what else limits belong
 *     to
 */
record Account(String engine, Endpoint endpoint, Secret secret, String place) {

  /**
   * @param name as the user wrote it
   * @param model as the server names it
   */
  HttpModel open(ModelName name, String model, Wire wire, Surroundings surroundings) {
    return new HttpModel(
        name,
        // No family: which models share a pool is told to the owner of an account, not documented.
        LimitKey.of(engine, secret.fingerprint(place), model),
        endpoint.base(),
        wire,
        secret,
        Transport.shared(surroundings.environment()),
        surroundings.time());
  }
}
