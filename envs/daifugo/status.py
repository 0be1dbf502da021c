"""Status line of a position, in the game of ranks and in that of suits alike."""

from typing import Any

import numpy as np

from kozyr.envs.core.state import OVER
from kozyr.envs.core.text_lines import seat_number
from kozyr.envs.daifugo.exchange import GIVE_FIRST, GIVE_SECOND, PLAY
from kozyr.envs.daifugo.variant import Variant

PHASES = {None: PLAY, "first": GIVE_FIRST, "second": GIVE_SECOND}


def fill_status(v: Variant, s: Any, fields: dict[str, str | None]) -> None:
    """Fill in turn, round, luck, order of ranks and phase.

    Raises:
        ValueError: for a seat, a number or a revolution that the variant does not have.
    """
    for key in ("starter", "turn"):
        seat_number(fields[key], v.players)
    for key in ("starter", "rounds", "gives", "ply"):
        s[key] = int(fields[key] or 0)
    s.turn = OVER if fields["turn"] is None else int(fields["turn"])
    s.phase, s.upside = PHASES[fields["phase"]], fields["upside"] is not None
    luck = int(fields["luck"] or 0)
    if luck >= 2**64:
        raise ValueError(f"luck {luck} is not allowed: it is a whole number below 2⁶⁴")
    s.rng = np.uint64(luck)
    if not 1 <= s.rounds <= v.rounds:
        raise ValueError(f"round {s.rounds} is not one of the {v.rounds} that are played")
    if s.upside and not v.revolution:
        raise ValueError("there is no revolution here: this variant has none (revolution=False)")
