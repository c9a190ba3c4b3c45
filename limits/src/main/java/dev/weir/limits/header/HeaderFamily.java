package dev.weir.limits.header;

import java.util.List;

/** A way to write quotas into headers. */
interface HeaderFamily {

  /** The quotas that the headers of this family describe; often none. */
  List<QuotaSnapshot> quotas(ResponseHeaders headers, ServerClock clock);
}
