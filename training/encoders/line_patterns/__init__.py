"""Boards by patterns: the stones along the lines through every cell, and small layers that all cells share."""

from typing import Annotated, Any

from pydantic import Field

from kozyr.envs.core.capabilities import board
from kozyr.envs.core.game import Game
from kozyr.envs.core.quote import quote
from kozyr.training.encoders.encoder import ACTIVATIONS, Encoder, Net, Parts
from kozyr.training.encoders.line_patterns.network import FORMS, BoardPolicy, PatternView

LONGEST = 5  # cells to a side that a pattern may have: 3 to the power of twice as many are told apart at first


def _complaint(net: Net, game: Game, variant: Any) -> str:
    at, trunk, widths = board(variant), net["trunk"], (net["patterns"], *net["trunk"])
    setting = f"net.patterns={net['patterns']}"
    if at is None:
        return f"{setting} is not allowed: {game.name} has no board: it is 0"
    if at.rows * at.columns != game.actions(variant):
        return f"{setting} is not allowed where some actions are no cells of the board: it is 0"
    if at.reach > LONGEST:
        where = f"where lines reach {at.reach} cells to each side of a cell"
        return f"{setting} is not allowed {where}: at most {LONGEST}, or net.patterns=0"
    if net["activation"] != "relu":
        return f"net.activation={quote(net['activation'])} is not allowed with net.patterns: it is 'relu'"
    if not trunk:
        return "net.trunk=[] is not allowed with net.patterns: name at least one width"
    if any(width % 4 for width in widths):
        return f"net.patterns, net.trunk={widths} is not allowed: all are multiples of 4"
    return ""


def _policy(net: Net, game: Game, variant: Any, parts: Parts, threads: int) -> tuple[Any, dict[str, Any]]:
    read = {"board": board(variant), "patterns": net["patterns"], "trunk": net["trunk"], "threads": threads}
    own = {"heads": net["heads"], "activation_fn": ACTIVATIONS[net["activation"]]}
    return BoardPolicy, {**own, "features_extractor_class": PatternView, "features_extractor_kwargs": read}


KEYS = {"patterns": (Annotated[int, Field(ge=0, le=2**14)], 0)}  # features of a pattern along a line, by fours; 0: none
ENCODER = Encoder(KEYS, FORMS, _complaint, policy=_policy, own_threads=True)
