"""The page of results has a part for each game, and leaves the policies' scores to their own page."""

import re

from tests.docs import pages

TEXT = (pages.ROOT / "docs" / "about" / "results.md").read_text(encoding="utf-8")


def test_every_game_has_a_part() -> None:
    heads = re.findall(r"^## (.+)$", TEXT, re.MULTILINE)
    assert {"Durak", "Daifugo", "Draw poker", "The m,n,k-game", "War"} <= set(heads)


def test_scores_of_policies_stand_on_their_page() -> None:
    assert not re.search(r"^\| Policy \| Training \|", TEXT, re.MULTILINE)
    assert "(policies.md)" in TEXT
