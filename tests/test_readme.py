"""README is short, its Python runs as it stands, its commands are there and its scores are those of the cards.

Its links: tests/docs/test_links.py; how it reads: tests/docs/test_reading.py.
"""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.docs import pages

ROOT = Path(__file__).parents[1]
COMMANDS = (ROOT / "docs" / "howto" / "command_line.md").read_text(encoding="utf-8")
POLICIES = (ROOT / "docs" / "about" / "policies.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
SHOWN = 0.051  # points that a rounded score may be away; tests/docs/test_numbers.py compares intervals with the store
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def test_it_is_short_and_shows_a_game_at_once() -> None:
    assert len(re.sub(r"<!--.*?-->", "", README).split()) <= 900
    assert any(".webp)" in line for line in README.splitlines()[:12])


def test_no_sentence_is_long_and_intervals_stand_in_tables() -> None:
    sentences = pages.sentences(README)
    assert len(sentences) > 20
    assert [one for one in sentences if len(one.split()) > 25] == []
    assert [one for one in sentences if "±" in one] == []


def test_pictures_of_the_gallery_are_small() -> None:
    shown = [link for link in pages.links(README) if link.endswith("_table.webp")]
    assert len(shown) == 5
    assert all((ROOT / link).stat().st_size <= 150_000 for link in shown)


def test_there_is_python_to_run() -> None:
    assert len(BLOCKS) == 2


@pytest.mark.parametrize("block", BLOCKS, ids=["loop", "tables"])
def test_the_python_of_readme_runs(block: str) -> None:
    exec(block, {})  # noqa: S102


def test_every_command_that_readme_names_is_there() -> None:
    from kozyr.training.cli import app

    known = {command.name or str(command.callback and command.callback.__name__) for command in app.registered_commands}
    known |= {str(group.name) for group in app.registered_groups}
    listed = set(re.findall(r"`kozyr ([\w-]+)", COMMANDS))
    named = set(re.findall(r"(?:^|`)kozyr ([\w-]+)", README, re.MULTILINE))
    assert named
    assert named | listed <= known
    assert len(listed) >= 20


def cards() -> dict[str, dict[str, Any]]:
    """Return what the cards of the bundled policies say."""
    from kozyr.training.export.publish import facts

    return {path.stem: facts(path) for path in (ROOT / "training" / "policies").glob("*.md")}


def test_the_results_of_readme_are_those_of_the_cards() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\d+) min \| `(\w+)` \| (.+ %.*) \|$", README, re.MULTILINE)
    known = {name: card for name, card in cards().items() if not name.endswith("_small")}
    assert {row[0] for row in rows} == set(known)
    for name, minutes, against, score in rows:
        if "minutes more" not in (ROOT / "training" / "policies" / f"{name}.md").read_text(encoding="utf-8"):
            assert minutes == f"{known[name]['seconds'] / 60:.0f}"
        [row] = [row for row in known[name]["results"] if row["against"] == against]
        assert value(score) == pytest.approx(100 * row["score"], abs=SHOWN), name


def value(score: str) -> float:
    """Return the number of a score that is shown with its interval, as "77.0 ± 0.9 %"."""
    return float(score.split(" ")[0])


def test_readme_says_nothing_of_policies_that_their_page_does_not() -> None:
    for minutes, score in re.findall(r"^\| `\w+` \| (\d+ min) \| `\w+` \| (.* %) \|$", README, re.MULTILINE):
        assert minutes in POLICIES
        assert score in POLICIES


def test_the_table_of_policies_says_what_their_cards_say() -> None:
    from kozyr.training.export.publish import facts

    rows = re.search(r"\| Policy \| Training \|.*\n\|---.*\n((?:\|.*\n)+)", POLICIES)
    assert rows
    cards = {path.stem: facts(path) for path in (ROOT / "training" / "policies").glob("*.md")}
    card, seen = dict[str, Any](), set[str]()
    for line in rows[1].splitlines():
        policy, trained, against, score, *_ = (cell.strip() for cell in line.strip("|").split("|"))
        if policy:
            [name] = [word for word in re.findall(r"`(\w+)`", policy) if word in cards]
            card, seen = cards[name], seen | {name}
            told = (ROOT / "training" / "policies" / f"{name}.md").read_text(encoding="utf-8")
            assert trained.startswith(f"{card['seconds'] / 60:.0f} min: ") or "minutes more" in told, line
            assert trained.split(", ")[1].startswith(f"{card['timesteps'] / 1e6:.1f} M") or not card["imitated"], line
        [row] = [row for row in card["results"] if f"`{row['against']}`" == against]
        assert value(score) == pytest.approx(100 * row["score"], abs=SHOWN), line
    assert seen == {name for name in cards if not name.endswith("_small")}
