"""Web application: the pages and tables of one registry over HTTP and WebSockets."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket

from kozyr.agents.play.pages import form_data, how_to_play
from kozyr.agents.play.pages.pages import Pages, page, problem, saved_name
from kozyr.agents.play.server.access import AccessControl
from kozyr.agents.play.server.tables_registry import TablesRegistry
from kozyr.agents.play.session import connections, messages
from kozyr.agents.play.session.connections import Connection
from kozyr.agents.play.session.program_socket import ProgramClient, ProgramConnection
from kozyr.agents.play.session.table_session import TableSession
from kozyr.envs import viewer
from kozyr.envs.pictures import card_art
from kozyr.envs.table import record_format
from kozyr.envs.viewer import html

STATIC = Path(__file__).parents[1] / "static"
VIEWER = Path(str(viewer.__file__)).with_name("static")
_log = logging.getLogger(__name__)
_PATIENCE = 10.0  # seconds until a client says who it is, and that a socket has to close


class TableRoutes:
    """The routes under /tables/ID.

    Args:
        registry: of the tables.
        most: sockets at a time; rate: messages a second from each, None: any number.
    """

    def __init__(self, registry: TablesRegistry, most: int, rate: float | None) -> None:
        self._registry, self._most, self._rate, self._sockets = registry, most, rate, 0

    def routes(self) -> list[Route | WebSocketRoute]:
        """Return the routes to be mounted."""
        return [
            WebSocketRoute("/tables/{table}/ws", self.socket),
            WebSocketRoute("/tables/{table}/program", self.program),
            Route("/tables/{table}", self.table),
            Route("/tables/{table}/record", self.record),
            Route("/tables/{table}/viewer", self.viewer, methods=["POST"]),
        ]

    async def table(self, request: Request) -> Response:
        """Show the page of a table; its secret is in the part of the address that only the browser knows."""
        session = await self._registry.find(request.path_params["table"])
        if session is None:
            raise HTTPException(404, "there is no such table")
        how = session.game.name if how_to_play.source(session.game) else ""
        practice = "practice" in request.query_params
        return page(request, "table.html", table=session.id, how=how, practice=practice)

    async def record(self, request: Request) -> Response:
        """Give the record of a game that is over, to those who have a token."""
        session, record = await self._finished_game(request, request.headers.get("x-token", ""))
        headers = {"Content-Disposition": f'attachment; filename="{session.game.id}-{session.id}.jsonl"'}
        return PlainTextResponse(record + "\n", media_type="application/x-ndjson", headers=headers)

    async def viewer(self, request: Request) -> Response:
        """Show a game that is over in the viewer, to those who have a token."""
        form_data.require_own_origin(request)
        _, record = await self._finished_game(request, (await form_data.fields(request)).get("token", ""))
        document = await run_in_threadpool(lambda: html.page([record_format.parse(record)]))
        return HTMLResponse(document, headers={"Content-Security-Policy": html.policy()})

    async def _finished_game(self, request: Request, token: str) -> tuple[TableSession, str]:
        """Return a table and the record of its game, or refuse."""
        session = await self._registry.find(request.path_params["table"])
        if session is None or session.tokens.find(token) is None:
            raise HTTPException(404, "there is no such table, or this link does not open it")
        if session.state.record is None:
            raise HTTPException(409, "the game is not over")
        return session, session.state.record

    async def socket(self, socket: WebSocket) -> None:
        """Let a client sit at a table until it goes."""
        connection = Connection(socket.send, self._rate)
        await self._serve(socket, connection, self._listen(socket, connection))

    async def program(self, socket: WebSocket) -> None:
        """Let a program sit at a table until it goes."""
        connection = ProgramConnection(socket.send, self._rate)
        await self._serve(socket, connection, self._listen_to_program(socket, connection))

    async def _serve(self, socket: WebSocket, connection: Connection, listening: Coroutine[Any, Any, None]) -> None:
        """Hear and answer a client until either side ends it."""
        if not own_origin(socket) or self._sockets >= self._most:
            listening.close()
            await socket.close(connections.FORBIDDEN if self._sockets < self._most else connections.TOO_MANY)
            return
        self._sockets += 1
        await socket.accept()
        writer = asyncio.create_task(connection.run())
        reader = asyncio.create_task(listening)
        try:
            await asyncio.wait((reader, writer), return_when=asyncio.FIRST_COMPLETED)
            if not writer.done():
                connection.close(connections.GOING_AWAY)
                await asyncio.wait((writer,), timeout=_PATIENCE)
        finally:
            self._sockets -= 1
            for task in (reader, writer):
                task.cancel()
            await asyncio.gather(reader, writer, return_exceptions=True)

    async def _listen(self, socket: WebSocket, connection: Connection) -> None:
        """Hear one client."""
        session: TableSession | None = None
        try:
            while (text := await _message(socket, None if session else _PATIENCE)) is not None:
                if not connection.allowed():
                    connection.close(connections.TOO_MANY)
                    return
                try:
                    request = messages.read(text)
                except msgspec.MsgspecError:
                    connection.close(connections.MALFORMED)
                    return
                if session is None:
                    session = await self._sit(socket, connection, request)
                    if session is None:
                        return
                elif isinstance(request, messages.Sit):
                    connection.close(connections.MALFORMED)
                else:
                    await session.hear(connection, request)
        except Exception:
            _log.exception("a table has failed; whoever comes again finds it as it was kept")
            connection.close(connections.BROKEN)
            if session is not None:
                self._registry.forget(session)
        finally:
            if session is not None:
                session.leave(connection)

    async def _listen_to_program(self, socket: WebSocket, connection: ProgramConnection) -> None:
        """Hear one program."""
        program, greeted = ProgramClient(self._registry.find, connection), False
        try:
            if not await program.come(socket.path_params["table"]):
                return
            while (line := await _message(socket, None if greeted else _PATIENCE)) is not None:
                if not connection.allowed():
                    connection.close(connections.TOO_MANY)
                    return
                if greeted:
                    await program.hear(line)
                elif not (greeted := await program.greet(line)):
                    return
        except Exception:
            _log.exception("a program's table has failed; whoever comes again finds it as it was kept")
            connection.close(connections.BROKEN)
        finally:
            await program.leave()

    async def _sit(self, socket: WebSocket, connection: Connection, request: messages.Request) -> TableSession | None:
        """Let a client sit, or close its socket."""
        if not isinstance(request, messages.Sit):
            connection.close(connections.MALFORMED)
            return None
        session = await self._registry.find(socket.path_params["table"])
        if session is None:
            connection.close(connections.UNKNOWN)
        elif await session.sit(connection, request.token, saved_name(socket)):
            return session
        else:
            connection.close(connections.FORBIDDEN)
        return None


async def _message(socket: WebSocket, patience: float | None) -> str | None:
    """Return a client's next message, or None when it has gone."""
    with suppress(TimeoutError):
        message = await asyncio.wait_for(socket.receive(), patience) if patience else await socket.receive()
        if message["type"] == "websocket.receive":
            return message.get("text") or ""
    return None


class Files(StaticFiles):
    """Files that a browser keeps and asks about each time: after an upgrade it has the new ones."""

    def file_response(self, *args: Any, **options: Any) -> Response:
        """Return a file, or the answer that it has not changed."""
        response = super().file_response(*args, **options)
        response.headers["Cache-Control"] = "no-cache"
        return response


async def cards(request: Request) -> Response:
    """Give the drawings of cards, signs and stones, which a page uses by their names."""
    return Response(symbols(), media_type="image/svg+xml", headers={"Cache-Control": "max-age=600"})


@cache
def symbols() -> str:
    """Return cards, signs and stones as an SVG file."""
    return f'<svg xmlns="http://www.w3.org/2000/svg">{card_art.symbols(variables=True)}</svg>'


def own_origin(socket: WebSocket) -> bool:
    """Return True if a socket was opened by a page of this server, or by a program that is no browser."""
    origin = socket.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == socket.headers.get("host")


def application(
    registry: TablesRegistry,
    folder: Path,
    hosts: Sequence[str] = (),
    password: str = "",
    most: int = 2000,
    rate: float | None = connections.RATE,
    is_open: bool = False,
) -> AccessControl:
    """Return the application of a registry.

    Args:
        registry: of the tables; it is started and closed with the application.
        folder: of the lobby's drawings.
        hosts: names that the server may be called by; password: that browsers are asked for; see `AccessControl`.
        most: sockets at a time.
        rate: messages a second that each may send; None: any number.
        is_open: whether other machines reach it, which the page of links tells.
    """

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncGenerator[None]:
        await registry.start()
        try:
            yield
        finally:
            await registry.close()

    routes = [
        *Pages(registry, registry.allow, folder, is_open).routes(),
        *TableRoutes(registry, most, rate).routes(),
        Mount("/static", Files(directory=STATIC)),
        Route("/viewer/cards.svg", cards),
        Mount("/viewer", Files(directory=VIEWER)),
    ]
    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers={HTTPException: problem})
    return AccessControl(app, hosts, password)
