"""Messages that nobody should send: malformed, oversized, out of turn, replayed, with tokens of others."""

import json
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

Message = str | bytes
TRICKS = (
    "../../../../etc/passwd",
    "..%2f..%2fetc%2fpasswd",
    "/etc/passwd",
    "file:///etc/passwd",
    "/etc/passwd.onnx",
    "os:system",
    "subprocess:Popen",
    "\x00",
    "a" * 5000,
    "pimc@999999999",
    "ismcts@999999999ms",
    "<script>alert(1)</script>",
    "{{7*7}}",
    "'; DROP TABLE games; --",
    "‮\U0001f600",
)
KINDS = ("sit", "play", "undo", "hint", "resign", "again", "pace", "step", "ping", "name", "emote", "review", "branch")
ODD: tuple[Any, ...] = (
    None, True, -1, 0, 1, 3.5, 1e300, 2**31, 2**63, 2**64, -(2**63), 10**40, "", "0", "1", [], [0], {}, {"t": "play"},
    [[[[]]]],
)  # fmt: skip


def malformed(rng: random.Random) -> Message:
    """Return what is no message at all."""
    whole = json.dumps({"t": rng.choice(KINDS), "ply": rng.randrange(9), "action": rng.randrange(60)})
    choices: tuple[Callable[[], Message], ...] = (
        lambda: rng.randbytes(rng.randrange(1, 200)),
        lambda: whole.encode(),
        lambda: whole[: rng.randrange(len(whole))],
        lambda: whole + whole,
        lambda: "[" * rng.choice((10, 3000)),
        lambda: '{"t":' * 1000,
        lambda: rng.choice(("null", "true", "0", "1e999", "NaN", '"t"', "[]", "{}", " ", "", "[{}]", "\ufeff{}")),
        lambda: '{"t": "play", "ply": ' + "9" * 4000 + ', "action": 1}',
        lambda: '{"t": "play", "ply": 0, "action": "\\ud800"}',
        lambda: '{"t": "play", "t": "resign", "ply": NaN, "action": -Infinity}',
        lambda: json.dumps({"t": rng.choice(ODD)}),
        lambda: json.dumps({"t": rng.choice((*TRICKS, "Play", "play ", "quit", "__class__"))}),
    )
    return rng.choice(choices)()


def wrong(rng: random.Random) -> Message:
    """Return a message whose fields have the wrong types, or are missing, or too many."""
    message: dict[str, Any] = {"t": rng.choice(KINDS)}
    for name in ("ply", "action", "token", "agent", "how", "running", "delay", "by", "seat", "name", "emote", "run"):
        if rng.random() < 0.5:
            message[name] = rng.choice((*ODD, *TRICKS))
    return json.dumps(message)


def oversized(rng: random.Random) -> Message:
    """Return a message that is longer than any needs to be."""
    return json.dumps({"t": rng.choice(KINDS), "token": "x" * rng.choice((5_000, 70_000, 1_200_000))})


def out_of_turn(rng: random.Random) -> Message:
    """Return a play that looks right."""
    return json.dumps({"t": "play", "ply": rng.randrange(40), "action": rng.randrange(60)})


def orders(rng: random.Random) -> Message:
    """Return what only a host, or only the holder of a seat, may ask for."""
    return json.dumps(
        rng.choice(
            (
                {"t": "undo"},
                {"t": "resign"},
                {"t": "again", "how": rng.choice(("again", "swap", "duplicate", "../x"))},
                {"t": "pace", "running": True, "delay": rng.choice((0, -1, 1e-9, 1e9, 0.5))},
                {"t": "step", "by": rng.choice((1, -1, 10**9, -(10**9)))},
                {"t": "hint", "agent": rng.choice((*TRICKS, "policy", "random"))},
                {"t": "name", "name": rng.choice((*TRICKS, "Ann", ""))},
                {"t": "emote", "emote": rng.choice((0, 2, 3, -1, 10**9))},
                {"t": "review", "run": rng.choice((True, False))},
                {"t": "branch", "ply": rng.choice((0, 1, 10**9))},
            )
        )
    )


def sits(rng: random.Random, tokens: Sequence[str]) -> Message:
    """Return a `sit` with a token that is not for here, or nearly one that is."""
    token = rng.choice([*tokens, "", "0", "x" * 22])
    spoiled = rng.choice((token, token[:-1], token + "A", token.swapcase(), token[::-1], f" {token}", f"{token}\x00"))
    return json.dumps({"t": "sit", "token": spoiled, "ply": rng.choice((0, 1, -1, 10**9))})


def storm(seed: int, foreign: Sequence[str], replayed: Sequence[str]) -> Iterator[Message]:
    """Give messages without end.

    Args:
        seed: fixes them.
        foreign: tokens of other tables.
        replayed: messages that others have sent at this table.
    """
    rng = random.Random(seed)
    while True:
        dice = rng.random()
        if dice < 0.25:
            yield malformed(rng)
        elif dice < 0.5:
            yield wrong(rng)
        elif dice < 0.502:
            yield oversized(rng)
        elif dice < 0.7:
            yield out_of_turn(rng)
        elif dice < 0.85:
            yield sits(rng, foreign)
        elif dice < 0.93 and replayed:
            yield rng.choice(replayed)
        else:
            yield orders(rng)
