#!/usr/bin/env python3
"""Write the Grafana dashboards next to this file, or check that they are up to date.

    ops/grafana/dashboards.py            write the JSON files
    ops/grafana/dashboards.py --check    compare them, exit with 1 if one differs

Import the JSON files with Grafana's "Import dashboard", or provision the directory. No data source
is named in them: the variable "Data source" picks one. Needs Python 3.9 and nothing else.
"""

import json
import pathlib
import sys

DIRECTORY = pathlib.Path(__file__).resolve().parent
SCHEMA_VERSION = 39
TAG = "weir"
DATASOURCE = {"type": "prometheus", "uid": "${datasource}"}
RATIO = "gitlab_component_saturation:ratio"
WIDTH = 24

# Label matchers with the variables of a dashboard.
MODEL = 'model_engine=~"$engine", model_name=~"$model"'
ENGINE = 'model_engine=~"$engine"'
VERTEX = 'base_model=~"$base_model", region=~"$region"'
VERTEX_MODEL = 'model_engine="vertex", model_name=~"$base_model"'

BY_MODEL = "{{model_engine}}/{{model_name}}"


class Point:
    """A saturation point, or several that share a dashboard."""

    def __init__(self, uid, title, components, text, legend, matchers, variables, details):
        self.uid = uid
        self.title = title
        self.components = components
        self.text = text
        self.legend = legend
        self.matchers = matchers
        self.variables = variables
        self.details = details

    @property
    def component(self):
        """The matcher of a component: fixed, or a variable if there are several."""
        if len(self.components) == 1:
            return f'component="{self.components[0]}"'
        return 'component=~"$component"'


# Panels ------------------------------------------------------------------------------------------


def target(expr, legend, ref, instant=False):
    query = {
        "datasource": DATASOURCE,
        "editorMode": "code",
        "expr": expr,
        "legendFormat": legend,
        "range": not instant,
        "refId": ref,
    }
    if instant:
        query["instant"] = True
        query["format"] = "table"
    return query


def targets(*queries, instant=False):
    return [
        target(expr, legend, chr(ord("A") + index), instant)
        for index, (expr, legend) in enumerate(queries)
    ]


def text(title, content):
    return {
        "type": "text",
        "title": title,
        "options": {"mode": "markdown", "content": content},
    }


def series(title, description, unit, *queries, stacked=False, overrides=(), bounds=False):
    defaults = {
        "unit": unit,
        "min": 0,
        "custom": {
            "drawStyle": "line",
            "fillOpacity": 20 if stacked else 5,
            "lineWidth": 1,
            "showPoints": "never",
            "spanNulls": False,
            "stacking": {"mode": "normal" if stacked else "none", "group": "A"},
        },
    }
    if bounds:
        defaults["max"] = 1
    return {
        "type": "timeseries",
        "title": title,
        "description": description,
        "datasource": DATASOURCE,
        "targets": targets(*queries),
        "fieldConfig": {"defaults": defaults, "overrides": list(overrides)},
        "options": {
            "legend": {
                "calcs": ["lastNotNull", "max"],
                "displayMode": "table",
                "placement": "bottom",
                "showLegend": True,
            },
            "tooltip": {"mode": "multi", "sort": "desc"},
        },
    }


def stat(title, description, unit, expr, steps):
    return {
        "type": "stat",
        "title": title,
        "description": description,
        "datasource": DATASOURCE,
        "targets": targets((expr, "")),
        "fieldConfig": {
            "defaults": {
                "unit": unit,
                "min": 0,
                "noValue": "none",
                "color": {"mode": "thresholds"},
                "thresholds": {"mode": "absolute", "steps": steps},
            },
            "overrides": [],
        },
        "options": {
            "colorMode": "background",
            "graphMode": "none",
            "justifyMode": "auto",
            "reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False},
            "textMode": "value",
        },
    }


def table(title, description, expr, hidden):
    return {
        "type": "table",
        "title": title,
        "description": description,
        "datasource": DATASOURCE,
        "targets": targets((expr, ""), instant=True),
        "fieldConfig": {"defaults": {"noValue": "none"}, "overrides": []},
        "options": {"showHeader": True, "cellHeight": "sm"},
        "transformations": [
            {"id": "organize", "options": {"excludeByName": {name: True for name in hidden}}}
        ],
    }


def steps(soft, hard):
    return [
        {"color": "green", "value": None},
        {"color": "orange", "value": soft},
        {"color": "red", "value": hard},
    ]


def line(name, colour):
    """A dashed line, for a threshold."""
    return {
        "matcher": {"id": "byName", "options": name},
        "properties": [
            {"id": "color", "value": {"mode": "fixed", "fixedColor": colour}},
            {"id": "custom.lineStyle", "value": {"fill": "dash", "dash": [10, 10]}},
            {"id": "custom.fillOpacity", "value": 0},
        ],
    }


def link(point, component):
    """Makes a series of the overview lead to the dashboard of its saturation point."""
    address = f"/d/{point.uid}?var-datasource=${{datasource}}&${{__url_time_range}}"
    if len(point.components) > 1:
        address += f"&var-component={component}"
    return {
        "matcher": {"id": "byName", "options": component},
        "properties": [
            {"id": "links", "value": [{"title": f"Explain {component}", "url": address}]}
        ],
    }


# Dashboards --------------------------------------------------------------------------------------


def variable(name, label, query, multi=True):
    return {
        "name": name,
        "label": label,
        "type": "query",
        "datasource": DATASOURCE,
        "query": {"query": query, "refId": "Variable"},
        "definition": query,
        "refresh": 2,
        "sort": 1,
        "multi": multi,
        "includeAll": True,
        "allValue": ".*",
        "current": {"selected": True, "text": ["All"], "value": ["$__all"]},
    }


def choice(name, label, values):
    return {
        "name": name,
        "label": label,
        "type": "custom",
        "query": ",".join(values),
        "options": [],
        "multi": True,
        "includeAll": True,
        "allValue": "|".join(values),
        "current": {"selected": True, "text": ["All"], "value": ["$__all"]},
    }


def data_source():
    return {
        "name": "datasource",
        "label": "Data source",
        "type": "datasource",
        "query": "prometheus",
        "refresh": 1,
        "current": {},
    }


ENGINE_VARIABLE = variable("engine", "Engine", "label_values(model_inferences_in_flight, model_engine)")
MODEL_VARIABLE = variable(
    "model", "Model", 'label_values(model_inferences_in_flight{model_engine=~"$engine"}, model_name)'
)


def placed(rows):
    """Gives panels numbers and positions. A row is a height and (panel, width) pairs."""
    panels = []
    y = 0
    for height, entries in rows:
        x = 0
        for panel, width in entries:
            panel["id"] = len(panels) + 1
            panel["gridPos"] = {"x": x, "y": y, "w": width, "h": height}
            panels.append(panel)
            x += width
        y += height
    return panels


def annotation(name, colour, expr, title, body):
    return {
        "name": name,
        "datasource": DATASOURCE,
        "enable": True,
        "expr": expr,
        "iconColor": colour,
        "step": "60s",
        "titleFormat": title,
        "textFormat": body,
    }


def dashboard(uid, title, description, variables, panels, annotations=(), links=()):
    return {
        "uid": uid,
        "title": title,
        "description": description,
        "tags": [TAG, "saturation"],
        "schemaVersion": SCHEMA_VERSION,
        "editable": True,
        "graphTooltip": 1,
        "refresh": "1m",
        "time": {"from": "now-3h", "to": "now"},
        "timezone": "browser",
        "links": list(links),
        "annotations": {"list": list(annotations)},
        "templating": {"list": [data_source(), *variables]},
        "panels": panels,
    }


# What is shown -----------------------------------------------------------------------------------

PEAKS = """
The peak is the highest number of calls in flight within the last 10 minutes, in each process. Weir
measures it, so a short burst between two scrapes counts. The peaks of all processes are added,
although they need not happen at the same moment: with many processes the true value is a little
lower. Time that a call spends in Weir's queue does not count.
"""

CONCURRENCY_THRESHOLDS = """
Above **60 %** (soft), ask the provider for more. Above **80 %** for 5 minutes (hard), an alert of
severity s3 fires. It does not page.
"""

QUOTA_THRESHOLDS = """
Above **85 %** (soft), ask the provider for more. Above **90 %** for 15 minutes (hard), an alert of
severity s4 fires. It does not page.
"""

STACKDRIVER = """
Where stackdriver_exporter is scraped, use and quota come from Google and follow every change of the
quota. For a base model that it does not report, Weir's own count is compared with the configured
limit; such a series has no region.
"""


def concurrency_details(matchers, at_limit, legend):
    return [
        (
            8,
            [
                (
                    series(
                        "Time at the limit",
                        "Share of the last 5 minutes in which one process alone had as many "
                        "calls in flight as the limit allows.",
                        "percentunit",
                        (at_limit, legend),
                        bounds=True,
                    ),
                    8,
                ),
                (
                    series(
                        "Refusals per minute",
                        "Calls that the engine refused, by the reason it gave.",
                        "short",
                        (
                            "60 * sum by (model_engine, model_name, reason) "
                            f"(rate(model_inference_refusals_total{{{matchers}}}[5m]))",
                            BY_MODEL + " {{reason}}",
                        ),
                        stacked=True,
                    ),
                    8,
                ),
                (
                    series(
                        "Wait for a turn, 95th percentile",
                        "How long calls waited in Weir's queue before they were sent.",
                        "s",
                        (
                            "histogram_quantile(0.95, sum by (le, model_engine, model_name) "
                            f"(rate(model_inference_queue_wait_seconds_bucket{{{matchers}}}[5m])))",
                            BY_MODEL,
                        ),
                    ),
                    8,
                ),
            ],
        )
    ]


def quota_details(matchers):
    return [
        (
            8,
            [
                (
                    series(
                        "Refusals per minute",
                        "Calls that the engine refused, by the reason it gave.",
                        "short",
                        (
                            "60 * sum by (model_engine, model_name, reason) "
                            f"(rate(model_inference_refusals_total{{{matchers}}}[5m]))",
                            BY_MODEL + " {{reason}}",
                        ),
                        stacked=True,
                    ),
                    12,
                ),
                (
                    series(
                        "Wait for a turn, 95th percentile",
                        "How long calls waited in Weir's queue before they were sent.",
                        "s",
                        (
                            "histogram_quantile(0.95, sum by (le, model_engine, model_name) "
                            f"(rate(model_inference_queue_wait_seconds_bucket{{{matchers}}}[5m])))",
                            BY_MODEL,
                        ),
                    ),
                    12,
                ),
            ],
        )
    ]


def vertex(uid, title, component, noun):
    component_values = f'{RATIO}{{component="{component}"}}'
    return Point(
        uid,
        title,
        [component],
        f"""
How much of the quota on **{noun} per minute** of each Vertex AI base model is in use, by region.
At 100 %, Google refuses calls with status 429.
{STACKDRIVER}{QUOTA_THRESHOLDS}
To raise the quota, request an increase in the Google Cloud console under *IAM & Admin, Quotas*.
""",
        "{{base_model}} {{region}}",
        VERTEX,
        [
            variable("base_model", "Base model", f"label_values({component_values}, base_model)"),
            variable("region", "Region", f"label_values({component_values}, region)"),
        ],
        quota_details(VERTEX_MODEL),
    )


POINTS = [
    Point(
        "alerts-max_concurrent_inferences",
        "Saturation: calls in flight per model",
        ["max_concurrent_inferences"],
        f"""
How many calls are in flight to each model, as a share of the number that its engine allows at once.
At 100 %, the engine refuses calls with status 429, or Weir holds them back in its queue.
{PEAKS}{CONCURRENCY_THRESHOLDS}
""",
        BY_MODEL,
        MODEL,
        [ENGINE_VARIABLE, MODEL_VARIABLE],
        concurrency_details(
            MODEL,
            "max by (model_engine, model_name) "
            f"(rate(model_inferences_at_limit_seconds_total{{{MODEL}}}[5m]))",
            BY_MODEL,
        ),
    ),
    Point(
        "alerts-max_inferences_per_engine",
        "Saturation: calls in flight per engine",
        ["max_concurrent_inferences_per_engine"],
        f"""
How many calls are in flight to all models of an engine together, as a share of the number that the
engine allows at once. Without a limit of its own, the highest limit of its models is that of the
engine, so one busy model can leave nothing for the others.
{PEAKS}{CONCURRENCY_THRESHOLDS}
GitLab's documentation also calls this point `concurrent_inferences_per_engine`. Both names are
recorded, with the same values.
""",
        "{{model_engine}}",
        ENGINE,
        [ENGINE_VARIABLE],
        concurrency_details(
            ENGINE,
            "max by (model_engine) "
            f"(rate(model_engine_inferences_at_limit_seconds_total{{{ENGINE}}}[5m]))",
            "{{model_engine}}",
        ),
    ),
    vertex(
        "alerts-sat_gcp_quota_limit_vertex_ai",
        "Saturation: Vertex AI requests per minute",
        "gcp_quota_limit_vertex_ai",
        "requests",
    ),
    vertex(
        "alerts-sat_vertex_ai_input_tokens",
        "Saturation: Vertex AI input tokens per minute",
        "gcp_quota_limit_vertex_ai_input_tokens",
        "input tokens",
    ),
    vertex(
        "alerts-sat_vertex_ai_output_tokens",
        "Saturation: Vertex AI output tokens per minute",
        "gcp_quota_limit_vertex_ai_output_tokens",
        "output tokens",
    ),
    Point(
        "alerts-engine_quota_limit",
        "Saturation: quotas per minute of other engines",
        [
            "engine_quota_limit_requests",
            "engine_quota_limit_input_tokens",
            "engine_quota_limit_output_tokens",
            "engine_quota_limit_total_tokens",
        ],
        f"""
How much of each model's quota on requests and tokens per minute is in use: Weir's own count in the
fullest minute of the last 5, compared with the configured limit. Where none is configured, the
limit that the engine advertises in its responses counts. Other users of the same quota are not
counted.
{QUOTA_THRESHOLDS}
""",
        BY_MODEL + " {{component}}",
        MODEL,
        [
            choice(
                "component",
                "Quota",
                [
                    "engine_quota_limit_requests",
                    "engine_quota_limit_input_tokens",
                    "engine_quota_limit_output_tokens",
                    "engine_quota_limit_total_tokens",
                ],
            ),
            ENGINE_VARIABLE,
            MODEL_VARIABLE,
        ],
        quota_details(MODEL),
    ),
]


def point_dashboard(point):
    selected = f"{RATIO}{{{point.component}, {point.matchers}}}"
    concurrency = "in flight" in point.title
    levels = steps(0.60, 0.80) if concurrency else steps(0.85, 0.90)
    thresholds = [
        (f"max(slo:max:{level}:{RATIO}{{{point.component}}})", level) for level in ("soft", "hard")
    ]
    names = ", ".join(f"`{name}`" for name in point.components)
    rows = [
        (
            10,
            [
                (
                    text(
                        "What this shows",
                        point.text.strip()
                        + f"\n\nRecorded as `{RATIO}` with the component {names}. What to do: "
                        + f"*docs/saturation.md*, section `{point.components[0]}`.",
                    ),
                    8,
                ),
                (
                    series(
                        "Use of the limit",
                        "Dashed lines: soft and hard threshold.",
                        "percentunit",
                        (selected, point.legend),
                        *thresholds,
                        overrides=[line("soft", "orange"), line("hard", "red")],
                        bounds=True,
                    ),
                    12,
                ),
                (
                    stat(
                        "Fullest now",
                        "The highest value of those selected.",
                        "percentunit",
                        f"max({selected})",
                        levels,
                    ),
                    4,
                ),
            ],
        ),
        (
            8,
            [
                (
                    series(
                        "In one hour, at the trend of the last hour",
                        "A straight line through the last hour, continued.",
                        "percentunit",
                        (f"clamp(predict_linear({selected}[1h], 3600), 0, 1)", point.legend),
                        *thresholds,
                        overrides=[line("soft", "orange"), line("hard", "red")],
                        bounds=True,
                    ),
                    WIDTH,
                ),
            ],
        ),
        *point.details,
    ]
    return dashboard(
        point.uid,
        point.title,
        "In percent of the limit; limits themselves are confidential.",
        point.variables,
        placed(rows),
        links=[
            {
                "title": "Overview",
                "type": "link",
                "icon": "dashboard",
                "url": "/d/weir-overview?var-datasource=${datasource}",
                "keepTime": True,
            }
        ],
    )


def rate(counter, by, matchers=MODEL):
    return f"60 * sum by ({by}) (rate({counter}{{{matchers}}}[5m]))"


def quantiles(histogram):
    return [
        (
            f"histogram_quantile({quantile}, sum by (le) (rate({histogram}{{{MODEL}}}[5m])))",
            name,
        )
        for quantile, name in ((0.5, "median"), (0.95, "95th percentile"), (0.99, "99th percentile"))
    ]


def overview():
    parts = "\n".join(
        f"- [{point.title.removeprefix('Saturation: ')}](/d/{point.uid}?var-datasource=${{datasource}})"
        for point in POINTS
    )
    saturation = series(
        "Saturation",
        "The fullest limit of each kind, for all engines. Click a line for an explanation.",
        "percentunit",
        (
            f'max by (component) ({RATIO}{{component!="concurrent_inferences_per_engine"}})',
            "{{component}}",
        ),
        overrides=[link(point, component) for point in POINTS for component in point.components],
        bounds=True,
    )
    rows = [
        (
            12,
            [
                (
                    text(
                        "How full are the limits of model engines?",
                        f"""
The panel on the right shows the fullest limit of each kind, in percent. At 100 %, engines refuse
calls. Each kind has a dashboard that explains it:

{parts}

Limits themselves are confidential and shown nowhere. A count beside a percentage reveals one:
share screenshots with care.
""".strip(),
                    ),
                    8,
                ),
                (
                    stat(
                        "Alerts firing",
                        "Alerts about saturation and limits.",
                        "none",
                        'count(ALERTS{alertstate="firing", alertname=~"component_saturation_slo_.*'
                        '|limit_out_of_date|weir_config_reload_failed"}) or vector(0)',
                        [{"color": "green", "value": None}, {"color": "orange", "value": 1}],
                    ),
                    4,
                ),
                (saturation, 12),
            ],
        ),
        (
            9,
            [
                (
                    series(
                        "Calls in flight",
                        "At the time of the scrape, and the peak of the last 10 minutes.",
                        "short",
                        (
                            f"sum by (model_engine, model_name) (model_inferences_in_flight{{{MODEL}}})",
                            BY_MODEL,
                        ),
                        (
                            "sum by (model_engine, model_name) "
                            f"(instance_model:model_inferences_in_flight:peak10m{{{MODEL}}})",
                            BY_MODEL + " peak",
                        ),
                    ),
                    8,
                ),
                (
                    series(
                        "Calls waiting",
                        "Calls in Weir's queue, and calls that wait for their next attempt.",
                        "short",
                        (
                            f"sum by (model_engine, model_name) (model_inferences_queue_depth{{{MODEL}}})",
                            BY_MODEL + " queued",
                        ),
                        (
                            f"sum by (model_engine, model_name) (model_inferences_backing_off{{{MODEL}}})",
                            BY_MODEL + " backing off",
                        ),
                    ),
                    8,
                ),
                (
                    series(
                        "Wait for a turn",
                        "How long calls waited in Weir's queue before they were sent.",
                        "s",
                        *quantiles("model_inference_queue_wait_seconds_bucket"),
                    ),
                    8,
                ),
            ],
        ),
        (
            9,
            [
                (
                    series(
                        "Refusals per minute, by reason",
                        "Calls that an engine refused, for example with status 429.",
                        "short",
                        (rate("model_inference_refusals_total", "reason"), "{{reason}}"),
                        stacked=True,
                    ),
                    8,
                ),
                (
                    series(
                        "Errors per minute, by type",
                        "Attempts that failed. Most are retried.",
                        "short",
                        (
                            rate("model_inferences_total", "error_type", MODEL + ', error="yes"'),
                            "{{error_type}}",
                        ),
                        stacked=True,
                    ),
                    8,
                ),
                (
                    series(
                        "Duration of attempts",
                        "From the first byte sent to the last one received.",
                        "s",
                        *quantiles("inference_request_duration_seconds_bucket"),
                    ),
                    8,
                ),
            ],
        ),
        (
            9,
            [
                (
                    series(
                        "Tokens per minute",
                        "Input and output tokens of responses.",
                        "short",
                        (
                            rate("inference_input_tokens_total", "model_engine, model_name"),
                            BY_MODEL + " input",
                        ),
                        (
                            rate("inference_output_tokens_total", "model_engine, model_name"),
                            BY_MODEL + " output",
                        ),
                    ),
                    8,
                ),
                (
                    series(
                        "Cost per hour",
                        "In US dollars, where the price is known.",
                        "currencyUSD",
                        (
                            "3600 * sum by (model_engine, model_name) "
                            f"(rate(inference_cost_usd_total{{{MODEL}}}[5m]))",
                            BY_MODEL,
                        ),
                        stacked=True,
                    ),
                    8,
                ),
                (
                    table(
                        "Limits that are out of date",
                        "Engines and models whose configured limits contradict what is observed.",
                        "max by (model_engine, model_name, reason) "
                        f"(model_limits_out_of_date{{{MODEL}}}) > 0",
                        ["Time", "Value"],
                    ),
                    4,
                ),
                (
                    stat(
                        "Failed reloads",
                        "Processes that could not read changed limits and still use the old ones.",
                        "none",
                        "count(weir_config_reload_success == 0) or vector(0)",
                        [{"color": "green", "value": None}, {"color": "red", "value": 1}],
                    ),
                    4,
                ),
            ],
        ),
    ]
    return dashboard(
        "weir-overview",
        "Weir: overview",
        "Calls to model engines, and how full their limits are.",
        [ENGINE_VARIABLE, MODEL_VARIABLE],
        placed(rows),
        annotations=[
            annotation(
                "Configured limit changed",
                "blue",
                "max by (model_engine, model_name) "
                f"(changes(model_inferences_max_concurrent{{{MODEL}}}[2m])) > 0",
                "Configured limit changed",
                BY_MODEL,
            ),
            annotation(
                "Adaptive limit changed",
                "purple",
                "sum by (model_engine, model_name, direction, reason) "
                f"(increase(model_inferences_limit_changes_total{{{MODEL}}}[2m])) > 0",
                "Adaptive limit: {{direction}}",
                BY_MODEL + ", {{reason}}",
            ),
        ],
    )


def documents():
    """File names and their content."""
    boards = [overview(), *map(point_dashboard, POINTS)]
    return {
        board["uid"] + ".json": json.dumps(board, indent=2, ensure_ascii=False) + "\n"
        for board in boards
    }


def main(arguments):
    if arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    wanted = documents()
    extra = {path.name for path in DIRECTORY.glob("*.json")} - set(wanted)
    if not arguments:
        for name in extra:
            (DIRECTORY / name).unlink()
        for name, content in wanted.items():
            (DIRECTORY / name).write_text(content, encoding="utf-8")
        return 0
    wrong = sorted(extra) + [
        name
        for name, content in wanted.items()
        if not (DIRECTORY / name).exists()
        or (DIRECTORY / name).read_text(encoding="utf-8") != content
    ]
    for name in wrong:
        print(f"ops/grafana/{name}: differs; run ops/grafana/dashboards.py", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
