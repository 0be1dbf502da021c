"""README's Python runs as it stands, and the commands that it names are there (links: tests/docs/test_links.py)."""

import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def test_there_is_python_to_run() -> None:
    assert len(BLOCKS) == 2


@pytest.mark.parametrize("block", BLOCKS, ids=["loop", "tables"])
def test_the_python_of_readme_runs(block: str) -> None:
    exec(block, {})  # noqa: S102


def test_every_command_that_readme_names_is_there() -> None:
    from kozyr.training.cli import app

    known = {command.name or str(command.callback and command.callback.__name__) for command in app.registered_commands}
    known |= {str(group.name) for group in app.registered_groups}
    named = set(re.findall(r"^kozyr (\w+)", README, re.MULTILINE))
    assert named
    assert named <= known


def test_the_table_of_policies_says_what_their_cards_say() -> None:
    from kozyr.training.publish import facts

    rows = re.search(r"\| Policy \| Training \|.*\n\|---.*\n((?:\|.*\n)+)", README)
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
        digits = len(score.removesuffix(" %").rpartition(".")[2])
        half = 50 * (row["high"] - row["low"])
        assert score == f"{100 * row['score']:.1f} ± {half:.{digits}f} %", line
    assert seen == {name for name in cards if not name.endswith("_small")}
