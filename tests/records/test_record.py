import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kozyr import envs
from kozyr.agents import load
from kozyr.agents.player import play_game
from kozyr.envs.core.state import OVER
from kozyr.envs.table import record

VARIANTS = [
    ("durak", {}),
    ("durak", {"players": 4, "deck": 36, "transfer": True, "pile_on": True, "refill": "old_attacker"}),
    ("durak", {"players": 3, "open_trump": True, "starter": "lowest_trump", "max_rounds": 5}),
    ("mnk", {"m": 4, "n": 5, "k": 3, "obstacles": 0.2}),
]


def a_game(name: str = "mnk", seed: int = 1, first: int = -1, **options: Any) -> record.Record:
    game = envs.game(name)
    v = game.make_variant(**options)
    return play_game(game, v, seed, first, [load("random", game=name, **options) for _ in range(game.seats(v))])


def a_line(**changes: Any) -> str:
    """A finished game of noughts and crosses with some fields changed, or left out if they are None."""
    fields = {**json.loads(record.write(a_game(m=3, n=3, k=3))), **changes}
    return json.dumps({name: value for name, value in fields.items() if value is not None})


@pytest.mark.parametrize(("name", "options"), VARIANTS)
@pytest.mark.parametrize("seed", range(5))
def test_a_game_comes_back_from_its_line(name: str, options: dict[str, Any], seed: int) -> None:
    made = a_game(name, seed, **options)
    line = record.write(made)
    read = record.read(line)
    assert "\n" not in line
    assert record.write(read) == line
    assert record.replay(read).tobytes() == record.replay(made).tobytes()
    assert read.actions == made.actions
    assert read.variant == made.variant


@given(st.integers(0, 2**63 - 1), st.sampled_from([-1, 0, 1]))
def test_any_seed_and_starter_come_back(seed: int, starter: int) -> None:
    made = a_game("mnk", seed, starter, m=3, n=3, k=3)
    read = record.read(record.write(made))
    assert (read.seed, read.starter, read.actions) == (made.seed, made.starter, made.actions)
    assert starter in (-1, made.starter)


def test_replay_ends_as_the_environment_does() -> None:
    made = a_game("durak", 3)
    env = envs.make("durak")
    env.reset(seed=3)
    for action in made.actions:
        env.step(action)
    assert bytes(env.state()) == record.replay(made).tobytes()


def test_states_are_one_a_ply_and_stay_as_they_were() -> None:
    made = a_game("durak", 2)
    states = list(record.states(made))
    assert [int(s["ply"][0]) for s in states] == list(range(len(made.actions) + 1))
    assert states[-1]["turn"][0] == OVER


def test_play_refuses_illegal_actions_in_words() -> None:
    game = envs.game("mnk")
    with pytest.raises(ValueError, match=r"(?s)ply 0: actions run from 0 to 224.*The position, unchanged:"):
        play_game(game, game.make_variant(), 0, 0, [lambda view, mask: 225] * 2)


DAMAGED = [
    ("", "not JSON"),
    ("{", "not JSON"),
    ("[1, 2]", "no record of kozyr"),
    ('{"moves": []}', "no record of kozyr"),
    (b"\xff\xfe{}", "line 7: this is not"),
    ("[" * 100_000, "not JSON"),
    (a_line(kozyr=2), "format 2 cannot be read here"),
    *[(a_line(**{name: None}), f"missing field '{name}'") for name in ("seed", "actions", "payoffs", "variant")],
    (a_line(game="chess_v0"), "unknown game 'chess_v0'"),
    (a_line(game="mnk_v9"), "the version of mnk is mnk_v0"),
    (a_line(game="mnk"), "does not say its version"),
    (a_line(game=["mnk"]), "game is a str"),
    (a_line(variant={"m": 3}), "variant has the fields m"),
    (a_line(variant={"self": 3}), "variant has the fields self"),
    (a_line(variant=[]), "variant is a dict"),
    (a_line(seed=-1), "seed=-1"),
    (a_line(seed=1.0), r"seed=1\.0"),
    (a_line(starter=2), "starter=2"),
    (a_line(starter=True), "starter=True"),
    (a_line(starter=0.0), r"starter=0\.0"),
    (a_line(actions="abc"), "actions is a list"),
    (a_line(actions=[0, 1.5]), r"actions\[1\]=1.5"),
    (a_line(actions=[4, 4]), "(?s)action 4 of player_[01] at ply 1: it is not legal here.*The position, unchanged:"),
    (a_line(actions=[9]), "at ply 0: actions run from 0 to 8"),
    (a_line(actions=[2**70]), "at ply 0: actions run from 0 to 8"),
    (a_line(actions=[0, 1]), "not finished: after its 2 actions player_[01] is to move"),
    (a_line(payoffs=[0.5, -0.5]), "payoffs .* do not agree"),
    (a_line(payoffs=[float("nan"), 0]), "not JSON: NaN is no number"),
    (a_line(payoffs=[1e10, 0]), r"payoffs\[0\] is not allowed: it is a number from -1e\+09"),
    (a_line()[:-1] + ', "seed": 1}', "not JSON: the key 'seed' is there twice"),
    (a_line(payoffs=[0, 10**400]), r"payoffs\[1\] is not allowed"),
    (a_line(clock={"move": 10**400, "game": None, "increment": 0}), "move is a number of seconds above 0"),
    (a_line(payoffs=[1]), "payoffs has 1 items: there are 2 seats"),
    (a_line(payoffs=["a", "b"]), r"payoffs\[0\]='a'"),
    (a_line(truncated=True), "truncated=True does not agree"),
    (a_line(truncated=0), "truncated=0 is not allowed"),
    (a_line(agents=["a"]), "agents has 1 items"),
    (a_line(forfeit=0), "player_0 cannot forfeit after .* it is over"),
    (a_line(forfeit=7), "forfeit=7"),
]


@pytest.mark.parametrize(("line", "words"), DAMAGED)
def test_a_damaged_line_is_named(line: str | bytes, words: str) -> None:
    with pytest.raises(ValueError, match=words) as caught:
        record.read(line, 7, "games.jsonl")
    assert str(caught.value).startswith("games.jsonl, line 7: ")


def test_a_longer_game_than_the_rules_have_is_refused() -> None:
    made = a_game(m=3, n=3, k=3)
    line = a_line(actions=[*made.actions, 0])
    with pytest.raises(ValueError, match=f"over after {len(made.actions)} actions"):
        record.read(line)


def test_a_file_is_read_to_its_first_damaged_line(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    file.write_text(f"{a_line()}\n\n{a_line()}\n{a_line()[:-9]}\n")
    games = record.read_file(file)
    assert [len(next(games).payoffs) for _ in range(2)] == [2, 2]
    with pytest.raises(ValueError, match="line 4: this is not JSON"):
        next(games)


def test_without_verify_only_the_form_is_checked() -> None:
    assert record.read(a_line(actions=[0, 0]), verify=False).actions == [0, 0]


def test_a_forfeit_ends_a_game_early() -> None:
    start = record.read(a_line(actions=[]), verify=False).starter
    payoffs = [1.0, 1.0]
    payoffs[start] = -1.0
    read = record.read(a_line(actions=[], forfeit=start, payoffs=payoffs, agents=["a", "b"]))
    assert read.forfeit == start
    assert np.all(record.replay(read)["ply"] == 0)


def an_unfinished_line(**changes: Any) -> str:
    """A game of noughts and crosses after two plies, with some fields changed."""
    return a_line(**({"actions": [0, 1], "payoffs": []} | changes))


def test_a_game_in_progress_has_no_payoffs() -> None:
    read = record.read(an_unfinished_line(table="one"))
    assert (read.payoffs, read.id, len(list(record.states(read)))) == ([], "one", 3)
    assert record.read(record.write(read)) == read


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (a_line(payoffs=[]), r"payoffs \[\] do not agree"),
        (an_unfinished_line(forfeit=0), r"payoffs \[\] do not agree"),
        (an_unfinished_line(truncated=True), "truncated=True does not agree"),
        (an_unfinished_line(reason=3), "reason is a str"),
        (an_unfinished_line(table=3), "table is a str"),
        (an_unfinished_line(clock=3), "clock is a dict"),
        (an_unfinished_line(clock={"move": 3}), "clock has the fields move"),
        (an_unfinished_line(clock={"move": -3, "game": None, "increment": 0}), "move=-3 is not allowed"),
        (an_unfinished_line(left=[1]), "left has 1 items"),
        (an_unfinished_line(left=[1, "2"]), r"left\[1\]='2'"),
    ],
)
def test_damaged_records_of_games_in_progress_are_named(line: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        record.read(line)


def test_a_seat_may_forfeit_out_of_turn() -> None:
    waiting = record.read(an_unfinished_line()).starter
    payoffs = [-1.0, -1.0]
    payoffs[waiting] = 1.0
    read = record.read(an_unfinished_line(forfeit=1 - waiting, payoffs=payoffs, reason="resigned"))
    assert (read.forfeit, read.reason) == (1 - waiting, "resigned")
