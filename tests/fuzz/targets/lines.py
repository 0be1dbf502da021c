"""Lines of JSON that others have written: records, results of leagues, messages of pages and programs."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from kozyr import envs
from kozyr.agents.arena.tournaments.store import Block, Outcome, Store
from kozyr.agents.play.pages.table_config import TableConfig
from kozyr.agents.play.session import messages
from kozyr.agents.programs import messages as told
from kozyr.agents.programs.child import EngineError
from kozyr.envs.table import record
from kozyr.envs.table.clock import Clock
from kozyr.envs.table.table import Table
from tests.fuzz import mutate
from tests.fuzz.errors import require
from tests.fuzz.targets.target import Target, folder, random_legal, some_variants, written

RECORDS = Path(__file__).parents[2] / "records"


def _table(game: Any, v: Any, seed: int, plies: int) -> Table:
    rng = np.random.default_rng(seed)
    clock = Clock(move=5, game=60, increment=1) if seed % 3 == 0 else None
    names = [f"agent {k}" for k in range(game.seats(v))] if seed % 2 else None
    table = Table(game, v, seed, clock=clock, id=f"t{seed}" if seed % 2 else None, names=names)
    while not table.over and table.ply < plies:
        table.play(random_legal(table.mask, rng))
    return table


@cache
def _records() -> tuple[bytes, ...]:
    """Return records of finished, forfeited and running games, and golden ones that are short."""
    found: list[str] = []
    for name in envs.games():
        game = envs.game(name)
        for number, v in enumerate(some_variants(game, 5)):
            for plies in (0, 5, 400):
                table = _table(game, v, number, plies)
                if number % 2 and not table.over:
                    table.forfeit(0, "an error")
                found.append(record.write(table.record))
    for path in sorted(RECORDS.glob("*.jsonl")):
        found += [line for line in path.read_text(encoding="utf-8").splitlines() if len(line) < 2000][:4]
    return tuple(line.encode() for line in found)


def read_record(data: bytes) -> None:
    """Read a record; what is taken for one is written and read the same, and a table can be made of it."""
    it = record.read(data)
    line = record.write(it)
    again = record.read(line)
    require(record.write(again) == line, "a record reads otherwise once written")
    table = Table.resume(it)
    require(table.over == bool(it.payoffs) and table.ply == len(it.actions), "a table is not as its record says")


def read_records(data: bytes) -> None:
    """Read a file of records."""
    for _ in record.read_file(written("games.jsonl", data)):
        pass


def _files() -> list[bytes]:
    lines = _records()
    return [b"\n".join(lines[i : i + 3]) + b"\n" for i in range(0, len(lines), 3)]


def _results() -> list[bytes]:
    """Return files of results."""
    lines: list[str] = []
    for number in range(8):
        n = 1 + number % 3
        block = Block("mnk_v0", '{"m": 3}', number, None if number % 2 else 2, ("low", "random"), number, n)
        returns = tuple(0.5 * k - 0.5 for k in range(n))
        outcome = Outcome((returns, returns), (0, number), (None, None), (None, 0.25), 0.5, 40)
        lines.append(json.dumps({"format": 3, **asdict(block), **asdict(outcome)}))
    return [("\n".join(lines[i : i + 2]) + "\n").encode() for i in range(7)] + [lines[0][:40].encode()]


def read_results(data: bytes) -> None:
    """Open a file of results; what was taken is still there when it is opened again, and refused files stay."""
    path = written("results.jsonl", data)
    try:
        store = Store(path)
    except ValueError:
        require(path.read_bytes() == data, "a file that is refused was changed")
        raise
    require(Store(path).known == store.known, "results differ once read again")


def _said() -> list[bytes]:
    """Return what pages say."""
    told_ = [
        messages.Sit("token", 3),
        messages.Play(2, 5),
        messages.Undo(),
        messages.Hint("low"),
        messages.Resign(),
        messages.Again("swap"),
        messages.Name("Ann"),
        messages.Signal(2),
        messages.Review(False),
        messages.Branch(7),
        messages.Pace(True, 1.5),
        messages.Step(-1),
        messages.Ask(),
        messages.Ping(),
    ]
    return [messages.write(one) for one in told_]


def read_said(data: bytes) -> None:
    """Read what a page says; it is said the same again."""
    it = messages.read(data)
    require(messages.read(messages.write(it)) == it, "a message reads otherwise once written")


def _setups() -> list[bytes]:
    """Return setups of tables, as the server keeps them."""
    found: list[bytes] = []
    for name in envs.games():
        game = envs.game(name)
        for v in some_variants(game, 4):
            seats = ["me", *["random"] * (game.seats(v) - 1)]
            found.append(msgspec.json.encode(TableConfig(game=name, options=game.options(v), seats=seats, names=seats)))
    return found


def read_setup(data: bytes) -> None:
    """Read a setup and check it, as the server does with what it has kept."""
    setup = msgspec.json.decode(data, type=TableConfig)
    setup.check()
    setup.variant()


class _Voice:
    """A program that says one line, again and again."""

    running, tail, words = True, "", ("program",)

    def __init__(self, line: str) -> None:
        self._line = line

    def start(self) -> None:
        pass

    def kill(self) -> None:
        pass

    def send(self, data: bytes, deadline: float) -> None:
        pass

    def line(self, deadline: float) -> str:
        return self._line


def _answers() -> list[bytes]:
    return [
        b'{"type":"move","id":1,"action":4}',
        b'{"type":"move","id":1,"action":0}',
        told.GREETING.encode(),
        b'{"type":"hello","kozyr":1,"wants":["view","words","text","events"]}',
    ]


def read_answer(data: bytes) -> None:
    """Read what a program answers, as a greeting and as a move."""
    from kozyr.agents.programs.process import ProcessAgent

    game = envs.game("mnk")
    v = game.make_variant(m=3, n=3, k=3)
    line, table = mutate.text_of(data), Table(game, v, 1)
    greeting = told.read(line)
    if greeting is not None and greeting.get("type") == "hello":
        require(told.wanted_parts(greeting) <= set(told.PARTS), "a program wants what there is not")
    agent = ProcessAgent("python", game, v)
    agent.child = _Voice(line)
    action = agent.act(table.view(table.turn), table.mask)
    require(type(action) is int and bool(table.mask[action]), f"an answer is taken for action {action!r}")


Maker = tuple[str, Callable[[], Sequence[bytes]], Callable[[bytes], None], dict[str, Any]]


def targets() -> list[Target]:
    """Return the targets."""
    page = (ValueError, msgspec.ValidationError, msgspec.DecodeError, UnicodeDecodeError)  # the server reads texts
    records = (
        "kozyr.envs.table.record_format",
        "kozyr.envs.table.record",
        "kozyr.envs.environments.argument_checks",
        "kozyr.envs.core.variant",
    )
    made: list[Maker] = [
        ("record", lambda: list(_records()), read_record, {"modules": records}),
        ("records-file", _files, read_records, {"modules": records}),
        ("results", _results, read_results, {"modules": ("kozyr.agents.arena.tournaments.store",)}),
        ("page-message", _said, read_said, {"allowed": page}),
        (
            "setup",
            _setups,
            read_setup,
            {"allowed": page, "modules": ("kozyr.agents.play.pages.table_config", *records)},
        ),
        (
            "program-answer",
            _answers,
            read_answer,
            {
                "allowed": (EngineError, ValueError),
                "modules": ("kozyr.agents.programs.process", "kozyr.agents.programs.messages"),
            },
        ),
    ]
    folder()
    return [Target(name, mutate.JSON, seeds, call, **more) for name, seeds, call, more in made]
