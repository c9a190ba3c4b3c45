"""The rows of the check: how the provider behaves, how many requests, which API, and the optimum.

The optimum is computed from the limits alone, not by driving the provider: the earliest moment at
which all requests can have been admitted, plus the median latency of the last. It counts from the
first arrival. Requests that hang or are refused at random are left out of it.
"""

import math
from dataclasses import dataclass

from limits import Schedule
from provider import Settings

RATE = 20.0  # per second: 1,200 requests per minute


@dataclass(frozen=True)
class Row:
    number: int
    name: str
    requests: int
    settings: Settings
    api: str = "openai"
    fixed_rate: float = 0.0   # where nothing limits: the requests per second that count as optimal

    def scaled(self, scale: float) -> int:
        return max(1, round(self.requests * scale))

    def optimum(self, requests: int, start: float = 0.0) -> float:
        """Seconds from the first arrival, at a time of the wall clock, to the last answer."""
        if self.fixed_rate:
            admitted = (requests - 1) / self.fixed_rate
        else:
            admitted = last_admission(self.settings, requests, start)
        return admitted + self.settings.latency


def last_admission(settings: Settings, requests: int, start: float) -> float:
    """When the last of so many requests can be admitted, if none is sent too early or too late.

    Where several limits are set it is the latest of their times, a lower bound.
    """
    schedule = Schedule(settings.change)
    times = [0.0]
    if settings.rate:
        times.append(_bucket(settings.rate, settings.capacity, schedule, requests))
    if settings.window:
        times.append(_windows(*settings.window, schedule, requests, start))
    if settings.day_quota:
        times.append(_bucket(settings.day_quota / 86400, settings.day_quota, Schedule(), requests))
    if settings.concurrency:
        times.append((math.ceil(requests / settings.concurrency) - 1) * settings.latency)
    return max(times)


def _bucket(rate: float, capacity: float, schedule: Schedule, requests: int) -> float:
    missing = requests - capacity * schedule.factor(0.0)
    if missing <= 0:
        return 0.0
    last_edge = max((change[1] for change in schedule.changes), default=0.0)
    elapsed = 0.0
    for length, factor in schedule.segments(0.0, last_edge):
        gained = length * rate * factor
        if gained >= missing:
            return elapsed + missing / (rate * factor)
        missing -= gained
        elapsed += length
    return elapsed + missing / rate


def _windows(length: float, count: int, schedule: Schedule, requests: int, start: float) -> float:
    """The first window is the one that the first request falls into, so the phase matters."""
    begin = 0.0
    while True:
        requests -= int(count * schedule.factor(begin) + 1e-9)
        if requests <= 0:
            return begin
        begin = (math.floor((start + begin) / length + 1e-9) + 1) * length - start


def _bucket_row(number, name, advertise, requests=1400, api="openai", capacity=30, latency=1.4, jitter=0.15, **more):
    settings = Settings(rate=more.pop("rate", RATE), capacity=capacity, latency=latency, jitter=jitter,
                        advertise=advertise, **more)
    return Row(number, name, requests, settings, api)


ROWS = [
    _bucket_row(1, "openai, consistent", "openai"),
    _bucket_row(2, "nothing advertised", "none"),
    _bucket_row(3, "stale values", "stale", stale_for=5.0),
    _bucket_row(4, "lying: always plenty left", "lying"),
    _bucket_row(5, "garbage", "garbage"),
    _bucket_row(6, "remaining only", "remaining-only"),
    _bucket_row(7, "day quota told, minute hidden", "day", day_quota=50000),
    _bucket_row(8, "anthropic, whole seconds, 8 s", "anthropic", 1300, "anthropic", 20, 8.0, 0.0),
    _bucket_row(9, "anthropic, 4,000 RPM tier", "anthropic", 5000, "anthropic", 400, 3.0, 0.0, rate=4000 / 60),
    _bucket_row(10, "anthropic, limit is the rate", "anthropic-rate", 1300, "anthropic", 20, 8.0, 0.0),
    _bucket_row(11, "openai, limit is the rate", "openai-rate"),
    _bucket_row(12, "ietf, quota is the rate", "ietf-rate"),
    Row(13, "calendar windows, epoch reset", 1500,
        Settings(window=(10.0, 200), latency=1.4, jitter=0.15, advertise="epoch")),
    Row(14, "0.5 % stray 429s, no limit", 6000, Settings(stray=0.005, latency=1.0), fixed_rate=100.0),
    _bucket_row(15, "halves from 20 s to 40 s", "none", 1230, change=((20.0, 40.0, 0.5),)),
    _bucket_row(16, "50 RPM, burst 5", "none", 100, capacity=5, rate=50 / 60),
    _bucket_row(17, "1 % hang for ten minutes", "none", 2000, rate=30.0, latency=1.0, jitter=0.0, hang=0.01),
]
