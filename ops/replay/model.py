"""A small deterministic model of two processes that call four engines for two hours.

Use rises from 40 % of all limits to 95 %, stays there for half an hour and falls to 30 %. Bursts of
a few seconds fall between scrapes. One process restarts. A quota and a limit change.
"""

import math

START = 1_767_225_600  # 2026-01-01T00:00:00Z, where a block of Prometheus begins
SECONDS = 7200
SCRAPE_OFFSET = 7  # so that no scrape is on the border of a window
SCRAPE_INTERVAL = 15
PEAK_WINDOW = 600
RESTART = 80 * 60  # of the second process
PROCESSES = ("a:9464", "b:9464")

DURATION_BUCKETS = {"0.5": 0, "1": 0.05, "2.5": 0.3, "5": 0.6, "10": 0.9, "30": 1, "+Inf": 1}
QUIET_BUCKETS = {"0.01": 1, "1": 1, "5": 1, "10": 1, "+Inf": 1}
BUSY_BUCKETS = {"0.01": 0.1, "1": 0.5, "5": 0.9, "10": 1, "+Inf": 1}

STACKDRIVER = (
    "stackdriver_aiplatform_googleapis_com_location_aiplatform_googleapis_com_quota_"
    "online_prediction_"
)


class Model:
    def __init__(self, engine, name, most, limit=None, rates=(), price=0.01):
        self.engine = engine
        self.name = name
        self.most = most  # calls in flight when everything is full
        self.limit = limit  # configured calls in flight
        self.rates = rates  # (resource, source, per minute)
        self.price = price

    @property
    def labels(self):
        return {"model_engine": self.engine, "model_name": self.name}


LATENCY = 5  # seconds
INPUT = 100  # tokens of a call
OUTPUT = 50
ENGINE_LIMIT = 30  # of anthropic

MODELS = [
    Model("anthropic", "claude-large", 20, limit=20),
    Model("anthropic", "claude-small", 10, limit=10),
    Model(
        "openai",
        "gpt",
        50,
        rates=(
            ("requests", "advertised", 600),
            ("tokens", "advertised", 200_000),
            ("input_tokens", "configured", 80_000),
            ("output_tokens", "configured", 40_000),
        ),
    ),
    Model(
        "vertex",
        "gemini-flash",
        25,
        rates=(("requests", "configured", 300), ("output_tokens", "configured", 15_500)),
    ),
    Model("vertex", "gemini-pro", 25, rates=(("requests", "configured", 1_000),)),
]


def level(second):
    """How full all limits are, without bursts."""
    points = [(0, 0.4), (20, 0.4), (45, 0.7), (70, 0.95), (100, 0.95), (110, 0.3), (120, 0.3)]
    minute = second / 60
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        if minute <= x1:
            return y0 + (y1 - y0) * (minute - x0) / (x1 - x0)
    return points[-1][1]


def is_burst(second):
    """Every 7 minutes, from 2 s after a scrape for 4 s: no scrape sees it."""
    return 9 <= second % 420 < 13


def in_flight(model, second, process):
    share = level(second) + (0.04 if is_burst(second) else 0)
    calls = round(share * model.most)
    return (calls + 1) // 2 if process == 0 else calls // 2


class Counters:
    """The counters of one process since its start."""

    def __init__(self):
        self.values = {}

    def add(self, name, labels, amount):
        key = (name, tuple(sorted(labels.items())))
        self.values[key] = self.values.get(key, 0.0) + amount


def scrapes():
    """Yields (time, name, labels, value) in the order of time."""
    counters = [Counters(), Counters()]
    history = [{}, {}]  # model and engine -> calls in flight of each second since the start
    for second in range(SECONDS):
        for process in range(len(PROCESSES)):
            if process == 1 and second == RESTART:
                counters[1] = Counters()
                history[1] = {}
            advance(counters[process], history[process], process, second)
        if (second - SCRAPE_OFFSET) % SCRAPE_INTERVAL == 0:
            for process in range(len(PROCESSES)):
                # The scrape after the restart fails.
                if process == 1 and RESTART <= second < RESTART + SCRAPE_INTERVAL:
                    continue
                target = {"job": "weir", "instance": PROCESSES[process]}
                metrics = exposed(counters[process], history[process], second, process)
                for name, labels, value in metrics:
                    yield START + second, name, {**target, **labels}, value
            for name, labels, value in stackdriver(second):
                yield START + second, name, {"job": "stackdriver", **labels}, value


def advance(counters, history, process, second):
    """One second of a process."""
    engines = {}
    full = level(second)
    for model in MODELS:
        calls = in_flight(model, second, process)
        history.setdefault((model.engine, model.name), []).append(calls)
        engines[model.engine] = engines.get(model.engine, 0) + calls
        if model.limit and 2 * calls >= model.limit * 0.95:
            counters.add("model_inferences_at_limit_seconds_total", model.labels, 1)
        else:
            counters.add("model_inferences_at_limit_seconds_total", model.labels, 0)
        ended = calls / LATENCY
        refused = ended * 0.05 if full > 0.9 else 0.0
        attempt(counters, model, ended - refused, {"error": "no", "error_type": "none"})
        attempt(counters, model, refused, {"error": "yes", "error_type": "rate_limited"})
        counters.add(
            "model_inference_refusals_total", {**model.labels, "reason": "rate_limit"}, refused
        )
        buckets = BUSY_BUCKETS if full > 0.8 else QUIET_BUCKETS
        histogram(counters, "model_inference_queue_wait_seconds", model.labels, ended, buckets)
        answered = ended - refused
        counters.add("inference_cost_usd_total", model.labels, answered * model.price)
        counters.add("inference_input_tokens_total", model.labels, answered * INPUT)
        counters.add("inference_output_tokens_total", model.labels, answered * OUTPUT)
        counters.add("inference_total_tokens_total", model.labels, answered * (INPUT + OUTPUT))
        if second % 600 == 300:
            counters.add(
                "model_inferences_limit_changes_total",
                {**model.labels, "direction": "down", "reason": "rate_limit"},
                1,
            )
    for engine, calls in engines.items():
        history.setdefault((engine, None), []).append(calls)
        counters.add(
            "model_engine_inferences_at_limit_seconds_total",
            {"model_engine": engine},
            1 if engine == "anthropic" and 2 * calls >= ENGINE_LIMIT * 0.95 else 0,
        )


def attempt(counters, model, amount, result):
    labels = {**model.labels, **result}
    counters.add("model_inferences_total", labels, amount)
    histogram(counters, "inference_request_duration_seconds", labels, amount, DURATION_BUCKETS)


def histogram(counters, name, labels, amount, buckets):
    for bound, share in buckets.items():
        counters.add(name + "_bucket", {**labels, "le": bound}, amount * share)
    counters.add(name + "_count", labels, amount)
    counters.add(name + "_sum", labels, amount * LATENCY)


def exposed(counters, history, second, process):
    full = level(second)
    for model in MODELS:
        calls = history[(model.engine, model.name)]
        labels = model.labels
        yield "model_inferences_in_flight", labels, calls[-1]
        yield "model_inferences_in_flight_peak", labels, max(calls[-PEAK_WINDOW:])
        yield "model_inferences_queue_depth", labels, max(0, math.floor((full - 0.8) * 40))
        yield "model_inferences_backing_off", labels, 1 if full > 0.9 else 0
        if model.limit:
            # A limit that falls in the last minutes: the smallest one counts.
            lower = model.name == "claude-small" and second >= 112 * 60
            limit = model.limit / 2 if lower else model.limit
            yield "model_inferences_max_concurrent", labels, limit
        for resource, source, limit in model.rates:
            detail = {"resource": resource, "source": source}
            yield "model_rate_limit_per_minute", {**labels, **detail}, limit
            if source == "configured" and resource != "requests":
                yield f"model_max_{resource}", labels, limit
        unlimited = model.name == "gpt" and 20 * 60 <= second < 40 * 60
        yield "model_limits_out_of_date", {**labels, "reason": "no_limit"}, int(unlimited)
    for engine in sorted({model.engine for model in MODELS}):
        calls = history[(engine, None)]
        labels = {"model_engine": engine}
        yield "model_engine_inferences_in_flight", labels, calls[-1]
        yield "model_engine_inferences_in_flight_peak", labels, max(calls[-PEAK_WINDOW:])
        if engine == "anthropic":
            yield "model_engine_inferences_max_concurrent", labels, ENGINE_LIMIT
    broken = process == 1 and 30 * 60 <= second < 42 * 60
    yield "weir_config_reload_success", {}, 0 if broken else 1
    for (name, labels), value in counters.values.items():
        yield name, dict(labels), round(value, 3)


def stackdriver(second):
    """One base model, whose quota is doubled after 90 minutes."""
    full = level(second)
    at = {"base_model": "gemini-pro", "location": "us-central1"}
    requests = STACKDRIVER + "requests_per_base_model"
    tokens = STACKDRIVER + "input_tokens_per_minute_per_base_model"
    yield requests + "_usage", {**at, "method": "generate"}, round(full * 80)
    yield requests + "_usage", {**at, "method": "stream"}, round(full * 20)
    yield requests + "_limit", at, 100 if second < 90 * 60 else 200
    yield tokens + "_usage", {**at, "method": "generate"}, round(full * 9_000)
    yield tokens + "_limit", at, 10_000


def true_saturation(end):
    """Saturation points of calls in flight by the trace of every second, without any metric."""
    end = int(end)
    result = {}
    parts = [(model.engine, model.name, [model], model.limit) for model in MODELS if model.limit]
    parts.append(("anthropic", None, [m for m in MODELS if m.engine == "anthropic"], ENGINE_LIMIT))
    last = end - (end - SCRAPE_OFFSET) % SCRAPE_INTERVAL  # the scrape that the rules see
    for engine, name, models, limit in parts:
        peaks = 0
        for process in range(len(PROCESSES)):
            begin = last - PEAK_WINDOW + 1
            if process == 1 and last >= RESTART:
                begin = max(begin, RESTART)
            peaks += max(
                sum(in_flight(model, second, process) for model in models)
                for second in range(max(0, begin), last + 1)
            )
        result[(engine, name)] = min(1.0, peaks / limit)
    return result
