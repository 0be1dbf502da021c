"""Mini variants: games small enough for an exact best response, and what a report says of an agent in them."""

from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import msgspec

from kozyr import agents
from kozyr.agents.arena.scores.reproducible_result import Digest, Word
from kozyr.envs.core.quote import quote

Real = Annotated[float, msgspec.Meta(ge=-1e9, le=1e9)]
Seats = Annotated[list[Real], msgspec.Meta(min_length=1, max_length=16)]


class Mini(NamedTuple):
    """A mini variant.

    Attributes:
        name: of the variant; game: its game; variant: its options; first: the seat that begins, −1 if chance decides.
    """

    name: str
    game: str
    variant: dict[str, Any]
    first: int = -1

    def load(self, agent: str) -> Any:
        """Return an agent that tells its chances here, or raise ValueError."""
        player = agents.load(agent, game=self.game, **self.variant)
        if not hasattr(player, "chances"):
            raise ValueError(f"{quote(agent)} cannot tell how likely it takes an action")
        return player


MINIS = (
    Mini("draw_poker_mini", "draw_poker", {"players": 2, "deck": 6, "max_bet": 1}),
    Mini("durak_mini", "durak", {"deck": 8, "hand": 3, "open_trump": True, "max_rounds": 2}, 0),
    Mini("daifugo_mini", "daifugo", {"players": 3, "ranks": 2, "joker": False}),
    Mini("war_mini", "war", {"deck": 8, "pickup": "choice", "max_turns": 7}),
    Mini("mnk_mini", "mnk", {"m": 3, "n": 3, "k": 3, "max_moves": 6}, 0),
)


class MiniScore(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Exploitability of an agent in a mini variant, in every seat of which it sits.

    Attributes:
        mini: the variant's name; agent: who played.
        stochastic: a policy draws its actions; otherwise it plays as in a match.
        nash_conv: the sum over the seats of what a best response wins more than the agent; 0: nobody wins more.
        gains: that for each seat; values: what the agent itself wins there.
        trained: SHA-256 of its trained weights, or None.
        code: SHA-256 of the sources; libraries: versions of the libraries, and the machine.
    """

    mini: Word
    agent: Word
    stochastic: bool
    nash_conv: Real
    gains: Seats
    values: Seats
    trained: Digest | None
    code: dict[str, Digest]
    libraries: dict[str, Word]


def by_name(name: str) -> Mini:
    """Return a mini variant, or raise ValueError with the names that there are."""
    for one in MINIS:
        if one.name == name:
            return one
    raise ValueError(f"{quote(name)} is no mini variant: {', '.join(one.name for one in MINIS)}")


def line_up(names: Sequence[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the agents by the names of their mini variants, and for each agent that has none, the reason.

    Args:
        names: agents; each plays the variants in which it is the first that tells its chances.
    """
    lineup, alone = dict[str, str](), dict[str, str]()
    for name in names:
        why = ""
        for mini in MINIS:
            try:
                mini.load(name)
            except ValueError as error:
                why = why or str(error)
            else:
                why = "those before it play the variants that it fits"
                lineup.setdefault(mini.name, name)
        if name not in lineup.values():
            alone[name] = why
    return {one.name: lineup[one.name] for one in MINIS if one.name in lineup}, alone


def wrong_number(several: Sequence[MiniScore]) -> str:
    """Return the first number that does not follow from the others, in words, or ""."""
    for one in several:
        try:
            mini = by_name(one.mini)
        except ValueError as error:
            return str(error)
        if len(one.gains) != len(one.values):
            return f"{mini.name} has gains of {len(one.gains)} seats and values of {len(one.values)}"
        if one.nash_conv != sum(one.gains) or min(one.gains) < 0:
            return f"NashConv of {mini.name} is {sum(one.gains)}, the sum of the gains; the report says {one.nash_conv}"
    return ""
