"""Advice: what an agent would do, as probabilities or as values, and never more than it knows."""

from typing import Any

import numpy as np
import pytest

from kozyr import agents, envs
from kozyr.agents.play.host.advice import Advice, advise
from kozyr.agents.play.pages import opponents
from kozyr.envs.table.table import Table

TINY = {"m": 3, "n": 3, "k": 3}


def tables(name: str, seed: int, count: int = 1, **options: Any) -> list[Table]:
    """Return tables in the middle of random games, where there is something to decide."""
    game, rng = envs.game(name), np.random.default_rng(seed)
    found = [begun(Table(game, game.make_variant(**options), int(seed)), rng) for seed in rng.integers(1000, size=40)]
    return [table for table in found if table.mask.sum() > 1][:count]


def begun(table: Table, rng: np.random.Generator) -> Table:
    """Play a few random actions."""
    for _ in range(int(rng.integers(6))):
        if not table.over:
            table.play(int(rng.choice(np.flatnonzero(table.mask))))
    return table


def asked(agent: Any, table: Table) -> Advice:
    return advise(agent, table.game, table.variant, table.view(table.turn), table.mask)


@pytest.mark.parametrize("game", envs.games())
def test_a_scripted_player_tells_how_likely_it_takes_each_legal_action(game: str) -> None:
    changed: dict[str, Any] = {"pickup": "choice"} if game == "war" else {}
    for table in tables(game, 1, 3, **changed):
        legal = set(np.flatnonzero(table.mask).tolist())
        for name in agents.names(game):
            advice = asked(agents.load(f"{game}:{name}", **changed), table)
            assert advice.kind == "probabilities"
            assert {row.action for row in advice.rows} == legal
            assert sum(row.value for row in advice.rows) == pytest.approx(1.0)
            assert next(row.value for row in advice.rows if row.action == advice.choice) > 0


@pytest.mark.parametrize(("game", "options"), [("durak", {}), ("mnk", {}), ("daifugo", {})])
def test_a_policy_tells_the_probabilities_of_its_network(game: str, options: dict[str, Any]) -> None:
    policy = agents.load(f"{game}:policy", **options)
    for table in tables(game, 2, 4, **options):
        advice = asked(policy, table)
        values = [row.value for row in advice.rows]
        assert advice.kind == "probabilities"
        assert advice.rows[0].action == advice.choice
        assert values == sorted(values, reverse=True)
        assert sum(values) == pytest.approx(1.0)
        assert len(set(values)) > 1


def test_a_condensed_policy_tells_them_too() -> None:
    from kozyr.agents.nets import condensed

    policy = condensed.policies("daifugo")[0]
    options: dict[str, Any] = policy.game.options(policy.variant)
    for table in tables("daifugo", 3, 4, **options):
        advice = asked(policy, table)
        assert advice.rows[0].action == advice.choice
        assert sum(row.value for row in advice.rows) == pytest.approx(1.0)


def test_a_policy_for_something_else_has_no_advice() -> None:
    with pytest.raises(ValueError, match="plays"):
        asked(agents.load("durak:policy"), tables("mnk", 1, **TINY)[0])


@pytest.mark.parametrize("name", ["durak:pimc@40", "durak:pimc@40++low", "durak:ismcts@300", "draw_poker:pimc@40"])
def test_a_search_tells_the_values_it_compared(name: str) -> None:
    player = agents.load(name)
    for table in tables(name.partition(":")[0], 4, 4):
        advice = asked(player, table)
        assert advice.kind == "values"
        assert advice.choice in {row.action for row in advice.rows}
        for row in advice.rows:
            assert table.mask[row.action]
            assert -1 <= row.value <= 1
            assert row.low is None or (row.high is not None and row.low <= row.value <= row.high)
        assert any(row.low is not None for row in advice.rows)


@pytest.mark.parametrize("name", ["mnk:pimc@60", "mnk:ismcts@400"])
def test_a_move_that_wins_at_once_is_worth_one(name: str) -> None:
    game = envs.game("mnk")
    table = Table(game, game.make_variant(**TINY), seed=1, starter=0)
    for cell in (0, 3, 1, 4, 8):
        table.play(cell)
    advice = asked(agents.load(name, m=3, n=3, k=3), table)
    assert (advice.choice, advice.rows[0].action) == (5, 5)
    assert advice.rows[0].value == pytest.approx(1.0)
    assert advice.rows[-1].value < 1


def test_values_of_worlds_differ_by_what_the_worlds_differ() -> None:
    """The means of `pimc` are those of outcomes played out one by one."""
    from kozyr.agents.search.determinization import compare, question, scratch

    table = tables("durak", 6)[0]
    v, game, view, mask = table.variant, table.game, table.view(table.turn), table.mask
    agents.load("durak:pimc")
    base = int(np.flatnonzero(mask)[0])
    q, board = question(view, mask, base, 5, 1, 0), scratch(game, v)
    compare(v, q, 0, 30, 10**9, board)
    for action in np.flatnonzero(mask).tolist():
        only, swapped = np.zeros_like(mask), question(view, mask, action, 5, 1, 0)
        only[action] = 1
        compare(v, swapped._replace(alive=only), 0, 30, 10**9, board)
        assert q.due[0] + q.sums[action] == pytest.approx(swapped.due[0])


def test_what_only_chooses_gives_its_choice() -> None:
    table = tables("mnk", 7, **TINY)[0]
    for agent in (agents.load("mnk:search@500", m=3, n=3, k=3), lambda view, mask: int(mask.argmax())):
        advice = asked(agent, table)
        assert advice.kind == "probabilities"
        assert advice.rows[0].action == advice.choice
        assert [row.value for row in advice.rows] == [1.0] + [0.0] * (int(table.mask.sum()) - 1)


def test_an_agent_that_answers_illegally_is_no_adviser() -> None:
    table = tables("mnk", 8, **TINY)[0]
    taken = int(np.flatnonzero(table.mask == 0)[0]) if (table.mask == 0).any() else 99
    with pytest.raises(ValueError, match="has no advice"):
        asked(lambda view, mask: taken, table)


def test_a_decision_without_values_forgets_those_of_the_one_before() -> None:
    player: Any = agents.load("durak:pimc@40")
    table = tables("durak", 9)[0]
    assert asked(player, table).kind == "values"
    only = np.zeros_like(table.mask)
    only[np.flatnonzero(table.mask)[0]] = 1
    advice = advise(player, table.game, table.variant, table.view(table.turn), only)
    assert (advice.kind, [row.value for row in advice.rows]) == ("probabilities", [1.0])


def test_own_agents_may_tell_probabilities() -> None:
    class Unsure:
        def reset(self, seat: int, seed: int) -> None:
            pass

        def act(self, view: Any, mask: Any) -> int:
            return int(mask.argmax())

        def act_batch(self, views: Any, masks: Any) -> Any:
            return masks.argmax(1)

        def probabilities(self, views: Any, masks: Any) -> Any:
            return masks / masks.sum(1, keepdims=True)

    table = tables("mnk", 10, **TINY)[0]
    advice = asked(Unsure(), table)
    assert advice.rows[0] == (advice.choice, pytest.approx(1 / table.mask.sum()), None, None)


def test_a_search_whose_library_is_not_here_gives_no_hints(monkeypatch: pytest.MonkeyPatch) -> None:
    game = envs.game("durak")
    monkeypatch.setattr(opponents, "find_spec", lambda name: None if name == "pyspiel" else True)
    named = opponents.advisers(game, game.make_variant())
    assert "openspiel-mcts" not in named
    assert {"pimc", "ismcts", agents.names("durak")[-1]} <= set(named)
