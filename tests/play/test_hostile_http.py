"""Hostile requests: foreign hosts and origins, paths that lead elsewhere, and rubbish."""

import asyncio
import random
import socket

import pytest
from websockets.exceptions import InvalidHandshake

from .wire import ME, PERSON, Server, dial


def answer(server: Server, request: bytes, patience: float = 5) -> bytes:
    """Send bytes and return what comes back until the server closes, or some seconds have passed."""
    host, port = server.address.removeprefix("http://").split(":")
    found = b""
    with socket.create_connection((host, int(port)), timeout=patience) as client:
        client.sendall(request)
        try:
            while chunk := client.recv(65536):
                found += chunk
        except (TimeoutError, ConnectionError):
            pass
    return found


def get(server: Server, path: str, **headers: str) -> bytes:
    """Return the answer to a request for a path that is sent as it is."""
    own = {"Host": server.address.removeprefix("http://"), "Connection": "close"}
    lines = [f"GET {path} HTTP/1.1", *(f"{name}: {value}" for name, value in (own | headers).items()), "", ""]
    return answer(server, "\r\n".join(lines).encode())


SECRET_FILES = (b"root:x:", b"[build-system]", b"import ", b"SQLite format")


@pytest.mark.parametrize("folder", ["/", "/static/", "/tables/", "/games/", "/games/durak/", "/records/"])
def test_no_path_leads_out_of_what_is_served(server: Server, folder: str) -> None:
    up = ("../", "..%2f", "%2e%2e/", "%2e%2e%2f", "..\\", "..%5c", "....//", "..;/", "%252e%252e%252f", "..%c0%af")
    ends = ("etc/passwd", "pyproject.toml", "app.py", "__init__.py", "kozyr.sqlite")
    for step in up:
        for end in ends:
            for path in (f"{folder}{step * 8}{end}", f"{folder}{step}{end}"):
                found = get(server, path)
                status = found.split(b" ", 2)[1:2]
                assert status != [b"500"], path
                assert not any(secret in found for secret in SECRET_FILES), path
    for path in (
        f"{folder}%00",
        f"{folder}{'a' * 3000}",
        f"{folder}//etc/passwd",
        f"{folder}%ff%fe",
        f"{folder}?%00=%ff",
    ):
        assert get(server, path).split(b" ", 2)[1:2] != [b"500"], path


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "evil.example:80", "", "a" * 300, "[::1", "."]
)
def test_a_foreign_host_is_refused(server: Server, host: str) -> None:
    for path in ("/", "/games/durak", "/viewer/theme.css"):
        found = get(server, path, Host=host)
        assert found.split(b" ", 2)[1] in (b"400", b"403", b"421"), (host, found[:200])


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://127.0.0.1", "file://", "http://127.0.0.1:1"]
)
def test_a_page_of_another_site_reaches_no_table(server: Server, origin: str) -> None:
    made = server.make("durak", [ME, PERSON])

    async def run() -> None:
        with pytest.raises(InvalidHandshake):
            await dial(server.address, made.table, origin)

    asyncio.run(run())


def test_raw_rubbish_does_not_end_the_server(server: Server) -> None:
    rng = random.Random(3)
    for _ in range(40):
        answer(server, rng.randbytes(rng.randrange(1, 3000)) + b"\r\n\r\n")
    answer(server, b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 30000 + b"\r\n", 1)
    answer(server, b"POST /games/durak HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\nabc", 1)
    assert b" 200 " in get(server, "/").split(b"\r\n", 1)[0]


def test_pages_may_load_nothing_from_elsewhere(server: Server) -> None:
    head = get(server, "/").split(b"\r\n\r\n")[0].lower()
    policy = next(line for line in head.split(b"\r\n") if line.startswith(b"content-security-policy:"))
    assert b"default-src 'none'" in policy or b"default-src 'self'" in policy
    assert b"unsafe-inline" not in policy
    assert b"unsafe-eval" not in policy
    assert b"frame-ancestors 'none'" in policy
    assert b"x-content-type-options: nosniff" in head
    assert b"referrer-policy:" in head
