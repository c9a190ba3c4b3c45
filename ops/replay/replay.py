#!/usr/bin/env python3
"""Replay two hours of metrics in a real Prometheus and check each query of each dashboard.

    ops/replay/replay.py                  a built-in model that crosses soft and hard thresholds
    ops/replay/replay.py --samples FILE   samples in OpenMetrics' format, with timestamps
    ops/replay/replay.py --write FILE     write the samples of the model and exit
    ops/replay/replay.py --live PORT      scrape a running Weir for 20 s instead (--metrics-port)

Samples and recording rules are back-filled into a temporary directory. A Prometheus on a free port
of 127.0.0.1 answers the queries. The expected values come from the same samples, computed in
Python. It ends within 5 minutes, with exit code 1 if a value differs.

--live checks that each scrape succeeds and lists the queries that return nothing and the metrics
that are not exposed; quotas and Vertex AI are seen only if they are in use.

Needs promtool and prometheus (Debian and Ubuntu: apt-get install prometheus) and Python 3.9.
"""

import argparse
import json
import math
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
OPS = HERE.parent
sys.path[:0] = [str(HERE), str(OPS / "tests")]
sys.dont_write_bytecode = True

import expected  # noqa: E402
import model  # noqa: E402
import promql  # noqa: E402

DEADLINE_SECONDS = 300
STEP = 600  # between the instants that are compared
TOLERANCE = 1e-6


class Failure(Exception):
    pass


class Clock:
    def __init__(self, seconds):
        self.end = time.monotonic() + seconds

    def left(self):
        left = self.end - time.monotonic()
        if left <= 0:
            raise Failure(f"not finished after {DEADLINE_SECONDS} s")
        return left


# Samples -----------------------------------------------------------------------------------------

LINE = re.compile(r"([A-Za-z_:][\w:]*)(?:\{(.*)\})? (\S+) (\S+)")
LABEL = re.compile(r'(\w+)="((?:\\.|[^"\\])*)"')


def write_samples(path):
    rows = {}
    for at, name, labels, value in model.scrapes():
        text = ",".join(f'{key}="{val}"' for key, val in sorted(labels.items()))
        rows.setdefault(name, []).append(f"{name}{{{text}}} {value!r} {at}")
    with open(path, "w", encoding="utf-8") as out:
        for name in sorted(rows):
            out.write("\n".join(rows[name]) + "\n")
        out.write("# EOF\n")


def read_samples(path):
    samples = expected.Samples()
    count = 0
    unescape = {"\\n": "\n", '\\"': '"', "\\\\": "\\"}
    entries = []
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if line.startswith("#") or not line.strip():
                continue
            match = LINE.match(line)
            if not match:
                raise Failure(f"{path}:{number}: not a sample with a timestamp")
            labels = {
                key: re.sub(r"\\.", lambda m: unescape.get(m[0], m[0]), value)
                for key, value in LABEL.findall(match[2] or "")
            }
            entries.append((float(match[4]), match[1], labels, float(match[3])))
            count += 1
    for at, name, labels, value in sorted(entries, key=lambda entry: entry[0]):
        samples.add(at, name, labels, value)
    if not count:
        raise Failure(f"{path}: no samples")
    return samples, count


# Prometheus --------------------------------------------------------------------------------------


def run(clock, *command):
    done = subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        timeout=clock.left(),
        check=False,
    )
    if done.returncode:
        raise Failure(f"{command[0]} {command[1]} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


class Prometheus:
    """A Prometheus on a free port of 127.0.0.1, ended on leaving the block."""

    def __init__(self, clock, directory, data, config=None):
        self.clock = clock
        self.directory = directory
        self.data = data
        self.config = config or {"rule_files": [str(promql.RULES)]}
        self.process = None
        self.url = None

    def __enter__(self):
        config = self.directory / "prometheus.json"  # JSON is YAML
        config.write_text(json.dumps(self.config), encoding="utf-8")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self.log = open(self.directory / "prometheus.log", "ab")
        self.process = subprocess.Popen(
            [
                "prometheus",
                f"--config.file={config}",
                f"--storage.tsdb.path={self.data}",
                "--storage.tsdb.retention.time=100y",
                f"--web.listen-address=127.0.0.1:{port}",
            ],
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=self.log,
        )
        try:
            self.await_ready()
        except BaseException:
            self.__exit__()
            raise
        return self

    def await_ready(self):
        while True:
            self.clock.left()
            if self.process.poll() is not None:
                log = (self.directory / "prometheus.log").read_text(errors="replace")
                raise Failure(f"prometheus ended with {self.process.returncode}:\n{log[-2000:]}")
            try:
                with urllib.request.urlopen(self.url + "/-/ready", timeout=2):
                    return
            except (urllib.error.URLError, OSError):
                time.sleep(0.1)

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(timeout=15)
        self.log.close()

    def get(self, path, **parameters):
        address = f"{self.url}{path}?{urllib.parse.urlencode(parameters)}"
        try:
            with urllib.request.urlopen(address, timeout=min(30, self.clock.left())) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as failed:
            raise Failure(f"{parameters}: {failed.read().decode(errors='replace')}") from failed

    def points(self, query, start, end, step):
        """{time: {labels: value}} of a query."""
        data = self.get("/api/v1/query_range", query=query, start=start, end=end, step=step)
        result = {}
        for series in data["result"]:
            key = tuple(sorted((k, v) for k, v in series["metric"].items() if k != "__name__"))
            for at, value in series["values"]:
                result.setdefault(int(at), {})[key] = float(value)
        return result


def rules_of(prometheus):
    return [rule for group in prometheus.get("/api/v1/rules")["groups"] for rule in group["rules"]]


def levels(recording):
    """Rules in groups of which each needs only earlier ones: promtool does not chain them."""
    known = []
    for rule in recording:
        names = promql.metric_names(rule["query"])
        level = max((at + 1 for at, other in known if other["name"] in names), default=0)
        known.append((level, rule))
    highest = max(at for at, _ in known)
    return [[rule for at, rule in known if at == level] for level in range(highest + 1)]


def write_rules(path, rules, interval):
    entries = [
        {"record": rule["name"], "expr": rule["query"], "labels": rule.get("labels", {})}
        for rule in rules
    ]
    group = {"name": "weir-saturation", "interval": interval, "rules": entries}
    path.write_text(json.dumps({"groups": [group]}), encoding="utf-8")


def backfill_rules(clock, directory, data, start, end):
    with Prometheus(clock, directory, data) as prometheus:
        recording = [rule for rule in rules_of(prometheus) if rule["type"] == "recording"]
    # Name and path of a group decide at which second of a minute it is evaluated. Prometheus
    # evaluates all rules of the group at the same time, and so must this.
    path = directory / "weir-saturation.rules.json"
    for rules in levels(recording):
        write_rules(path, rules, "1m")
        with Prometheus(clock, directory, data) as prometheus:
            run(
                clock,
                *("promtool", "tsdb", "create-blocks-from", "rules", "--url", prometheus.url),
                *("--start", start, "--end", end, "--eval-interval", "60s"),
                *("--output-dir", data, path),
            )
    return len(recording)


def evaluation_offset(prometheus, end):
    """The second of each minute at which recording rules were evaluated."""
    query = 'max(timestamp(slo:max:hard:gitlab_component_saturation:ratio))'
    return prometheus.points(query, end, end, 60)[end][()] % 60


# Comparison --------------------------------------------------------------------------------------


def dashboards():
    for path in sorted((OPS / "grafana").glob("*.json")):
        board = json.loads(path.read_text(encoding="utf-8"))
        for panel in board["panels"]:
            for target in panel.get("targets", []):
                query = everything(board, target["expr"])
                yield board["uid"], panel["title"], target["refId"], query


def everything(board, query):
    """Puts what "All" means in the place of each variable."""
    for variable in board["templating"]["list"]:
        if "allValue" in variable:
            query = query.replace(f"${variable['name']}", variable["allValue"])
    return query


def difference(wanted, found):
    """The largest difference of values; infinite if the labels differ."""
    if wanted.keys() != found.keys():
        return math.inf
    worst = 0.0
    for key, value in wanted.items():
        if math.isnan(value) and math.isnan(found[key]):
            continue
        off = abs(value - found[key]) / max(1.0, abs(value))
        worst = max(worst, math.inf if math.isnan(off) else off)
    return worst


def compare(prometheus, samples, start, end):
    panels = expected.Panels(samples, start, evaluation_offset(prometheus, end))
    instants = range(start + STEP, end + 1, STEP)
    bad = []
    seen = set()
    print(f"{'dashboard':38} {'panel':44} {'query':5} {'values':>6} {'largest difference':>18}")
    for uid, title, ref, query in dashboards():
        seen.add((uid, title, ref))
        if (uid, title, ref) not in panels.expected:
            bad.append(f"{uid}, {title}, {ref}: no expected values")
            continue
        found = prometheus.points(query, start + STEP, end, STEP)
        worst = 0.0
        values = 0
        for at in instants:
            wanted = panels.expected[(uid, title, ref)](at)
            off = difference(wanted, found.get(at, {}))
            values += len(wanted)
            worst = max(worst, off)
            if off > TOLERANCE:
                bad.append(
                    f"{uid}, {title}, {ref}, minute {(at - start) // 60}: "
                    f"expected {wanted}, found {found.get(at, {})}"
                )
        print(f"{uid:38} {title:44} {ref:5} {values:6} {worst:18.2g}")
    bad += [f"{entry}: no such query" for entry in panels.expected if entry not in seen]
    return bad, panels


def compare_alias(prometheus, start, end):
    """Both names of the saturation of engines have the same values."""
    name = 'gitlab_component_saturation:ratio{component="%s"}'
    first, second = (
        prometheus.points(f"sum by (model_engine) ({name % component})", start, end, 60)
        for component in ("max_concurrent_inferences_per_engine", expected.ALIAS)
    )
    return [] if first == second else ["the two names of an engine's saturation differ"]


def compare_alerts(prometheus, panels, start, end):
    """When alerts about saturation would fire, from their expressions and durations."""
    bad = []
    times = range(start, end + 1, 60)
    print("\nAlerts that would fire, in minutes since the start:")
    for rule in rules_of(prometheus):
        if rule["type"] != "alerting":
            continue
        found = prometheus.points(rule["query"], start, end, 60)
        since, fired = {}, {}
        for at in times:
            since = {key: since.get(key, at) for key in found.get(at, {})}
            for key, first in since.items():
                if at - first >= rule["duration"]:
                    fired.setdefault(key, [at, at])[1] = at
        for key, (first, last) in sorted(fired.items()):
            labels = " ".join(value for name, value in key if name != "job")
            minutes = f"{(first - start) // 60} to {(last - start) // 60}"
            print(f"  {rule['name']} {rule['labels']['severity']}: {labels}: {minutes}")
        if "threshold" in rule["labels"]:
            concurrency = rule["labels"]["limit"] == "concurrency"
            components = [c for c in expected.COMPONENTS if ("concurrent" in c) == concurrency]
            wanted = expected.firing(
                panels, components, rule["labels"]["threshold"], rule["duration"], times
            )
            if wanted != fired:
                bad.append(f"{rule['name']} {rule['labels']}: expected {wanted}, found {fired}")
    return bad


def compare_truth(prometheus, panels, start, end):
    """Saturation of calls in flight against the model's trace of every second."""
    found = prometheus.points(
        'gitlab_component_saturation:ratio{component=~"max_.+"}', start, end, 60
    )
    bad = []
    for at in range(start + STEP, end + 1, STEP):
        minute = (at - start) // 60
        if minute >= 112:  # then a limit changes
            continue
        wanted = model.true_saturation(panels.recorded(at) - start)
        values = {
            (dict(key)["model_engine"], dict(key).get("model_name")): value
            for key, value in found[at].items()
        }
        if difference(wanted, values) > TOLERANCE:
            bad.append(f"trace, minute {minute}: expected {wanted}, found {values}")
    return bad


def show_saturation(prometheus, start, end):
    found = prometheus.points(
        'max by (component) (gitlab_component_saturation:ratio)', start + STEP, end, STEP
    )
    print("\nFullest limit of each saturation point, in percent:")
    print(f"{'minute':42}" + "".join(f"{(at - start) // 60:6}" for at in sorted(found)))
    for component in [*expected.COMPONENTS, expected.ALIAS]:
        values = (found[at].get((("component", component),)) for at in sorted(found))
        cells = ("     –" if value is None else f"{100 * value:6.1f}" for value in values)
        print(f"{component:42}" + "".join(cells))


def replay(clock, directory, given):
    path = given
    if path is None:
        path = directory / "samples.om"
        write_samples(path)
    samples, count = read_samples(path)
    start = int(min(samples.times())) // 60 * 60
    end = -(-int(max(samples.times())) // 60) * 60
    data = directory / "data"
    run(clock, "promtool", "tsdb", "create-blocks-from", "openmetrics", path, data)
    rules = backfill_rules(clock, directory, data, start, end)
    minutes = (end - start) // 60
    print(f"{count} samples of {minutes} minutes and {rules} recording rules back-filled\n")
    with Prometheus(clock, directory, data) as prometheus:
        bad, panels = compare(prometheus, samples, start, end)
        bad += compare_alias(prometheus, start, end)
        show_saturation(prometheus, start, end)
        bad += compare_alerts(prometheus, panels, start, end)
        if given is None:
            bad += compare_truth(prometheus, panels, start, end)
    return bad


LIVE_SECONDS = 20


def live(clock, directory, port):
    """Scrapes a running Weir every second, with the rules evaluated as often."""
    data = directory / "data"
    with Prometheus(clock, directory, data) as prometheus:
        recording = [rule for rule in rules_of(prometheus) if rule["type"] == "recording"]
    fast = directory / "fast.rules.json"
    write_rules(fast, recording, "1s")
    config = {
        "global": {"scrape_interval": "1s", "scrape_timeout": "1s"},
        "rule_files": [str(fast)],
        "scrape_configs": [
            {"job_name": "weir", "static_configs": [{"targets": [f"127.0.0.1:{port}"]}]}
        ],
    }
    with Prometheus(clock, directory, data, config) as prometheus:
        time.sleep(min(LIVE_SECONDS, clock.left()))
        now = int(time.time()) - 1

        def instant(query):
            return prometheus.points(query, now, now, 1).get(now, {})

        scrapes = sum(instant(f"count_over_time(up[{LIVE_SECONDS}s])").values())
        succeeded = sum(instant(f"sum_over_time(up[{LIVE_SECONDS}s])").values())
        print(f"{succeeded:.0f} of {scrapes:.0f} scrapes succeeded")
        asked = [(f"rule {rule['name']}", rule["query"]) for rule in recording]
        for uid, title, ref, query in dashboards():
            asked.append((f"{uid}, {title}, {ref}", query))
            found = instant(query)
            print(f"{uid:38} {title:44} {ref:5} {len(found):6} series")
        print("\nSaturation, in percent:")
        for key, value in sorted(instant("gitlab_component_saturation:ratio").items()):
            print(f"  {' '.join(text for _, text in key)}: {100 * value:.1f}")
        exposed = set(prometheus.get("/api/v1/label/__name__/values"))
        wanted = {name for _, query in asked for name in promql.metric_names(query)} - {"ALERTS"}
        print("\nUsed, but not there: " + (", ".join(sorted(wanted - exposed)) or "none"))
    bad = []
    if not scrapes or succeeded < scrapes:
        bad.append("a scrape failed")
    if "model_inferences_in_flight" not in exposed:
        bad.append("model_inferences_in_flight is not exposed")
    return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--samples", type=pathlib.Path, help="replay this file, not the model")
    parser.add_argument("--write", type=pathlib.Path, help="write the model's samples and exit")
    parser.add_argument("--live", type=int, metavar="PORT", help="scrape a running Weir instead")
    options = parser.parse_args()
    if options.write:
        write_samples(options.write)
        return 0
    for program in ("promtool", "prometheus"):
        if not shutil.which(program):
            print(
                f"{program} was not found; install Prometheus 2.42 or newer "
                "(Debian and Ubuntu: apt-get install prometheus)",
                file=sys.stderr,
            )
            return 2
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="weir-replay-") as directory:
        clock = Clock(DEADLINE_SECONDS)
        try:
            if options.live is None:
                bad = replay(clock, pathlib.Path(directory), options.samples)
            else:
                bad = live(clock, pathlib.Path(directory), options.live)
        except (Failure, subprocess.TimeoutExpired) as failed:
            print(f"replay: {failed}", file=sys.stderr)
            return 1
    for entry in bad[:20]:
        print(f"\nFAILED: {entry}", file=sys.stderr)
    took = time.monotonic() - began
    print(f"\n{f'{len(bad)} checks failed' if bad else 'All checks passed'}, {took:.0f} s")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
