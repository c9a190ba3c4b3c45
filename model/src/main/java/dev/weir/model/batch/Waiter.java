package dev.weir.model.batch;

import dev.weir.model.Response;
import dev.weir.time.Completion;

/**
 * A request whose task waits for its answer.
 *
 * @param key its name by content; the custom id
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Waiter(String key, byte[] body, Completion<Response> answer) {}
