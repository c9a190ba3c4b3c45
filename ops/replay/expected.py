"""What each panel must show, computed from samples without Prometheus."""

import bisect
import math


class Samples:
    """Series by name, each with its labels, times and values."""

    def __init__(self):
        self.series = {}

    def add(self, time, name, labels, value):
        key = tuple(sorted(labels.items()))
        times, values = self.series.setdefault(name, {}).setdefault(key, ([], []))
        times.append(time)
        values.append(value)

    def times(self):
        """The first and last times of all series."""
        return [
            at
            for named in self.series.values()
            for times, _ in named.values()
            for at in (times[0], times[-1])
        ]

    def window(self, name, time, seconds, **wanted):
        """(labels, times, values) of the series that have samples then."""
        for key, (times, values) in self.series.get(name, {}).items():
            labels = dict(key)
            if any(labels.get(k) != v for k, v in wanted.items()):
                continue
            first = bisect.bisect_left(times, time - seconds)
            end = bisect.bisect_right(times, time)
            if first < end:
                yield labels, times[first:end], values[first:end]

    def last(self, name, time, seconds=300, **wanted):
        """(labels, newest value) of the series that have samples then."""
        found = self.window(name, time, seconds, **wanted)
        return [(labels, values[-1]) for labels, _, values in found]

    def rate(self, name, time, seconds=300, **wanted):
        """As Prometheus extrapolates it."""
        result = []
        for labels, times, values in self.window(name, time, seconds, **wanted):
            if len(times) < 2:
                continue
            increase = values[-1] - values[0]
            increase += sum(a for a, b in zip(values, values[1:]) if b < a)
            covered = times[-1] - times[0]
            step = covered / (len(times) - 1)
            before = times[0] - (time - seconds)
            after = time - times[-1]
            if increase > 0 and values[0] >= 0:
                before = min(before, covered * values[0] / increase)
            extent = covered
            extent += before if before < 1.1 * step else step / 2
            extent += after if after < 1.1 * step else step / 2
            result.append((labels, increase * extent / covered / seconds))
        return result


def group(entries, by, combine=sum):
    """Entries of (labels, value) by some labels: {labels: value}, without empty ones."""
    groups = {}
    for labels, value in entries:
        key = tuple((k, labels[k]) for k in sorted(by) if labels.get(k))
        groups.setdefault(key, []).append(value)
    return {key: combine(values) for key, values in groups.items()}


def quantile(q, entries, by):
    """As histogram_quantile does it, for groups of buckets."""
    buckets = {}
    for key, value in group(entries, [*by, "le"]).items():
        rest = tuple(pair for pair in key if pair[0] != "le")
        buckets.setdefault(rest, []).append((float(dict(key)["le"].replace("+Inf", "inf")), value))
    result = {}
    for key, found in buckets.items():
        found.sort()
        total = found[-1][1]
        if total == 0:
            result[key] = math.nan
            continue
        rank = q * total
        index = next(i for i, (_, count) in enumerate(found) if count >= rank)
        if math.isinf(found[index][0]):
            result[key] = found[-2][0]
            continue
        low, below = found[index - 1] if index else (0.0, 0.0)
        high, count = found[index]
        share = (rank - below) / (count - below) if count > below else 1
        result[key] = low + (high - low) * share
    return result


def clamped(values):
    return {key: min(1.0, max(0.0, value)) for key, value in values.items()}


MODEL = ("model_engine", "model_name")
ENGINE = ("model_engine",)
SAME_PREFIX = "stackdriver_aiplatform_googleapis_com_location_aiplatform_googleapis_com_quota_"


class Saturation:
    """Saturation points at a time."""

    def __init__(self, samples):
        self.samples = samples
        self.cache = {}

    def peaks(self, time):
        """Per process and model."""
        exact = self.samples.last("model_inferences_in_flight_peak", time, 120)
        found = {tuple(sorted(labels.items())): value for labels, value in exact}
        alive = [labels for labels, _ in self.samples.last("model_inferences_in_flight", time, 120)]
        for labels, _, values in self.samples.window("model_inferences_in_flight", time, 600):
            key = tuple(sorted(labels.items()))
            if key not in found and labels in alive:
                found[key] = max(values)
        return [(dict(key), value) for key, value in found.items()]

    def smallest(self, name, time):
        """The smallest limits of 10 minutes that still exist."""
        alive = [labels for labels, value in self.samples.last(name, time, 120) if value > 0]
        found = self.samples.window(name, time, 600)
        return [(labels, min(values)) for labels, _, values in found if labels in alive]

    def quota(self, resource, time):
        """Use ÷ limit by model, not clamped."""
        name = "model_rate_limit_per_minute"
        configured = self.samples.last(name, time, 120, resource=resource, source="configured")
        gitlab = {"tokens": "model_max_total_tokens"}.get(resource, f"model_max_{resource}")
        if resource != "requests":
            configured += self.samples.last(gitlab, time, 120)
        advertised = self.samples.last(name, time, 120, resource=resource, source="advertised")
        limits = group(advertised, MODEL, min)
        limits.update(group(configured, MODEL, min))
        peaks = self.samples.last("model_rate_used_per_minute_peak", time, 120, resource=resource)
        used = group(peaks, MODEL)
        return {key: used[key] / limit for key, limit in limits.items() if limit and key in used}

    def vertex(self, resource, quota, time):
        google = {}
        prefix = SAME_PREFIX + quota
        limits = {
            tuple(sorted(labels.items())): value
            for labels, value in self.samples.last(prefix + "_limit", time)
        }
        usage = {}
        for labels, value in self.samples.last(prefix + "_usage", time):
            key = tuple(sorted((k, v) for k, v in labels.items() if k != "method"))
            usage[key] = usage.get(key, 0) + value
        for key, used in usage.items():
            if limits.get(key):
                labels = dict(key)
                region = labels.get("region") or labels["location"]
                point = (("base_model", labels["base_model"]), ("region", region))
                google[point] = max(google.get(point, -math.inf), used / limits[key])
        covered = {key[0] for key in google}
        for key, ratio in self.quota(resource, time).items():
            base_model = ("base_model", dict(key)["model_name"])
            if dict(key)["model_engine"] == "vertex" and base_model not in covered:
                google[(base_model,)] = ratio
        return google

    def of(self, component, time):
        if (component, time) not in self.cache:
            self.cache[(component, time)] = clamped(self.compute(component, time))
        return self.cache[(component, time)]

    def compute(self, component, time):
        if component == "max_concurrent_inferences":
            used = group(self.peaks(time), MODEL)
            limits = group(self.smallest("model_inferences_max_concurrent", time), MODEL, min)
        elif component.endswith("concurrent_inferences_per_engine"):
            process = ("job", "instance", "model_engine")
            peaks = group(self.peaks(time), process)
            exact = self.samples.last("model_engine_inferences_in_flight_peak", time, 120)
            peaks.update(group(exact, process))
            used = group(((dict(key), value) for key, value in peaks.items()), ENGINE)
            limits = group(self.smallest("model_inferences_max_concurrent", time), ENGINE, max)
            own = self.smallest("model_engine_inferences_max_concurrent", time)
            limits.update(group(own, ENGINE, min))
        elif component.startswith("gcp_quota_limit_vertex_ai"):
            resource = component.removeprefix("gcp_quota_limit_vertex_ai").lstrip("_") or "requests"
            minute = "" if resource == "requests" else "_per_minute"
            quota = f"online_prediction_{resource}{minute}_per_base_model"
            return self.vertex(resource, quota, time)
        else:
            resource = component.removeprefix("engine_quota_limit_").replace("total_", "")
            return {
                key: ratio
                for key, ratio in self.quota(resource, time).items()
                if resource == "tokens" or dict(key)["model_engine"] != "vertex"
            }
        return {key: used[key] / limits[key] for key in used if key in limits}


BOARDS = {
    "alerts-max_concurrent_inferences": ["max_concurrent_inferences"],
    "alerts-max_inferences_per_engine": ["max_concurrent_inferences_per_engine"],
    "alerts-sat_gcp_quota_limit_vertex_ai": ["gcp_quota_limit_vertex_ai"],
    "alerts-sat_vertex_ai_input_tokens": ["gcp_quota_limit_vertex_ai_input_tokens"],
    "alerts-sat_vertex_ai_output_tokens": ["gcp_quota_limit_vertex_ai_output_tokens"],
    "alerts-engine_quota_limit": [
        "engine_quota_limit_" + resource
        for resource in ("requests", "input_tokens", "output_tokens", "total_tokens")
    ],
}
COMPONENTS = [component for components in BOARDS.values() for component in components]
ALIAS = "concurrent_inferences_per_engine"


def threshold(component, name):
    low, high = (0.6, 0.8) if "concurrent" in component else (0.85, 0.9)
    return low if name == "soft" else high


class Panels:
    """The expected result of each query: (dashboard, panel, reference) → a function of a time."""

    def __init__(self, samples, start, offset):
        self.samples = samples
        self.start = start
        self.offset = offset  # of recording rules, in seconds after the minute
        self.saturation = Saturation(samples)
        self.expected = {}
        self.overview()
        for board, components in BOARDS.items():
            self.point(board, components)

    def recorded(self, time):
        """When recording rules were last evaluated."""
        return time - (time - self.offset) % 60

    def ratios(self, components, time):
        """Recorded values."""
        time = self.recorded(time)
        if time < self.start:
            return {}
        return {
            tuple(sorted((*key, ("component", component)))): value
            for component in components
            for key, value in self.saturation.of(component, time).items()
        }

    def predicted(self, components, time):
        """A straight line through the last hour, one hour on."""
        points = {}
        at = self.recorded(time) + 60
        while (at := at - 60) >= max(self.start, time - 3600):
            for key, value in self.ratios(components, at).items():
                points.setdefault(key, []).append((at - time, value))
        result = {}
        for key, line in points.items():
            if len(line) < 2 or not self.ratios(components, time).keys() & {key}:
                continue
            n = len(line)
            x, y = sum(a for a, _ in line) / n, sum(b for _, b in line) / n
            spread = sum((a - x) ** 2 for a, _ in line)
            slope = sum((a - x) * (b - y) for a, b in line) / spread
            result[key] = y + slope * (3600 - x)
        return clamped(result)

    def per_minute(self, name, by, **wanted):
        def rates(time):
            rates_of_groups = group(self.samples.rate(name, time, **wanted), by)
            return {key: 60 * value for key, value in rates_of_groups.items()}

        return rates

    def overview(self):
        samples = self.samples

        def add(title, ref, function):
            self.expected[("weir-overview", title, ref)] = function

        add("Alerts firing", "A", lambda t: {(): 0.0})
        add(
            "Saturation",
            "A",
            lambda t: group(
                ((dict(k), v) for k, v in self.ratios(COMPONENTS, t).items()), ["component"], max
            ),
        )

        def gauge(name):
            return lambda t: group(samples.last(name, t), MODEL)

        add("Calls in flight", "A", gauge("model_inferences_in_flight"))
        add("Calls in flight", "B", lambda t: group(self.saturation.peaks(self.recorded(t)), MODEL))
        add("Calls waiting", "A", gauge("model_inferences_queue_depth"))
        add("Calls waiting", "B", gauge("model_inferences_backing_off"))
        for title, name in (
            ("Wait for a turn", "model_inference_queue_wait_seconds_bucket"),
            ("Duration of attempts", "inference_request_duration_seconds_bucket"),
        ):
            for ref, q in (("A", 0.5), ("B", 0.95), ("C", 0.99)):
                add(title, ref, lambda t, q=q, name=name: quantile(q, samples.rate(name, t), []))
        add(
            "Refusals per minute, by reason",
            "A",
            self.per_minute("model_inference_refusals_total", ["reason"]),
        )
        add(
            "Errors per minute, by type",
            "A",
            self.per_minute("model_inferences_total", ["error_type"], error="yes"),
        )
        add("Tokens per minute", "A", self.per_minute("inference_input_tokens_total", MODEL))
        add("Tokens per minute", "B", self.per_minute("inference_output_tokens_total", MODEL))
        hourly = self.per_minute("inference_cost_usd_total", MODEL)
        add("Cost per hour", "A", lambda t: {k: 60 * v for k, v in hourly(t).items()})
        add(
            "Limits that are out of date",
            "A",
            lambda t: {
                k: v
                for k, v in group(
                    samples.last("model_limits_out_of_date", t), [*MODEL, "reason"], max
                ).items()
                if v > 0
            },
        )
        add(
            "Failed reloads",
            "A",
            lambda t: {(): sum(v == 0 for _, v in samples.last("weir_config_reload_success", t))},
        )

    def point(self, board, components):
        samples = self.samples

        def add(title, ref, function):
            self.expected[(board, title, ref)] = function

        add("Use of the limit", "A", lambda t: self.ratios(components, t))
        trend = "In one hour, at the trend of the last hour"
        add(trend, "A", lambda t: self.predicted(components, t))
        for title in ("Use of the limit", trend):
            for ref, name in (("B", "soft"), ("C", "hard")):
                add(title, ref, lambda t, name=name: {(): threshold(components[0], name)})

        def fullest(time):
            ratios = self.ratios(components, time)
            return {(): max(ratios.values())} if ratios else {}

        add("Fullest now", "A", fullest)
        wanted = {"model_engine": "vertex"} if "vertex" in board else {}
        add(
            "Refusals per minute",
            "A",
            self.per_minute("model_inference_refusals_total", [*MODEL, "reason"], **wanted),
        )
        waits = "model_inference_queue_wait_seconds_bucket"
        add(
            "Wait for a turn, 95th percentile",
            "A",
            lambda t: quantile(0.95, samples.rate(waits, t, **wanted), MODEL),
        )
        if "concurrent" in components[0]:
            by_engine = "per_engine" in components[0]
            name = f"model_{'engine_' if by_engine else ''}inferences_at_limit_seconds_total"
            add(
                "Time at the limit",
                "A",
                lambda t: group(samples.rate(name, t), ENGINE if by_engine else MODEL, max),
            )


def firing(panels, components, name, wait, times):
    """When an alert about saturation fires: {labels: [first, last]} of the first time."""
    since, result = {}, {}
    for time in times:
        above = {
            key
            for component in components
            for key, value in panels.ratios([component], time).items()
            if value > threshold(component, name)
        }
        since = {key: since.get(key, time) for key in above}
        for key, first in since.items():
            if time - first >= wait:
                result.setdefault(key, [time, time])[1] = time
    return result
