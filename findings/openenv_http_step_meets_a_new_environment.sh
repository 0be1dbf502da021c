#!/usr/bin/env bash
# OpenEnv's POST /step acts on an environment that nobody has reset.
#
# Its server says "1. Call /reset … 2. Call /step repeatedly with actions" in its own OpenAPI description. Over HTTP,
# though, every request makes an environment and closes it: state of /reset is gone when /step comes, and /state shows
# a third one. Only the WebSocket at /ws keeps an environment. No request fails, and the answers look plausible.
# Exits with 1 as soon as that is no longer so.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet openenv==0.10.0

cat > "$folder/program.py" <<'PROGRAM'
import sys
from importlib.metadata import version

from fastapi.testclient import TestClient
from openenv.core.env_server import Action, Environment, Observation, State, create_fastapi_app


class Go(Action):
    by: int = 1


class Count(Observation):
    count: int = 0


class Counter(Environment):
    """Counts what was added since the reset, which sets it to 100."""

    def __init__(self):
        super().__init__()
        self.count = 0

    def reset(self, seed=None, episode_id=None, **more):
        self.count = 100
        return Count(count=self.count)

    def step(self, action, timeout_s=None, **more):
        self.count += action.by
        return Count(count=self.count)

    @property
    def state(self):
        return State(step_count=self.count)


client = TestClient(create_fastapi_app(Counter, Go, Count))
told = client.get("/openapi.json").json()["info"]["description"]
print(f"openenv {version('openenv')}: a counter that /reset sets to 100 and each /step raises by 1")
print("its description:", *(line.strip() for line in told.splitlines() if line.strip().startswith(("1.", "2."))))
print("expected: 100, 101, 102")
http = [client.post("/reset", json={}).json()["observation"]["count"]]
http += [client.post("/step", json={"action": {"by": 1}}).json()["observation"]["count"] for _ in range(2)]
print("over HTTP:", http, "then /state:", client.get("/state").json()["step_count"])
with client.websocket_connect("/ws") as socket:
    counts = []
    for message in ({"type": "reset", "data": {}}, *({"type": "step", "data": {"by": 1}},) * 2):
        socket.send_json(message)
        counts.append(socket.receive_json()["data"]["observation"]["count"])
print("over the WebSocket:", counts)
sys.exit(0 if (http, counts) == ([100, 1, 1], [100, 101, 102]) else 1)
PROGRAM
"$folder/venv/bin/python" -W ignore "$folder/program.py"
