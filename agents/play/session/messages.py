"""Messages of PROTOCOL.md, as types that decode and encode them."""

from typing import Annotated, Any, Literal

import msgspec

from kozyr.envs.core.labels import Phrase

Short = Annotated[str, msgspec.Meta(max_length=200)]
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


Request = Sit | Play | Undo | Hint | Resign | Again | Pace | Step | Ask | Ping
read = msgspec.json.Decoder(Request).decode


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
