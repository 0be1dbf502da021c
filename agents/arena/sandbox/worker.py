"""Process of a sandboxed agent: it loads the agent and asks it, one question after the other.

Questions are tuples: ("reset", seat, seed), ("practice", views, masks), ("each", views, masks) and ("batch", views,
masks). An answer is [seconds, fine, answer] in MessagePack, which is data and no code; "each" has one for every view.
"""

import contextlib
import pickle
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

import msgspec

from kozyr import agents
from kozyr.agents.agent import Solo
from kozyr.agents.arena.matches.processes import prepare_worker
from kozyr.agents.search import Searcher
from kozyr.envs import registry
from kozyr.envs.environments.agent_protocol import as_agent


def main(pipe: "Connection[Any, Any]", payload: bytes) -> None:
    """Answer questions until the process that asks them ends.

    The first answer is two flags: the agent answers batches faster than single views; it is a search player.
    """
    prepare_worker()
    try:
        agent = _load(payload)
    except BaseException as error:
        _send(pipe, 0.0, False, str(error) if isinstance(error, ValueError) else _words(error))
        return
    searches = isinstance(agent, Searcher)
    _send(pipe, 0.0, True, [not searches and type(agent).act_batch is not Solo.act_batch, searches])
    with contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            _answer(agent, pipe, *pipe.recv())


def _load(payload: bytes) -> Any:
    """Return the agent, from its name or its pickle."""
    registered, game, options, source = pickle.loads(payload)
    registry.restore(registered)
    agent = pickle.loads(source)
    return agents.load(agent, game, **options) if isinstance(agent, str) else as_agent(agent)


def _answer(agent: Any, pipe: "Connection[Any, Any]", question: str, *args: Any) -> None:
    """Answer a question."""
    if question == "reset":
        _timed(pipe, lambda: agent.reset(*args))
    elif question == "practice":
        _timed(pipe, lambda: _practise(agent, *args))
    elif question == "batch":
        _timed(pipe, lambda: agent.act_batch(*args))
    else:
        for view, mask in zip(*args, strict=True):
            _timed(pipe, lambda view=view, mask=mask: agent.act(view, mask))


def _practise(agent: Any, views: Any, masks: Any) -> None:
    """Make a practice decision, so that slow preparation does not count."""
    if isinstance(agent, Searcher):
        agent.warm()
    elif type(agent).act_batch is Solo.act_batch:
        agent.act(views[0], masks[0])
    else:
        agent.act_batch(views, masks)


def _timed(pipe: "Connection[Any, Any]", work: Callable[[], Any]) -> None:
    """Send the seconds of some work, a flag for success, and its result or its error."""
    began, fine = time.perf_counter(), True
    try:
        answer = work()
    except BaseException as error:  # whatever a user's agent raises
        answer, fine = _words(error), False
    _send(pipe, time.perf_counter() - began, fine, answer)


def _send(pipe: "Connection[Any, Any]", seconds: float, fine: bool, answer: Any) -> None:
    """Send an answer; numbers and arrays of libraries become Python's."""
    plain = answer.tolist() if hasattr(answer, "tolist") else answer
    try:
        sent = msgspec.msgpack.encode((seconds, fine, plain))
    except Exception as error:  # of a type, or a number, that is no action
        sent = msgspec.msgpack.encode((seconds, False, f"an answer of type {type(answer).__name__}: {error}"))
    pipe.send_bytes(sent)


def _words(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
