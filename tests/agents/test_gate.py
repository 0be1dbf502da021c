"""Views and masks of something else are refused in words, by every agent of ours, before compiled code looks."""

import gc
import pickle
from typing import Any

import numpy as np
import pytest

from kozyr import agents, envs
from kozyr.agents.input_checks import Gate, fine
from kozyr.envs.environments import readonly_arrays
from kozyr.envs.table.table import Table

GAMES = ("durak", "draw_poker", "daifugo", "mnk", "war")
OPTIONS: dict[str, Any] = {"war": {"pickup": "choice"}}  # in which there is something to choose
HINT = "load the agent with the options of the environment"


def players(name: str) -> list[Any]:
    """Return all players of a game; searches think for a moment."""
    searches, found = [f"{one}@2" for one in agents.searchers(name) if one != "openspiel-mcts"], list[Any]()
    for one in [*agents.names(name), *searches, "policy"]:
        try:
            found.append(agents.load(one, game=name, **OPTIONS.get(name, {})))
        except ValueError:  # it does not play this variant
            continue
    return found


def asked(name: str, **options: Any) -> tuple[Any, Any]:
    """Return a view and a mask in which there is a choice."""
    game = envs.game(name)
    table = Table(game, game.make_variant(**{**OPTIONS.get(name, {}), **options}), 3)
    while table.mask.sum() < 2:
        table.play(int(table.mask.argmax()))
    return table.view(table.turn), table.mask


@pytest.fixture(scope="module", params=GAMES)
def game(request: pytest.FixtureRequest) -> Any:
    return envs.game(request.param)


def wrong(game: Any) -> dict[str, tuple[Any, Any, str]]:
    """Return views and masks that are none of the default variant, with words of the refusal."""
    view, mask = asked(game.name)
    other, others_mask = asked("war" if game.name == "durak" else "durak")
    high = game.high(game.make_variant(**OPTIONS.get(game.name, {})))
    place = len(high) // 2
    above, below, floats = view.copy(), view.copy(), view.astype(np.float64)
    above[place], below[0], floats[0] = high[place] + 1, -1, np.nan
    return {
        "another game": (other, others_mask, rf"have shape \[n, {len(view)}\].*{HINT}"),
        "too long": (np.append(view, np.zeros(7)).astype(view.dtype), mask, "have shape"),  # of no variant
        "too short": (view[:-1], mask, "have shape"),
        "no row": (np.array(1), mask, "have shape"),
        "mask too long": (view, np.append(mask, 1), "masks of"),
        "too high": (
            above,
            mask,
            rf"has {high[place] + 1} at {place}, in '\w+': it goes from 0 to {high[place]}; {HINT}",
        ),
        "too low": (below, mask, "has -1 at 0, in "),
        "not a number": (floats, mask, "hold other numbers"),
        "words": (np.full(len(view), "x"), mask, r"these are <U\d"),
        "float mask": (view, mask.astype(float), "masks are int8 or bool"),
        "nothing legal": (view, np.zeros_like(mask), "mask 0 has no legal action: ask only the seat to move"),
    }


def test_what_is_no_view_is_refused(game: Any) -> None:
    for player in players(game.name):
        for kind, (view, mask, why) in wrong(game).items():
            with pytest.raises(ValueError, match=why):
                player.act(view, mask)
            if view.ndim and kind != "no row":
                with pytest.raises(ValueError, match=why.replace("mask 0", "mask 1")):
                    player.act_batch(*batch(game, view, mask))


def batch(game: Any, view: Any, mask: Any) -> tuple[Any, Any]:
    """Return two rows, the second of which is wrong, or both where rows have one length."""
    good, fine = asked(game.name)
    views = np.stack([good, view]) if view.shape == good.shape else np.stack([view, view])
    return views, np.stack([fine, mask]) if mask.shape == fine.shape else np.stack([mask, mask])


def test_other_types_of_the_same_numbers_are_taken(game: Any) -> None:
    view, mask = asked(game.name)
    for player in players(game.name):
        player.reset(0, 1)
        usual = player.act(view, mask)
        for other in (view.astype(np.int64), view.astype(np.float32), np.asfortranarray(view), view.tolist()):
            for may in (mask, mask.astype(bool), mask.astype(np.int64), mask.tolist()):
                player.reset(0, 1)
                assert player.act(other, may) == usual


def test_an_environment_out_of_turn_is_no_question() -> None:
    env = envs.make("durak")
    env.reset(seed=1)
    waiting = next(name for name in env.possible_agents if name != env.agent_selection)
    seen = env.observe(waiting)
    for player in players("durak"):
        with pytest.raises(ValueError, match="ask only the seat to move"):
            player.act(seen["observation"], seen["action_mask"])


def test_another_variant_is_refused_or_has_the_same_form() -> None:
    view, mask = asked("durak", deck=36)
    for player in players("durak"):
        with pytest.raises(ValueError, match=HINT):
            player.act(view, mask)


def test_the_rows_that_are_wrong_are_named() -> None:
    game = envs.game("war")
    v = game.make_variant()
    gate, n = Gate(game, v), 5
    views, masks = np.zeros((n, game.size(v)), game.view_dtype), np.ones((n, game.actions(v)), np.int8)
    gate.many(views, masks)
    masks[3] = 0
    with pytest.raises(ValueError, match="mask 3 has no legal action"):
        gate.many(views, masks)
    masks[3, -1] = 1
    views[4, 0] = 127
    with pytest.raises(ValueError, match="view 4 of war_v0"):
        gate.many(views, masks)
    with pytest.raises(ValueError, match="5 views and 4 masks"):
        gate.many(views, masks[:4])
    assert len(gate.many(views[:0], masks[:0])[0]) == 0


def test_the_arrays_of_tables_are_not_read_and_all_others_are(game: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    read = list[int]()

    def counted(views: Any, highs: Any, masks: Any) -> bool:
        read.append(len(masks))
        return fine(views, highs, masks)

    monkeypatch.setattr("kozyr.agents.input_checks.fine", counted)
    tables, others = (envs.make_tables(game.name, 3, seed=seed) for seed in (1, 2))
    gate = Gate(game, game.make_variant())
    views, masks = gate.many(tables.views, tables.masks)
    assert read == []
    assert np.array_equal(views, tables.views)
    assert np.array_equal(masks, tables.masks)
    copied = pickle.loads(pickle.dumps(tables))
    gate.many(copied.views, copied.masks)
    assert read == []
    for given in (
        (tables.views, others.masks),
        (tables.views.copy(), tables.masks),
        (tables.views[:2], others.masks[:2]),
    ):
        gate.many(*given)
    assert read == [3, 3, 2]


def test_the_arrays_of_tables_of_another_variant_are_refused() -> None:
    tables, game = envs.make_tables("durak", 2, seed=1, deck=36), envs.game("durak")
    with pytest.raises(ValueError, match=HINT):
        Gate(game, game.make_variant()).many(tables.views, tables.masks)


def test_arrays_that_are_gone_are_forgotten() -> None:
    before = len(readonly_arrays._pairs)
    tables = envs.make_tables("war", 2, seed=1)
    assert len(readonly_arrays._pairs) == before + 1
    del tables
    gc.collect()
    assert len(readonly_arrays._pairs) == before
