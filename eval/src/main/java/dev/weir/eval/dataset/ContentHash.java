package dev.weir.eval.dataset;

import dev.weir.model.Content;
import dev.weir.model.Message;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A short text for what a sample asks, the same in each process: a sample of the same id and
 * another hash is another question. The order of keys does not count, that of lists does.
 *
 * <p>Two checksums of 32 bits: cheap, since there is one for each sample, and nobody gains by two
 * versions of a question with one hash.
 */
final class ContentHash {

  private static final FileSums FILES = new FileSums();

  /** What most samples ask. A checksum of a few bytes takes as long as one of many. */
  private static final int USUAL_BYTES = 512;

  private final CRC32 first = new CRC32();
  private final CRC32C second = new CRC32C();
  private final byte[] gathered = new byte[USUAL_BYTES];
  private int count;

  static String of(Sample sample) {
    var hash = new ContentHash();
    hash.text(sample.input());
    hash.messages(sample.messages());
    hash.list(sample.targets());
    hash.list(sample.choices());
    hash.map(sample.metadata());
    hash.map(contents(sample.files()));
    hash.text(sample.setup().orElse(""));
    hash.sumUp();
    return HexFormat.of().toHexDigits(hash.first.getValue() << 32 | hash.second.getValue());
  }

  /** What is in files, and not where they lie: a moved dataset asks the same. */
  private static Map<String, String> contents(Map<String, String> files) {
    if (files.isEmpty()) {
      return files;
    }
    Map<String, String> contents = new LinkedHashMap<>(files);
    contents.replaceAll(
        (_, held) ->
            held.startsWith(Sample.FILE)
                ? Sample.FILE + FILES.of(Path.of(held.substring(Sample.FILE.length())))
                : held);
    return contents;
  }

  private void messages(List<Message> messages) {
    mark('l', messages.size());
    for (Message message : messages) {
      list(parts(message));
    }
  }

  private static List<Object> parts(Message message) {
    return switch (message) {
      case Message.Instructions(String text) -> List.of("system", text);
      case Message.User(List<Content> content) ->
          List.of("user", content.stream().map(ContentHash::part).toList());
      case Message.Assistant assistant ->
          List.of(
              "assistant",
              assistant.text(),
              assistant.toolCalls().stream()
                  .map(call -> List.of(call.id(), call.name(), call.arguments()))
                  .toList());
      case Message.ToolResult(String callId, String tool, String text, boolean failed, _) ->
          List.of("tool", callId, tool, text, failed);
    };
  }

  private static String part(Content content) {
    return switch (content) {
      case Content.Text(String text) -> text;
      case Content other -> other.toString();
    };
  }

  /** Each kind begins with a letter, and each length is told: no two values read the same. */
  private void value(@Nullable Object value) {
    switch (value) {
      case null -> mark('n', 0);
      case Map<?, ?> map -> map(map);
      case List<?> list -> list(list);
      case String text -> text(text);
      default -> {
        mark('o', 1);
        text(value.toString());
      }
    }
  }

  private void list(List<?> list) {
    mark('l', list.size());
    for (Object value : list) {
      value(value);
    }
  }

  private void map(Map<?, ?> map) {
    if (map.size() > 1) {
      sorted(map);
      return;
    }
    mark('m', map.size());
    map.forEach(this::entry);
  }

  private void sorted(Map<?, ?> map) {
    Map<String, @Nullable Object> sorted = new TreeMap<>();
    map.forEach((key, content) -> sorted.put(String.valueOf(key), content));
    mark('m', sorted.size());
    sorted.forEach(this::entry);
  }

  private void entry(@Nullable Object key, @Nullable Object content) {
    text(String.valueOf(key));
    value(content);
  }

  private void text(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    mark('t', bytes.length);
    if (bytes.length > gathered.length - count) {
      sumUp();
    }
    if (bytes.length > gathered.length) {
      first.update(bytes);
      second.update(bytes);
    } else {
      System.arraycopy(bytes, 0, gathered, count, bytes.length);
      count += bytes.length;
    }
  }

  private void mark(char kind, int size) {
    if (gathered.length - count < 1 + Integer.BYTES) {
      sumUp();
    }
    gathered[count++] = (byte) kind;
    gathered[count++] = (byte) (size >>> 24);
    gathered[count++] = (byte) (size >>> 16);
    gathered[count++] = (byte) (size >>> 8);
    gathered[count++] = (byte) size;
  }

  private void sumUp() {
    first.update(gathered, 0, count);
    second.update(gathered, 0, count);
    count = 0;
  }
}
