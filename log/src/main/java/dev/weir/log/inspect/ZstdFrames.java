package dev.weir.log.inspect;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;

/**
 * Content compressed by zstd, in one frame or several. The native library is loaded by the first
 * member that needs it, not before.
 */
final class ZstdFrames {

  private ZstdFrames() {}

  static InputStream open(Path file, InputStream raw) throws IOException {
    try {
      return new ZstdInputStreamNoFinalizer(raw);
    } catch (LinkageError missing) {
      throw new IOException(
          file
              + " is compressed by zstd, whose library does not load here: "
              + missing.getMessage(),
          missing);
    }
  }
}
