"""Worlds played on with the guide: the same numbers as the compiled playouts where both play alike, and its names."""

import re
from typing import Any, cast

import numpy as np
import pytest

from kozyr import agents, envs
from kozyr.agents import search
from kozyr.agents.agent_names import AgentName, parse
from kozyr.agents.search.determinization import compare, question, scratch
from kozyr.agents.search.guided_rollouts import compare_guided, rolls

ALL = 10**9  # playouts
GAMES: list[tuple[str, str, dict[str, Any]]] = [
    ("durak", "heuristic", {"deck": 36, "players": 3}),
    ("daifugo", "heuristic", {"players": 4, "history": True, "revolution": True}),
    ("durak", "low", {"deck": 52, "players": 2}),
]


def choices(game: str, options: dict[str, Any], plies: int) -> Any:
    """Return tables where random play has come to, those with a choice first to find."""
    tables, rng = envs.make_tables(game, 40, seed=5, **options), np.random.default_rng(2)
    for _ in range(plies):
        tables.step(np.where(tables.masks, rng.random(tables.masks.shape), -1.0).argmax(1))
    return [(tables.views[i].copy(), tables.masks[i].copy()) for i in np.flatnonzero(tables.masks.sum(1) > 1)[:6]]


@pytest.mark.parametrize(("game", "player", "options"), GAMES)
@pytest.mark.parametrize("depth", [0, 60])
def test_a_scripted_guide_gives_the_numbers_of_the_compiled_playouts(game, player, options, depth):
    it, guide = envs.game(game), agents.load(f"{game}:{player}", **options)
    v, level = it.make_variant(**options), agents.names(game).index(player)
    board, lines, met = scratch(it, v), rolls(it, v, 12, it.actions(v)), 0
    agents.load(f"{game}:{agents.searchers(game)[-1]}", **options)  # loads its players and worlds
    for view, mask in choices(game, options, 9):
        base = int(np.flatnonzero(mask)[0])
        plain, rolled = (question(view, mask, base, 77, level, depth) for _ in range(2))
        compare(v, plain, 3, 15, ALL, board)
        compare_guided(v, rolled, 3, 15, guide, board, lines)
        np.testing.assert_allclose(rolled.sums, plain.sums, atol=1e-12)
        np.testing.assert_allclose(rolled.squares, plain.squares, atol=1e-12)
        met += int(np.abs(plain.sums).sum() > 0)
    assert met > 2 or depth  # games that are cut off pay nothing


@pytest.mark.parametrize(("game", "player", "options"), GAMES[:2])
def test_the_guide_plays_in_the_worlds_where_the_name_says_so(game, player, options):
    asked: list[int] = []

    class Counting:
        def __init__(self) -> None:
            self.inner = agents.load(f"{game}:{player}", **options)

        def reset(self, seat: int, seed: int) -> None:
            self.inner.reset(seat, seed)

        def act(self, view: Any, mask: Any) -> int:
            return self.inner.act(view, mask)

        def act_batch(self, views: Any, masks: Any) -> Any:
            asked.append(len(views))
            assert masks.any(1).all()
            return self.inner.act_batch(views, masks)

    view, mask = choices(game, options, 5)[0]
    it, level = envs.game(game), len(agents.names(game)) - 1
    names = (parse(f"pimc@40{plus}{player}") for plus in ("+", "++"))
    once, twice = (
        search.make(it, it.make_variant(**options), level, cast(AgentName, name), Counting()) for name in names
    )
    answers = once.act(view, mask), twice.act(view, mask)
    assert asked
    assert max(asked) > 20
    assert answers[0] == answers[1]  # guide and scripted player are the same here
    asked.clear()
    once.act(view, mask)
    assert not asked


def test_two_signs_are_for_players_that_compare_actions_in_worlds():
    with pytest.raises(
        ValueError, match=r"'solver\+\+low': the guide of solver does not play in its worlds: write one \+"
    ):
        agents.load("durak:solver++low")


@pytest.mark.parametrize("name", ["ismcts+low", "ismcts@100++low"])
def test_a_guide_that_would_not_be_asked_is_refused(name):
    with pytest.raises(ValueError, match=re.escape(f"'{name}': ismcts asks no guide: leave out what follows ismcts")):
        agents.load(f"durak:{name}")


def test_answers_do_not_depend_on_what_was_asked_before():
    options: dict[str, Any] = {"players": 4, "history": True}
    positions = choices("daifugo", options, 8)
    first, second = (agents.load("daifugo:pimc@20++policy", **options) for _ in range(2))
    one = [first.act(view, mask) for view, mask in positions]
    other = [second.act(view, mask) for view, mask in reversed(positions)]
    assert one == other[::-1]
