"""The results store: one JSON object a line, one file a subject."""

import re
from collections.abc import Iterable
from datetime import date
from pathlib import Path

import msgspec

FOLDER = Path(__file__).parent
FORMER = "score interval, wider where few deals differ"  # the method before that of few values
NORMAL = "normal approximation"  # the method of intervals before the ones of today, too narrow at the edges
OLD = NORMAL, FORMER
PROGRAMS = (["kozyr"], ["python", "-m", "tests.benchmarks"])  # what a row's command may begin with
_ID = re.compile(r"[a-z0-9_]+(/[A-Za-z0-9_.@+-]+)+")


class StoreError(ValueError):
    """A store, a template or a page that cannot be read; the text says where and what is allowed."""


class Row(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, frozen=True):
    """One number and where it comes from.

    Attributes:
        id: stable name, "subject/what/against"; the subject is the file's name.
        what: the measured thing in short words.
        command: the exact command, or None where `note` says why there is none.
        value: in `unit`.
        low: lower end of the 95 % interval, in `unit`; None for a number without an interval.
        high: its upper end.
        unit: "%", "chips/100", "M steps/s", "ms", "s", "NashConv", …
        method: of the interval, None without one.
        deals: independent deals, None where nothing is dealt.
        date: of the measurement; for numbers that were typed by hand, of the commit that brought them.
        processor: its name.
        versions: of the packages that matter.
        digits: decimals that pages show; None for those of the unit.
        read: path of the number in the command's JSON document, as "agents/0/score"; None if no program can measure it.
        run: name of the run, equal in all rows that one command measured.
        sources: fingerprint of the sources that were measured.
        note: anything a reader must know.
    """

    id: str
    what: str
    command: str | None
    value: float
    low: float | None
    high: float | None
    unit: str
    method: str | None
    deals: int | None
    date: date
    processor: str
    versions: dict[str, str]
    digits: int | None = None
    read: str | None = None
    run: str | None = None
    sources: str | None = None
    note: str | None = None


def read(folder: Path = FOLDER) -> dict[str, Row]:
    """Return all rows by their ids.

    Raises:
        StoreError: for a line that is no row, an id that stands twice, and a row that contradicts itself.
    """
    rows = dict[str, Row]()
    for file in sorted(folder.glob("*.jsonl")):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            row = _parse(line, f"{file.name}, line {number}", file.stem)
            if row.id in rows:
                raise StoreError(f"{file.name}, line {number}: the id {row.id!r} stands twice")
            rows[row.id] = row
    return rows


def write(rows: Iterable[Row], folder: Path = FOLDER) -> None:
    """Write changed rows over those with the same ids, and new ones behind the others; a file is replaced at once."""
    changed = {row.id: row for row in rows}
    for row in changed.values():
        _check(row, f"row {row.id}", row.id.partition("/")[0])
    stored = {**read(folder), **changed}
    for subject in sorted({name.partition("/")[0] for name in changed}):
        lines = [msgspec.json.encode(row) for name, row in stored.items() if name.partition("/")[0] == subject]
        file = folder / f"{subject}.jsonl"
        draft = file.with_suffix(".tmp")
        draft.write_bytes(b"\n".join([*lines, b""]))
        draft.replace(file)


def _parse(line: str, place: str, subject: str) -> Row:
    """Return the row of a line."""
    try:
        row = msgspec.json.decode(line, type=Row)
    except msgspec.DecodeError as wrong:
        raise StoreError(f"{place}: {wrong}") from None
    _check(row, place, subject)
    return row


def _check(row: Row, place: str, subject: str) -> None:
    """Raise what is wrong with a row."""
    wrong = {
        f"the id {row.id!r} must be {subject}/words, of letters, digits and _ . @ + -": not _ID.fullmatch(row.id)
        or not row.id.startswith(f"{subject}/"),
        "low and high go together": (row.low is None) != (row.high is None),
        "an interval needs its method": (row.low is None) != (row.method is None),
        "the value must lie between low and high, and these must differ": row.low is not None
        and row.high is not None
        and not (row.low <= row.value <= row.high and row.low < row.high),
        "without a command a note must say why": row.command is None and not row.note,
        "`read` needs a command": row.read is not None and row.command is None,
        "digits must be 0 to 6": row.digits is not None and not 0 <= row.digits <= 6,
    }
    for message, found in wrong.items():
        if found:
            raise StoreError(f"{place}: {message}")
