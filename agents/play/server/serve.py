"""Server process of the pages and tables: it runs until Ctrl-C."""

import gc
import ipaddress
import socket
import sys
import threading
import webbrowser
from collections.abc import Awaitable, Callable
from contextlib import suppress
from os import environ
from typing import Any

import uvicorn

PORT = 8412  # unless it is taken, or another one is asked for
HOME = "127.0.0.1"
_SELDOM = (5_000, 50, 1_000)  # a look through all objects takes 100 ms and more, in which every table waits
_GRACE = 2  # seconds that connections have to end


def bind(host: str, port: int | None) -> socket.socket:
    """Return a socket that listens.

    Args:
        host: the address.
        port: None: PORT, or a free one if that is taken.

    Raises:
        ValueError: if the port that is asked for is taken, or the address is not this machine's.
    """
    if port is None:
        try:
            return _bound(host, PORT)
        except ValueError:
            return _bound(host, 0)
    return _bound(host, port)


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        if sys.platform != "win32":  # there it would share a port that is taken
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(2048)
    except (OSError, OverflowError) as error:
        listening.close()
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise ValueError(f"{host}:{port} cannot be used ({why}): choose another --host or --port") from error
    return listening


def address(listening: socket.socket) -> str:
    """Return the address of a socket that listens, for a browser."""
    host, port = listening.getsockname()[:2]
    if host in ("0.0.0.0", "::"):
        host = socket.gethostname()
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def names() -> list[str]:
    """Return the names of this machine in its network."""
    name = socket.gethostname().lower()
    return [name, f"{name}.local"]


def is_open(host: str) -> bool:
    """Return True if other machines may reach an address."""
    try:
        return not ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host != "localhost"


class _Server(uvicorn.Server):
    """A server that does something once it listens."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], Awaitable[None]]) -> None:
        super().__init__(config)
        self._ready = ready
        self.failed: Exception | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and then do it; if that fails, end as with Ctrl-C."""
        await super().startup(sockets)
        try:
            await self._ready()
        except Exception as error:
            self.failed, self.should_exit = error, True


def config_of(app: Any) -> uvicorn.Config:
    """Return the configuration of the server: small messages, no compression, silent clients dropped."""
    return uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_GRACE,
        ws="websockets-sansio",
        ws_max_size=64 * 1024,
        ws_per_message_deflate=False,
        ws_ping_interval=20.0,
        ws_ping_timeout=20.0,
    )


def run(app: Any, listening: socket.socket, ready: Callable[[], Awaitable[None]]) -> None:
    """Serve until Ctrl-C or a signal to end.

    Args:
        app: an ASGI application.
        listening: from `bind`; it is closed in the end.
        ready: is awaited once the server listens.

    Raises:
        Exception: what `ready` raises; the server has ended then.
    """
    config = config_of(app)
    server = _Server(config, ready)
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_SELDOM)
    with listening, suppress(KeyboardInterrupt):  # uvicorn has ended all by then, and tells once more
        server.run([listening])
    if server.failed is not None:
        raise server.failed


def open_browser(place: str) -> None:
    """Open a page in the browser of a desktop, if there is one; it is not waited for."""
    desktop = sys.platform in ("win32", "darwin") or environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY")
    if desktop:
        threading.Thread(target=webbrowser.open, args=(place,), daemon=True).start()
