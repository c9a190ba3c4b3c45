"""A small MCP server over stdio: one JSON message per line, one tool."""
import json
import sys

LENGTHS = {"Nile": 6650, "Rhine": 1233}
TOOL = {
    "name": "length_of",
    "description": "How long a river is.",
    "inputSchema": {
        "type": "object",
        "properties": {"river": {"type": "string", "description": "its name"}},
        "required": ["river"],
    },
}


def result(method, params):
    if method == "initialize":
        return {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "rivers", "version": "1"},
        }
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "tools/call":
        length = LENGTHS.get(params["arguments"].get("river"))
        text = f"{length} km" if length else "no such river"
        return {"content": [{"type": "text", "text": text}], "isError": length is None}
    return {}


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:  # the others want no answer
        answer = {"jsonrpc": "2.0", "id": message["id"], "result": result(message["method"], message.get("params", {}))}
        print(json.dumps(answer), flush=True)
