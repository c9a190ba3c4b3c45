package dev.weir.testkit;

import dev.weir.limits.header.ResponseFacts;
import dev.weir.model.Chunk;
import dev.weir.model.ExchangeListener;
import java.util.ArrayList;
import java.util.List;

/** A listener with a memory. Belongs to one exchange. */
final class Heard implements ExchangeListener {

  private final boolean wantsChunks;
  private final List<ResponseFacts> facts = new ArrayList<>();
  private final List<Chunk> chunks = new ArrayList<>();
  private boolean chunkBeforeFacts;

  Heard(boolean wantsChunks) {
    this.wantsChunks = wantsChunks;
  }

  @Override
  public void facts(ResponseFacts told) {
    facts.add(told);
  }

  @Override
  public boolean wantsChunks() {
    return wantsChunks;
  }

  @Override
  public void chunk(Chunk chunk) {
    chunkBeforeFacts |= facts.isEmpty();
    chunks.add(chunk);
  }

  List<ResponseFacts> facts() {
    return facts;
  }

  List<Chunk> chunks() {
    return chunks;
  }

  /** Whether a piece came before anything was known about limits. */
  boolean chunkBeforeFacts() {
    return chunkBeforeFacts;
  }

  /** The pieces of text put together. */
  String text() {
    var text = new StringBuilder();
    for (Chunk chunk : chunks) {
      if (chunk instanceof Chunk.Text(String piece)) {
        text.append(piece);
      }
    }
    return text.toString();
  }
}
