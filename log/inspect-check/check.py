"""Reads log files in each way that inspect_ai has; one line per check, exit code 1 if one fails."""

import json
import os
import subprocess
import sys
import tempfile
from importlib.metadata import version

from inspect_ai.log import (
    read_eval_log,
    read_eval_log_sample,
    read_eval_log_sample_summaries,
    read_eval_log_samples,
    write_eval_log,
)


def whole(file):
    log = read_eval_log(file, resolve_attachments="full")
    samples = log.samples or []
    text = json.dumps([sample.model_dump(mode="json") for sample in samples])
    left = text.count('"attachment://')
    assert left == 0, f"{left} attachments were not resolved"
    empty = [
        event
        for sample in samples
        for event in sample.events
        if event.event == "model" and not event.input
    ]
    assert not empty, f"{len(empty)} model events have no input"
    return f"status {log.status}, {len(samples)} samples, {sum(len(s.events) for s in samples)} events"


def header(file):
    log = read_eval_log(file, header_only=True)
    assert log.samples is None
    scores = log.results.scores if log.results else []
    return f"version {log.version}, task {log.eval.task}, {len(scores)} scorers"


def streamed(file):
    log = read_eval_log(file, header_only=True)
    # Inspect refuses to stream a log that did not end well, unless told.
    is_whole = log.status == "success"
    count = sum(1 for _ in read_eval_log_samples(file, all_samples_required=is_whole))
    return f"{count} samples"


def summaries(file):
    found = read_eval_log_sample_summaries(file)
    return f"{len(found)} summaries, {sum(1 for s in found if s.completed)} completed"


def single(file):
    found = read_eval_log_sample_summaries(file)
    for summary in found:
        sample = read_eval_log_sample(file, summary.id, summary.epoch)
        assert sample.id == summary.id and sample.epoch == summary.epoch
    return f"{len(found)} samples by id and epoch"


def dump(file):
    command = [sys.executable, "-m", "inspect_ai", "log", "dump", file]
    out = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert out.returncode == 0, out.stderr.strip()[-300:]
    log = json.loads(out.stdout)
    return f"{len(out.stdout)} characters, {len(log.get('samples') or [])} samples"


def size(file):
    """What Inspect itself takes for the same content."""
    log = read_eval_log(file)
    samples = max(1, len(log.samples or []))
    with tempfile.TemporaryDirectory() as directory:
        again = os.path.join(directory, "again.eval")
        write_eval_log(log, again)
        own, theirs = os.path.getsize(file), os.path.getsize(again)
    return f"{own / samples:.0f} bytes a sample, written by Inspect {theirs / samples:.0f}"


CHECKS = {
    "read_eval_log": whole,
    "read_eval_log header_only": header,
    "read_eval_log_samples": streamed,
    "read_eval_log_sample_summaries": summaries,
    "read_eval_log_sample": single,
    "inspect log dump": dump,
    "write_eval_log": size,
}


def main(files):
    # Ids may have characters that a terminal has not.
    sys.stdout.reconfigure(errors="backslashreplace")
    print("inspect_ai", version("inspect_ai"))
    failed = 0
    for file in files:
        for name, check in CHECKS.items():
            try:
                print(f"ok    {file}: {name}: {check(file)}")
            except Exception as problem:
                failed += 1
                first = str(problem).strip().splitlines()[:1]
                print(f"FAIL  {file}: {name}: {type(problem).__name__}: {' '.join(first)}")
    print(f"{len(files)} files, {failed} checks failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
