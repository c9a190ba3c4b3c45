package dev.weir.log;

import dev.weir.log.inspect.InspectLogWriter;
import dev.weir.log.inspect.InspectSample;
import dev.weir.log.inspect.SampleId;
import dev.weir.log.journal.JournalRecord;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import tools.jackson.core.JacksonException;

/**
 * A sample as a journal has it: the member of an {@code .eval} file, compressed already, or never.
 * Writing such a file therefore is little more than copying.
 */
record StoredSample(Path file, JournalRecord record, SampleKey key) {

  // A block of RFC 1951, section 3.2.4.
  private static final byte LAST_BLOCK_AS_IT_IS = 1;
  private static final int BLOCK_HEAD = 5;
  private static final int LONGEST_BLOCK = 0xffff;

  static StoredSample of(Path file, JournalRecord record) throws IOException {
    return new StoredSample(file, record, SampleKey.read(record.key()));
  }

  String json() throws IOException {
    return new String(record.body(), StandardCharsets.UTF_8);
  }

  SampleResult sample() throws IOException {
    return logged().sample();
  }

  /** What another program wrote does not tell what it asks; the key does. */
  LoggedSample logged() throws IOException {
    try {
      LoggedSample logged =
          InspectSampleReader.read(InspectSample.of(file.toString(), record.body()));
      return logged.foreign() == null
          ? logged
          : logged.withContentHash(key.summary().contentHash());
    } catch (JacksonException foreign) {
      throw new IOException(
          "%s: the record at byte %d is not what this Weir writes: %s"
              .formatted(file, record.offset(), foreign.getOriginalMessage()),
          foreign);
    }
  }

  /**
   * Adds it to a file, with its summary.
   *
   * @param ids those of the run
   */
  void writeTo(InspectLogWriter writer, SampleIds ids) throws IOException {
    SampleId id = SampleId.of(key.summary().id());
    int epoch = key.summary().epoch();
    if (record.isDeflated()) {
      writer.sample(id, epoch, record.stored(), record.bodyLength(), key.checksum());
    } else if (record.bodyLength() <= LONGEST_BLOCK) {
      writer.sample(id, epoch, block(record.stored()), record.bodyLength(), key.checksum());
    } else {
      writer.sample(id, epoch, record.body());
    }
    writer.summary(key.headLength() == 0 ? logged().summary(ids) : summary());
  }

  /** What was not worth the time to compress is not compressed now: deflate has a form for it. */
  private static byte[] block(byte[] body) {
    return ByteBuffer.allocate(BLOCK_HEAD + body.length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put(LAST_BLOCK_AS_IT_IS)
        .putShort((short) body.length)
        .putShort((short) ~body.length)
        .put(body)
        .array();
  }

  private byte[] summary() throws IOException {
    var json = new ByteArrayOutputStream();
    json.writeBytes(record.bodyStart(key.headLength()));
    json.writeBytes(InspectSampleWriter.summaryEnd(key.summary(), key.messages(), key.turns()));
    return json.toByteArray();
  }
}
