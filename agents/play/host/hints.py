"""What an agent would do where a person is to move, in words, for those who play without the page."""

from kozyr import agents
from kozyr.agents.play.host.advice import advise
from kozyr.agents.play.pages.opponents import advisers
from kozyr.envs.table.table import Table

_SHOWN = 5  # moves, the best ones


class Hints:
    """Agents that a person may ask who plays only agents.

    Args:
        table: where the person sits; people: how many persons do.
    """

    def __init__(self, table: Table, people: int) -> None:
        self._table = table
        self.names = advisers(table.game, table.variant) if people == 1 else []

    def tell(self, agent: str = "") -> list[str]:
        """Return what an agent would do now, line by line; the first of `names` if none is named.

        Raises:
            ValueError: if there are no hints at this table, or not from this agent.
        """
        t = self._table
        if not self.names:
            raise ValueError("there are no hints where other people sit")
        if agent and agent not in self.names:
            raise ValueError(f"{agent!r} gives no hints: ask {', '.join(self.names)}")
        name = agent or self.names[0]
        asked = agents.load(name, t.game.name, **t.game.options(t.variant))
        asked.reset(t.turn, 0)
        found = advise(asked, t.game, t.variant, t.view(t.turn), t.mask)
        best = [(t.game.text.say(t.variant, t.states[0], row.action, t.turn), row.value) for row in found.rows[:_SHOWN]]
        shares = found.kind == "probabilities"
        return [f"{name} would play:", *(f"  {words}  {f'{x:.0%}' if shares else f'{x:+.2f}'}" for words, x in best)]
