"""Hub: the server's socket and its clients, each with one question at a time.

A client speaks only when it is asked, once for each update. One that answers too late, or not at all, is let go.
"""

import asyncio
import secrets
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from typing import Any

import zmq
import zmq.asyncio
from google.protobuf.message import DecodeError

from kozyr.agents.remote.ttt import ttt_pb2 as wire

LIMIT = 0.3  # seconds for an answer, as in the course's server
_FAREWELL = 1.0  # seconds that a server which closes waits for those who are late
_PING = 0.25  # seconds between two looks at clients that wait
_MOST = 256  # clients
_LONGEST = 64  # characters of a name
_LARGEST = 16 * 1024  # bytes of a message
_BEHIND = 10_000  # updates that one who watches may lag behind the game
_CATCH_UP = 5.0  # seconds that a server which closes waits for those who watch
_CLOSED = wire.Update(server_closed=True)


NOWHERE = -333  # the coordinates of a move that cannot be read


class ClientGone(Exception):  # noqa: N818 - it is no bug
    """A client has gone, or did not answer in time."""


class Client:
    """A program at the other end of the wire.

    Attributes:
        name: of the client; observes: whether it only watches; playing: whether it is in a game.
        gone: whether it has left or was let go.
    """

    def __init__(self, hub: "Hub", identity: bytes, name: str, observes: bool) -> None:
        self.name, self.observes, self.playing, self.gone = name, observes, False, False
        self._hub, self.identity = hub, identity
        self._answer: asyncio.Future[wire.ClientResponse] | None = None
        self._unsent = deque[wire.Update]()
        self.telling: asyncio.Task[None] | None = None
        self.turn = asyncio.Lock()

    def __repr__(self) -> str:
        return self.name

    async def ask(self, update: wire.Update, limit: float | None = None) -> wire.ClientResponse:
        """Send an update and return the answer.

        Args:
            update: to send; limit: seconds for the answer, the hub's if None.

        Raises:
            ClientGone: if the client has gone, says that it goes, or takes too long; it is let go then.
        """
        async with self.turn:
            return await self._ask(update.SerializeToString(), self._hub.limit if limit is None else limit)

    def post(self, update: wire.Update) -> None:
        """Tell the client something when it has heard all before; nobody waits for it."""
        if self.gone:
            return
        self._unsent.append(update)
        if len(self._unsent) > _BEHIND:
            self._hub.let_go(self, owes=True)
        elif self.telling is None or self.telling.done():
            self.telling = self._hub.start(self._tell())

    async def _tell(self) -> None:
        with suppress(ClientGone):
            while self._unsent:
                await self.ask(self._unsent.popleft())
        self._unsent.clear()

    async def welcome(self, accepted: wire.JoinAccepted) -> bool:
        """Tell a client that it is in, and return whether it says that it is ready."""
        with suppress(ClientGone):
            async with self.turn:
                await self._ask(wire.JoinResponse(accepted=accepted).SerializeToString(), self._hub.limit)
            return True
        return False

    async def _ask(self, payload: bytes, limit: float) -> wire.ClientResponse:
        if self.gone:
            raise ClientGone(self.name)
        self._answer = asyncio.get_running_loop().create_future()
        try:
            await self._hub.send(self.identity, payload)
            answer = await asyncio.wait_for(self._answer, limit)
        except TimeoutError:
            self._hub.let_go(self, owes=True)
            raise ClientGone(f"{self.name} did not answer in {limit:g} s") from None
        finally:
            self._answer = None
        if answer.type == wire.DISCONNECT:
            self._hub.let_go(self)
            await self._hub.send(self.identity, _CLOSED.SerializeToString())
            raise ClientGone(f"{self.name} has left")
        return answer

    def hear(self, payload: bytes) -> None:
        """Take a message of the client: an answer, if one was asked for."""
        if self._answer is None or self._answer.done():
            return
        answer = wire.ClientResponse()
        try:
            answer.ParseFromString(payload)
        except DecodeError:  # it counts as a move off the board
            answer = wire.ClientResponse(move_x=NOWHERE, move_y=NOWHERE)
        self._answer.set_result(answer)

    @property
    def idle(self) -> bool:
        """Whether nobody waits for its answer."""
        return not (self.turn.locked() or self.playing or self.gone)


class Hub:
    """The socket and those connected to it.

    Args:
        address: as tcp://*:5555; port 0 takes a free one.
        limit: seconds for an answer.
        password: of the server, or "".
        joined: called with each client that has come in.
        reserved: names that nobody may take.

    Raises:
        ValueError: for an address that cannot be used.
    """

    def __init__(
        self,
        address: str,
        limit: float,
        password: str,
        joined: Callable[[Client], None],
        reserved: Sequence[str] = (),
    ) -> None:
        self.limit, self._password, self._joined, self._reserved = limit, password.encode(), joined, frozenset(reserved)
        self.clients = dict[bytes, Client]()
        self._ready = list[Client]()
        self._owe = dict[bytes, None]()  # identities of those let go who will still say something
        self._tasks = set[asyncio.Task[None]]()
        self._context = zmq.asyncio.Context()
        self._socket = self._context.socket(zmq.ROUTER)
        self._socket.setsockopt(zmq.MAXMSGSIZE, _LARGEST)
        self._socket.setsockopt(zmq.LINGER, 200)
        try:
            self._socket.bind(address)
        except zmq.ZMQError as error:
            self._context.destroy(0)
            raise ValueError(f"{address} cannot be used ({error.strerror}): write tcp://HOST:PORT") from None

    @property
    def address(self) -> str:
        """Return the address for clients."""
        endpoint: bytes = self._socket.getsockopt(zmq.LAST_ENDPOINT)  # pyright: ignore[reportAssignmentType]
        return endpoint.decode().rstrip("\0")

    @property
    def players(self) -> list[Client]:
        """Return those who want to play, in the order in which they became ready."""
        return [one for one in self._ready if not one.observes]

    @property
    def observers(self) -> list[Client]:
        """Return those who watch."""
        return [one for one in self._ready if one.observes]

    def set_password(self, password: str) -> None:
        """Set the password for new clients; "": none."""
        self._password = password.encode()

    async def run(self) -> None:
        """Hear everybody until cancelled."""
        self.start(self._ping())
        while True:
            frames: list[bytes] = await self._socket.recv_multipart()
            if len(frames) == 3 and not frames[1]:  # others are no request
                await self._hear(frames[0], frames[2])

    async def close(self) -> None:
        """Tell everybody that the server closes, while `run` still hears them, and close the socket."""
        await asyncio.gather(*(self._tell_closed(one) for one in [*self.clients.values()]))
        with suppress(TimeoutError):
            async with asyncio.timeout(_FAREWELL):  # those let go hear it when they speak at last
                while self._owe:
                    await asyncio.sleep(0.02)
        for task in self._tasks:
            task.cancel()
        self._context.destroy()

    async def _tell_closed(self, client: Client) -> None:
        if client.telling is not None:
            await asyncio.wait([client.telling], timeout=_CATCH_UP)
        with suppress(TimeoutError):
            async with asyncio.timeout(self.limit), client.turn:
                client.gone = True
                await self.send(client.identity, _CLOSED.SerializeToString())

    async def send(self, identity: bytes, payload: bytes) -> None:
        """Send bytes to a client; a client that has gone hears nothing."""
        await self._socket.send_multipart([identity, b"", payload])

    def let_go(self, client: Client, owes: bool = False) -> None:
        """Forget a client.

        Args:
            client: to forget; owes: whether it may still say something, which is answered by the news that all is over.
        """
        client.gone = True
        self.clients.pop(client.identity, None)
        if client in self._ready:
            self._ready.remove(client)
        if owes:
            self._owe[client.identity] = None
            if len(self._owe) > _MOST:
                del self._owe[next(iter(self._owe))]

    async def _hear(self, identity: bytes, payload: bytes) -> None:
        """Take a message of a client or a stranger."""
        client = self.clients.get(identity)
        if client is not None:
            client.hear(payload)
        elif identity in self._owe:
            del self._owe[identity]
            await self.send(identity, _CLOSED.SerializeToString())
        else:
            await self._join(identity, payload)

    async def _join(self, identity: bytes, payload: bytes) -> None:
        """Let a new client in, or tell it why not."""
        request = wire.JoinRequest()
        try:
            request.ParseFromString(payload)
            reason = self._refusal(identity, request)
        except DecodeError:
            reason = wire.MALFORMED_MESSAGE
        if reason is not None:
            no = wire.JoinResponse(rejected=wire.JoinRejected(reason=reason))
            await self.send(identity, no.SerializeToString())
            return
        observes = request.join_type == wire.OBSERVER
        client = Client(self, identity, request.name or "observer", observes)
        self.clients[identity] = client
        self.start(self._welcome(client))

    def _refusal(self, identity: bytes, request: wire.JoinRequest) -> wire.JoinRejectReason | None:
        """Return the reason why a client may not come in, or None."""
        if self._password and not secrets.compare_digest(request.password.encode(), self._password):
            return wire.WRONG_PASSWORD
        if len(self.clients) >= _MOST:
            return wire.GAME_IN_PROGRESS
        if identity[:1] != b"\0":  # one that a client chose could be chosen by another when the first is gone
            return wire.MALFORMED_MESSAGE
        if len(request.name) > _LONGEST or not request.name.isprintable():
            return wire.MALFORMED_MESSAGE
        if request.join_type == wire.OBSERVER:
            return None
        if not request.name:
            return wire.MALFORMED_MESSAGE
        in_use = any(one.name == request.name for one in self.clients.values() if not one.observes)
        return wire.NAME_TAKEN if in_use or request.name in self._reserved else None

    async def _welcome(self, client: Client) -> None:
        """Tell a client that it is in, and count it once it says that it is ready."""
        accepted = wire.JoinAccepted(token=secrets.token_hex(8), timelimit_ms=round(1000 * self.limit))
        if await client.welcome(accepted):
            self._ready.append(client)
            self._joined(client)

    async def _ping(self) -> None:
        """Look now and then whether those who wait are still there."""
        while True:
            await asyncio.sleep(_PING)
            for client in self.players:
                if client.idle:
                    self.start(self._look_at(client))

    async def _look_at(self, client: Client) -> None:
        with suppress(ClientGone):
            await client.ask(wire.Update(ping_update=True))

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Let work go on until it is done or the server closes."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task
