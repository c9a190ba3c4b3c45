package dev.weir.limits.header;

import java.util.List;

/** What servers write, for fuzzers to start from. */
final class RealTexts {

  /** Beside those of the providers' examples. */
  static final List<String> NAMES =
      List.of(
          "date",
          "retry-after",
          "retry-after-ms",
          "x-ms-retry-after-ms",
          "ratelimit",
          "ratelimit-policy",
          "ratelimit-limit",
          "ratelimit-remaining",
          "ratelimit-reset",
          "x-rate-limit-limit",
          "x-rate-limit-remaining",
          "x-rate-limit-reset",
          "X-TokenLimit-Limit-Dynamic");

  static final List<String> PREFIXES =
      List.of(
          "",
          "x-ratelimit-limit-",
          "x-ratelimit-remaining-",
          "x-ratelimit-reset-",
          "anthropic-ratelimit-",
          "x-tokenlimit-");

  static final List<String> BUCKETS =
      List.of(
          "requests",
          "tokens",
          "project-tokens",
          "req-minute",
          "tokens-prompt",
          "minute",
          "input-tokens-limit",
          "output-tokens-remaining",
          "tokens-reset",
          "limit",
          "remaining");

  static final List<String> VALUES =
      List.of(
          "17ms",
          "6m0s",
          "2m59.56s",
          "1h2m3s",
          "-1",
          "0",
          "86400",
          "NaN",
          "1e308",
          "1792567740000",
          "1792567740",
          "2592000",
          "9999999999999999999999",
          "9007199254740993",
          "0.000000000000000000001",
          "2026-10-21T07:28:01Z",
          "2026-10-21T07:28:01.123456789+14:00",
          "Wed, 21 Oct 2026 07:28:00 GMT",
          "Wednesday, 21-Oct-26 07:28:00 GMT",
          "Wed Oct 21 07:28:00 2026",
          "1000, 1000;w=1, 60000;w=60",
          "\"burst\";q=10;w=1,\"daily\";q=1000;w=86400;qu=\"tokens\"",
          "\"burst\";r=5;t=1",
          "45.837906927s",
          "6 seconds");

  static final List<String> MESSAGES =
      List.of(
          "on tokens per min (TPM): Limit 15000, Used 11972, Requested 4351."
              + " Please try again in 5.289s.",
          "Concurrency limit reached for requests, limit: 25, please wait 2 minutes",
          "Rate limit reached for requests per day (RPD): Limit 200, Used 200, Requested 1.",
          "This request would exceed your limit of 40,000 input tokens per minute.",
          "Please retry after 1 day 2 hours",
          "retry in",
          "try again after",
          "limit ",
          "used: ",
          "requested ",
          "output tokens",
          "per hour");

  static final List<String> ERROR_TYPES =
      List.of(
          "requests",
          "tokens",
          "dynamic_request_limited",
          "dynamic_token_limited",
          "rate_limit_error",
          "concurrency_limit");

  static final List<String> QUOTA_IDS =
      List.of(
          "GenerateContentInputTokensPerModelPerMinute-FreeTier",
          "GenerateRequestsPerMinutePerProjectPerModel-FreeTier",
          "OutputTokensPerDay",
          "TokensPerMonth",
          "requestsPerSecondPerHour");

  private RealTexts() {}
}
