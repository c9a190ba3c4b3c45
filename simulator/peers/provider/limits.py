"""The arithmetic of limits. The time is always an argument, in seconds since the epoch."""

import dataclasses
import math
import random
from dataclasses import dataclass

EPSILON = 1e-9


class Schedule:
    """Factors by which limits change, in seconds since the first request."""

    def __init__(self, changes=()):
        self.changes = tuple(changes)

    def factor(self, elapsed: float) -> float:
        product = 1.0
        for start, end, factor in self.changes:
            if start <= elapsed < end:
                product *= factor
        return product

    def segments(self, begin: float, end: float):
        """Yields (length, factor) for the parts of begin..end in which the factor is constant."""
        cuts = {edge for change in self.changes for edge in change[:2] if begin < edge < end}
        edges = [begin, *sorted(cuts), end]
        for left, right in zip(edges, edges[1:]):
            yield right - left, self.factor(left)


class TokenBucket:
    """Refills continuously up to its capacity. It is full when the first request arrives."""

    def __init__(self, rate: float, capacity: float, schedule: Schedule = Schedule()):
        self.rate = rate
        self.capacity = capacity
        self.schedule = schedule
        self.origin = None
        self.last = 0.0
        self.level = capacity

    def _advance(self, now: float) -> None:
        if self.origin is None:
            self.origin = self.last = now
            self.level = self.capacity * self.schedule.factor(0.0)
        for length, factor in self.schedule.segments(self.last - self.origin, now - self.origin):
            full = self.capacity * factor
            self.level = min(full, self.level + max(0.0, length) * self.rate * factor)
        self.last = max(self.last, now)
        self.level = min(self.level, self.capacity * self.factor(now))

    def factor(self, now: float) -> float:
        return self.schedule.factor(0.0 if self.origin is None else now - self.origin)

    def wait(self, now: float) -> float:
        """Seconds until a request fits; 0 if it fits now."""
        self._advance(now)
        missing = 1.0 - self.level
        return missing / (self.rate * self.factor(now)) if missing > EPSILON else 0.0

    def take(self, now: float) -> None:
        self._advance(now)
        self.level = max(0.0, self.level - 1.0)

    def limit(self, now: float) -> int:
        return int(self.capacity * self.factor(now) + EPSILON)

    def per_minute(self, now: float) -> int:
        return round(self.rate * 60 * self.factor(now))

    def remaining(self, now: float) -> int:
        self._advance(now)
        return int(self.level + EPSILON)

    def reset_in(self, now: float) -> float:
        """Seconds until the bucket is full."""
        self._advance(now)
        factor = self.factor(now)
        return max(0.0, self.capacity * factor - self.level) / (self.rate * factor)


class CalendarWindow:
    """A number of requests in each window; windows begin at multiples of their length."""

    def __init__(self, length: float, count: int, schedule: Schedule = Schedule()):
        self.length = length
        self.count = count
        self.schedule = schedule
        self.origin = None
        self.index = None
        self.used = 0

    def _advance(self, now: float) -> None:
        if self.origin is None:
            self.origin = now
        index = math.floor(now / self.length)
        if index != self.index:
            self.index, self.used = index, 0

    def wait(self, now: float) -> float:
        return 0.0 if self.remaining(now) >= 1 else self.reset_in(now)

    def take(self, now: float) -> None:
        self._advance(now)
        self.used += 1

    def limit(self, now: float) -> int:
        self._advance(now)
        return int(self.count * self.schedule.factor(now - self.origin) + EPSILON)

    def per_minute(self, now: float) -> int:
        return round(self.limit(now) * 60 / self.length)

    def remaining(self, now: float) -> int:
        return max(0, self.limit(now) - self.used)

    def reset_in(self, now: float) -> float:
        """Seconds until the window ends."""
        self._advance(now)
        return (self.index + 1) * self.length - now


@dataclass(frozen=True)
class Snapshot:
    """What an honest provider could say about its limits at one moment. A limit of 0 stands for none."""

    now: float
    limit: int = 0            # capacity of the bucket, or size of the window
    per_minute: int = 0
    remaining: int = 0
    reset_in: float = 0.0     # until the bucket is full, or the window ends
    day_limit: int = 0
    day_remaining: int = 0
    day_reset_in: float = 0.0


@dataclass(frozen=True)
class Decision:
    admitted: bool
    reason: str = ""          # which limit refused: bucket, window, day, concurrency, stray
    retry_in: float = 0.0     # seconds until the request would fit, as far as is known


class Gate:
    """All limits of a provider. What is refused consumes nothing."""

    def __init__(self, settings, chance: random.Random):
        schedule = Schedule(settings.change)
        self.settings = settings
        self.chance = chance
        self.limits = {}
        if settings.rate > 0:
            self.limits["bucket"] = TokenBucket(settings.rate, settings.capacity, schedule)
        if settings.window:
            self.limits["window"] = CalendarWindow(*settings.window, schedule)
        if settings.day_quota:
            # Daily quotas of OpenAI and Groq refill continuously, as their reset headers show.
            self.limits["day"] = TokenBucket(settings.day_quota / 86400, settings.day_quota)

    def admit(self, now: float, in_flight: int) -> Decision:
        waits = {name: limit.wait(now) for name, limit in self.limits.items()}
        if any(wait > 0 for wait in waits.values()):
            name = max(waits, key=waits.get)
            return Decision(False, name, waits[name])
        if self.settings.concurrency and in_flight >= self.settings.concurrency:
            return Decision(False, "concurrency", self.settings.latency / self.settings.concurrency)
        if self.chance.random() < self.settings.stray:
            return Decision(False, "stray", 1.0)
        for limit in self.limits.values():
            limit.take(now)
        return Decision(True)

    def snapshot(self, now: float) -> Snapshot:
        main = self.limits.get("bucket") or self.limits.get("window")
        day = self.limits.get("day")
        told = Snapshot(now)
        if main:
            told = dataclasses.replace(
                told, limit=main.limit(now), per_minute=main.per_minute(now), remaining=main.remaining(now),
                reset_in=main.reset_in(now))
        if day:
            told = dataclasses.replace(
                told, day_limit=day.limit(now), day_remaining=day.remaining(now), day_reset_in=day.reset_in(now))
        return told
