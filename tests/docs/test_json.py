"""The documents of `--json` are what docs/reference/json.md says: every key, its type, and no other key."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from kozyr.training.cli import app
from tests.docs import pages

PAGE = (pages.ROOT / "docs" / "reference" / "json.md").read_text(encoding="utf-8")
POLICIES = pages.ROOT / "training" / "policies"
ROW = re.compile(r"^\| `([^`]+)` \| ([^|]+) \|", re.MULTILINE)
TYPES: dict[str, Any] = {"string": str, "boolean": bool, "integer": int, "number": (int, float), "object": dict}
SMALL = ("--set", "m=3", "--set", "n=3", "--set", "k=3")
ONE_OF_A_LIST = "kozyr games"  # which prints an entry alone where a game is named


def _parts() -> dict[str, dict[str, str]]:
    """Return the types of the keys under each heading."""
    found = re.split(r"^#{2,3} (.+)$", PAGE, flags=re.MULTILINE)
    return {head: dict(ROW.findall(text)) for head, text in zip(found[1::2], found[2::2], strict=True)}


PARTS = _parts()


def wrong(value: Any, part: str) -> list[str]:
    """Return the entries of a document that its part of the page does not describe."""
    seen = set[str]()
    found = list(_wrong(value, "", PARTS[part], seen))
    return [*found, *(f"{key} is missing" for key in PARTS[part] if key not in seen)]


def _wrong(value: Any, path: str, told: dict[str, str], seen: set[str]) -> Iterator[str]:
    if path in told:
        seen.add(path)
        yield from _mismatch(value, path, told[path])
    elif isinstance(value, dict) and value:
        inner: dict[str, Any] = value
        for key, one in inner.items():
            before = f"{path}." if path else ""
            star = any(name.startswith(f"{before}*") for name in told)
            yield from _wrong(one, f"{before}{'*' if star else key}", told, seen)
    elif isinstance(value, list):
        seen.update(name for name in told if not value and name.startswith(f"{path}[]"))
        items: list[Any] = value
        for one in items:
            yield from _wrong(one, f"{path}[]", told, seen)
    else:
        yield f"{path} is not told of"


def _mismatch(value: Any, path: str, kind: str) -> Iterator[str]:
    name = kind.removesuffix(" or null")
    if value is None:
        if name == kind:
            yield f"{path} is null"
    elif name in TYPES:
        if not isinstance(value, TYPES[name]) or (isinstance(value, bool) and name != "boolean"):
            yield f"{path} is no {name}: {value!r}"
    else:
        yield from (f"{path}: {words}" for words in wrong(value, name))


def printed(*arguments: str) -> Any:
    """Return the document that a command prints."""
    done = CliRunner(env={"KOZYR_DEBUG": ""}).invoke(app, [*arguments, "--json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


COMMANDS = {
    "match": ("match", "draw_poker", "heuristic", "random", "--deals", "2"),
    "evaluate": ("evaluate", str(POLICIES / "war_52.onnx"), "--against", "random", "--deals", "2"),
    "games": ("games",),
    "agents": ("agents",),
    "stats": ("stats", "war", "--deals", "20"),
    "league": ("league", "mnk", "random", "easy", "--deals", "4", *SMALL),
    "compare": ("compare", "mnk", "easy", "random", "--elo1", "50", *SMALL),
    "ladder": ("ladder", "war", *("--deals", "4", "--search-deals", "1", "--set", "deck=8", "--set", "max_turns=10")),
    "cup": ("cup", "mnk", "random", "easy", "--form", "round-robin", "--deals", "2", *SMALL),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_document_is_as_the_page_says(command: str) -> None:
    part = "match" if command == "match" else f"kozyr {command}"
    assert wrong(printed(*COMMANDS[command]), part) == []


def test_the_document_of_one_game_is_an_entry_of_the_list() -> None:
    assert wrong([printed("games", "durak")], ONE_OF_A_LIST) == []


def test_recorded_games_are_as_the_page_says(tmp_path: Path) -> None:
    games, data = str(tmp_path / "games.jsonl"), str(tmp_path / "games.parquet")
    printed("match", "mnk", "easy", "random", "--deals", "2", "--record", games, *SMALL)
    assert wrong(printed("replay", games), "kozyr replay") == []
    pytest.importorskip("pyarrow", reason="comes with the extra [data]")
    assert wrong(printed("export", games, data), "kozyr export") == []


def test_imported_games_are_as_the_page_says(tmp_path: Path) -> None:
    game = tmp_path / "game.psq"
    game.write_text("Piskvorky 15x15, 11:11, 0\n8,8,0\n", encoding="utf-8")
    assert wrong(printed("import", str(game), "--out", str(tmp_path / "games.jsonl")), "kozyr import") == []


def test_a_score_is_as_the_page_says(tmp_path: Path) -> None:
    file = str(tmp_path / "report.json")
    made = printed("score", "random", "--task", "war_20", "--quick", "--out", file)
    assert wrong(made, "kozyr score") == []
    assert wrong(printed("score", "show", file)[0], "kozyr score") == []
    assert wrong(printed("score", "check", file, "--sample", "1"), "kozyr score check") == []


def test_a_run_is_as_the_page_says(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="comes with the extra [train]")
    run, settings = tmp_path / "run", tmp_path / "tiny.toml"
    source = (pages.ROOT / "training" / "configs" / "mnk.toml").read_text(encoding="utf-8")
    settings.write_text(
        source.replace("[demo.evaluation]\n", "[demo.evaluation]\ndeals = 2\nfinal_deals = 2\n"), encoding="utf-8"
    )
    tiny = ("--preset", "demo", "--settings", str(settings), "--timesteps", "1", "--out", str(run))
    assert wrong(printed("train", "mnk", *tiny), "kozyr train") == []
    assert wrong(printed("plot", str(run)), "kozyr plot") == []
    several = (*tiny[:-1], str(tmp_path / "several"))
    assert wrong(printed("train", "mnk", *several, "--seeds", "1"), "kozyr train --seeds") == []
    more = ("--out", str(tmp_path / "policies"), "--against", "random", "--deals", "2")
    assert wrong(printed("publish", str(run), "mine", *more), "kozyr publish") == []


def test_exploitability_is_as_the_page_says() -> None:
    pytest.importorskip("pyspiel", reason="comes with the extra [openspiel]")
    tiny = ("--first", "0", "--set", "m=3", "--set", "n=2", "--set", "k=2")
    assert wrong(printed("exploitability", "mnk", "random", *tiny), "kozyr exploitability") == []


def test_responses_are_as_the_page_says() -> None:
    tiny = ("--simulations", "2", "--deals", "2")
    assert wrong(printed("exploit", "mnk:easy", "--by", "search", *tiny, *SMALL), "kozyr exploit --by search") == []
    poker = ("exploit", "draw_poker:priority", "--by", "lbr", "--set", "players=2")
    assert wrong(printed(*poker, *tiny), "kozyr exploit --by search") == []


def test_the_results_of_wires_are_as_the_page_says() -> None:
    pytest.importorskip("zmq", reason="comes with the extra [remote]")
    from kozyr.agents.remote.ttt.server import Outcome, results_document
    from kozyr.agents.remote.uecda.results import standings

    outcomes = [Outcome(("a", "b"), (1.0, -1.0), "", 9), Outcome(("b", "a"), (0.0, 0.0), "", 9)]
    assert wrong(json.loads(json.dumps(results_document(outcomes))), "kozyr serve ttt") == []
    assert wrong(standings(["a", "b"], [[5, 1], [4, 2]], [0, None]), "kozyr serve uecda") == []


def test_every_command_that_prints_json_is_on_the_page() -> None:
    import typer.main

    group: Any = typer.main.get_command(app)
    every = dict[str, Any](group.commands)
    for name, one in group.commands.items():
        every |= {f"{name} {inner}": command for inner, command in getattr(one, "commands", {}).items()}
    printing = [name for name, one in every.items() if any(param.name == "as_json" for param in one.params)]
    assert len(printing) > len(COMMANDS)
    assert [name for name in printing if f"kozyr {name}" not in re.findall(r"kozyr [a-z -]+", PAGE)] == []


def test_a_page_that_lies_is_noticed() -> None:
    document = {"name": "x", "against": None, "more": 1}
    assert wrong({"file": 1, "more": {"a": 2}}, "kozyr export")[:2] == [
        "file is no string: 1",
        "more.a is not told of",
    ]
    assert "[].name is missing" in wrong([{"value": 1.0}], "kozyr stats")
    assert any("is not told of" in words for words in wrong(document, "evaluation"))
