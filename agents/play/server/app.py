"""The application: pages and tables of one house over HTTP and WebSockets."""

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

from kozyr.agents.play.pages import form_data
from kozyr.agents.play.pages.pages import Pages, page, problem
from kozyr.agents.play.server.access import Guard
from kozyr.agents.play.server.tables_registry import House
from kozyr.agents.play.session import link as links
from kozyr.agents.play.session import messages
from kozyr.agents.play.session.link import Link
from kozyr.agents.play.session.program_socket import Program, ProgramLink
from kozyr.agents.play.session.table_session import Room
from kozyr.envs import viewer
from kozyr.envs.pictures import card_art
from kozyr.envs.table import notation
from kozyr.envs.viewer import html

STATIC = Path(__file__).parents[1] / "static"
VIEWER = Path(str(viewer.__file__)).with_name("static")
_log = logging.getLogger(__name__)
_PATIENCE = 10.0  # seconds until a client says who it is, and that a socket has to close


class Tables:
    """What is under /tables/ID.

    Args:
        house: where they are.
        most: sockets at a time; rate: messages a second from each, None: any number.
    """

    def __init__(self, house: House, most: int, rate: float | None) -> None:
        self._house, self._most, self._rate, self._sockets = house, most, rate, 0

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
        if await self._house.room(request.path_params["table"]) is None:
            raise HTTPException(404, "there is no such table")
        return page(request, "table.html", table=request.path_params["table"])

    async def record(self, request: Request) -> Response:
        """Give the record of a game that is over, to those who have a token."""
        room, record = await self._finished(request, request.headers.get("x-token", ""))
        headers = {"Content-Disposition": f'attachment; filename="{room.game.id}-{room.id}.jsonl"'}
        return PlainTextResponse(record + "\n", media_type="application/x-ndjson", headers=headers)

    async def viewer(self, request: Request) -> Response:
        """Show a game that is over in the viewer, to those who have a token."""
        form_data.require_own_origin(request)
        _, record = await self._finished(request, (await form_data.fields(request)).get("token", ""))
        shown = await run_in_threadpool(lambda: html.page([notation.parse(record)]))
        return HTMLResponse(shown, headers={"Content-Security-Policy": html.policy()})

    async def _finished(self, request: Request, token: str) -> tuple[Room, str]:
        """Return a table and the record of its game, or refuse."""
        room = await self._house.room(request.path_params["table"])
        if room is None or room.tokens.find(token) is None:
            raise HTTPException(404, "there is no such table, or this link does not open it")
        if room.now.record is None:
            raise HTTPException(409, "the game is not over")
        return room, room.now.record

    async def socket(self, socket: WebSocket) -> None:
        """Let a client sit at a table until it goes."""
        link = Link(socket.send, self._rate)
        await self._serve(socket, link, self._listen(socket, link))

    async def program(self, socket: WebSocket) -> None:
        """Let a program sit at a table until it goes."""
        link = ProgramLink(socket.send, self._rate)
        await self._serve(socket, link, self._listen_to_program(socket, link))

    async def _serve(self, socket: WebSocket, link: Link, listening: Coroutine[Any, Any, None]) -> None:
        """Hear and answer a client until either side has enough."""
        if not own_origin(socket) or self._sockets >= self._most:
            listening.close()
            await socket.close(links.FORBIDDEN if self._sockets < self._most else links.TOO_MANY)
            return
        self._sockets += 1
        await socket.accept()
        writer = asyncio.create_task(link.run())
        reader = asyncio.create_task(listening)
        try:
            await asyncio.wait((reader, writer), return_when=asyncio.FIRST_COMPLETED)
            if not writer.done():
                link.close(links.GOING_AWAY)
                await asyncio.wait((writer,), timeout=_PATIENCE)
        finally:
            self._sockets -= 1
            for task in (reader, writer):
                task.cancel()
            await asyncio.gather(reader, writer, return_exceptions=True)

    async def _listen(self, socket: WebSocket, link: Link) -> None:
        """Hear one client."""
        room: Room | None = None
        try:
            while (heard := await _message(socket, None if room else _PATIENCE)) is not None:
                if not link.allowed():
                    link.close(links.TOO_MANY)
                    return
                try:
                    said = messages.read(heard)
                except (msgspec.MsgspecError, RecursionError):
                    link.close(links.MALFORMED)
                    return
                if room is None:
                    room = await self._sit(socket, link, said)
                    if room is None:
                        return
                elif isinstance(said, messages.Sit):
                    link.close(links.MALFORMED)
                else:
                    await room.hear(link, said)
        except Exception:
            _log.exception("a table has failed; whoever comes again finds it as it was kept")
            link.close(links.BROKEN)
            if room is not None:
                self._house.forget(room)
        finally:
            if room is not None:
                room.leave(link)

    async def _listen_to_program(self, socket: WebSocket, link: ProgramLink) -> None:
        """Hear one program."""
        program, greeted = Program(self._house, link), False
        try:
            if not await program.come(socket.path_params["table"]):
                return
            while (heard := await _message(socket, None if greeted else _PATIENCE)) is not None:
                if not link.allowed():
                    link.close(links.TOO_MANY)
                    return
                if greeted:
                    await program.hear(heard)
                elif not (greeted := await program.greet(heard)):
                    return
        except Exception:
            _log.exception("a program's table has failed; whoever comes again finds it as it was kept")
            link.close(links.BROKEN)
        finally:
            await program.leave()

    async def _sit(self, socket: WebSocket, link: Link, said: messages.Said) -> Room | None:
        """Let a client sit, or close its socket."""
        if not isinstance(said, messages.Sit):
            link.close(links.MALFORMED)
            return None
        room = await self._house.room(socket.path_params["table"])
        if room is None:
            link.close(links.UNKNOWN)
        elif await room.sit(link, said.token):
            return room
        else:
            link.close(links.FORBIDDEN)
        return None


async def _message(socket: WebSocket, patience: float | None) -> str | None:
    """Return what a client says next, or None when it has gone."""
    with suppress(TimeoutError):
        message = await asyncio.wait_for(socket.receive(), patience) if patience else await socket.receive()
        if message["type"] == "websocket.receive":
            return message.get("text") or ""
    return None


class Files(StaticFiles):
    """Files that a browser keeps and asks about each time: after an upgrade it has the new ones."""

    def file_response(self, *args: Any, **given: Any) -> Response:
        """Return a file, or the news that it has not changed."""
        response = super().file_response(*args, **given)
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
    """Tell whether a socket was opened by a page of this server, or by a program that is no browser."""
    origin = socket.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == socket.headers.get("host")


def application(
    house: House,
    folder: Path,
    hosts: Sequence[str] = (),
    password: str = "",
    most: int = 2000,
    rate: float | None = links.RATE,
) -> Guard:
    """Return the application of a house.

    Args:
        house: where the tables are; it is started and closed with the application.
        folder: where the lobby's drawings are kept.
        hosts: names that the server may be called by; password: what browsers are asked for; see `Guard`.
        most: sockets at a time.
        rate: messages a second that each may send; None: any number.
    """

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncGenerator[None]:
        await house.start()
        try:
            yield
        finally:
            await house.close()

    routes = [
        *Pages(house, house.allow, folder).routes(),
        *Tables(house, most, rate).routes(),
        Mount("/static", Files(directory=STATIC)),
        Route("/viewer/cards.svg", cards),
        Mount("/viewer", Files(directory=VIEWER)),
    ]
    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers={HTTPException: problem})
    return Guard(app, hosts, password)
