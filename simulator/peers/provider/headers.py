"""How limits are told: a snapshot of them becomes headers, in the style of some provider.

Sources are the public documents: OpenAI's guide to rate limits, Anthropic's page on rate limits,
Groq's (a daily quota in x-ratelimit-*-requests), Azure's (remaining without a limit), GitHub's
(x-ratelimit-reset as an epoch), draft-ietf-httpapi-ratelimit-headers, and RFC 9110 (Retry-After).
"""

import math
import random
import time
from email.utils import formatdate

from limits import Decision, Snapshot

STYLES = (
    "none", "openai", "openai-rate", "anthropic", "anthropic-rate", "ietf-rate", "epoch",
    "remaining-only", "stale", "lying", "garbage", "day", "retry-after", "http-date", "half",
)


def go_duration(seconds: float) -> str:
    """As Go prints durations, in milliseconds: 0s, 17ms, 8.64s, 6m0s, 1h0m0.5s."""
    millis = math.ceil(seconds * 1000 - 1e-6)
    if millis <= 0:
        return "0s"
    if millis < 1000:
        return f"{millis}ms"
    whole, part = divmod(millis, 1000)
    minutes, second = divmod(whole, 60)
    hours, minute = divmod(minutes, 60)
    text = f"{second}.{part:03d}".rstrip("0") if part else str(second)
    if hours:
        return f"{hours}h{minute}m{text}s"
    return f"{minute}m{text}s" if minute else f"{text}s"


def rfc3339(epoch: float) -> str:
    """UTC, truncated to the whole second."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(math.floor(epoch)))


def http_date(epoch: float) -> str:
    return formatdate(math.floor(epoch), usegmt=True)


def whole_seconds(seconds: float) -> str:
    """Rounded up, and at least 1, so that whoever waits is not too early."""
    return str(max(1, math.ceil(seconds - 1e-6)))


class Advertiser:
    """Turns a snapshot into headers. Styles that keep a state or draw lots do it here."""

    def __init__(self, style: str, chance: random.Random, stale_for: float = 5.0):
        if style not in STYLES:
            raise ValueError(style)
        self.style = style
        self.chance = chance
        self.stale_for = stale_for
        self.kept = None      # style stale: the snapshot that is being repeated
        self.render = getattr(self, "_" + style.replace("-", "_"))

    def headers(self, snapshot: Snapshot, decision: Decision) -> list[tuple[str, str]]:
        known = snapshot.day_limit if self.style == "day" else snapshot.limit
        if not known and self.style not in ("lying", "garbage", "retry-after", "http-date"):
            return []
        return self.render(snapshot, decision)

    @staticmethod
    def _retry(decision):
        return [] if decision.admitted else [("retry-after", whole_seconds(decision.retry_in))]

    @staticmethod
    def _openai_fields(limit, remaining, reset_in):
        return [("x-ratelimit-limit-requests", str(limit)),
                ("x-ratelimit-remaining-requests", str(remaining)),
                ("x-ratelimit-reset-requests", go_duration(reset_in))]

    @staticmethod
    def _anthropic_fields(limit, s):
        return [("anthropic-ratelimit-requests-limit", str(limit)),
                ("anthropic-ratelimit-requests-remaining", str(s.remaining)),
                ("anthropic-ratelimit-requests-reset", rfc3339(s.now + s.reset_in))]

    def _none(self, s, decision):
        return []

    def _openai(self, s, decision):
        return self._openai_fields(s.limit, s.remaining, s.reset_in) + self._retry(decision)

    def _openai_rate(self, s, decision):
        return self._openai_fields(s.per_minute, s.remaining, s.reset_in) + self._retry(decision)

    def _anthropic(self, s, decision):
        return self._anthropic_fields(s.limit, s) + self._retry(decision)

    def _anthropic_rate(self, s, decision):
        return self._anthropic_fields(s.per_minute, s) + self._retry(decision)

    def _ietf_rate(self, s, decision):
        # The draft wants t and Retry-After to name the same moment.
        reset = s.reset_in if decision.admitted else decision.retry_in
        return [("RateLimit-Policy", f'"default";q={s.per_minute};w=60'),
                ("RateLimit", f'"default";r={s.remaining};t={whole_seconds(reset)}')] + self._retry(decision)

    def _epoch(self, s, decision):
        # As GitHub does it: no Retry-After for the primary limit; wait until the reset.
        return [("x-ratelimit-limit", str(s.limit)), ("x-ratelimit-remaining", str(s.remaining)),
                ("x-ratelimit-reset", str(math.ceil(s.now + s.reset_in - 1e-6)))]

    def _remaining_only(self, s, decision):
        return [("x-ratelimit-remaining-requests", str(s.remaining))]

    def _stale(self, s, decision):
        if self.kept is None or s.now - self.kept.now >= self.stale_for:
            self.kept = s
        return self._openai_fields(self.kept.limit, self.kept.remaining, self.kept.reset_in)

    def _lying(self, s, decision):
        return self._openai_fields(10000, 9999, 0.006)

    def _day(self, s, decision):
        return self._openai_fields(s.day_limit, s.day_remaining, s.day_reset_in)

    def _retry_after(self, s, decision):
        return self._retry(decision)

    def _http_date(self, s, decision):
        if decision.admitted:
            return []
        return [("retry-after", http_date(math.ceil(s.now + decision.retry_in - 1e-6)))]

    def _half(self, s, decision):
        return self._openai(s, decision) if self.chance.random() < 0.5 else []

    JUNK = ("", "-1", "-3600", "NaN", "Infinity", "unlimited", "null", "1e309", "0x10", "1,200", "12;w", "'",
            "999999999999999999999999", "2147483648", "-0.0", "1999-12-31T23:59:59Z", "9999-12-31T23:59:59Z",
            "Thu, 01 Jan 1970 00:00:00 GMT", "5ms3h", "--", "1m-5s", "\"default\";r=-4;t=x")
    JUNK_NAMES = (
        "x-ratelimit-limit-requests", "x-ratelimit-remaining-requests", "x-ratelimit-reset-requests",
        "x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "ratelimit", "ratelimit-policy",
        "anthropic-ratelimit-requests-limit", "anthropic-ratelimit-requests-remaining",
        "anthropic-ratelimit-requests-reset",
    )

    def _garbage(self, s, decision):
        names = self.chance.sample(self.JUNK_NAMES, self.chance.randint(1, 6))
        fields = [(name, self.chance.choice(self.JUNK)) for name in names]
        if self.chance.random() < 0.3:  # more is left than there is, and the same field twice
            fields += self._openai_fields(1, self.chance.randint(2, 10**6), 0.0)
        if not decision.admitted:
            fields.append(("retry-after", self.chance.choice(self.JUNK)))
        return fields
