"""What the tests need to know about PromQL and about the rules file. No parser: promtool is one."""

import pathlib
import re

OPS = pathlib.Path(__file__).resolve().parent.parent
RULES = OPS / "prometheus" / "weir-saturation.rules.yml"

_KEYWORDS = {"and", "or", "unless", "offset", "bool", "by", "without", "on", "ignoring"}
_KEYWORDS |= {"group_left", "group_right", "inf", "nan"}


def metric_names(query):
    """The names of metrics in a query; patterns of names are left out."""
    rest = re.sub(r'"(\\.|[^"\\])*"', '""', query)
    rest = re.sub(r"\{[^{}]*\}", " ", rest)
    rest = re.sub(r"\[[^\]]*\]", " ", rest)
    rest = re.sub(r"\b(by|without|on|ignoring|group_left|group_right)\s*\([^()]*\)", " ", rest)
    names = re.findall(r"(?<![\w:.])([A-Za-z_:][\w:]*)\b(?!\s*\()", rest)
    return {name for name in names if name.lower() not in _KEYWORDS}


def name_patterns(query):
    """The regular expressions that a query matches names of metrics with."""
    return re.findall(r'__name__=~"([^"]*)"', query)


_GROUPING = r"\b(?:by|without|on|ignoring)\s*\(([^()]*)\)"


def matched_labels(query):
    """Pairs of a metric's name and the labels that a selector of it matches."""
    for name, matchers in re.findall(r"([A-Za-z_:][\w:]*)\{([^{}]*)\}", query):
        text = re.sub(r'"(\\.|[^"\\])*"', '""', matchers)
        yield name, set(re.findall(r"(\w+)\s*(?:=~|!~|!=|=)", text))


def grouping_labels(query):
    """The labels that a query aggregates or joins by."""
    rest = re.sub(r'"(\\.|[^"\\])*"', '""', query)
    return {
        label.strip() for part in re.findall(_GROUPING, rest) for label in part.split(",") if label.strip()
    }


def made_labels(query):
    """The labels that a query adds."""
    return set(re.findall(r'(?s)"(\w+)", "\$1"', query))


class Rule:
    """A rule as it stands in the rules file."""

    def __init__(self, kind, name, body):
        self.kind = kind
        self.name = name
        self.body = body
        block = re.search(r"\n        expr: \|\n((?:          .*\n|\n)+)", body)
        self.query = block.group(1) if block else re.search(r"expr: (.*)", body).group(1)
        component = re.search(r"labels: \{component: (\w+)\}", body)
        self.component = component.group(1) if component else None


def rules():
    """Reads the rules file, which is written in one fixed style."""
    content = RULES.read_text(encoding="utf-8")
    parts = re.split(r"(?m)^      - (record|alert): (.*)$", content)[1:]
    return [Rule(*parts[i : i + 3]) for i in range(0, len(parts), 3)]


def documented_names(page):
    """The names in the tables of docs/metrics.md, with the series of its histograms."""
    names = set()
    for name, kind in re.findall(r"(?m)^\| `([a-z_:]+)` \| (\w+) \|", page):
        names.add(name)
        if kind == "histogram":
            names |= {name + suffix for suffix in ("_bucket", "_sum", "_count")}
    return names
