"""A bot that writes all it is told to a file, `told.py FILE WANT…`, and takes the last legal action."""

import json
import sys
from pathlib import Path

out = Path(sys.argv[1]).open("a", encoding="utf-8")  # noqa: SIM115
for line in sys.stdin:
    out.write(line)
    out.flush()
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "hello", "kozyr": 1, "wants": sys.argv[2:]}), flush=True)
    if message["type"] == "act":
        print(json.dumps({"type": "move", "id": message["id"], "action": message["legal"][-1]}), flush=True)
