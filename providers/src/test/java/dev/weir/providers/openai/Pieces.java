package dev.weir.providers.openai;

import dev.weir.limits.header.ResponseFacts;
import dev.weir.model.Chunk;
import dev.weir.model.ExchangeListener;
import java.util.ArrayList;
import java.util.List;

/** Remembers what an exchange told on its way. */
final class Pieces implements ExchangeListener {

  final List<Chunk> chunks = new ArrayList<>();
  final List<ResponseFacts> facts = new ArrayList<>();

  @Override
  public void facts(ResponseFacts told) {
    facts.add(told);
  }

  @Override
  public boolean wantsChunks() {
    return true;
  }

  @Override
  public void chunk(Chunk chunk) {
    chunks.add(chunk);
  }

  String text() {
    var text = new StringBuilder();
    for (Chunk chunk : chunks) {
      if (chunk instanceof Chunk.Text(String words)) {
        text.append(words);
      }
    }
    return text.toString();
  }
}
