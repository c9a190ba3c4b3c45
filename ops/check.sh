#!/bin/sh
# Checks what is in ops/: rules and their unit tests with promtool, dashboards with Python, the
# Kubernetes manifests and the Compose file by their published schemas.
# Needs promtool and Python 3 with venv (Debian and Ubuntu: apt-get install prometheus
# python3-venv), and PyPI the first time. What needs a running Weir is in OperationsTest.
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
python3 -c 'import ensurepip' 2>/dev/null || {
  printf 'ops/check.sh: Python has no venv; install it (Debian and Ubuntu: apt-get install python3-venv)\n' >&2
  exit 2
}

promtool check rules prometheus/*.rules.yml
promtool check config prometheus/prometheus.yml
promtool test rules prometheus/tests/*.test.yml
python3 grafana/dashboards.py --check
python3 -m unittest discover -s tests -t tests

venv=../target/ops-venv
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r requirements.txt
# The oldest version that the manifests need, and the newest that the program knows. It has no
# schema of a PodMonitor.
for version in 1.29 1.37; do
  "$venv/bin/kubernetes-validate" --strict -k "$version" kubernetes/weir-eval.yaml
done
"$venv/bin/check-jsonschema" --builtin-schema vendor.compose-spec compose.yaml
