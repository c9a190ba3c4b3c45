"""What /metrics must say at each scrape of a recorded run, by the run's own record.

The record is what the simulated provider, its callers and the regulator did (trace.jsonl), and what
was configured. Nothing here reads a metric. Definitions are those of docs/metrics.md.
"""

import bisect
import itertools
import json

from expected import Samples

SECOND = 1_000_000_000
SLOT = 5 * SECOND  # peaks are of whole slots since the start of a process
MINUTE_SLOTS = 12
PEAK_SLOTS = 120
RATE_PEAK_SLOTS = 60
TEN_MINUTES = 600 * SECOND
FOLLOWED = 4 * SECOND  # a changed file is read every 2 s, and holds when it is seen twice

DURATIONS = (0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1200.0)
WAITS = (0.01, 0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 60.0, 300.0, 600.0, 1800.0, 3600.0)
RESOURCES = ("requests", "tokens", "input_tokens", "output_tokens")
CONFIGURED = {"tokens": "total_tokens"}  # the name in a configuration

STACKDRIVER = (
    "stackdriver_aiplatform_googleapis_com_location_aiplatform_googleapis_com_quota_"
    "online_prediction_"
)

# Exposed, and not computed here: figures of the regulator about itself, and a wall time.
NOT_COMPUTED = {
    "model_inferences_adaptive_limit",
    "weir_config_last_reload_success_timestamp_seconds",
}


class Levels:
    """A number of things under way over time: steps, their highest value, their integral."""

    def __init__(self, spans):
        edges = sorted([(begin, 1) for begin, _ in spans] + [(end, -1) for _, end in spans])
        self.times, self.levels, self.areas = [], [], []
        level, area, before = 0, 0, 0
        for at, change in edges:
            area += level * (at - before)
            level += change
            before = at
            self.times.append(at)
            self.levels.append(level)
            self.areas.append(area)

    def at(self, time):
        index = bisect.bisect_right(self.times, time) - 1
        return self.levels[index] if index >= 0 else 0

    def highest(self, begin, end):
        first = bisect.bisect_left(self.times, begin)
        last = bisect.bisect_right(self.times, end)
        before = self.levels[first - 1] if first else 0
        return max(itertools.chain((before,), self.levels[first:last]))

    def seconds(self, time):
        index = bisect.bisect_right(self.times, time) - 1
        if index < 0:
            return 0.0
        return (self.areas[index] + self.levels[index] * (time - self.times[index])) / SECOND

    def at_least(self, limits, time):
        """Seconds with as many as the limit says, or more; limits are (from, limit or None)."""
        total = 0
        for (begin, limit), (end, _) in zip(limits, [*limits[1:], (time, None)]):
            end = min(end, time)
            if limit is None or begin >= end:
                continue
            first = bisect.bisect_right(self.times, begin)
            last = bisect.bisect_left(self.times, end)
            edges = [begin, *self.times[first:last], end]
            levels = [self.at(begin), *self.levels[first:last]]
            total += sum(b - a for a, b, n in zip(edges, edges[1:], levels) if n >= limit)
        return total / SECOND


class Amounts:
    """Something that is used up, in slots since the start of a process."""

    def __init__(self, start, entries):
        self.start = start
        slots = {}
        for at, amount in entries:
            slot = (at - start) // SLOT
            slots[slot] = slots.get(slot, 0) + amount
        self.sums = [0]
        for slot in range(max(slots, default=-1) + 1):
            self.sums.append(self.sums[-1] + slots.get(slot, 0))
        self.entries = entries

    def minute(self, slot):
        last = len(self.sums) - 1
        return self.sums[min(slot + 1, last)] - self.sums[min(max(0, slot + 1 - MINUTE_SLOTS), last)]

    def fullest(self, time):
        """The fullest minute of five."""
        slot = (time - self.start) // SLOT
        complete = range(max(0, slot - RATE_PEAK_SLOTS), slot)
        return max([self.now(time), *(self.minute(each) for each in complete)])

    def now(self, time):
        """Within the last minute: the running slot counts up to now."""
        slot = (time - self.start) // SLOT
        later = sum(n for at, n in self.entries_after(time) if (at - self.start) // SLOT == slot)
        return self.minute(slot) - later

    def entries_after(self, time):
        index = bisect.bisect_right(self.entries, (time, float("inf")))
        for entry in self.entries[index:]:
            if entry[0] >= time + SLOT:
                return
            yield entry


class Cumulated:
    """A counter: (time, amount) entries, in order."""

    def __init__(self, entries):
        entries = sorted(entries)
        self.times = [at for at, _ in entries]
        self.sums = list(itertools.accumulate((amount for _, amount in entries), initial=0))

    def exists(self, time):
        return bool(self.times) and self.times[0] <= time

    def at(self, time):
        return self.sums[bisect.bisect_right(self.times, time)]


class Steps:
    """A value that holds from a time on."""

    def __init__(self, entries):
        self.entries = sorted(entries, key=lambda entry: entry[0])
        self.times = [at for at, _ in self.entries]

    def at(self, time):
        index = bisect.bisect_right(self.times, time) - 1
        return self.entries[index][1] if index >= 0 else None


class ModelOfProcess:
    """What one process did with one model, from its start."""

    def __init__(self, life, model, entries, limits):
        self.name = model["name"]
        self.engine, self.model = self.name.split("/", 1)
        self.labels = {"model_engine": self.engine, "model_name": self.model}
        self.start = life.start
        self.limits = limits
        self.advertised = model["advertised"]
        attempts = sorted(entries["attempt"], key=lambda e: e["sent"])
        self.attempts = attempts
        self.spans = [(e["sent"], e["ended"]) for e in attempts]
        self.in_flight = Levels(self.spans)
        answered = [e for e in attempts if e["outcome"] == "answered"]
        fresh = sorted((e["ended"], e["input"] - e["cached"]) for e in answered)
        output = sorted((e["ended"], e["output"]) for e in answered)
        used = {
            "requests": [(e["sent"], 1) for e in attempts],
            "input_tokens": fresh,
            "output_tokens": output,
            "tokens": sorted(fresh + output),
        }
        self.used = {resource: Amounts(life.start, used[resource]) for resource in RESOURCES}
        told = [e["ended"] for e in attempts if e["outcome"] in ("answered", "rate_limited")]
        self.told = min(told, default=None)
        self.waiting(entries)
        self.windows(model, entries)
        self.counters(model, attempts, answered)
        self.refusals = [e for e in attempts if e["outcome"] == "rate_limited"]

    def waiting(self, entries):
        retries = {e["at"]: e["after"] for e in entries["retry"]}
        by_call = {}
        for entry in self.attempts:
            by_call.setdefault(entry["call"], []).append(entry)
        backing_off, queued, waits = [], [], []
        for call in entries["call"]:
            waited, ready = 0, call["began"]
            for entry in by_call.get(call["call"], []):
                waited += entry["sent"] - ready
                queued.append((ready, entry["sent"]))
                ready = entry["ended"]
                if ready in retries and ready != call["ended"]:
                    until = min(ready + retries[ready], call["ended"])
                    backing_off.append((ready, until))
                    ready = until
            if ready < call["ended"]:
                queued.append((ready, call["ended"]))
                waited += call["ended"] - ready
            waits.append((call["ended"], waited / SECOND))
        self.backing_off = Levels(backing_off)
        self.queued = Levels([(a, b) for a, b in queued if b > a])
        self.waits = sorted(waits)

    def windows(self, model, entries):
        """The limit on calls in flight that refusals have shown."""
        learned, changes, known = [(self.start, None)], [], False
        for entry in sorted(entries["window"], key=lambda e: e["at"]):
            up = entry["after"] > entry["before"]
            changes.append((entry["at"], ("up" if up else "down", entry["reason"])))
            if known or (not up and entry["reason"] in ("rate_limit", "header", "cap")):
                known = entry["after"] < model["most_in_flight"]
                learned.append((entry["at"], entry["after"] if known else None))
        self.learned = Steps(learned)
        self.changes = {}
        for at, key in changes:
            self.changes.setdefault(key, []).append((at, 1))
        self.changes = {key: Cumulated(entries) for key, entries in self.changes.items()}
        # What is configured counts first.
        times = sorted({at for at, _ in learned} | set(self.limits.times))
        self.in_flight_limits = [
            (at, self.configured(at, "concurrency") or self.learned.at(at)) for at in times
        ]

    def counters(self, model, attempts, answered):
        by_labels = {}
        for entry in attempts:
            by_labels.setdefault(outcome(entry), []).append(entry)
        self.ended = {}
        for labels, group in by_labels.items():
            took = sorted((e["ended"], (e["ended"] - e["sent"]) / SECOND) for e in group)
            series = {
                "model_inferences_total": Cumulated([(at, 1) for at, _ in took]),
                **histogram("inference_request_duration_seconds", took, DURATIONS),
            }
            if labels[2][1] == "stop":
                for name, amount in (
                    ("input", lambda e: e["input"]),
                    ("output", lambda e: e["output"]),
                    ("total", lambda e: e["input"] + e["output"]),
                ):
                    series[f"inference_{name}_tokens_total"] = Cumulated(
                        [(e["ended"], amount(e)) for e in group]
                    )
            self.ended[labels] = series
        reasons = {}
        for entry in attempts:
            if entry["outcome"] == "rate_limited":
                reasons.setdefault(entry["reason"], []).append((entry["ended"], 1))
        self.refused = {reason: Cumulated(entries) for reason, entries in reasons.items()}
        usd = model["usd_per_million"]
        self.cost = self.unpriced = Cumulated([])
        if usd:
            self.cost = Cumulated([(e["ended"], price(e, usd)) for e in answered])
        else:
            self.unpriced = Cumulated([(e["ended"], 1) for e in answered])
        self.wait = histogram("model_inference_queue_wait_seconds", self.waits, WAITS)

    def configured(self, time, resource):
        """A limit of the configuration, or None."""
        engine = (self.limits.at(time) or {}).get(self.engine, {})
        limit = engine.get("models", {}).get(self.model)
        if isinstance(limit, int):
            limit = {"concurrency": limit}
        return (limit or {}).get(CONFIGURED.get(resource, resource))

    def rate_limits(self, time):
        """(resource, source, limit) of what is known."""
        for resource in RESOURCES:
            configured = self.configured(time, resource)
            if configured:
                yield resource, "configured", configured
            if self.told is not None and self.told <= time and resource in self.advertised:
                yield resource, "advertised", self.advertised[resource]

    def out_of_date(self, time):
        limits = {}
        for resource, source, limit in self.rate_limits(time):
            limits.setdefault(resource, {})[source] = limit
        if any(
            "configured" in known and known.get("advertised", 0) > 1.25 * known["configured"]
            for known in limits.values()
        ):
            yield "more_advertised"
        engine = (self.limits.at(time) or {}).get(self.engine)
        is_used = bool(self.spans) and self.spans[0][0] <= time
        if is_used and not engine:
            yield "no_limit"
        if self.refused_below_limit(time):
            yield "refused_below_limit"

    def refused_below_limit(self, time):
        ceiling = self.ceiling(time)
        below = [
            entry["ended"]
            for entry in self.refusals
            if time - TEN_MINUTES <= entry["ended"] <= time
            and ceiling
            and self.ceiling(entry["ended"]) == ceiling
            and self.explains_nothing(entry)
        ]
        return len(below) >= 3

    def ceiling(self, time):
        """All that is configured for the model; empty if nothing is."""
        found = [(r, self.configured(time, r)) for r in ("concurrency", *RESOURCES)]
        return [(resource, limit) for resource, limit in found if limit]

    def explains_nothing(self, refusal):
        """Whether no limit was full that the refusal names, or none at all if it names none."""
        shares = self.shares(refusal)
        named = refusal["reason"]
        if named in ("concurrency", *RESOURCES):
            return named in shares and shares[named] < 0.8
        return max(shares.values()) < 0.8

    def shares(self, refusal):
        """Of each configured limit, how full it was."""
        time = refusal["ended"]
        shares = {}
        most = self.configured(time, "concurrency")
        if most:
            slots = -(-(time - refusal["sent"]) // SLOT)
            begin = self.start + max(0, (time - self.start) // SLOT - slots) * SLOT
            shares["concurrency"] = self.in_flight.highest(begin, time) / most
        for resource in RESOURCES:
            limit = self.configured(time, resource)
            if limit:
                shares[resource] = self.used[resource].now(time) / limit
        return shares


def price(entry, usd):
    fresh = entry["input"] - entry["cached"]
    dollars = fresh * usd["input"] + entry["cached"] * usd.get("cached", 0)
    return (dollars + entry["output"] * usd["output"]) / 1e6


def outcome(entry):
    """The labels of an attempt, in a fixed order."""
    kind = entry["outcome"]
    error = {"rate_limited": "rate_limited", "failed": "other"}.get(kind, "none")
    finish = {"answered": "stop", "cancelled": "cancelled"}.get(kind, "unknown")
    return (
        ("error", "no" if error == "none" else "yes"),
        ("error_type", error),
        ("finish_reason", finish),
        ("streaming", "no"),
        ("feature_category", "unknown"),
        ("unit_primitive", "unknown"),
    )


def histogram(name, observed, bounds):
    """Series by name, those of buckets by (name, bound)."""
    series = {
        name + "_count": Cumulated([(at, 1) for at, _ in observed]),
        name + "_sum": Cumulated(observed),
    }
    for bound in (*bounds, float("inf")):
        text = "+Inf" if bound == float("inf") else str(bound)
        series[(name + "_bucket", text)] = Cumulated(
            [(at, int(value <= bound)) for at, value in observed]
        )
    return series


class Life:
    """One process from its start to its end."""

    def __init__(self, process, start, end):
        self.process = process
        self.start = start
        self.end = end

    def holds(self, entry):
        at = next(entry[key] for key in ("sent", "began", "at") if key in entry)
        return entry["process"] == self.process and self.start <= at < self.end


class Run:
    """A recorded run."""

    def __init__(self, directory):
        description = json.loads((directory / "run.json").read_text())
        self.start = description["start"]
        self.seconds = description["seconds"]
        self.models = description["models"]
        entries = [json.loads(line) for line in (directory / "trace.jsonl").open()]
        self.entries = entries
        self.scrapes = [(e["process"], e["at"]) for e in entries if e["type"] == "scrape"]
        downs = {e["process"]: e["at"] for e in entries if e["type"] == "down"}
        self.lives = []
        for entry in (e for e in entries if e["type"] == "up"):
            end = downs.get(entry["process"], self.seconds * SECOND)
            if entry["at"] >= end:
                end = self.seconds * SECOND
            self.lives.append(Life(entry["process"], entry["at"], end))

    def limits(self, life):
        """(configured limits, whether the file can be read), each from a time on."""
        holding, readable = [], []
        for entry in self.entries:
            if entry["type"] != "limits" or entry["process"] != life.process:
                continue
            at = max(life.start, entry["at"] + (FOLLOWED if entry["at"] > life.start else 0))
            readable.append((at, "engines" in entry))
            if "engines" in entry:
                holding.append((at, entry["engines"]))
        return Steps(holding), Steps(readable)

    def samples(self):
        """All that is scraped from processes."""
        samples = Samples()
        for life in self.lives:
            limits, readable = self.limits(life)
            by_model = {model["name"]: {} for model in self.models}
            for entry in self.entries:
                if entry["model"] in by_model and life.holds(entry):
                    by_model[entry["model"]].setdefault(entry["type"], []).append(entry)
            parts = []
            for model in self.models:
                entries = {
                    kind: by_model[model["name"]].get(kind, [])
                    for kind in ("attempt", "call", "retry", "window")
                }
                parts.append(ModelOfProcess(life, model, entries, limits))
            engines = {}
            for part in parts:
                engines.setdefault(part.engine, []).extend(part.spans)
            engines = {engine: Levels(spans) for engine, spans in engines.items()}
            target = {"job": "weir", "instance": life.process}
            for process, at in self.scrapes:
                if process == life.process and life.start <= at < life.end:
                    found = [("weir_config_reload_success", {}, int(readable.at(at)))]
                    for part in parts:
                        found += of_model(part, at)
                    for engine, levels in engines.items():
                        found += of_engine(life, limits, engine, levels, at)
                    for name, labels, value in found:
                        samples.add(self.start + at / SECOND, name, {**target, **labels}, value)
        return samples

    def stackdriver(self):
        """(time, name, labels, value): what Google would report of gemini-pro, by its own count.

        Others use the quota as well, and it is doubled after 90 minutes.
        """
        model = "vertex/gemini-pro"
        attempts = [e for e in self.entries if e["type"] == "attempt" and e["model"] == model]
        served = [e for e in attempts if e["outcome"] in ("answered", "cancelled")]
        arrived = sorted(e["sent"] for e in served)
        tokens = Cumulated([(e["ended"], e["input"]) for e in served])
        at_google = {"base_model": "gemini-pro", "location": "us-central1"}
        mine, others = ({**at_google, "method": m} for m in ("generate", "stream"))
        for second in range(67, self.seconds, 60):
            end = second * SECOND
            count = bisect.bisect_left(arrived, end) - bisect.bisect_left(arrived, end - 60 * SECOND)
            used = tokens.at(end) - tokens.at(end - 60 * SECOND)
            at = self.start + second
            requests = STACKDRIVER + "requests_per_base_model"
            input_tokens = STACKDRIVER + "input_tokens_per_minute_per_base_model"
            yield at, requests + "_usage", mine, count
            yield at, requests + "_usage", others, 5
            yield at, requests + "_limit", at_google, 70 if second < 90 * 60 else 140
            yield at, input_tokens + "_usage", mine, used
            yield at, input_tokens + "_limit", at_google, 14_000


def of_model(part, at):
    labels = part.labels
    slot = (at - part.start) // SLOT
    begin = part.start + max(0, slot - PEAK_SLOTS) * SLOT
    yield "model_inferences_in_flight", labels, part.in_flight.at(at)
    yield "model_inferences_in_flight_peak", labels, part.in_flight.highest(begin, at)
    yield "model_inferences_in_flight_seconds_total", labels, part.in_flight.seconds(at)
    over = part.in_flight.at_least(part.in_flight_limits, at)
    yield "model_inferences_at_limit_seconds_total", labels, over
    yield "model_inferences_queue_depth", labels, part.queued.at(at)
    yield "model_inferences_backing_off", labels, part.backing_off.at(at)
    concurrency = part.configured(at, "concurrency")
    if concurrency:
        yield "model_inferences_max_concurrent", labels, concurrency
        yield "model_concurrency_limit", {**labels, "source": "configured"}, concurrency
    if part.learned.at(at):
        yield "model_concurrency_limit", {**labels, "source": "learned"}, part.learned.at(at)
    for resource, source, limit in part.rate_limits(at):
        detail = {"resource": resource, "source": source}
        yield "model_rate_limit_per_minute", {**labels, **detail}, limit
        if source == "configured" and resource != "requests":
            name = CONFIGURED.get(resource, resource)
            yield f"model_max_{name}", labels, limit
    for resource in RESOURCES:
        used = part.used[resource].fullest(at)
        yield "model_rate_used_per_minute_peak", {**labels, "resource": resource}, used
    for reason in part.out_of_date(at):
        yield "model_limits_out_of_date", {**labels, "reason": reason}, 1
    for detail, series in part.ended.items():
        yield from counted(series, {**labels, **dict(detail)}, at)
    yield from counted(part.wait, labels, at)
    for reason, count in part.refused.items():
        counts = {"model_inference_refusals_total": count}
        yield from counted(counts, {**labels, "reason": reason}, at)
    for (direction, reason), count in part.changes.items():
        detail = {"direction": direction, "reason": reason}
        yield from counted({"model_inferences_limit_changes_total": count}, {**labels, **detail}, at)
    yield from counted({"inference_cost_usd_total": part.cost}, labels, at)
    yield from counted({"inference_unpriced_total": part.unpriced}, labels, at)


def counted(series, labels, at):
    """Counters begin to exist when there is something to count."""
    for key, values in series.items():
        if values.exists(at):
            if isinstance(key, tuple):
                yield key[0], {**labels, "le": key[1]}, values.at(at)
            else:
                yield key, labels, values.at(at)


def of_engine(life, limits, engine, levels, at):
    labels = {"model_engine": engine}
    slot = (at - life.start) // SLOT
    begin = life.start + max(0, slot - PEAK_SLOTS) * SLOT
    name = "model_engine_inferences_"
    yield name + "in_flight", labels, levels.at(at)
    yield name + "in_flight_peak", labels, levels.highest(begin, at)
    yield name + "in_flight_seconds_total", labels, levels.seconds(at)
    steps = [(time, engine_limit(configured.get(engine, {}))) for time, configured in limits.entries]
    yield name + "at_limit_seconds_total", labels, levels.at_least(steps, at)
    limit = engine_limit(limits.at(at).get(engine, {}))
    if limit:
        yield name + "max_concurrent", labels, limit


def engine_limit(engine):
    """Its own, else the highest of its models."""
    models = [
        limit if isinstance(limit, int) else limit.get("concurrency")
        for limit in engine.get("models", {}).values()
    ]
    return engine.get("concurrency") or max((m for m in models if m), default=None)
