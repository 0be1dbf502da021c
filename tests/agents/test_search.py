"""Search players: legal in any position, blind, repeatable, and within their budget."""

from typing import Any

import numpy as np
import pytest

from kozyr import agents, envs
from kozyr.agents.arena import match
from kozyr.agents.arena.tournaments.ladder import climb, names
from kozyr.agents.search import Pimc, pimc
from kozyr.agents.search.determinization import scratch
from kozyr.agents.search.ismcts import NONE, TREE_REUSE, TreeReuseIsmcts, graft, grow, tree
from kozyr.agents.search.pimc import scores
from tests.contract import variants
from tests.contract.table import Table

EVERY = [(game, name) for game in envs.games() for name in agents.searchers(game) if name != TREE_REUSE]
SMALL = {"mnk": {"m": 4, "n": 4, "k": 3}, "war": {"pickup": "choice", "deck": 16}, "daifugo": {"ranks": 5}}


def decisions(game: Any, v: Any, seed: int, count: int) -> Any:
    """Give tables at which there is something to decide."""
    table = Table(game, v, seed)
    for _ in table.walk(seed, plies=60):
        if not table.over and table.mask().sum() > 1:
            yield table
            count -= 1
            if count == 0:
                return


@pytest.mark.parametrize(("name", "player"), EVERY)
def test_a_search_is_legal_blind_and_repeats(name: str, player: str) -> None:
    game = envs.game(name)
    for i, v in enumerate([game.make_variant(**SMALL.get(name, {})), *variants.drawn(game, 2, seed=31, most=60)]):
        one, two = (agents.load(f"{player}@6", name, **game.options(v)) for _ in range(2))
        for table in decisions(game, v, i, 4):
            view, mask = table.view(table.turn), table.mask()
            answer = one.act(view, mask)
            assert mask[answer] == 1
            guess = table.imagined(table.turn, seed=i)
            np.testing.assert_array_equal(guess.view(0), view)
            assert two.act(guess.view(0), guess.mask()) == answer
            assert one.act_batch(np.stack([view, view]), np.stack([mask, mask])).tolist() == [answer, answer]


def test_the_only_legal_action_needs_no_search() -> None:
    player: Any = agents.load("durak:pimc")
    player.search = None
    mask = np.zeros(53, np.int8)
    mask[7] = 1
    assert player.act(np.zeros(382, np.int8), mask) == 7


def test_looking_ahead_beats_the_player_inside() -> None:
    player = agents.load("mnk:pimc@60", m=3, n=3, k=3)
    assert match("mnk", [player, "random"], deals=60, m=3, n=3, k=3).means[0] > 0.5


@pytest.mark.parametrize("kind", ["pimc", "ismcts"])
def test_a_budget_in_time_is_kept_to(kind: str) -> None:
    player: Any = agents.load(f"durak:{kind}@30ms")
    assert (player.seconds, player.name) == (0.03, f"{kind}@30ms")
    table = next(decisions(envs.game("durak"), envs.game("durak").make_variant(), 1, 1))
    assert table.mask()[player.act(table.view(table.turn), table.mask())]


@pytest.mark.parametrize("budget", ["", "0", "-4", "1.5", "ms", "0ms", "many"])
def test_a_wrong_budget_is_refused_in_words(budget: str) -> None:
    with pytest.raises(ValueError, match="write simulations as @400 or time as @50ms"):
        agents.load(f"durak:pimc@{budget}")


def test_an_unknown_player_is_refused_with_the_names_of_all() -> None:
    with pytest.raises(
        ValueError, match=r"Did you mean 'pimc'\? Its players are: random, .*search players: ismcts, pimc"
    ):
        agents.load("durak:pimk")


def test_scores_are_z_of_paired_differences() -> None:
    rng = np.random.default_rng(1)
    differences = rng.normal([0.0, 0.5, -1.0], 1.0, (400, 3))
    found = scores(differences.sum(0), (differences**2).sum(0), 400)
    due = differences.mean(0) / (differences.std(0, ddof=1) / 20)
    np.testing.assert_allclose(found, due)
    assert scores(np.ones(2), np.ones(2), 1).tolist() == [0, 0]


@pytest.mark.parametrize("better", [-0.2, 0.0, 0.2])
def test_what_is_dropped_would_hardly_have_ended_above_the_mark(better: float) -> None:
    player: Any = agents.load("durak:pimc")
    worlds, looks = player.budget, range(20, player.budget, 20)
    sums = np.random.default_rng(5).normal(better, 1.0, (20_000, worlds)).cumsum(1)
    dropped = np.zeros((len(looks), len(sums)), np.bool_)
    for i, n in enumerate(looks):
        dropped[i] = sums[:, n - 1] / n**0.5 < player._least(n)
    above = sums[:, -1] / worlds**0.5 > 1.5
    assert (dropped.any(0) & above).mean() < 0.03
    assert better > 0 or dropped.any(0).mean() > 0.7
    assert player._least(worlds) == pytest.approx(1.5)
    assert agents.load("durak:pimc@20ms")._least(40) == -1.5


def test_the_scripted_player_decides_where_nothing_is_clearly_better() -> None:
    game = envs.game("durak")
    v = game.make_variant()
    level = agents.names("durak").index("low")
    stubborn, usual = Pimc(game, v, level, budget=20, z=1e9), agents.load("durak:low")
    for table in decisions(game, v, 3, 8):
        view, mask = table.view(table.turn), table.mask()
        assert stubborn.act(view, mask) == usual.act(view, mask)


def visits_of_kept_trees(player: TreeReuseIsmcts, games: int, budget: int) -> list[int]:
    """Play games side by side against chance and give the visits with which each decision began."""
    begun = list[int]()
    plant = player.first_tree

    def counted(view: Any, room: int) -> Any:
        grown = plant(view, room)
        begun.append(int(grown.visits[0]))
        return grown

    player.first_tree = counted  # type: ignore[method-assign]
    tables = [Table(player.game, player.variant, seed) for seed in range(games)]
    rng = np.random.default_rng(1)
    while any(not table.over for table in tables):
        for table in tables:
            if table.over:
                continue
            mask = table.mask()
            mine = table.turn == 0
            action = player.act(table.view(0), mask) if mine else int(rng.choice(np.flatnonzero(mask)))
            assert mask[action]
            table.play(action)
    return begun


def test_a_kept_tree_is_found_again_in_many_games_at_once() -> None:
    game = envs.game("mnk")
    begun, again = (
        visits_of_kept_trees(TreeReuseIsmcts(game, game.make_variant(m=3, n=3, k=3), 1, budget=200), 4, 200)
        for _ in range(2)
    )
    assert begun == again
    assert begun.count(0) <= 2 * 4  # a first decision, and one whose reply had never been tried
    assert max(begun) > 5


def test_a_kept_tree_is_the_part_below_a_node() -> None:
    game = envs.game("mnk")
    v, table = game.make_variant(m=3, n=3, k=3), Table(game, game.make_variant(m=3, n=3, k=3), 1)
    seen = table.view(table.turn)
    board, grown = scratch(game, v), tree(301)
    grow(v, seen, 0, 300, 5, 1, 0, 0.7, grown, board)
    node = int(np.argmax(np.where(grown.parent[: grown.used[0]] == 0, grown.visits[: grown.used[0]], 0)))
    part = tree(int(grown.visits[node]) + 1)
    old, at = np.zeros(len(part.action), np.int32), 0
    while at != NONE:
        at = graft(grown, node, old, part, at, 7)

    def listed(t: Any, at: int) -> Any:
        below, child = [], int(t.child[at])
        while child != -1:
            below.append((int(t.action[child]), int(t.seat[child]), int(t.chances[child]), listed(t, child)))
            child = int(t.sibling[child])
        return int(t.visits[at]), sorted(below)

    assert listed(part, 0) == listed(grown, node)


def test_trees_are_kept_only_where_nothing_is_hidden() -> None:
    game = envs.game("durak")
    with pytest.raises(ValueError, match="only fits games in which nothing is hidden"):
        TreeReuseIsmcts(game, game.make_variant(), 1)
    assert TREE_REUSE not in agents.searchers("durak")


def test_a_ladder_plays_every_rung() -> None:
    rungs = list(climb("war", deals=20, search_deals=1, pickup="choice", max_turns=20))
    assert [rung.name for rung in rungs] == names("war")[1:]
    assert [rung.below for rung in rungs] == names("war")[:-1]
    assert rungs[0].above_it is rungs[0].random
    assert rungs[-1].ms_per_move is not None
    assert (rungs[-1].above_it.agents[0].ms_99 or 0) > 0
    assert rungs[-1].above_it.deals == 1
    assert rungs[1].to_json()["against_below"]["deals"] == 20


def test_pimc_looks_at_the_clock_after_few_playouts_where_many_actions_are_legal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = envs.game("mnk")
    agent: Any = agents.load("mnk:pimc@1ms")
    table = next(decisions(game, agent.variant, 3, 1))
    asked, compare = list[tuple[int, int]](), pimc.compare

    def counted(v: Any, q: Any, first: int, last: int, steps: int, board: Any) -> int:
        asked.append((last - first, int(q.alive.sum())))
        return compare(v, q, first, last, steps, board)

    monkeypatch.setattr(pimc, "compare", counted)
    agent.act(table.view(table.turn), table.mask())
    assert asked[0][1] > 20
    assert all(worlds * alive <= max(40, alive) for worlds, alive in asked)
