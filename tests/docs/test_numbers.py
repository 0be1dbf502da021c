"""README and the pages tell the numbers of docs/results and no others."""

import json
import shlex
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from docs.results import check, measure, pages, reading, store, text
from docs.results.store import Row, StoreError
from tests.benchmarks.__main__ import PARTS
from tests.docs import shell

ROW = Row(
    id="some/policy/heuristic",
    what="a policy against heuristic",
    command="kozyr match some policy heuristic --deals 100",
    value=77.02,
    low=76.11,
    high=77.93,
    unit="%",
    method="Wilson",
    deals=1000,
    date=date(2026, 11, 28),
    processor="a processor",
    versions={"kozyr": "0.2.0"},
    read="agents/0/score",
)
OURS, PEER = (
    msgspec.structs.replace(
        ROW, id=f"some/{name}", value=value, low=None, high=None, method=None, unit=unit, deals=None, run="today"
    )
    for name, value, unit in (("ours", 6.3, "M steps/s"), ("peer", 156.0, "k steps/s"))
)
ROWS = {row.id: row for row in (ROW, OURS, PEER)}
PAGE = "# A page\n\n<!-- results: scores -->\n<!-- end of results -->\n"
BLOCKS = {"scores": "| Score | Deals |\n|---|---|\n| ${some/policy/heuristic} | ${some/policy/heuristic deals} |"}
MATCH = {"agents": [{"score": 0.75, "score_interval": [0.7, 0.79], "interval_method": "Wilson"}], "deals": 500}


def changed(row: Row = ROW, **fields: Any) -> Row:
    return msgspec.structs.replace(row, **fields)


def site(folder: Path, page: str) -> Path:
    """Write a repository that has one page."""
    (folder / "docs").mkdir()
    (folder / "README.md").write_text(page, encoding="utf-8")
    return folder


def test_readme_and_pages_tell_the_numbers_of_the_store() -> None:
    assert check.problems(store.read()) == []
    assert pages.unused() == set()


def test_no_interval_is_without_width() -> None:
    assert not [row.id for row in store.read().values() if "± 0.0 " in text.full(row) or "± 0 " in text.full(row)]


@pytest.mark.parametrize("command", sorted({row.command or "" for row in store.read().values() if row.read}))
def test_commands_of_the_store_are_understood(command: str) -> None:
    words = shlex.split(command)
    if words[0] == "kozyr":
        shell.understood([*words, "--json"])
    else:
        assert words[:3] == ["python", "-m", "tests.benchmarks"]
        assert set(words[3:]) <= set(PARTS)


def test_rates_of_one_command_are_of_one_run() -> None:
    runs = dict[str, set[str | None]]()
    for row in store.read().values():
        if row.command and row.run and row.read:
            runs.setdefault(row.command, set()).add(row.run)
    assert [command for command, names in runs.items() if len(names) > 1] == []


def test_a_number_that_is_no_row_is_named_with_page_and_line(tmp_path: Path) -> None:
    known, unknown = "77.0 ± 0.9 %, makes 6.3 M steps/s", "77.1 ±\n0.9 %, 12 M steps a second, 9.5 % (8 … 9.9)"
    page = f"# A page\n\nIt has {known}\nand not {unknown}.\n"
    found = check.problems(ROWS, site(tmp_path, page))
    assert [line.partition(" is no row")[0] for line in found] == [
        "README.md:4: '77.1 ± 0.9 %'",
        "README.md:5: '9.5 % (8 … 9.9)'",
        "README.md:5: '12 M/s'",
    ]


@pytest.mark.parametrize("words", ["77.0 ± 0.9", "**77.0 ± 0.9 %**", "6.3 million steps a second", "156 k steps/s"])
def test_rows_are_known_in_all_ways_that_pages_write_them(words: str) -> None:
    assert list(check.unknown(words, set(check.tellings([ROW, OURS, changed(PEER, digits=0)])))) == []


def test_an_edited_table_is_told_with_the_command_that_mends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "templates", lambda: BLOCKS)
    made = pages.render(PAGE, ROWS, BLOCKS)
    root = site(tmp_path, made.replace("1,000", "2,000"))
    assert check.problems(ROWS, root) == [
        "README.md: its tables are not those of docs/results. `python -m docs.results` writes them"
    ]
    assert list(pages.stale(ROWS, root)) == [(root / "README.md", made)]


def test_tables_are_written_between_the_comments_and_stay_there() -> None:
    made = pages.render(PAGE, ROWS, BLOCKS)
    assert "| 77.0 ± 0.9 % | 1,000 |" in made
    assert pages.render(made, ROWS, BLOCKS) == made
    inside = pages.render(PAGE.replace("<!--", "  <!--"), ROWS, BLOCKS)
    assert "\n  | 77.0 ± 0.9 % | 1,000 |\n" in inside


def test_old_intervals_are_marked_beside_new_ones() -> None:
    old = changed(id="some/old", method=store.NORMAL, date=date(2026, 11, 1))
    blocks = {"scores": "${some/policy/heuristic} ${some/old}"}
    page = f"{PAGE}\n<!-- results: dates -->\n<!-- end of results -->\n"
    made = pages.render(page, {**ROWS, old.id: old}, blocks)
    assert "77.0 ± 0.9 % 77.0 ± 0.9 %†" in made
    assert "Measured 2026-11-01 to 2026-11-28. Intervals with † are by the normal approximation" in made
    assert "†" not in pages.render(page, {**ROWS, old.id: old}, {"scores": "${some/old}"})


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("${some/other}", "no row of docs/results"),
        ("${some/ours upside down}", "is none of bare"),
        ("${some/ours / some/policy/heuristic}", "two rows of one run"),
    ],
)
def test_templates_that_cannot_be_rendered_are_refused(template: str, message: str) -> None:
    with pytest.raises(StoreError, match=message):
        pages.render(PAGE, ROWS, {"scores": template})


def test_a_ratio_takes_both_sides_from_one_run() -> None:
    assert "\n40×\n" in pages.render(PAGE, ROWS, {"scores": "${some/ours / some/peer}"})
    with pytest.raises(StoreError, match="one run"):
        pages.render(PAGE, {**ROWS, OURS.id: changed(OURS, run="before")}, {"scores": "${some/ours / some/peer}"})


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "77.0 ± 0.9 %"),
        ({"value": 99.4, "low": 98.1, "high": 99.8}, "99.4 % (98.1 … 99.8)"),
        ({"value": 100.0, "low": 98.7, "high": 100.0}, "100.0 % (98.7 … 100.0)"),
        ({"value": 51.287, "low": 51.246, "high": 51.329}, "51.29 ± 0.04 %"),
        ({"value": 100.0, "low": None, "high": None, "method": None, "digits": 0}, "100 %"),
        ({"value": -36.0, "low": -49.0, "high": -23.0, "unit": "chips/100", "digits": 0}, "−36 ± 13"),
        ({"value": -0.001, "low": -0.02, "high": 0.018, "unit": "return", "digits": 2}, "0.00 ± 0.02 return"),
        ({"value": 1004.0, "low": 991.0, "high": 1017.0, "unit": "actions", "digits": 0}, "1,004 ± 13 actions"),
    ],
)
def test_rows_as_pages_show_them(fields: dict[str, Any], words: str) -> None:
    assert text.full(changed(**fields)) == words


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"id": "Some Policy"}, "the id"),
        ({"id": "other/policy"}, "must be some/"),
        ({"low": None}, "go together"),
        ({"method": None}, "needs its method"),
        ({"value": 80.0}, "between low and high"),
        ({"low": 77.02, "high": 77.02}, "must differ"),
        ({"command": None}, "a note must say why"),
    ],
)
def test_rows_that_contradict_themselves_are_refused(fields: dict[str, Any], message: str, tmp_path: Path) -> None:
    (tmp_path / "some.jsonl").write_bytes(msgspec.json.encode(changed(**fields)))
    with pytest.raises(StoreError, match=rf"^some\.jsonl, line 1: .*{message}"):
        store.read(tmp_path)


def test_lines_that_are_no_rows_are_refused_with_their_place(tmp_path: Path) -> None:
    line = msgspec.json.encode(ROW).decode()
    for wrong, message in (("{}", "missing required field"), (line.replace('"what"', '"that"'), "unknown field")):
        (tmp_path / "some.jsonl").write_text(f"{line}\n{wrong}\n", encoding="utf-8")
        with pytest.raises(StoreError, match=rf"^some\.jsonl, line 2: .*{message}"):
            store.read(tmp_path)
    (tmp_path / "some.jsonl").write_text(f"{line}\n{line}\n", encoding="utf-8")
    with pytest.raises(StoreError, match="stands twice"):
        store.read(tmp_path)


def test_rows_are_replaced_where_they_stand(tmp_path: Path) -> None:
    store.write(ROWS.values(), tmp_path)
    store.write([changed(value=77.5)], tmp_path)
    assert store.read(tmp_path) == {**ROWS, ROW.id: changed(value=77.5)}
    assert [*store.read(tmp_path)] == [*ROWS]


@pytest.mark.parametrize(
    ("document", "path", "value", "ends", "method"),
    [
        (MATCH, "agents/0/score", 0.75, (0.7, 0.79), "Wilson"),
        ({"agents": [{"by_turn": [[0.75, 0.25]]}]}, "agents/0/by_turn/0", 0.75, (0.5, 1.0), store.NORMAL),
        ({"won": {"per_100": 8.0, "interval_per_100": [7.0, 9.0]}}, "won/per_100", 8.0, (7.0, 9.0), store.NORMAL),
        ({"score": 0.5, "low": 0.4, "high": 0.6}, "score", 0.5, (0.4, 0.6), store.NORMAL),
        ([{"name": "a: b", "value": 3.9, "low": 2.9, "high": 5.3}], "a: b/value", 3.9, (2.9, 5.3), store.NORMAL),
        ({"rows": [{"name": "x", "median": 5, "low": 4, "high": 6}]}, "rows/x/median", 5, (None, None), None),
    ],
)
def test_numbers_are_found_in_what_commands_print(
    document: Any, path: str, value: float, ends: tuple[float | None, float | None], method: str | None
) -> None:
    found = reading.read(document, path)
    assert (found.value, (found.low, found.high), found.method) == (value, ends, method)


def test_independent_deals_go_before_deals() -> None:
    assert reading.read(MATCH, "agents/0/score").deals == 500
    assert reading.read({**MATCH, "independent_deals": 250}, "agents/0/score").deals == 250


@pytest.mark.parametrize("path", ["agents/1/score", "agents/0/name", "rows/x", "agents"])
def test_a_number_that_is_not_printed_is_told(path: str) -> None:
    with pytest.raises(StoreError, match="the output has no"):
        reading.read(MATCH, path)


def test_rows_are_chosen_by_ids_and_their_parts() -> None:
    assert measure.chosen(ROWS, ["some/policy"]) == measure.chosen(ROWS, ["heuristic"]) == [ROW]
    assert measure.chosen(ROWS, ["some"]) == [*ROWS.values()]
    assert measure.chosen(ROWS, ["some/p*"]) == [ROW, PEER]
    with pytest.raises(StoreError, match="'polic' is no row"):
        measure.chosen(ROWS, ["polic"])


def test_measured_rows_are_stored_and_not_measured_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran, told = list[str](), list[str]()
    monkeypatch.setattr(measure, "run", lambda command: (ran.append(command), MATCH)[1])
    store.write(ROWS.values(), tmp_path)
    assert measure.measure([ROW], say=told.append, folder=tmp_path) == 0
    new = store.read(tmp_path)[ROW.id]
    assert (new.value, new.low, new.high, new.method, new.deals) == (75.0, 70.0, 79.0, "Wilson", 500)
    assert (new.date, new.sources, new.note) == (datetime.now(UTC).date(), measure.fingerprint(), None)
    assert new.versions["numpy"]
    assert new.processor != ROW.processor
    assert any("77.0 ± 0.9 % → 75.0 % (70.0 … 79.0)" in line for line in told)
    measure.measure([new], say=told.append, folder=tmp_path)
    assert len(ran) == 1
    measure.measure([new], again=True, say=told.append, folder=tmp_path)
    assert len(ran) == 2


def test_a_run_that_lacks_a_side_of_a_ratio_changes_neither(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sides = [
        changed(row, command="python -m tests.benchmarks steps", read=f"rows/{row.unit[0]}/median")
        for row in (OURS, PEER)
    ]
    document = {"rows": [{"name": "M", "median": 7e6, "unit": "steps/s", "library": "kozyr 0.3"}]}
    monkeypatch.setattr(measure, "run", lambda command: document)
    store.write(sides, tmp_path)
    assert measure.measure(sides, say=lambda line: None, folder=tmp_path) == 1
    assert [*store.read(tmp_path).values()] == sides
    document["rows"].append({"name": "k", "median": 2e5, "unit": "steps/s", "library": "peer 1.0, other 2.0"})
    assert measure.measure(sides[:1], say=lambda line: None, folder=tmp_path) == 0  # and the other side with it
    ours, peer = store.read(tmp_path).values()
    assert (ours.value, peer.value, peer.versions["other"]) == (7.0, 200.0, "2.0")
    assert ours.run == peer.run != OURS.run


def test_an_interval_without_width_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    swept = {"agents": [{"score": 1.0, "score_interval": [1.0, 1.0]}], "deals": 10}
    monkeypatch.setattr(measure, "run", lambda command: swept)
    store.write([ROW], tmp_path)
    measure.measure([ROW], say=lambda line: None, folder=tmp_path)
    (new,) = store.read(tmp_path).values()
    assert (text.full(new), new.note) == ("100.0 %", measure.NO_WIDTH)


@pytest.mark.parametrize("command", ["rm -rf /", "python -c 1", "python -m pip", "kozyrs", "make demo"])
def test_other_programs_are_refused(command: str) -> None:
    with pytest.raises(StoreError, match="a command begins with"):
        measure.run(command)


def test_a_command_is_run_and_its_document_returned() -> None:
    found = measure.run("kozyr match war high_first random --deals 2 --seed 1")
    assert found["deals"] == 2
    assert json.dumps(found)
    with pytest.raises(StoreError, match="it ended with"):
        measure.run("kozyr match war high_first nobody --deals 2")
