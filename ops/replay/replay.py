#!/usr/bin/env python3
"""Check rules and dashboards with a real run in a real Prometheus.

    ops/replay/replay.py DIRECTORY    replay a recorded run of two hours
    ops/replay/replay.py --live PORT --expect COMPONENT=RATIO
                                      scrape a running Weir (--metrics-port)

OperationsTest makes the recording and starts both: mvn verify -Pinstalled -pl cli -am
-Dtest=OperationsTest -Dsurefire.failIfNoSpecifiedTests=false. A recording holds what /metrics said
at each scrape, and what the simulated provider and its callers recorded themselves.

The replay back-fills scrapes and recording rules into a temporary directory and starts a Prometheus
on a free port of 127.0.0.1. It checks, and exits with 1 if something differs:

- every sample of /metrics, and every query of every dashboard, against what follows from the
  record of the provider and its callers, computed in Python;
- that every metric and label in rules and dashboards is exposed by the run, and that
  docs/metrics.md has exactly the metrics that are;
- that alerts about saturation would fire when they should;
- that a scrape every 60 s and one every second record the same saturation.

Needs promtool and prometheus (Debian and Ubuntu: apt-get install prometheus) and Python 3.9.
"""

import argparse
import itertools
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
import truth  # noqa: E402
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


def line_of(name, labels, value, at):
    text = ",".join(f'{key}="{val}"' for key, val in sorted(labels.items()))
    return f"{name}{{{text}}} {value!r} {at}\n"


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


def run(clock, *command, directory=None):
    done = subprocess.run(
        [str(part) for part in command],
        cwd=directory,
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


def backfill_rules(clock, directory, data, stretches):
    """Evaluates recording rules for the past: (first, last, interval in seconds) of each stretch."""
    with Prometheus(clock, directory, data) as prometheus:
        recording = [rule for rule in rules_of(prometheus) if rule["type"] == "recording"]
    # Name and path of a group decide at which moment of its interval it is evaluated. Prometheus
    # evaluates all rules of the group at the same time, and so must this. The path is relative, so
    # that the moment is the same in each replay: promtool evaluates nothing in the last second of a
    # block.
    path = pathlib.Path("weir-saturation.rules.json")
    for rules in levels(recording):
        with Prometheus(clock, directory, data) as prometheus:
            for start, end, interval in stretches:
                write_rules(directory / path, rules, f"{interval}s")
                run(
                    clock,
                    *("promtool", "tsdb", "create-blocks-from", "rules", "--url", prometheus.url),
                    *("--start", start, "--end", end, "--eval-interval", f"{interval}s"),
                    *("--output-dir", data, path),
                    directory=directory,
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
    if wanted.keys() != found.keys() or None in wanted.values() or None in found.values():
        return math.inf
    worst = 0.0
    for key, value in wanted.items():
        if math.isnan(value) and math.isnan(found[key]):
            continue
        off = abs(value - found[key]) / max(1.0, abs(value))
        worst = max(worst, math.inf if math.isnan(off) else off)
    return worst


def compare(prometheus, samples, start, end):
    offset = evaluation_offset(prometheus, end)
    print(f"Recording rules are evaluated {offset:.1f} s after each full minute\n")
    panels = expected.Panels(samples, start, offset)
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
        wrong = []
        for at in instants:
            wanted = panels.expected[(uid, title, ref)](at)
            off = difference(wanted, found.get(at, {}))
            values += len(wanted)
            worst = max(worst, off)
            if off > TOLERANCE:
                wrong.append((at, wanted, found.get(at, {})))
        if wrong:
            at, wanted, got = wrong[0]
            bad.append(
                f"{uid}, {title}, {ref}: wrong {len(wrong)} times, first in minute "
                f"{(at - start) // 60}: expected {wanted}, found {got}"
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


def compare_samples(wanted, found):
    """What /metrics said, sample by sample."""
    bad = []
    count = 0
    for name in sorted((wanted.series.keys() | found.series.keys()) - truth.NOT_COMPUTED):
        first, second = wanted.series.get(name, {}), found.series.get(name, {})
        for key in first.keys() | second.keys():
            should = dict(zip(*first.get(key, ([], []))))
            did = dict(zip(*second.get(key, ([], []))))
            count += len(should)
            wrong = difference(should, did)
            if wrong > TOLERANCE:
                at = min(
                    at
                    for at in should.keys() | did.keys()
                    if difference({0: should.get(at)}, {0: did.get(at)}) > TOLERANCE
                )
                bad.append(f"{name}{dict(key)} at {at}: {should.get(at)} by the record, {did.get(at)}")
    print(f"{count} samples of /metrics compared with the record of the provider and its callers")
    return bad


def compare_names(prometheus, found, end):
    """Names and labels in rules and dashboards, and names in docs/metrics.md."""
    exposed = set(found.series)
    page = (OPS.parent / "docs" / "metrics.md").read_text(encoding="utf-8")
    # A histogram is documented by its name, and exposed as its series.
    documented = promql.documented_names(page)
    documented -= {name for name in documented if name + "_bucket" in documented}
    bad = [f"{n} is documented and not exposed" for n in sorted(documented - exposed)]
    bad += [f"{n} is exposed and not documented" for n in sorted(exposed - documented)]
    recorded = {rule["name"] for rule in rules_of(prometheus) if rule["type"] == "recording"}
    asked = [(rule["name"], rule["query"]) for rule in rules_of(prometheus)]
    asked += [(f"{uid}, {title}, {ref}", query) for uid, title, ref, query in dashboards()]
    asked += list(annotations())
    labels = {"ALERTS": {"alertname", "alertstate"}}
    for name in exposed | recorded:
        series = prometheus.get("/api/v1/series", **{"match[]": name, "start": end - 7200, "end": end})
        labels[name] = {label for one in series for label in one}
    checked = 0
    for place, query in asked:
        names = {
            name for name in promql.metric_names(query) if not name.startswith(truth.STACKDRIVER[:25])
        }
        for name in sorted(names - labels.keys()):
            bad.append(f"{place}: {name} is not exposed")
        for name, wanted in promql.matched_labels(query):
            checked += 1
            if name in labels and not wanted <= labels[name]:
                bad.append(f"{place}: {name} has no labels {sorted(wanted - labels[name])}")
        known = set().union(*(labels.get(name, set()) for name in names), promql.made_labels(query))
        if names and not promql.name_patterns(query) and "stackdriver" not in query:
            for label in sorted(promql.grouping_labels(query) - known):
                bad.append(f"{place}: no metric in it has the label {label}")
    print(f"{len(exposed)} names are exposed; {checked} selectors in {len(asked)} queries have labels")
    return bad


SCRAPES = (("every_second", 2), ("every_minute", 4))  # and the days that they are in
DAY = 86_400
FROM, UNTIL = 1_620, 2_820  # as in Recorder.Scrapes


def compare_scrapes(prometheus, start):
    """Saturation by a scrape every second and by one every 60 s."""
    names = (
        'gitlab_component_saturation:ratio{component=~"(max_concurrent|engine_quota).*"}',
        "timestamp(slo:max:hard:gitlab_component_saturation:ratio)",
    )
    found = []
    for _, day in SCRAPES:
        begin = start + day * DAY
        query = (prometheus.points(n, begin + FROM, begin + UNTIL, 1) for n in names)
        values, moments = query
        found.append({at - begin: of for at, of in values.items()})
        moment = next(iter(moments.values())).popitem()[1] % 1
    often, seldom = found
    # The first second whose evaluation has the scrape of that minute: both scrape 7.25 s after it.
    phase = 8 if moment >= 0.25 else 9
    bad, wrong = [], []
    compared, worst, at_once, highest = 0, 0.0, 0, {}
    for at in range(FROM + 60 + phase, UNTIL):
        scraped = at - (at - phase) % 60
        off = difference(often.get(scraped, {}), seldom.get(at, {}))
        worst = max(worst, off)
        compared += len(seldom.get(at, {}))
        at_once += often.get(at) == seldom.get(at)
        for key, value in often.get(at, {}).items():
            highest[key] = max(value, highest.get(key, 0))
        if off > TOLERANCE:
            wrong.append(f"{often.get(scraped)} every second, {seldom.get(at)} every 60 s")
    if wrong:
        bad.append(f"scrapes differ in {len(wrong)} seconds, first: {wrong[0]}")
    components = {dict(key)["component"] for key in highest}
    for name in ("max_concurrent_inferences", "max_concurrent_inferences_per_engine"):
        if not any(v > 0.8 for k, v in highest.items() if dict(k)["component"] == name):
            bad.append(f"{name} does not cross its threshold in the stretch that is scraped twice")
    if not any(v > 0.9 for k, v in highest.items() if "quota" in dict(k)["component"]):
        bad.append("no quota crosses its threshold in the stretch that is scraped twice")
    print(
        f"\nScrapes every 1 s and every 60 s: {compared} values of {len(components)} saturation "
        f"points, largest difference {worst:.2g}; the same at once in "
        f"{100 * at_once / (UNTIL - FROM - 60 - phase):.0f} % of all seconds, else up to 60 s later"
    )
    return bad if compared else ["nothing was recorded of the two scrapes"]


def annotations():
    for path in sorted((OPS / "grafana").glob("*.json")):
        board = json.loads(path.read_text(encoding="utf-8"))
        for note in board["annotations"]["list"]:
            yield f"{board['uid']}, annotation {note['name']}", everything(board, note["expr"])


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


def replay(clock, directory, recording):
    data = directory / "data"
    recorded = truth.Run(recording)
    samples = recorded.samples()
    found, count = read_samples(recording / "main.om")
    bad = compare_samples(samples, found)
    # stackdriver_exporter is no part of Weir: its series follow from what the provider recorded.
    main = directory / "main.om"
    with open(recording / "main.om", encoding="utf-8") as source, open(main, "w") as target:
        for line in source:
            if line != "# EOF\n":
                target.write(line)
        for name, entries in itertools.groupby(
            sorted(recorded.stackdriver(), key=lambda entry: entry[1]), key=lambda entry: entry[1]
        ):
            for at, _, labels, value in entries:
                labels = {"job": "stackdriver", **labels}
                samples.add(at, name, labels, value)
                target.write(line_of(name, labels, value, at))
        target.write("# EOF\n")
    for path in (main, *(recording / f"{name}.om" for name, _ in SCRAPES)):
        run(clock, "promtool", "tsdb", "create-blocks-from", "openmetrics", path, data)
    start, end = recorded.start, recorded.start + recorded.seconds
    again = [(start + d * DAY + FROM, start + d * DAY + UNTIL, 1) for _, d in SCRAPES]
    rules = backfill_rules(clock, directory, data, [(start, end, 60), *again])
    minutes = (end - start) // 60
    print(f"{count} samples of {minutes} minutes and {rules} recording rules back-filled\n")
    with Prometheus(clock, directory, data) as prometheus:
        worse, panels = compare(prometheus, samples, start, end)
        bad += worse
        bad += compare_alias(prometheus, start, end)
        bad += compare_names(prometheus, found, end)
        show_saturation(prometheus, start, end)
        bad += compare_alerts(prometheus, panels, start, end)
        bad += compare_scrapes(prometheus, start)
    return bad


LIVE_SECONDS = 60
LIVE_SCRAPES = 5


def live(clock, directory, port, expectation):
    """Scrapes a running Weir every 2 s until a saturation point is as expected."""
    component, ratio = expectation.split("=")
    data = directory / "data"
    with Prometheus(clock, directory, data) as prometheus:
        recording = [rule for rule in rules_of(prometheus) if rule["type"] == "recording"]
    fast = directory / "fast.rules.json"
    write_rules(fast, recording, "1s")
    config = {
        "global": {"scrape_interval": "2s", "scrape_timeout": "2s"},
        "rule_files": [str(fast)],
        "scrape_configs": [
            {"job_name": "weir", "static_configs": [{"targets": [f"127.0.0.1:{port}"]}]}
        ],
    }
    with Prometheus(clock, directory, data, config) as prometheus:

        def instant(query):
            found = prometheus.get("/api/v1/query", query=query)["result"]
            return [float(of["value"][1]) for of in found]

        point = f'gitlab_component_saturation:ratio{{component="{component}"}}'
        until = time.monotonic() + LIVE_SECONDS
        while True:
            scrapes = sum(instant(f"sum_over_time(up[{LIVE_SECONDS}s])"))
            values = instant(point)
            as_expected = bool(values) and all(abs(v - float(ratio)) < TOLERANCE for v in values)
            if (scrapes >= LIVE_SCRAPES and as_expected) or time.monotonic() > until:
                break
            time.sleep(0.5)
        is_up = instant("up")
        names = set(prometheus.get("/api/v1/label/__name__/values"))
    print(f"{scrapes:.0f} scrapes succeeded, up is {is_up}, {component} is {values}")
    bad = []
    if scrapes < LIVE_SCRAPES or is_up != [1.0]:
        bad.append("the target is not up")
    if not as_expected:
        bad.append(f"{component} is {values}, expected {ratio}")
    wanted = {name for rule in recording for name in promql.metric_names(rule["query"])}
    wanted = {n for n in wanted if n.startswith("model_engine_inferences") or "in_flight" in n}
    bad += [f"{name} is not there" for name in sorted(wanted - names)]
    return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("recording", type=pathlib.Path, nargs="?", help="a recorded run")
    parser.add_argument("--live", type=int, metavar="PORT", help="scrape a running Weir instead")
    parser.add_argument(
        "--expect",
        default="max_concurrent_inferences=1",
        metavar="COMPONENT=RATIO",
        help="its saturation (default: %(default)s)",
    )
    options = parser.parse_args()
    if (options.recording is None) == (options.live is None):
        parser.error("give either a recording or --live")
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
                bad = replay(clock, pathlib.Path(directory), options.recording)
            else:
                bad = live(clock, pathlib.Path(directory), options.live, options.expect)
        except (Failure, subprocess.TimeoutExpired) as failed:
            print(f"replay: {failed}", file=sys.stderr)
            return 1
    for entry in bad[:20]:
        print(f"\nFAILED: {entry[:1000]}", file=sys.stderr)
    took = time.monotonic() - began
    print(f"\n{f'{len(bad)} checks failed' if bad else 'All checks passed'}, {took:.0f} s")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
