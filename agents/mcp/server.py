"""Tools of the Model Context Protocol, by its official SDK: they play at `ToolTables`."""

from collections.abc import Callable
from functools import wraps
from importlib.metadata import version
from typing import Any, ParamSpec, TypeVar

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from kozyr.agents.mcp.tables import ToolTables

P = ParamSpec("P")
Result = TypeVar("Result")
INSTRUCTIONS = """Card and board games against agents. list_games tells what there is, and rules how a game is played.
sit_down opens a table and shows what your seat knows. While the game is not over it is your turn: act with one of
`legal`, by its number or its words. The others move before act returns, and `events` tells what they did. result and
replay tell of a game that is over."""


def make(tables: ToolTables) -> MCPServer[Any]:
    """Return a server with tools for tables; it answers a wrong call with a sentence."""
    server: MCPServer[Any] = MCPServer(
        "kozyr", instructions=INSTRUCTIONS, version=version("kozyr"), log_level="WARNING"
    )
    t: Any = _Tools(tables)
    for tool in (t.list_games, t.rules, t.sit_down, t.see, t.act, t.result, t.replay, t.leave):
        server.tool()(_in_words(tool))
    return server


class _Tools:
    """The tools of a language model, which reads their docstrings."""

    def __init__(self, tables: ToolTables) -> None:
        self._tables = tables

    def list_games(self) -> dict[str, Any]:
        """List the games with their options, seats and opponents."""
        return {"games": self._tables.games()}

    def rules(self, game: str) -> str:
        """Return the rules of a game."""
        return self._tables.rules(game)

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
        return self._tables.sit_down(game, options or {}, seat, opponents or [], seed)

    def see(self, table: str, observation: bool = True) -> dict[str, Any]:
        """Return what your seat knows in text and named numbers, its legal actions, and the events since you looked.

        observation: false leaves the named numbers out.
        """
        return self._tables.session(table).see(observation)

    def act(self, table: str, action: int | str | dict[str, Any], observation: bool = False) -> dict[str, Any]:
        """Play an action and return what you see at your next turn, or at the end.

        action: the number or the words of one of `legal`, or an object such as {"kind": "play", "card": "7C"}.
        observation: true adds the named numbers.
        """
        return self._tables.session(table).act(action, observation)

    def result(self, table: str) -> dict[str, Any]:
        """Return how a game ended: in words, and a payoff for each player."""
        return self._tables.session(table).result()

    def replay(self, table: str) -> dict[str, Any]:
        """Return the record of a game that is over and, if the server keeps pages, the link of one that shows it."""
        return self._tables.replay(table)

    def leave(self, table: str) -> dict[str, Any]:
        """Close a table."""
        return self._tables.leave(table)


def _in_words(tool: Callable[P, Result]) -> Callable[P, Result]:
    """Let a tool answer a wrong call with a sentence; other errors are bugs and stay in the server's log."""

    @wraps(tool)
    def call(*args: P.args, **options: P.kwargs) -> Result:
        try:
            return tool(*args, **options)
        except (ValueError, ImportError, RuntimeError, OSError) as error:
            raise ToolError(str(error)) from error

    return call
