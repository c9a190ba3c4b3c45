package dev.weir.log.inspect;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.Set;

/** The two forms of a log behind one face. */
interface LogContent extends Closeable {

  /** The JSON of the header, to be closed; in a {@code .json} log everything, header first. */
  InputStream header() throws IOException;

  Cursor<InspectSample> samples() throws IOException;

  /** Those with such ids. */
  Cursor<InspectSample> samples(Set<String> ids) throws IOException;

  Cursor<InspectSample> summaries() throws IOException;

  /** Whether the summaries can be read; if not, that is noted. */
  boolean hasWholeSummaries() throws IOException;

  Optional<InspectSample> sample(SampleId id, int epoch) throws IOException;

  /** A JSON array, if the log has it. */
  Optional<byte[]> reductions() throws IOException;

  /** What was skipped so far. */
  MemberDamage damage();
}
