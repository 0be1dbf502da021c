"""Agents asked about views and masks that contradict themselves answer legally or refuse in words: a short run."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kozyr import agents, envs
from tests.fuzz import spoilt, views

GAMES = ("durak", "draw_poker", "daifugo", "mnk", "war")
SEARCHES = {"durak": "pimc@2", "draw_poker": "pimc@2", "daifugo": "pimc@2", "mnk": "search@20", "war": "lookahead@2"}
CASES = 150
ASKED = 60  # cases, put to every agent of a game


@pytest.mark.parametrize("game", GAMES)
def test_every_agent_answers_legally_or_refuses(game: str) -> None:
    counts, wrong = views.run(300.0, 1, (game,), (False,), most=ASKED)
    assert not wrong, wrong[0]
    assert counts["answered"] > 0
    assert counts["refused"] > 0


@pytest.mark.parametrize("game", GAMES)
def test_what_no_position_has_is_refused_by_a_search_and_every_real_position_is_taken(game: str) -> None:
    taken = refused = 0
    for number in range(CASES):
        case = spoilt.case(game, 7, number)
        player = views.loaded(game, case.variant, SEARCHES[game])
        if player is None or len(case.views) > 1:
            continue
        said = views.put(player, case)
        assert said == "answered" or not case.real, said
        taken, refused = taken + (said == "answered"), refused + (said == "refused")
    assert taken > 0
    assert refused > 0


def test_a_view_of_another_variant_with_the_same_form_is_refused_where_it_cannot_come_about() -> None:
    at = spoilt.positions("draw_poker", envs.game("draw_poker").make_variant(stack=60), 1)[0]
    for name in ("pimc@2", "ismcts@2"):
        with pytest.raises(ValueError, match="no position of draw_poker_v0 with this agent's options has this view"):
            agents.load(name, "draw_poker", stack=100).act(at.views[at.turn], at.mask)


@pytest.mark.parametrize("mark", [2, 127, -1])
def test_masks_hold_nothing_but_0_and_1(mark: int) -> None:
    case = spoilt.case("durak", 1, 0)
    mask = case.masks[0].copy()
    mask[3] = mark
    for name in ("random", "low", "pimc@2"):
        for other in (mask, mask.astype(np.int64)):
            with pytest.raises(ValueError, match="holds other numbers than 0 and 1"):
                agents.load(name, "durak").act(case.views[0], other)


def test_an_action_that_the_rules_forbid_is_refused_and_fewer_actions_are_kept_to() -> None:
    small = envs.game("mnk").make_variant(m=3, n=3, k=3)
    at = next(at for at in spoilt.positions("mnk", small, 1) if 5 < at.mask.sum() < 9)
    view, mask = at.views[at.turn], at.mask.copy()
    taken = int(np.flatnonzero(mask == 0)[0])
    mask[taken] = 1
    searches = ("ismcts@20", "ismcts-kept@20", "pimc@2")
    for player in (agents.load(name, "mnk", m=3, n=3, k=3) for name in searches):
        with pytest.raises(ValueError, match="ask with what the environment shows to the seat to move"):
            player.act(view, mask)
    few = np.zeros_like(at.mask)
    few[np.flatnonzero(at.mask)[-2:]] = 1
    for name in ("random", *searches):
        answer: Any = agents.load(name, "mnk", m=3, n=3, k=3).act(view, few)
        assert few[answer] == 1


def test_a_dead_process_is_found_with_its_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    child = views.Child("war", 0, 1.0, False, 60.0, 10**9)
    lives = iter(["the process has died: -11", ""])
    monkeypatch.setattr(child, "_lived", lambda *given: next(lives))
    (found,) = child.run(views.Counter())
    assert found["said"] == "the process has died: -11"
    assert found["case"] == ["war", 0, 0]
    assert found["views"] == spoilt.case("war", 0, 0).views.tolist()
