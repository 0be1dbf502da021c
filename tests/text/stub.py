"""A model's endpoint on this machine, which answers as a test wants it to."""

import json
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


def legal(prompt: str) -> list[str]:
    """Return the legal actions that a prompt lists."""
    return prompt.partition("## Your legal actions\n\n")[2].partition("\n\n")[0].splitlines()


def said(text: Any, tokens: tuple[int, int] | None = (100, 10)) -> dict[str, Any]:
    """Return the message of an answer."""
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
    message: dict[str, Any] = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    if tokens is not None:
        counts = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1], "total_tokens": sum(tokens)}
        message["usage"] = counts
    return message


@dataclass
class Reply:
    """What the endpoint sends: a message in JSON, or bytes as they are."""

    body: Any
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


def first(prompt: str) -> Reply:
    """Play the first legal action."""
    return Reply(said(f"I take the first one.\n{legal(prompt)[0]}"))


@dataclass
class Stub:
    """A running endpoint.

    Attributes:
        url: for OPENAI_BASE_URL; requests: what was sent, with the headers under "headers".
    """

    url: str
    requests: list[dict[str, Any]]


@contextmanager
def serving(reply: Callable[[str], Reply]) -> Generator[Stub]:
    """Serve on a free port of this machine."""
    requests: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = 1 << 16  # head and body in one packet, or each answer waits 40 ms for the other's receipt

        def do_POST(self) -> None:
            sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            requests.append({**sent, "path": self.path, "headers": dict(self.headers)})
            found = reply(sent["messages"][-1]["content"])
            body = found.body if isinstance(found.body, bytes) else json.dumps(found.body).encode()
            try:
                self.send_response(found.status)
                for name, value in {"Content-Length": str(len(body)), **found.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)
            except OSError:  # whoever has asked waits no more
                self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - as the base class calls it
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield Stub(f"http://127.0.0.1:{server.server_port}/v1", requests)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
