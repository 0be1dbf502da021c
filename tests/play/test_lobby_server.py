"""Starting and ending the server of the lobby, and what the command line says about a table."""

import signal
import socket
import subprocess
import sys
from typing import Any

import pytest

from kozyr import envs
from kozyr.agents.play.pages import seating
from kozyr.agents.play.server import serve
from kozyr.envs.core import install_hint
from kozyr.envs.table.clock import Clock
from tests.interrupts import interruptible

ENDS = """
import urllib.request
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from kozyr.agents.play.server import serve

async def ready():
    print(serve.address(listening), flush=True)

app = Starlette(routes=[Route("/", lambda request: PlainTextResponse("here"))])
listening = serve.bind("127.0.0.1", 0)
serve.run(app, listening, ready)
print("ended", flush=True)
"""


def test_a_port_that_is_taken_is_refused_if_it_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve.bind(serve.HOME, 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ValueError, match=f"127.0.0.1:{port} cannot be used .*choose another --host or --port"):
            serve.bind(serve.HOME, port)
        monkeypatch.setattr(serve, "PORT", port)
        with serve.bind(serve.HOME, None) as other:
            assert other.getsockname()[1] not in (0, port)


def test_an_address_of_another_machine_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot be used"):
        serve.bind("192.0.2.1", None)


def test_an_address_is_one_that_a_browser_understands() -> None:
    with serve.bind(serve.HOME, 0) as found:
        assert serve.address(found) == f"http://127.0.0.1:{found.getsockname()[1]}"
    with serve.bind("0.0.0.0", 0) as found:
        assert serve.address(found) == f"http://{socket.gethostname()}:{found.getsockname()[1]}"


@pytest.mark.parametrize(
    ("host", "open_to_others"),
    [("127.0.0.1", False), ("127.1.2.3", False), ("::1", False), ("localhost", False), ("0.0.0.0", True), ("::", True)],
)
def test_which_addresses_others_reach(host: str, open_to_others: bool) -> None:
    assert serve.is_open(host) == open_to_others


def test_the_server_answers_and_ends_with_ctrl_c() -> None:
    running: Any
    with interruptible([sys.executable, "-c", ENDS], stdout=subprocess.PIPE, text=True) as running:
        address = running.stdout.readline().strip()
        host, port = address.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=30) as client:
            client.sendall(b"GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n")
            answer = b"".join(iter(lambda: client.recv(4096), b""))
        assert answer.endswith(b"here")
        assert b"server:" not in answer.lower()
        running.send_signal(signal.SIGINT)
        assert running.communicate(timeout=30)[0] == "ended\n"
        assert running.returncode == 0


def test_a_browser_is_opened_on_a_desktop_only(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(serve.webbrowser, "open", opened.append)
    monkeypatch.setattr(serve.sys, "platform", "linux")
    monkeypatch.setattr(serve, "environ", {})
    serve.open_browser("http://here")
    assert opened == []
    monkeypatch.setattr(serve, "environ", {"DISPLAY": ":0"})
    made: list[Any] = []
    thread = serve.threading.Thread
    monkeypatch.setattr(serve.threading, "Thread", lambda **given: made.append(thread(**given)) or made[0])
    serve.open_browser("http://here")
    made[0].join(30)
    assert opened == ["http://here"]


def test_seats_are_filled_in_their_order() -> None:
    game = envs.game("durak")
    v = game.make_variant(players=4)
    assert seating.seating(game, v, [], 1) == ["me", "heuristic", "heuristic", "heuristic"]
    assert seating.seating(game, v, ["low", "random"], 2) == ["low", "me", "random", "random"]
    assert seating.seating(game, v, ["low", "random"], None) == ["low", "random", "random", "random"]


@pytest.mark.parametrize(
    ("against", "seat", "words"),
    [
        ([], 3, "the seats are 1 to 2"),
        (["low", "low"], 1, "2 agents are too many: 1 of the 2 seats"),
        (["nobody"], 1, "unknown agent 'nobody' of durak"),
        (["mnk:hard"], 1, "does not play durak"),
        (["there_is_no.onnx"], 1, "there is no policy"),
    ],
)
def test_who_cannot_sit_there_is_refused(against: list[str], seat: int, words: str) -> None:
    game = envs.game("durak")
    with pytest.raises(ValueError, match=words):
        seating.seating(game, game.make_variant(), against, seat)


def test_a_clock_is_written_in_two_ways() -> None:
    assert seating.clock(None) is None
    assert seating.clock("300+2.5") == Clock(game=300, increment=2.5)
    assert seating.clock("300+0") == Clock(game=300)
    assert seating.clock("30") == Clock(move=30)
    for text in ("", "soon", "-3", "3+", "1/game", "nan"):
        with pytest.raises(ValueError, match="as 300\\+5"):
            seating.clock(text)
    with pytest.raises(ValueError, match="seconds above 0"):
        seating.clock("0")


def test_a_missing_extra_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    assert seating.missing() == ""
    monkeypatch.setattr(seating, "find_spec", lambda name: None)
    assert seating.missing() == f"the table in the browser needs starlette: {install_hint.command('play')}"
