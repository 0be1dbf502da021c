"""Messages of PROTOCOL.md, as types that decode and encode them."""

from typing import Annotated, Any, Literal

import msgspec

from kozyr.envs.core.labels import Phrase

Short = Annotated[str, msgspec.Meta(max_length=200)]
Emote = Annotated[int, msgspec.Meta(ge=0, le=2)]  # the page has a picture and a word for each
Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 31)]


class _In(msgspec.Struct, tag_field="t", forbid_unknown_fields=True):
    """A message of a page."""


class Sit(_In, tag="sit"):
    """Take the seat, or the place among spectators, of a token."""

    token: Short
    ply: Count = 0


class Play(_In, tag="play"):
    """Play an action."""

    ply: Count
    action: Count


class Undo(_In, tag="undo"):
    """Take the last move back."""


class Hint(_In, tag="hint"):
    """Ask an agent."""

    agent: Short


class Resign(_In, tag="resign"):
    """Lose the game."""


class Again(_In, tag="again"):
    """Play on at a new table."""

    how: Literal["again", "swap", "duplicate"]


class Name(_In, tag="name"):
    """Call my seat by another name."""

    name: Short


class Signal(_In, tag="emote"):
    """Show everybody at the table an emote."""

    emote: Emote


class Review(_In, tag="review"):
    """Have the finished game looked at, or stop that."""

    run: bool = True


class Branch(_In, tag="branch"):
    """Play on from an earlier position of the finished game, at a table of my own."""

    ply: Count


class Pace(_In, tag="pace"):
    """Go on, or pause."""

    running: bool
    delay: Annotated[float, msgspec.Meta(ge=0, le=60)] = 0.8


class Step(_In, tag="step"):
    """Show some plies on, or back."""

    by: Annotated[int, msgspec.Meta(ge=-100_000, le=100_000)] = 1


class Ask(_In, tag="text"):
    """Ask for the position in words."""


class Ping(_In, tag="ping"):
    """Ask for a sign of life."""


Request = Sit | Play | Undo | Hint | Resign | Again | Name | Signal | Review | Branch | Pace | Step | Ask | Ping
_decode = msgspec.json.Decoder(Request).decode


def read(text: str | bytes) -> Request:
    """Return a client's message.

    Raises:
        msgspec.MsgspecError: for what is none; also of text that is no Unicode, and of lists nested too deep.
    """
    try:
        return _decode(text)
    except RecursionError:
        raise msgspec.DecodeError("it is nested too deep") from None
    except UnicodeEncodeError:  # half a pair of surrogates
        raise msgspec.DecodeError("it is no Unicode text") from None


class _Out(msgspec.Struct, tag_field="t"):
    """A message of the server."""


class Welcome(_Out, tag="welcome"):
    """The first message to a client."""

    table: str
    game: str
    title: str
    options: dict[str, Any]
    seats: int
    seat: int | None
    host: bool
    names: list[str]
    kinds: list[str]
    labels: dict[int, str]
    log: list[tuple[int, int | None, str]]
    hints: list[str]
    clock: Any
    links: dict[str, Any] | None
    ranks: str
    analyst: str
    emotes: bool
    phrases: list[Phrase | None]


class SceneChange(msgspec.Struct, frozen=True):
    """The changes of a scene."""

    since: int = msgspec.field(name="from")
    count: int
    rows: list[list[int]]


class Over(msgspec.Struct, frozen=True):
    """The end of a game."""

    payoffs: list[float]
    results: list[str]
    truncated: bool
    record: str
    phrases: list[Phrase | None]


class PlaybackState(msgspec.Struct, frozen=True):
    """The playback of a game of agents."""

    running: bool
    delay: float
    ply: int
    plies: int


class State(_Out, tag="state"):
    """A table after a change."""

    ply: int
    turn: int
    number: int
    scene: SceneChange
    choices: msgspec.Raw
    events: list[tuple[int, int | None, str]]
    undo: bool
    left: list[float] | None
    deadline: float | None
    over: Over | None
    pace: PlaybackState | None
    helped: bool
    phrases: list[Phrase | None]


class PositionText(_Out, tag="text"):
    """A position in words."""

    ply: int
    text: str


class Advice(_Out, tag="advice"):
    """An agent's advice."""

    ply: int
    agent: str
    kind: str
    rows: list[Any]
    words: list[str]
    phrases: list[Phrase | None]


class People(_Out, tag="people"):
    """The clients at the table."""

    here: list[bool]
    watchers: int


class Names(_Out, tag="names"):
    """The names of the seats, and their ratings."""

    names: list[str]
    ratings: list[float | None]


class SignalShown(_Out, tag="emote"):
    """An emote of a seat."""

    seat: int
    emote: Emote


class Rematch(_Out, tag="rematch"):
    """The seats that have asked for the next game."""

    how: str
    seats: list[bool]


class Mistake(msgspec.Struct, frozen=True):
    """A decision that the analyst finds worse than its own.

    Attributes:
        ply: actions before it; seat: that decided; gap: how much worse it was, in payoffs.
        move, best: both actions in words; phrases: of the two, where they can be translated.
    """

    ply: int
    seat: int
    gap: float
    move: str
    best: str
    phrases: list[Phrase | None]


class ReviewState(_Out, tag="review"):
    """A review of a finished game as far as it is.

    Attributes:
        agent: the analyst; done, of: decisions; points: (ply, seat to move, its value) each.
        mistakes: the biggest ones of a seat, or of all, the biggest first.
    """

    agent: str
    done: int
    of: int
    points: list[tuple[int, int, float]]
    mistakes: list[Mistake]


class NextTable(_Out, tag="moved"):
    """The address of the next game."""

    to: str


class Refused(_Out, tag="refused"):
    """The reason why nothing has changed."""

    why: str
    phrase: Phrase | None = None


class Pong(_Out, tag="pong"):
    """A sign of life."""


write = msgspec.json.Encoder().encode
