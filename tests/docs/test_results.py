"""The page of results says what the policies' cards say."""

import re
from typing import Any

from kozyr.training.publish import facts
from tests.docs import pages

TEXT = (pages.ROOT / "docs" / "about" / "results.md").read_text(encoding="utf-8")
POLICIES = pages.ROOT / "training" / "policies"


def rows() -> list[list[str]]:
    """Return the rows of the tables of policies."""
    tables = re.findall(r"^\| Policy \| Training \|.*\n\|---.*\n((?:\|.*\n)+)", TEXT, re.MULTILINE)
    return [[cell.strip() for cell in line.strip("|").split("|")] for table in tables for line in table.splitlines()]


def test_the_tables_of_policies_say_what_their_cards_say() -> None:
    seen, card = list[str](), dict[str, Any]()
    for policy, trained, against, score, *_ in rows():
        if policy:
            seen.append(policy.split("`")[1])
            path = POLICIES / f"{seen[-1]}.md"
            card, longer = facts(path), "minutes more" in path.read_text(encoding="utf-8")
            assert trained.startswith(f"{card['seconds'] / 60:.0f} min: ") or longer, policy
            assert f"{card['timesteps'] / 1e6:.1f} M decisions" in trained, policy
        [row] = [row for row in card["results"] if f"`{row['against']}`" == against]
        digits = len(score.removesuffix(" %").rpartition(".")[2])
        half = 50 * (row["high"] - row["low"])
        assert score == f"{100 * row['score']:.1f} ± {half:.{digits}f} %", (seen[-1], against)
    assert sorted(seen) == sorted(path.stem for path in POLICIES.glob("*.md") if not path.stem.endswith("_small"))


def test_every_game_has_a_part() -> None:
    heads = re.findall(r"^## (.+)$", TEXT, re.MULTILINE)
    assert {"Durak", "Daifugo", "Draw poker", "The m,n,k-game", "War"} <= set(heads)
