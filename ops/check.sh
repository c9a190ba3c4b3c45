#!/bin/sh
# Checks what is in ops/: rules and their unit tests with promtool, dashboards with Python.
# Needs promtool (Debian and Ubuntu: apt-get install prometheus) and Python 3.
set -eu
cd -- "$(dirname -- "$0")"

need() {
  command -v "$1" >/dev/null 2>&1 || {
    printf 'ops/check.sh: %s was not found; install %s\n' "$1" "$2" >&2
    exit 2
  }
}
need promtool "Prometheus 2.42 or newer (Debian and Ubuntu: apt-get install prometheus)"
need python3 "Python 3.9 or newer (Debian and Ubuntu: apt-get install python3)"

promtool check rules prometheus/*.rules.yml
promtool test rules prometheus/tests/*.test.yml
python3 grafana/dashboards.py --check
python3 -m unittest discover -s tests -t tests
