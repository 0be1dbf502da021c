"""What a server holds at most: sockets at a time, and words that a client does not read."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient, WebSocketTestSession
from starlette.websockets import WebSocketDisconnect

from kozyr.agents.play.server.app import application
from kozyr.agents.play.server.tables_registry import TablesRegistry
from kozyr.agents.play.session import connections as links
from kozyr.agents.play.session.connections import Connection


class Socket:
    """Takes what it is sent while it is open."""

    def __init__(self) -> None:
        self.open, self.taken = asyncio.Event(), list[dict[str, Any]]()

    async def send(self, message: dict[str, Any]) -> None:
        await self.open.wait()
        self.taken.append(message)


async def yielded() -> None:
    for _ in range(3):
        await asyncio.sleep(0)


@pytest.mark.parametrize(("count", "size"), [(links.MOST_WAITING + 2, 10), (6, links.MOST_BYTES // 4)])
def test_a_reader_that_is_too_slow_is_told_so_and_others_hear_all(count: int, size: int) -> None:
    async def run() -> None:
        slow, quick = Socket(), Socket()
        quick.open.set()
        both = [Connection(slow.send), Connection(quick.send)]
        writers = [asyncio.create_task(one.run()) for one in both]
        for _ in range(count):
            for one in both:
                one.tell(b"x" * size)
            await yielded()
        assert both[0].closed
        assert not both[1].closed
        assert len(quick.taken) == count
        slow.open.set()
        await asyncio.wait_for(writers[0], 20)
        assert slow.taken[-1] == {"type": "websocket.close", "code": links.SLOW}
        assert len(slow.taken) < count
        both[1].close(links.GOING_AWAY)
        await asyncio.wait_for(writers[1], 20)

    asyncio.run(run())


def test_a_reader_that_never_reads_again_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(links, "_GRACE", 0.01)

    async def run() -> None:
        one = Connection(Socket().send)
        writer = asyncio.create_task(one.run())
        for _ in range(links.MOST_WAITING + 2):
            one.tell(b"x")
            await yielded()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(writer, 20)

    asyncio.run(run())


def test_there_is_a_limit_of_sockets_and_who_leaves_makes_room(tmp_path: Path) -> None:
    with (
        TestClient(application(TablesRegistry(), tmp_path, most=2)) as client,
        client.websocket_connect("/tables/x/ws"),
        client.websocket_connect("/tables/x/ws") as second,
    ):
        with pytest.raises(WebSocketDisconnect) as refused, client.websocket_connect("/tables/x/ws"):
            pass
        assert refused.value.code == links.TOO_MANY
        assert told_of_nothing(second) == links.UNKNOWN
        with client.websocket_connect("/tables/x/ws") as third:
            assert told_of_nothing(third) == links.UNKNOWN


def told_of_nothing(socket: WebSocketTestSession) -> int:
    """Sit at a table that is not there, and return the code that the server closes with."""
    socket.send_json({"t": "sit", "token": "x"})
    with pytest.raises(WebSocketDisconnect) as gone:
        socket.receive_text()
    return gone.value.code
