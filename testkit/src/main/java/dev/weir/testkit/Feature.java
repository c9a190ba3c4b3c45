package dev.weir.testkit;

/** What a provider may lack; whatever it lacks, its tests must say why. */
public enum Feature {
  /** Calls tools, and reads what they gave back. */
  TOOLS,
  /** Calls none, any or a certain tool as it is told. */
  TOOL_CHOICE,
  /** Gives answers in pieces. */
  STREAMING,
  /** Sends images. */
  IMAGES,
  /** Tells how many tokens were used. */
  USAGE,
  /** Keeps to the most tokens that are allowed. */
  MAX_TOKENS,
  /** Tells status, request id and the bodies as they were sent. */
  WIRE,
  /** Tells a request id with a refusal, too; asked only of those that have {@link #WIRE}. */
  REFUSAL_ID,
  /** Can be made to refuse with a status. */
  REFUSALS,
  /** Can be made to tell that nothing is left of a quota. */
  QUOTAS,
  /** Can be made to answer with what cannot be read. */
  MALFORMED,
  /** Needs a credential. */
  CREDENTIAL
}
