#!/bin/sh
# Shows log files to the real inspect_ai and tells whether it reads them.
# Usage: log/inspect-check/check.sh FILE.eval…
# Needs Python 3.10 or newer and its package registry. WEIR_INSPECT_PYTHON names a Python that has inspect_ai already.
set -eu

version=0.3.285

if [ $# -eq 0 ]; then
  echo "usage: $0 FILE.eval..." >&2
  exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)

if [ -n "${WEIR_INSPECT_PYTHON:-}" ]; then
  python=$WEIR_INSPECT_PYTHON
else
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT INT TERM
  python3 -m venv "$work/venv"
  "$work/venv/bin/pip" install --quiet --disable-pip-version-check "inspect_ai==$version"
  python=$work/venv/bin/python
fi

"$python" "$here/check.py" "$@"
