"""Games as an OpenEnv server and its client: a session is one game after the other, over a WebSocket.

    from kozyr.agents.bridges import openenv_env

    openenv_env.serve("durak", opponents=["low"], deck=36)  # http://127.0.0.1:8000

and in the program that trains:

    with openenv_env.GamesClient("http://127.0.0.1:8000").sync() as client:
        result = client.reset(seed=1, seat=0)
        while not result.done:
            result = client.step(openenv_env.Move(text=model(result.observation.text)))

OpenEnv's `GenericEnvClient` does as well. Its steps over plain HTTP make a new environment each time, so no game could
be played by them: this server refuses them. Needs the extra `[llm]`.
"""

import socket
import threading
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import partial
from secrets import randbits
from typing import Any

import numpy as np

from kozyr.agents.bridges.one_seat import RANDOM, OneSeat, Setting
from kozyr.agents.text.question import SHORT
from kozyr.agents.text.text_agent import RETRIES
from kozyr.envs.core import install_hint
from kozyr.envs.environments import argument_checks

try:
    import uvicorn
    from fastapi import FastAPI
    from fastapi.responses import JSONResponse
    from openenv.core.client_types import StepResult
    from openenv.core.env_client import EnvClient
    from openenv.core.env_server.http_server import create_fastapi_app
    from openenv.core.env_server.interfaces import Environment
    from openenv.core.env_server.types import Action, EnvironmentMetadata, Observation, ServerMode, State
except ModuleNotFoundError as missing:
    raise ImportError(f"this needs OpenEnv 0.10 or newer: {install_hint.command('llm')}") from missing

__all__ = ["GameState", "GamesClient", "GamesEnvironment", "Move", "Position", "app", "serve", "serving"]

HOST, PORT = "127.0.0.1", 8000
SESSIONS = 64
_REFUSAL = (
    "this server plays over WebSockets alone, at /ws: over HTTP each request would meet a new game. Take "
    "kozyr.agents.bridges.openenv_env.GamesClient or OpenEnv's GenericEnvClient, which connect there"
)
_START = 30.0  # seconds for a server to begin


class Move(Action):
    """An answer of the model, or an action by its number."""

    text: str = ""
    """The answer; thoughts may stand before the action."""
    action: int | None = None
    """The number of a legal action, in place of a text."""


class Position(Observation):
    """What the model's seat is told. `reward` is its payoff once the game is over, until then 0."""

    text: str = ""
    """The moves since, the position and the legal actions; first the rules. At the end the result."""
    seat: int = 0
    """The model's."""
    legal_actions: list[int] = []
    """The numbers of the legal actions; none once the game is over."""
    refusal: str = ""
    """Why the last answer did not count; empty if it did."""


class GameState(State):
    """What a trainer may know of a game, nothing of it hidden from the seat."""

    game: str = ""
    """Its name with the version."""
    options: dict[str, Any] = {}
    """The fields of its variant."""
    seed: int = 0
    """Of the deal."""
    seat: int = 0
    """The model's."""
    answers: int = 0
    """Texts of the model so far."""
    illegal: int = 0
    """Those of them without a legal action."""
    payoffs: list[float] = []
    """One a seat, zeros until the game is over."""
    outcome: str = ""
    """The end in words."""


class GamesEnvironment(Environment[Move, Position, GameState]):
    """One seat of one game; agents sit in the others.

    Args:
        setting: of the game.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, setting: Setting) -> None:
        super().__init__()
        self._setting = setting
        self._game: OneSeat | None = None
        self._seed, self._steps, self._episode = 0, 0, None

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, seat: int | None = None, **more: Any
    ) -> Position:
        """Begin a game.

        Args:
            seed: of the deal, or None: it is drawn. All generations of a group need the same.
            episode_id: returned by `state`.
            seat: the model's, or None: it follows from the seed.
            **more: is not read.

        Raises:
            ValueError: for a bad seed or seat.
        """
        self._seed = argument_checks.seed(randbits(62) if seed is None else seed)
        self._steps, self._episode = 0, episode_id
        self._game = OneSeat(self._setting, self._seed, self._setting.seat(self._seed, seat))
        return self._position(self._game.first())

    def step(self, action: Move, timeout_s: float | None = None, **more: Any) -> Position:
        """Take an answer.

        Raises:
            RuntimeError: before the first reset, and after the end of a game.
            ValueError: for a number that is no legal action.
        """
        game = self._current()
        if game.dialogue.over:
            raise RuntimeError("the game is over: reset begins another one")
        self._steps += 1
        if action.action is not None:
            game.act(action.action)
            return self._position(game.ask())
        why = game.answer(action.text)
        return self._position(f"This answer does not count: {why}.\n{game.ask()}" if why else game.ask(), why)

    @property
    def state(self) -> GameState:
        """The state of the game."""
        game, table = self._current(), self._current().dialogue.table
        return GameState(
            episode_id=self._episode,
            step_count=self._steps,
            game=self._setting.game.id,
            options=self._setting.game.options(self._setting.variant),
            seed=self._seed,
            seat=game.seat,
            answers=game.dialogue.answers[game.seat],
            illegal=game.dialogue.illegal[game.seat],
            payoffs=[float(one) for one in table.payoffs],
            outcome=game.dialogue.reason,
        )

    def get_metadata(self) -> EnvironmentMetadata:
        """Return the name and the options of the game."""
        options = ", ".join(f"{key}={value}" for key, value in self._setting.options.items())
        words = f"{self._setting.game.title}{f' with {options}' if options else ''}, {self._setting.seats} seats"
        return EnvironmentMetadata(name=f"kozyr/{self._setting.game.id}", description=words)

    def _current(self) -> OneSeat:
        if self._game is None:
            raise RuntimeError(f"no game has begun: reset first. If you did so over HTTP: {_REFUSAL}")
        return self._game

    def _position(self, text: str, why: str = "") -> Position:
        game = self._current()
        over = game.dialogue.over
        legal = [] if over else np.flatnonzero(game.dialogue.table.mask).tolist()
        reward = float(game.payoff or 0.0)
        return Position(text=text, seat=game.seat, legal_actions=legal, refusal=why, done=over, reward=reward)


class GamesClient(EnvClient[Move, Position, GameState]):
    """A client of the server; `.sync()` returns one that needs no `await`."""

    def _step_payload(self, action: Move) -> dict[str, Any]:
        return action.model_dump()

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[Position]:
        reward, done = payload.get("reward"), bool(payload.get("done"))
        position = Position(**payload["observation"], reward=reward, done=done)
        return StepResult(observation=position, reward=reward, done=done)

    def _parse_state(self, payload: dict[str, Any]) -> GameState:
        return GameState(**payload)


def app(
    game: str,
    opponents: Sequence[str] = RANDOM,
    retries: int = RETRIES,
    full_rules: bool = False,
    text: str = SHORT,
    sessions: int = SESSIONS,
    **variant: Any,
) -> FastAPI:
    """Return the server as an application that uvicorn runs.

    Args:
        game: its name.
        opponents: agents in the other seats, clockwise, the last one in all that are left.
        retries: answers without a legal action that are asked for again; one more loses the game.
        full_rules: tell RULES.md in place of the rules in short.
        text: "short" or "long".
        sessions: games at once, one a connection.
        **variant: fields of the game's variant.

    Raises:
        ValueError: for unknown games and agents and impossible variants.
    """
    setting = Setting(game, variant, opponents, retries, full_rules, text)
    application = create_fastapi_app(
        partial(GamesEnvironment, setting),
        Move,
        Position,
        argument_checks.count("sessions", sessions),
        env_name=setting.game.name,
        state_cls=GameState,
        mode=ServerMode.PRODUCTION,  # without HTTP's own /reset, /step and /state
    )

    def refuse() -> JSONResponse:
        return JSONResponse({"detail": _REFUSAL}, status_code=409)

    for path, method in (("/reset", "POST"), ("/step", "POST"), ("/state", "GET")):
        application.add_api_route(path, refuse, methods=[method], include_in_schema=False)
    return application


def serve(game: str, *options: Any, host: str = HOST, port: int = PORT, **more: Any) -> None:
    """Serve a game until it is interrupted.

    Args:
        game: its name; options, more: of `app`.
        host: address to listen at; port: of it.
    """
    uvicorn.run(app(game, *options, **more), host=host, port=port, log_level="warning")


@contextmanager
def serving(game: str, *options: Any, host: str = HOST, port: int = 0, **more: Any) -> Generator[str]:
    """Serve a game from a thread of this program, and give its address.

    Args:
        game: its name; options, more: of `app`.
        host: address to listen at; port: of it, 0: any that is free.

    Raises:
        RuntimeError: if the server does not begin.
    """
    config = uvicorn.Config(app(game, *options, **more), log_level="warning")
    server = uvicorn.Server(config)
    with socket.create_server((host, port)) as listener:
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        try:
            until = time.monotonic() + _START
            while not server.started:
                if not thread.is_alive() or time.monotonic() > until:
                    raise RuntimeError(f"no server has begun at {host}")
                time.sleep(0.01)
            yield f"http://{host}:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()
