"""Makes the small real logs beside this file: inspect_ai with its mock model, no network.

Usage: python make_logs.py OUT   (in a venv with the version of inspect_ai named in README.md)
"""
import shutil
import sys
import tempfile
import zipfile
from pathlib import Path

from inspect_ai import Task, eval, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput, get_model
from inspect_ai.scorer import includes, match
from inspect_ai.solver import Generate, TaskState, generate, solver, use_tools
from inspect_ai.tool import tool

# The encoding would be fetched from the network; its counts do not matter here.
class Words:
    def encode(self, text, **_):
        return text.split()


import tiktoken

tiktoken.get_encoding = lambda name: Words()

OUT = Path(sys.argv[1]); OUT.mkdir(parents=True, exist_ok=True)
LONG = "A rather long text that is repeated in each message, so that it becomes an attachment of the sample. " * 3


@tool
def add():
    async def execute(x: int, y: int):
        """Adds two numbers.

        Args:
            x: First number.
            y: Second number.
        """
        return str(x + y)

    return execute


@solver
def failing():
    async def solve(state: TaskState, generate: Generate):
        if str(state.sample_id) == "bad/one":
            raise ValueError("made to fail")
        return state

    return solve


def save(log, name):
    source = Path(log.location.replace("file://", ""))
    shutil.copy(source, OUT / name)


def run(t, model, name, fmt="eval", **options):
    with tempfile.TemporaryDirectory() as logs:
        log = eval(t, model=model, log_dir=logs, log_format=fmt, display="none", **options)[0]
        save(log, name)
        return log


def answers(*texts):
    return get_model("mockllm/model", custom_outputs=[ModelOutput.from_content("mockllm/model", t) for t in texts])


def tools_model():
    out = []
    for _ in range(8):
        out.append(ModelOutput.for_tool_call("mockllm/model", "add", {"x": 1, "y": 1}))
        out.append(ModelOutput.from_content("mockllm/model", "2"))
    return get_model("mockllm/model", custom_outputs=out)


epochs = Task(dataset=MemoryDataset([Sample(id=1, input="Say yes. " + LONG, target="yes"), Sample(id="a/b", input="Say no.", target="no")], name="mixed"),
              solver=generate(), scorer=includes(), name="epochs")
run(epochs, answers(*["yes", "no"] * 3), "epochs.eval", epochs=3, max_samples=1)
run(epochs, answers(*["yes", "no"] * 3), "2026-01-01T00-00-00-00-00_epochs_json.json", fmt="json", epochs=2, max_samples=1)

tools = Task(dataset=MemoryDataset([Sample(id="sum", input="1+1? " + LONG, target="2"), Sample(id="sum2", input="1+1?", target="3")]),
             solver=[use_tools(add()), generate()], scorer=match(numeric=True), name="tools")
run(tools, tools_model(), "tools.eval", max_samples=1)

errors = Task(dataset=MemoryDataset([Sample(id="good", input="x", target="x"), Sample(id="bad/one", input="x", target="x")]),
              solver=[failing(), generate()], scorer=includes(), name="errors")
run(errors, answers("x", "x", "x"), "errors.eval", fail_on_error=False, retry_on_error=1, max_samples=1)
run(errors, answers("x", "x", "x"), "failed.eval", fail_on_error=True, max_samples=1)

limits = Task(dataset=MemoryDataset([Sample(id=1, input="x", target="x"), Sample(id=2, input="x", target="x")]),
              solver=[use_tools(add()), generate()], scorer=includes(), name="limits")
run(limits, tools_model(), "limits.eval", message_limit=2, max_samples=1)

# As a run leaves it that was killed: without what is written at the end.
with zipfile.ZipFile(OUT / "epochs.eval") as whole, zipfile.ZipFile(OUT / "started.eval", "w", zipfile.ZIP_DEFLATED) as cut:
    for member in whole.infolist():
        if member.filename not in ("header.json", "summaries.json", "reductions.json"):
            cut.writestr(member.filename, whole.read(member.filename))
