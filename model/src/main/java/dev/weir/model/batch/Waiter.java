package dev.weir.model.batch;

import dev.weir.model.Response;
import dev.weir.time.Completion;
import java.util.Optional;

/**
 * A request whose task waits for its answer.
 *
 * @param key its name by content; the custom id
 * @param answer nothing if its batch was never sent: the request is to be placed again
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Waiter(String key, byte[] body, Completion<Optional<Response>> answer) {}
