"""The dashboards: layout, links, units, texts and queries. Grafana is not needed."""

import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import promql

DASHBOARDS = promql.OPS / "grafana"
METRICS_PAGE = promql.OPS.parent / "docs" / "metrics.md"
POINTS = {
    "alerts-max_concurrent_inferences",
    "alerts-max_inferences_per_engine",
    "alerts-sat_gcp_quota_limit_vertex_ai",
    "alerts-sat_vertex_ai_input_tokens",
    "alerts-sat_vertex_ai_output_tokens",
    "alerts-engine_quota_limit",
}
LIMITS = re.compile(
    r"max_concurrent$|^model_max_|^model_rate_limit|^model_concurrency_limit"
    r"|quota_limit:min$|_per_base_model_limit$|adaptive_limit$"
)


def load():
    return {
        board["uid"]: board
        for board in (
            json.loads(path.read_text(encoding="utf-8")) for path in sorted(DASHBOARDS.glob("*.json"))
        )
    }


def substitute(query):
    """Puts values where Grafana would."""
    return re.sub(r"\$\{?\w+\}?", ".*", query)


def queries(board):
    """Pairs of a place and a query: panels and annotations."""
    for panel in board["panels"]:
        for target in panel.get("targets", []):
            yield f"{board['uid']}, {panel['title']}, {target['refId']}", target["expr"]
    for note in board["annotations"]["list"]:
        yield f"{board['uid']}, annotation {note['name']}", note["expr"]


class DashboardsTest(unittest.TestCase):
    def setUp(self):
        self.boards = load()
        self.panels = [panel for board in self.boards.values() for panel in board["panels"]]

    def test_each_saturation_point_has_its_dashboard(self):
        self.assertEqual(POINTS | {"weir-overview"}, set(self.boards))

    def test_ids_and_titles_are_unique(self):
        self.assertEqual(len(list(DASHBOARDS.glob("*.json"))), len(self.boards))
        self.assertEqual(len(self.boards), len({b["title"] for b in self.boards.values()}))
        for uid, board in self.boards.items():
            self.assertLessEqual(len(uid), 40)  # Grafana's limit
            for key in ("id", "title"):
                values = [panel[key] for panel in board["panels"]]
                self.assertEqual(len(values), len(set(values)), f"{uid}: {key}")
            for panel in board["panels"]:
                refs = [target["refId"] for target in panel.get("targets", [])]
                self.assertEqual(len(refs), len(set(refs)))

    def test_panels_fit_and_do_not_overlap(self):
        for uid, board in self.boards.items():
            cells = set()
            for panel in board["panels"]:
                at = panel["gridPos"]
                self.assertLessEqual(at["x"] + at["w"], 24, panel["title"])
                own = {
                    (x, y)
                    for x in range(at["x"], at["x"] + at["w"])
                    for y in range(at["y"], at["y"] + at["h"])
                }
                self.assertFalse(own & cells, f"{uid}: {panel['title']}")
                cells |= own

    def test_the_saturation_panel_is_top_right_of_the_overview(self):
        at = self.panel("weir-overview", "Saturation")["gridPos"]
        self.assertEqual((0, 24), (at["y"], at["x"] + at["w"]))

    def test_links_resolve(self):
        for uid, board in self.boards.items():
            linked = set(re.findall(r"/d/([^?/\"\\]+)", json.dumps(board)))
            self.assertLessEqual(linked, set(self.boards), uid)
            self.assertEqual(POINTS if uid == "weir-overview" else {"weir-overview"}, linked)

    def test_each_line_of_the_saturation_panel_leads_to_its_dashboard(self):
        recorded = {
            rule.component
            for rule in promql.rules()
            if rule.name == "gitlab_component_saturation:ratio"
        } - {"concurrent_inferences_per_engine"}
        overrides = self.panel("weir-overview", "Saturation")["fieldConfig"]["overrides"]
        self.assertEqual(recorded, {override["matcher"]["options"] for override in overrides})
        for override in overrides:
            component = override["matcher"]["options"]
            url = override["properties"][0]["value"][0]["url"]
            board = self.boards[re.match(r"/d/([^?]+)", url).group(1)]
            self.assertIn(component, json.dumps(board))
            for name in re.findall(r"var-(\w+)=", url):
                self.assertIn(name, [v["name"] for v in board["templating"]["list"]])

    def test_each_dashboard_explains_itself(self):
        for uid, board in self.boards.items():
            texts = [p["options"]["content"] for p in board["panels"] if p["type"] == "text"]
            self.assertTrue(texts, uid)
            self.assertGreater(len(texts[0].split()), 50, uid)

    def test_saturation_is_in_percent_from_zero_to_one_hundred(self):
        seen = 0
        for panel in self.panels:
            if any("saturation:ratio" in t["expr"] for t in panel.get("targets", [])):
                defaults = panel["fieldConfig"]["defaults"]
                self.assertEqual("percentunit", defaults["unit"], panel["title"])
                self.assertEqual(0, defaults["min"])
                if panel["type"] == "timeseries":
                    self.assertEqual(1, defaults["max"])
                seen += 1
        self.assertEqual(1 + 3 * len(POINTS), seen)

    def test_each_saturation_point_has_lines_for_both_thresholds(self):
        for uid in POINTS:
            exprs = [t["expr"] for t in self.panel(uid, "Use of the limit")["targets"]]
            for level in ("soft", "hard"):
                self.assertTrue(any(f"slo:max:{level}:" in expr for expr in exprs), uid)

    def test_panels_show_no_limits(self):
        for panel in self.panels:
            for target in panel.get("targets", []):
                for name in promql.metric_names(target["expr"]):
                    self.assertIsNone(LIMITS.search(name), f"{panel['title']}: {name}")

    def test_schema_data_source_and_variables(self):
        for uid, board in self.boards.items():
            self.assertGreaterEqual(board["schemaVersion"], 39)
            names = [variable["name"] for variable in board["templating"]["list"]]
            self.assertEqual("datasource", names[0])
            if "vertex" in uid:
                self.assertLessEqual({"base_model", "region"}, set(names))
            else:
                self.assertIn("engine", names)
            used = set(re.findall(r"\$(?!__)(?!\{__)\{?(\w+)", json.dumps(board)))
            self.assertLessEqual(used, set(names), uid)
        for panel in self.panels:
            for holder in [panel, *panel.get("targets", [])]:
                if panel["type"] != "text":
                    self.assertEqual("${datasource}", holder["datasource"]["uid"])

    def test_queries_are_valid(self):
        if not shutil.which("promtool"):
            self.skipTest("promtool was not found; install Prometheus")
        rules = []
        places = []
        for board in self.boards.values():
            for place, query in queries(board):
                places.append(place)
                rules.append({"record": f"query_{len(rules)}", "expr": substitute(query)})
            for variable in board["templating"]["list"]:
                inner = re.fullmatch(r"label_values\((.+), \w+\)", variable.get("definition", ""))
                if inner:
                    places.append(f"{board['uid']}, variable {variable['name']}")
                    rules.append({"record": f"query_{len(rules)}", "expr": substitute(inner[1])})
        self.assertGreater(len(rules), 60)
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory) / "queries.rules.json"
            path.write_text(json.dumps({"groups": [{"name": "queries", "rules": rules}]}))
            checked = subprocess.run(
                ["promtool", "check", "rules", str(path)],
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )
        failed = re.findall(r"query_(\d+)", checked.stdout + checked.stderr)
        self.assertEqual(
            0,
            checked.returncode,
            f"{checked.stdout}{checked.stderr}{[places[int(i)] for i in failed]}",
        )
        self.assertIn(f"{len(rules)} rules found", checked.stdout)

    def test_queries_use_only_names_that_exist(self):
        if not METRICS_PAGE.exists():
            self.skipTest("docs/metrics.md does not exist yet: names of metrics are not checked")
        rules = promql.rules()
        known = promql.documented_names(METRICS_PAGE.read_text(encoding="utf-8"))
        known |= {rule.name for rule in rules if rule.kind == "record"} | {"ALERTS"}
        asked = [(rule.name, rule.query) for rule in rules]
        asked += [entry for board in self.boards.values() for entry in queries(board)]
        unknown = sorted(
            f"{name} ({place})"
            for place, query in asked
            for name in promql.metric_names(query)
            if name not in known and not name.startswith("stackdriver_aiplatform_")
        )
        self.assertEqual([], unknown)
        for place, query in asked:
            for pattern in promql.name_patterns(query):
                self.assertTrue(pattern.startswith("stackdriver_aiplatform_"), place)

    def panel(self, uid, title):
        return next(p for p in self.boards[uid]["panels"] if p["title"] == title)


class PromqlTest(unittest.TestCase):
    def test_names_of_metrics_are_found(self):
        query = 'sum by (le, a) (rate(x_bucket{b="c"}[5m])) / on (d) y:z or 0 * vector(1) > 1e3'
        self.assertEqual({"x_bucket", "y:z"}, promql.metric_names(query))

    def test_labels_are_found(self):
        query = 'sum by (le, a) (x{b="c", d=~"e=f"}) / on (g) label_replace(y, "h", "$1", "i", "(.+)")'
        self.assertEqual([("x", {"b", "d"})], list(promql.matched_labels(query)))
        self.assertEqual({"le", "a", "g"}, promql.grouping_labels(query))
        self.assertEqual({"h"}, promql.made_labels(query))


if __name__ == "__main__":
    unittest.main()
