"""TextArena's own classes drive whole games with scripted models: alone against itself, two and more players."""

import copy
from typing import Any

import numpy as np
import pytest

from tests.docs import pages
from tests.plugs.required import library

library("textarena", "0.7")

import textarena as ta

from kozyr import envs
from kozyr.agents.bridges import textarena_env
from kozyr.agents.bridges.textarena_env import TextArenaEnv

GAMES = [
    ("durak", 2, {}),
    ("durak", 4, {}),
    ("daifugo", 3, {"rounds": 2, "exchange": True}),
    ("draw_poker", 5, {}),
    ("mnk", 2, {"m": 4, "n": 4, "k": 3}),
    ("war", 2, {"pickup": "choice", "deck": 24}),
]
all_games = pytest.mark.parametrize(("game", "seats", "options"), GAMES)


class Scripted(ta.Agent):  # pyright: ignore[reportUntypedBaseClass]
    """A model that draws among the actions that it was offered last, and now and then talks past the point."""

    def __init__(self, seed: int, vague: bool = False) -> None:
        self.seen: list[str] = []
        self._rng, self._vague = np.random.default_rng(seed), vague

    def __call__(self, observation: str) -> str:
        self.seen.append(observation)
        words = offered(observation)
        if self._vague and "does not count" not in observation.rpartition("## Your legal actions")[0][-1500:]:
            return "What a fine game this is!"
        return f"My secret plan is {len(self.seen)}.\nAction: {words[self._rng.integers(len(words))]}"


def offered(observation: str) -> list[str]:
    """Return the legal actions in the newest board."""
    return observation.rpartition("## Your legal actions\n\n")[2].partition("\n\n")[0].splitlines()


def play(env: Any, agents: dict[int, Scripted], seed: int | None = None) -> tuple[Any, Any, list[int]]:
    """Play as TextArena's manual does, and return rewards, the information on the game, and who was asked."""
    env.reset(num_players=len(agents), seed=seed)
    done, asked = False, list[int]()
    while not done:
        player, observation = env.get_observation()
        asked.append(player)
        done, info = env.step(action=agents[player](observation))
        assert isinstance(info, dict)
    return *env.close(), asked


@all_games
def test_whole_games_through_its_own_wrapper(game: str, seats: int, options: dict[str, Any]) -> None:
    for seed in range(2):
        env = ta.wrappers.LLMObservationWrapper(TextArenaEnv(game, **options))
        agents = {seat: Scripted(seed + seat) for seat in range(seats)}
        rewards, info, asked = play(env, agents, seed)
        payoffs = env.dialogue.payoffs
        assert rewards == dict(enumerate(payoffs))
        assert sum(rewards.values()) == pytest.approx(0, abs=1e-5)
        assert set(info) == set(range(seats))
        assert [info[seat]["turn_count"] for seat in range(seats)] == [asked.count(seat) for seat in range(seats)]
        assert not any(one["invalid_move"] for one in info.values())
        assert info[0]["reason"].startswith("the game is over")


@all_games
def test_short_texts_are_short_and_enough(game: str, seats: int, options: dict[str, Any]) -> None:
    env = TextArenaEnv(game, text="short", **options)
    env.reset(num_players=seats, seed=1)
    rng, done, turns = np.random.default_rng(1), False, 0
    while not done:
        _, messages = env.get_observation()
        told = [message for sender, message, _ in messages if sender == ta.GAME_ID]
        assert not any("player_" in one or "##" in one for one in told)
        assert "\nlegal: " in told[-1]
        legal = env.dialogue.legal()
        done, info = env.step(legal[rng.integers(len(legal))])
        assert not info
        turns += 1
    assert turns == sum(env.dialogue.answers)
    assert sum(env.close()[0].values()) == pytest.approx(0, abs=1e-5)


def test_it_makes_all_games_by_name() -> None:
    names = textarena_env.register()
    assert textarena_env.register() == names
    assert len(names) == len(envs.games())
    for name in ("kozyr/durak-v0", "kozyr/durak-v0-raw"):
        env = ta.make(name, deck=36)
        play(env if "raw" not in name else ta.wrappers.LLMObservationWrapper(env), {k: Scripted(k) for k in range(3)})
        assert env.dialogue.table.variant.deck == 36


def test_the_lines_of_the_page_run() -> None:
    text = (pages.ROOT / "docs" / "howto" / "language_models.md").read_text(encoding="utf-8")
    block = next(one for one in pages.blocks(text, "py") if "textarena" in one)
    names: dict[str, Any] = {"agents": {seat: Scripted(seat) for seat in range(3)}}
    exec(block, names)  # noqa: S102
    assert sum(names["rewards"].values()) == pytest.approx(0, abs=1e-5)


def test_one_model_plays_itself() -> None:
    env = ta.wrappers.LLMObservationWrapper(TextArenaEnv("draw_poker"))
    model = Scripted(1)
    rewards, _, asked = play(env, dict.fromkeys(range(3), model))
    assert set(asked) == {0, 1, 2}
    assert len(model.seen) == len(asked)
    assert sum(rewards.values()) == pytest.approx(0, abs=1e-5)


def test_the_rules_come_first_and_news_once() -> None:
    env = TextArenaEnv("durak")
    env.reset(num_players=2, seed=4)
    texts: dict[int, list[str]] = {0: [], 1: []}
    rng, done = np.random.default_rng(1), False
    while not done:
        player, messages = env.get_observation()
        texts[player] += [message for sender, message, _ in messages if sender == ta.GAME_ID]
        words = offered(messages[-1][1])
        done, _ = env.step(words[rng.integers(len(words))])
    for seat, told in texts.items():
        assert told[0].startswith(f"You play Durak as player_{seat}, one of 2 players")
        assert sum("whoever is left with cards at the end is the fool" in one for one in told) == 1
        heard = [one for one in told if one.startswith(f"player_{1 - seat}: ")]
        theirs = [str(e) for e in env.dialogue.table.events() if str(e).startswith(f"player_{1 - seat}: ")]
        assert heard == theirs[: len(heard)]
        assert len(heard) >= len(theirs) - 6


def test_what_is_hidden_stays_hidden() -> None:
    """Neither another's cards nor what another writes reach a player."""
    agents = {seat: Scripted(seat) for seat in range(3)}
    env = ta.wrappers.LLMObservationWrapper(TextArenaEnv("draw_poker"))
    for seed in range(10):
        play(env, agents, seed)
        env.full_observations = {}
    for seat, model in agents.items():
        for observation in model.seen:
            assert "My secret plan" not in observation
            for other in {0, 1, 2} - {seat}:
                now = observation.partition("## What you know")[2]  # above are the rules, with an example
                assert f"player_{seat} (you)" in now
                assert f"player_{other} (you)" not in now
                lines = [line for line in observation.splitlines() if f"player_{other}: discard" in line]
                assert all("(" not in line for line in lines)


def test_a_vague_player_is_told_why_and_goes_on() -> None:
    env = ta.wrappers.LLMObservationWrapper(TextArenaEnv("mnk", m=3, n=3, k=3, retries=1))
    agents = {0: Scripted(0, vague=True), 1: Scripted(1)}
    rewards, info, asked = play(env, agents, 3)
    assert "it holds no action" in agents[0].seen[1]
    assert not any("does not count" in one for one in agents[1].seen)
    assert asked.count(0) > info[0]["turn_count"] > 0
    assert set(rewards) == {0, 1}


def test_who_never_answers_loses() -> None:
    env = TextArenaEnv("durak", players=3)
    env.reset(num_players=3, seed=2)
    first = env.state.current_player_id
    for attempt in range(3):
        done, info = env.step("I would rather sleep.")
        assert done == (attempt == 2)
        assert "it holds no action" in info["illegal"]
    rewards, game_info = env.close()
    assert rewards[first] == -1.0
    assert [rewards[seat] for seat in range(3) if seat != first] == [0.5, 0.5]
    assert [game_info[seat]["invalid_move"] for seat in range(3)] == [seat == first for seat in range(3)]
    assert "forfeits: illegal action" in game_info[0]["reason"]


def test_its_action_wrappers_fit() -> None:
    env = ta.wrappers.ActionFormattingWrapper(ta.wrappers.LLMObservationWrapper(TextArenaEnv("durak")))
    env.reset(num_players=2, seed=1)
    _, observation = env.get_observation()
    env.step(offered(observation)[0])
    assert env.dialogue.illegal == [0, 0]


def test_one_seed_is_one_game_and_copies_go_their_own_ways() -> None:
    plays = [play(ta.wrappers.LLMObservationWrapper(TextArenaEnv("durak")), {k: Scripted(k) for k in (0, 1)}, 7)]
    plays += [play(ta.wrappers.LLMObservationWrapper(TextArenaEnv("durak")), {k: Scripted(k) for k in (0, 1)}, 7)]
    assert plays[0] == plays[1]
    env = TextArenaEnv("durak")
    env.reset(num_players=2, seed=7)
    before = env.dialogue.table.ply
    other = copy.deepcopy(env)
    other.step(offered(other.get_observation()[1][-1][1])[0])
    assert (env.dialogue.table.ply, other.dialogue.table.ply > before) == (before, True)


@pytest.mark.parametrize(("game", "players"), [("mnk", 3), ("war", 1), ("durak", 9)])
def test_too_many_players_are_refused(game: str, players: int) -> None:
    with pytest.raises(ValueError, match="text='brief' is not allowed"):
        TextArenaEnv(game, text="brief")
    with pytest.raises(ValueError, match=r"is for 2 players here, not|players"):
        TextArenaEnv(game).reset(num_players=players)
