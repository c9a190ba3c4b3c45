#!/usr/bin/env python3
"""Run `weir eval` against the fake provider, row by row, and compare it with the optimum."""

import argparse
import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from rows import ROWS, Row

HERE = Path(__file__).resolve().parent
ROW_SECONDS = 360
MODELS = {
    "openai": ("openai-api/peer/m", "http://127.0.0.1:{port}/v1"),
    "anthropic": ("anthropic/peer", "http://127.0.0.1:{port}"),
}

RUNNING = set()  # processes that were started here, for whoever interrupts


def start(command: list[str], **more) -> subprocess.Popen:
    """Each process leads a group of its own, so that it can be ended with its children."""
    process = subprocess.Popen(command, start_new_session=True, **more)
    RUNNING.add(process)
    return process


def stop(process: subprocess.Popen, grace: float) -> None:
    """Ends a process that was started here, and its children: politely, then for certain."""
    RUNNING.discard(process)
    for sig in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is not None:
            return
        os.killpg(process.pid, sig)
        try:
            process.wait(grace)
        except subprocess.TimeoutExpired:
            pass


class Provider:
    """The provider as a process of its own, on a free port."""

    def __init__(self, row: Row):
        self.command = [sys.executable, str(HERE / "provider.py"), *row.settings.arguments()]

    def __enter__(self):
        self.process = start(self.command, stdout=subprocess.PIPE)
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("The provider did not start.")
        self.port = json.loads(line)["port"]
        return self

    def __exit__(self, *_):
        stop(self.process, 5)
        self.process.stdout.close()

    def stats(self) -> dict:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/stats", timeout=10) as response:
            return json.load(response)


def write_task(folder: Path, requests: int) -> Path:
    """Each prompt is unique and part of its answer, so that mixed-up answers lower the accuracy."""
    with open(folder / "samples.jsonl", "w") as file:
        for number in range(requests):
            mark = f"item-{number:05d}"
            file.write(json.dumps({"id": number + 1, "input": f"Say {mark}.", "target": mark}) + "\n")
    task = folder / "peer.yaml"
    task.write_text("task: peer\ndataset: samples.jsonl\nsolver: [generate]\nscorer: includes\n")
    return task


def environment(folder: Path) -> dict:
    """As the caller has it, without settings of Weir; traces and state stay in the temporary folder."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("WEIR")}
    return inherited | {"PEER_API_KEY": "peer-test", "ANTHROPIC_API_KEY": "peer-test",
                        "WEIR_TRACE_DIR": str(folder / "traces"), "XDG_STATE_HOME": str(folder / "state")}


def run_weir(weir: str, row: Row, port: int, task: Path, more: list[str], seconds: float) -> dict:
    model, url = MODELS[row.api]
    command = [weir, "eval", str(task), "--model", model, "--model-base-url", url.format(port=port), "--json",
               "--display", "none", "--log-dir", str(task.parent / "logs"), *more]
    begin = time.monotonic()
    with open(task.parent / "out.json", "w+") as out, open(task.parent / "err.txt", "w+") as err:
        process = start(command, cwd=task.parent, env=environment(task.parent), stdin=subprocess.DEVNULL, stdout=out,
                        stderr=err)
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            stop(process, 15)
        out.seek(0)
        err.seek(0)
        printed, errors = out.read(), err.read()
    run = {"exit_code": code, "seconds": round(time.monotonic() - begin, 1), "errors": errors[-2000:]}
    try:
        run["result"] = json.loads(printed)
    except ValueError:
        run["result"] = None
    return run


def check(row: Row, options) -> dict:
    requests = row.scaled(options.requests_scale)
    with tempfile.TemporaryDirectory(prefix="weir-peer-") as name, Provider(row) as provider:
        task = write_task(Path(name), requests)
        run = run_weir(options.weir, row, provider.port, task, shlex.split(options.weir_args), options.row_seconds)
        stats = provider.stats()
    optimum = row.optimum(requests, stats["first_arrival"] or 0.0)
    complete = run["exit_code"] == 0 and stats["distinct_answered"] == requests
    if run["exit_code"] is None:
        outcome = "did not end"
    elif run["exit_code"] != 0:
        outcome = f"exit code {run['exit_code']}"
    else:
        outcome = "ok" if complete else f"only {stats['distinct_answered']} of {requests} answered"
    return {
        "row": row.number, "name": row.name, "requests": requests, "optimum": round(optimum, 2),
        "makespan": stats["makespan"], "ratio": round(stats["makespan"] / optimum, 3) if complete else None,
        "refusals_per_1000": round(stats["refusals"] * 1000 / requests, 1), "attempts": stats["attempts"],
        "outcome": outcome, "provider": stats, "weir": run,
    }


HEAD = ("row", "", "requests", "optimum s", "makespan s", "makespan/optimum", "refusals/1000", "attempts", "duplicates",
        "peak in flight", "outcome")
FORMAT = "{:>3}  {:<30} {:>8} {:>10} {:>11} {:>17} {:>14} {:>9} {:>11} {:>15}  {}"


def line(result: dict) -> str:
    def number(value, digits):
        return "-" if value is None else f"{value:.{digits}f}"

    stats = result["provider"]
    return FORMAT.format(
        result["row"], result["name"], result["requests"], number(result["optimum"], 1), number(result["makespan"], 1),
        number(result["ratio"], 3), number(result["refusals_per_1000"], 1), result["attempts"], stats["duplicates"],
        stats["peak_in_flight"], result["outcome"])


def selection(text: str) -> list[Row]:
    if text == "all":
        return ROWS
    wanted = {int(word) for word in text.split(",")}
    unknown = wanted - {row.number for row in ROWS}
    if unknown:
        raise argparse.ArgumentTypeError(f"there is no row {min(unknown)}")
    return [row for row in ROWS if row.number in wanted]


def main() -> int:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    p.add_argument("--rows", type=selection, default="all", help="Run these rows, such as 8,10.")
    p.add_argument("--list", action="store_true", help="List the rows, and run none.")
    p.add_argument("--json", action="store_true", help="Print JSON, with all counters, instead of a table.")
    p.add_argument("--weir", default=os.environ.get("WEIR", str(HERE.parents[2] / "weir")), help="Run this command.")
    p.add_argument("--weir-args", default="", help="Pass these words on to it.")
    p.add_argument("--requests-scale", type=float, default=1.0, metavar="F", help="Multiply the number of requests.")
    p.add_argument("--row-seconds", type=float, default=ROW_SECONDS, help="Stop a row after so long.")
    p.add_argument("--parallel", type=int, default=1, help="Run so many rows at once.")
    options = p.parse_args()
    if options.list:
        for row in options.rows:
            requests = row.scaled(options.requests_scale)
            print(f"{row.number:>3}  {row.name:<30} {requests:>6} requests  {row.optimum(requests):6.1f} s at best")
        return 0
    options.weir = os.path.abspath(options.weir)
    results = []
    if not options.json:
        print(FORMAT.format(*HEAD), flush=True)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with ThreadPoolExecutor(max(1, options.parallel)) as pool:
        try:
            for result in pool.map(lambda row: check(row, options), options.rows):
                results.append(result)
                if not options.json:
                    print(line(result), flush=True)
                    if result["outcome"] != "ok":
                        print(result["weir"]["errors"].strip()[-500:], file=sys.stderr)
        except KeyboardInterrupt:
            for sig in (signal.SIGINT, signal.SIGTERM):  # one is enough; what was started has to be ended
                signal.signal(sig, signal.SIG_IGN)
            pool.shutdown(wait=False, cancel_futures=True)
            for process in list(RUNNING):
                stop(process, 5)
            return 130
    if options.json:
        print(json.dumps(results, indent=2))
    return 0 if all(result["outcome"] == "ok" for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
