#!/bin/sh
# Runs the official clients for Node against `weir simulate`: simulator/peers/run.sh
#
# Needs Node 20 or newer, npm and the npm registry. Installs into a directory of its own, which it
# deletes at the end, and stops the server that it has started.
set -eu
unset CDPATH
here=$(cd -- "$(dirname -- "$0")" && pwd -P)
root=$here/../..

place=$(mktemp -d)
server=
clean_up() {
  if [ -n "$server" ]; then
    kill "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
  fi
  rm -rf "$place"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

cp "$here"/package.json "$here"/package-lock.json "$here"/check.mjs "$place"
(cd "$place" && npm ci --no-audit --no-fund --ignore-scripts --loglevel=error)

"$root/weir" simulate --port 0 --latency 5ms --json > "$place/server.json" &
server=$!
waited=0
until [ -s "$place/server.json" ]; do
  kill -0 "$server" 2>/dev/null || { echo "run.sh: the simulator did not start" >&2; exit 1; }
  [ $waited -lt 3000 ] || { echo "run.sh: the simulator did not start in 5 minutes" >&2; exit 1; }
  waited=$((waited + 1))
  sleep 0.1
done
address=$(sed -n 's/.*"address":"\([^"]*\)".*/\1/p' "$place/server.json")

version() {
  sed -n 's/^  "version": "\(.*\)",*$/\1/p' "$place/node_modules/$1/package.json"
}
echo "node $(node --version), openai $(version openai), @anthropic-ai/sdk $(version @anthropic-ai/sdk)"
(cd "$place" && node check.mjs "$address")
