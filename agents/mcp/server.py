"""The desk's tools on the wire of the Model Context Protocol, by its official SDK."""

from collections.abc import Callable
from functools import wraps
from importlib.metadata import version
from typing import Any, ParamSpec, TypeVar

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from kozyr.agents.mcp.desk import Desk

Given = ParamSpec("Given")
Found = TypeVar("Found")
INSTRUCTIONS = """Card and board games against agents. list_games tells what there is, and rules how a game is played.
sit_down opens a table and shows what your seat knows. While the game is not over it is your turn: act with one of
`legal`, by its number or its words. The others move before act returns, and `events` tells what they did. result and
replay tell of a game that is over."""


def make(desk: Desk) -> MCPServer[Any]:
    """Return a server with the desk's tools; what is wrong with a call, it says in a sentence."""
    server: MCPServer[Any] = MCPServer(
        "kozyr", instructions=INSTRUCTIONS, version=version("kozyr"), log_level="WARNING"
    )
    its: Any = _Tools(desk)
    for tool in (its.list_games, its.rules, its.sit_down, its.see, its.act, its.result, its.replay, its.leave):
        server.tool()(_in_words(tool))
    return server


class _Tools:
    """What a language model can call; it reads the docstrings, which are written for it."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def list_games(self) -> dict[str, Any]:
        """List the games with their options, seats and opponents."""
        return {"games": self._desk.games()}

    def rules(self, game: str) -> str:
        """Return the rules of a game."""
        return self._desk.rules(game)

    def sit_down(
        self,
        game: str,
        options: dict[str, Any] | None = None,
        seat: int = 0,
        opponents: list[str] | None = None,
        seed: int | None = None,
    ) -> dict[str, Any]:
        """Open a table, and return its id, what your seat knows, and your legal actions.

        game: a name from list_games. options: those that are not the usual ones. seat: yours, from 0.
        opponents: names such as "low", "policy" or "pimc@100" (a search with 100 simulations) for the other seats; the
        last one takes the seats that are left, and without any the strongest scripted player does.
        seed: fixes the deal; drawn if not given.
        """
        return self._desk.sit_down(game, options or {}, seat, opponents or [], seed)

    def see(self, table: str, observation: bool = True) -> dict[str, Any]:
        """Return what your seat knows in text and named numbers, its legal actions, and the events since you looked.

        observation: false leaves the named numbers out.
        """
        return self._desk.sitting(table).see(observation)

    def act(self, table: str, action: int | str | dict[str, Any], observation: bool = False) -> dict[str, Any]:
        """Play an action and return what you see at your next turn, or at the end.

        action: the number or the words of one of `legal`, or an object such as {"kind": "play", "card": "7C"}.
        observation: true adds the named numbers.
        """
        return self._desk.sitting(table).act(action, observation)

    def result(self, table: str) -> dict[str, Any]:
        """Return how a game ended: in words, and a payoff for each player."""
        return self._desk.sitting(table).result()

    def replay(self, table: str) -> dict[str, Any]:
        """Return the record of a game that is over and, if the server keeps pages, the link of one that shows it."""
        return self._desk.replay(table)

    def leave(self, table: str) -> dict[str, Any]:
        """Close a table."""
        return self._desk.leave(table)


def _in_words(tool: Callable[Given, Found]) -> Callable[Given, Found]:
    """Let a tool say what is wrong to who called it; anything else is a bug and stays in the server's log."""

    @wraps(tool)
    def call(*args: Given.args, **named: Given.kwargs) -> Found:
        try:
            return tool(*args, **named)
        except (ValueError, ImportError, RuntimeError, OSError) as error:
            raise ToolError(str(error)) from error

    return call
