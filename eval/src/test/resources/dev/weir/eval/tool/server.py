"""An MCP server for tests, of the standard library alone."""

import json
import os
import sys

TOOLS = [
    {
        "name": "add",
        "description": "Adds two numbers.",
        "inputSchema": {
            "type": "object",
            "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
            "required": ["a", "b"],
        },
    },
    {"name": "greeting", "description": "Greets.", "inputSchema": {"type": "object"}},
]


def call(name, arguments):
    if name == "add":
        return str(arguments["a"] + arguments["b"])
    return os.environ.get("GREETING", "no greeting")


for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    answer = {"jsonrpc": "2.0", "id": request["id"]}
    params = request.get("params", {})
    if request["method"] == "initialize":
        answer["result"] = {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "test", "version": "1"},
        }
    elif request["method"] == "tools/list":
        answer["result"] = {"tools": TOOLS}
    elif request["method"] == "tools/call":
        try:
            text, failed = call(params["name"], params["arguments"]), False
        except Exception as broken:
            text, failed = repr(broken), True
        answer["result"] = {"content": [{"type": "text", "text": text}], "isError": failed}
    else:
        answer["error"] = {"code": -32601, "message": "unknown"}
    print(json.dumps(answer), flush=True)
