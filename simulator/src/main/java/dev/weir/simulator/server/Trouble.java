package dev.weir.simulator.server;

/** What a script or a prompt asks for instead of a proper answer. */
sealed interface Trouble {

  /** An error of this API. */
  record Complaint(int status, String message) implements Trouble {}

  /** Exactly this status and body. */
  record Raw(int status, String body) implements Trouble {}

  /** A stream that begins well and then tells of an error. */
  record StreamError(String type) implements Trouble {}

  /** The connection is closed in the middle of the body. */
  record Truncated() implements Trouble {}

  /** A page for people, with status 200. */
  record Html() implements Trouble {}

  /** Says that it is JSON, and is not. */
  record NotJson() implements Trouble {}

  record Large(long bytes) implements Trouble {}
}
