package dev.weir.providers.custom;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RateLimitWordsTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "429",
        "429 Too Many Requests",
        "429: slow down",
        "Error code: 429 - {'error': ...}",
        "HTTP 429",
        "HTTP/1.1 429 Too Many Requests",
        "HTTP/429",
        "HTTP_429",
        "http-429",
        "HTTP429",
        "ERR_429",
        "error#429",
        "status=429",
        "status:429",
        "(429)",
        "[429]",
        "\"429\"",
        "'429'",
        "{\"code\":429}",
        "{\"code\":429,\"retry\":1}",
        "{\"status\": 429, \"x\": 1}",
        "got 429.",
        "got 429, again",
        "got a 429; waiting",
        "was 429?",
        "429\nretry later",
        "exit code 1: upstream said 429",
        "rate limit",
        "Rate Limit exceeded",
        "RATE LIMIT",
        "You are being rate limited",
        "rate limits apply",
        "rate limiting is on",
        "the rate limiter said no",
        "rate-limit",
        "rate_limit_exceeded",
        "RATE_LIMIT_EXCEEDED",
        "{\"type\":\"rate_limit_error\"}",
        "ratelimit reached",
        "openai.RateLimitError: no",
        "ApiRateLimitExceeded",
        "hitRateLimit",
        "rate\nlimit",
        "too many requests",
        "Too Many Requests",
        "TOO MANY REQUESTS!",
        "too_many_requests",
        "too-many-requests",
        "TooManyRequests",
        "TooManyRequestsException",
        "com.acme.TooManyRequestsError: x",
      })
  void isARateLimit(String text) {
    assertThat(RateLimitWords.in(text)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "code 14290",
        "code 4290",
        "code 1429",
        "took 1.429 s",
        "took 429.5 s",
        "took 429ms",
        "1,429 rows",
        "429,000 rows",
        "at 12:429",
        "at 429:30",
        "id-429abc",
        "id-429",
        "429-abc",
        "req_429",
        "req429",
        "abc429def",
        "0x429",
        "429e3",
        "-429",
        "+429",
        "#429",
        "$429",
        "€429",
        "429%",
        "/v1/429/x",
        "429/1000 used",
        "10.0.4.29",
        "127.0.0.1:4290",
        "HTTP 4290",
        "status=14290",
        "status 429.7",
        "error 429ms",
        "٤٢٩",
        "corporate limit",
        "accurate limits",
        "rate limitless",
        "limit rate",
        "rate of limits",
        "the rate, limit and so on",
        "a limited rate",
        "separateLimit",
        "CorporateLimit",
        "too many request",
        "too many requesters",
        "stool many requests",
        "too many open requests",
        "too much",
        "internal error",
        "500 Internal Server Error",
        "quota exceeded",
      })
  void isSomethingElse(String text) {
    assertThat(RateLimitWords.in(text)).isFalse();
  }
}
