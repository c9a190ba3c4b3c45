package dev.weir.model.spi;

import java.io.InputStream;
import java.util.List;
import java.util.Map;

/** A response whose headers have arrived. To be closed. Not thread-safe. */
public interface RawReply extends AutoCloseable {

  int status();

  String statusText();

  /** By name in lower case. */
  Map<String, List<String>> headers();

  /** The body as it arrives, bounded in size. */
  InputStream body();

  @Override
  void close();
}
