package dev.weir.simulator.server;

import java.util.Arrays;
import java.util.Optional;

/** What can be set of a simulated provider, in profiles and on the command line alike. */
public enum Setting {
  RPM("rpm", "N", "Requests per minute; 0 for no limit. Default: no limit."),
  BURST(
      "burst",
      "N",
      "Requests at once after a pause; it is also the limit that headers advertise. Default: those"
          + " of a minute."),
  TPM(
      "tpm",
      "N[:BURST]",
      "Tokens per minute, prompt and output together; 0 for no limit. The output is reserved by"
          + " max_tokens and settled when it is known. Default: no limit."),
  INPUT_TPM(
      "input-tpm", "N[:BURST]", "Tokens of prompts per minute; 0 for no limit. Default: no limit."),
  OUTPUT_TPM(
      "output-tpm",
      "N[:BURST]",
      "Tokens of answers per minute; 0 for no limit. They are reserved by max_tokens, but never"
          + " more than BURST, and settled when they are known. Default: no limit."),
  RESERVED_TOKENS(
      "reserved-tokens",
      "N",
      "What is reserved for the answer to a request that does not say max_tokens. Default: 0."),
  HIDDEN_RPM(
      "hidden-rpm",
      "N[:BURST]",
      "A second limit on requests, enforced and never advertised. Default burst: those of a"
          + " second."),
  CALENDAR(
      "calendar",
      "LENGTH[:PHASE]",
      "The quotas are filled at the boundaries of windows of this length, not continuously."),
  CAP(
      "cap",
      "N[:queue]",
      "Requests served at once. One more is refused, or with :queue waits at the provider."),
  REFUSAL_COST(
      "refusal-cost", "N", "What a refused request takes from the quota all the same. Default: 0."),
  ACCELERATION(
      "acceleration",
      "FACTOR:FLOOR",
      "Growth is limited: the rate of 10 s to FACTOR times that of the minute before, but at least"
          + " FLOOR requests per second."),
  OTHER_TRAFFIC(
      "other-traffic", "RPM[:TPM]", "What other clients use of the quotas, steadily, per minute."),
  LIMIT_CHANGE(
      "limit-change",
      "AT:FACTOR",
      "From a time on, the quotas are filled FACTOR times as fast; may be repeated.",
      true),
  LATENCY(
      "latency",
      "TIME[:…]",
      "How long an answer takes: 1.5s, or median and spread 1.5s:0.4 (log-normal), or from and to"
          + " 1s:3s. Default: 400ms:0.4."),
  BATCH_TIME(
      "batch-time",
      "TIME",
      "How long a batch takes, however many requests it has. Limits do not apply to batches;"
          + " outages and errors do. Default: 5s."),
  OUTAGE(
      "outage",
      "FROM+LENGTH",
      "Everything fails with 503, for example 30s+10s after the start; may be repeated.",
      true),
  OVERLOAD(
      "overload",
      "FROM+LENGTH:RATE",
      "A part of the requests fails as overloaded (529, or 503 in OpenAI's API)."),
  ERROR_RATE("error-rate", "RATE", "How often a request fails with 500, from 0 to 1. Default: 0."),
  HANG_RATE("hang-rate", "RATE", "How often a request is never answered, from 0 to 1. Default: 0."),
  HANG_TIME(
      "hang-time",
      "DURATION",
      "Close the connection of a hung request after this time. Default: never."),
  STRAY_RATE(
      "stray-rate",
      "RATE",
      "How often a request is refused with 429 although no limit is exceeded, from 0 to 1."
          + " Default: 0."),
  HEADERS(
      "headers",
      "STYLE",
      "How answers tell about limits: openai, anthropic, azure, gemini, retry-after or none."
          + " Default: that of the API asked."),
  ADVERTISE(
      "advertise",
      "WAY",
      "Write rate-limit headers in this way in every API, in place of --headers; for example"
          + " openai-rate or anthropic. --list-advertisements lists the ways."),
  ANSWERS(
      "answers",
      "FILE",
      "Answers by prompt, a JSON object per line: {\"match\": \"text or /regex/\", \"answer\":"
          + " \"…\"}, and optionally \"status\" and \"latency\"."),
  ACCURACY(
      "accuracy",
      "RATE",
      "How often it is right where the prompt says [[target: …]], or the header x-weir-target does."
          + " Default: 0.85."),
  SEED("seed", "N", "The seed of every random choice. Default: a fresh one, which is told."),
  API_KEY("api-key", "KEY", "Refuse requests without this credential. Default: all are welcome.");

  private final String key;
  private final String label;
  private final String description;
  private final boolean repeatable;

  Setting(String key, String label, String description) {
    this(key, label, description, false);
  }

  Setting(String key, String label, String description, boolean repeatable) {
    this.key = key;
    this.label = label;
    this.description = description;
    this.repeatable = repeatable;
  }

  public static Optional<Setting> of(String key) {
    return Arrays.stream(values()).filter(setting -> setting.key.equals(key)).findFirst();
  }

  /** Its name in profiles, and with two dashes on the command line. */
  public String key() {
    return key;
  }

  /** What its value looks like, for help. */
  public String label() {
    return label;
  }

  /** What it means, for help. */
  public String description() {
    return description;
  }

  /** Whether several values count together. */
  public boolean repeatable() {
    return repeatable;
  }
}
