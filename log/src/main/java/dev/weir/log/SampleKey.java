package dev.weir.log;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32;

/**
 * What the key of a sample's record tells, so that a million samples can be counted, and written to
 * another file, without reading them. docs/log-format.md tells each byte.
 *
 * @param messages of its conversation
 * @param turns answers of the evaluated model
 * @param checksum CRC-32 of the body, which zip files want
 * @param headLength how many bytes of the body its short form begins with; 0 if it has to be made
 *     from the whole sample
 */
record SampleKey(SampleSummary summary, int messages, int turns, int checksum, int headLength) {

  private static final int USUAL_LENGTH = 160;
  private static final int FAILED = 1;
  private static final int CANCELLED = 2;
  private static final int PRICED = 4;

  static int checksum(byte[] body) {
    var crc = new CRC32();
    crc.update(body);
    return (int) crc.getValue();
  }

  byte[] bytes() {
    var bytes = new ByteArrayOutputStream(USUAL_LENGTH);
    try (var out = new DataOutputStream(bytes)) {
      text(out, summary.id());
      out.writeInt(summary.epoch());
      text(out, summary.contentHash());
      boolean isPriced = summary.cost().usd().isPresent();
      out.writeByte(
          (summary.failed() ? FAILED : 0)
              | (summary.cancelled() ? CANCELLED : 0)
              | (isPriced ? PRICED : 0));
      out.writeInt(summary.errorRetries());
      out.writeByte(summary.scores().size());
      for (Map.Entry<String, Double> score : summary.scores().entrySet()) {
        text(out, score.getKey());
        out.writeDouble(score.getValue());
      }
      Tokens tokens = summary.tokens();
      out.writeLong(tokens.input());
      out.writeLong(tokens.output());
      out.writeLong(tokens.cacheRead());
      out.writeLong(tokens.cacheWrite());
      out.writeLong(tokens.reasoning());
      text(out, summary.cost().knownUsd().toString());
      out.writeLong(summary.cost().pricedCalls());
      out.writeLong(summary.cost().unknownCalls());
      Times times = summary.times();
      out.writeDouble(times.queued());
      out.writeDouble(times.paced());
      out.writeDouble(times.backedOff());
      out.writeDouble(times.failed());
      out.writeDouble(times.called());
      out.writeDouble(times.shared());
      out.writeDouble(times.working());
      out.writeDouble(times.total());
      out.writeInt(messages);
      out.writeInt(turns);
      out.writeInt(checksum);
      out.writeInt(headLength);
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return bytes.toByteArray();
  }

  /**
   * @throws IOException if it is not what {@link #bytes} makes
   */
  static SampleKey read(byte[] key) throws IOException {
    try {
      return read(ByteBuffer.wrap(key));
    } catch (BufferUnderflowException | IllegalArgumentException foreign) {
      throw new IOException("the key of a sample is not what this Weir writes", foreign);
    }
  }

  private static SampleKey read(ByteBuffer in) {
    String id = text(in);
    int epoch = in.getInt();
    String contentHash = text(in);
    int flags = in.get();
    int errorRetries = in.getInt();
    Map<String, Double> scores = new LinkedHashMap<>();
    for (int left = Byte.toUnsignedInt(in.get()); left > 0; left--) {
      String scorer = text(in);
      scores.put(scorer, in.getDouble());
    }
    var tokens = new Tokens(in.getLong(), in.getLong(), in.getLong(), in.getLong(), in.getLong());
    String usd = text(in);
    BigDecimal known = usd.equals("0") ? BigDecimal.ZERO : new BigDecimal(usd);
    var cost =
        new Cost(
            (flags & PRICED) != 0 ? Optional.of(known) : Optional.empty(),
            known,
            in.getLong(),
            in.getLong());
    var times =
        new Times(
            in.getDouble(),
            in.getDouble(),
            in.getDouble(),
            in.getDouble(),
            in.getDouble(),
            in.getDouble(),
            in.getDouble(),
            in.getDouble());
    var summary =
        new SampleSummary(
            id,
            epoch,
            contentHash,
            Asked.NOT_TOLD,
            scores,
            (flags & FAILED) != 0,
            (flags & CANCELLED) != 0,
            errorRetries,
            tokens,
            cost,
            times);
    return new SampleKey(summary, in.getInt(), in.getInt(), in.getInt(), in.getInt());
  }

  private static void text(DataOutputStream out, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.writeShort(bytes.length);
    out.write(bytes);
  }

  private static String text(ByteBuffer in) {
    int length = Short.toUnsignedInt(in.getShort());
    if (length > in.remaining()) {
      throw new BufferUnderflowException();
    }
    var text =
        new String(in.array(), in.arrayOffset() + in.position(), length, StandardCharsets.UTF_8);
    in.position(in.position() + length);
    return text;
  }
}
