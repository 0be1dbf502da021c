"""Names with newlines, dollars, markup and HTML reach no report raw."""

import doctest
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from kozyr import agents
from kozyr.agents.arena.results import escape
from kozyr.agents.arena.results.escape import in_code, in_figure, in_markdown, plain
from kozyr.agents.remote.uecda.results import table

NAMES = [
    "a\n# b",
    "$x_$",
    "<script>alert(1)</script>",
    "[red]b[/]",
    "[/]",
    "a|b",
    "`c`",
    "**d**",
    "x" * 500,
    "\x1b[31mz",
    "\u202eabc",
    "",
]


def test_examples() -> None:
    assert doctest.testmod(escape).failed == 0


@pytest.mark.parametrize("name", NAMES, ids=repr)
def test_names_are_one_line_without_marks(name: str) -> None:
    for made in (plain, in_markdown, in_code, in_figure):
        assert "\n" not in made(name)
        assert "\x1b" not in made(name)
        assert "\u202e" not in made(name)
        assert len(plain(name)) <= 121
    assert "<" not in in_markdown(name).replace("\\<", "")
    assert "|" not in in_markdown(name).replace("\\|", "")


@pytest.mark.parametrize("name", NAMES, ids=repr)
def test_a_client_may_call_itself_what_it_likes(name: str) -> None:
    console = Console(width=200, record=True)
    console.print(table([name] * 5, [[5], [4], [3], [2], [1]], [0] * 5))
    assert "5.000" in console.export_text()


def test_a_league_of_strange_names_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    pytest.importorskip("choix")
    from kozyr.agents.arena.tournaments import report
    from kozyr.agents.arena.tournaments.league import League

    strange = ["$x_$", "<b>\n# bold"]
    load: Any = agents.load

    def loading(name: str, *given: Any, **named: Any) -> Any:
        return load("low_first" if name in strange else name, *given, **named)

    monkeypatch.setattr(agents, "load", loading)
    league = League("war", [*strange, "high_first"], 20, variant={"pickup": "choice", "deck": 8, "max_turns": 10})
    league.play(league.pairs())
    report.write(league, tmp_path)
    text, page = ((tmp_path / name).read_text(encoding="utf-8") for name in (report.MARKDOWN, report.PAGE))
    assert [line for line in text.splitlines() if line.startswith("#")][1:] == ["## Cross-table", "## Games"]
    assert r"\<b\> # bold" in text
    assert "<b>" not in page
    assert page.count("data:image/png") >= 2


@pytest.mark.parametrize("name", ["../x", "a/b", "a\nb", "", ".hidden", "a b", "/tmp/x", "$x"])
def test_the_name_of_a_policy_stays_in_its_folder(name: str, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from kozyr.training.export.publish import publish

    with pytest.raises(ValueError, match="is no name of a policy: write letters, digits"):
        publish(tmp_path, tmp_path / "out", name, ["random"])
    assert not (tmp_path / "out").exists()
