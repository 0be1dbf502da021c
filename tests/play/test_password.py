"""A server with a password, and what browsers keep of its pages."""

from pathlib import Path

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from kozyr.agents.play.server.access import COOKIE
from kozyr.agents.play.server.app import application
from kozyr.agents.play.server.tables_registry import TablesRegistry


@pytest.fixture
def client(tmp_path: Path):
    with TestClient(application(TablesRegistry(), tmp_path, password="long enough")) as one:
        yield one


def test_who_does_not_know_the_password_gets_nowhere(client: TestClient) -> None:
    assert client.get("/").status_code == 401
    assert client.get("/", auth=("anybody", "wrong")).status_code == 401
    client.cookies.set(COOKIE, "guessed")
    assert client.get("/static/table.js").status_code == 401
    with pytest.raises(WebSocketDisconnect) as refused, client.websocket_connect("/tables/x/ws"):
        pass
    assert refused.value.code == 4403


def test_who_has_said_the_password_need_not_say_it_to_a_socket(client: TestClient) -> None:
    first = client.get("/", auth=("anybody", "long enough"))
    assert first.status_code == 200
    assert all(word in first.headers["set-cookie"] for word in ("HttpOnly", "SameSite=Strict"))
    assert client.get("/score").status_code == 200
    with client.websocket_connect("/tables/x/ws") as socket:
        socket.send_json({"t": "sit", "token": "x"})
        with pytest.raises(WebSocketDisconnect) as gone:
            socket.receive_text()
    assert gone.value.code == 4404


def test_a_browser_asks_whether_a_file_has_changed(client: TestClient) -> None:
    client.auth = ("anybody", "long enough")
    for address in ("/static/table.js", "/viewer/scene.js"):
        first = client.get(address)
        assert first.headers["cache-control"] == "no-cache"
        assert client.get(address, headers={"If-None-Match": first.headers["etag"]}).status_code == 304
