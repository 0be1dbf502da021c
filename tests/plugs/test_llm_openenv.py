"""OpenEnv's own clients play whole games over the WebSocket of its server."""

import asyncio
import threading
from typing import Any

import httpx
import numpy as np
import pytest

from tests.docs import running
from tests.plugs.required import library

library("openenv", "0.10", extra="llm")

from openenv.core.env_client import EnvClient
from openenv.core.generic_client import GenericEnvClient

from kozyr.agents.bridges import openenv_env
from kozyr.agents.bridges.openenv_env import GamesClient, Move

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("mnk", {"m": 4, "n": 4, "k": 3}),
    ("durak", {"players": 4, "deck": 36}),
    ("daifugo", {"players": 3}),
    ("draw_poker", {"players": 3}),
    ("war", {"pickup": "choice", "deck": 20}),
]
EACH = pytest.mark.parametrize(("game", "options"), GAMES, ids=[name for name, _ in GAMES])


def played(client: Any, seed: int, seat: int, rng: Any) -> list[Any]:
    """Play a game by the numbers of its actions and return what came back."""
    results = [client.reset(seed=seed, seat=seat)]
    while not results[-1].done:
        legal = results[-1].observation.legal_actions
        results.append(client.step(Move(action=int(legal[rng.integers(len(legal))]))))
    return results


@EACH
def test_whole_games_from_every_seat(game: str, options: dict[str, Any]) -> None:
    with openenv_env.serving(game, opponents=["random"], **options) as url, GamesClient(url).sync() as client:
        seats = len(client.reset(seed=0) and client.state().payoffs)
        for seat in range(seats):
            results = played(client, 5, seat, np.random.default_rng(seat))
            state = client.state()
            assert [one.reward for one in results[:-1]] == [0.0] * (len(results) - 1)
            assert results[-1].reward == state.payoffs[seat]
            assert sum(state.payoffs) == pytest.approx(0, abs=1e-5)
            assert (state.seed, state.seat, state.illegal, state.step_count) == (5, seat, 0, len(results) - 1)
            assert not results[-1].observation.legal_actions
            assert "game is over: " in results[-1].observation.text
            assert results[0].observation.text.startswith(f"You are p{seat}. ")
            assert all(one.observation.legal_actions for one in results[:-1])


@EACH
def test_one_seed_is_one_deal(game: str, options: dict[str, Any]) -> None:
    with openenv_env.serving(game, **options) as url, GamesClient(url).sync() as client:
        first, again = (client.reset(seed=9, seat=0).observation for _ in range(2))
        assert first == again
        same = [played(client, 9, 0, np.random.default_rng(2))[-1] for _ in range(2)]
        assert same[0].observation == same[1].observation


def test_a_model_answers_with_text_and_is_told_what_was_wrong() -> None:
    with openenv_env.serving("durak", retries=1, deck=36) as url, GenericEnvClient(base_url=url).sync() as client:
        result = client.reset(seed=3, seat=1, episode_id="mine")
        asked = result.observation["text"].rpartition("\nlegal: ")[2]
        assert asked
        wrong = client.step({"text": "I would rather sleep."})
        assert "it holds no action" in wrong.observation["refusal"]
        assert wrong.observation["text"].startswith("This answer does not count: it holds no action")
        assert not wrong.done
        assert wrong.observation["legal_actions"] == result.observation["legal_actions"]
        lost = client.step({"text": "And still I would."})
        assert (lost.done, lost.reward) == (True, -1.0)
        assert lost.observation["text"].endswith("\nYou forfeit: illegal action; the game is over: p0 +1, you -1.")
        state = client.state()
        assert (state["episode_id"], state["illegal"], state["game"]) == ("mine", 2, "durak_v0")


def test_what_is_hidden_is_nowhere_in_a_message() -> None:
    with openenv_env.serving("durak", players=3, deck=36) as url, GenericEnvClient(base_url=url).sync() as client:
        for seed in range(4):
            result, rng = client.reset(seed=seed, seat=0), np.random.default_rng(seed)
            while not result.done:
                assert set(result.observation) == {"metadata", "text", "seat", "legal_actions", "refusal"}
                assert set(client.state()) == {
                    *("episode_id", "step_count", "game", "options", "seed", "seat"),
                    *("answers", "illegal", "payoffs", "outcome"),
                }
                hands = result.observation["text"].rpartition("\nyou ")[2].partition("\n")[0]
                others = [one for one in hands.split("; ")[1:] if not one.endswith("out")]
                assert all(one.split(" ")[1].isdigit() for one in others)
                legal = result.observation["legal_actions"]
                result = client.step({"action": int(legal[rng.integers(len(legal))])})


def test_an_illegal_number_is_an_error_and_changes_nothing() -> None:
    with openenv_env.serving("mnk", m=3, n=3, k=3) as url, GamesClient(url).sync() as client:
        before = client.reset(seed=1, seat=0).observation.legal_actions
        taken = next(cell for cell in range(9) if cell not in before) if len(before) < 9 else 99
        with pytest.raises(RuntimeError, match=r"action \d+ of player_0"):
            client.step(Move(action=taken))
        assert client.state().step_count == 0 or client.state().illegal == 0
        assert client.step(Move(action=before[0])).observation.legal_actions != before
        for _ in range(9):
            legal = client.step(Move(text="hm")).observation.legal_actions
            if not legal:
                break
        with pytest.raises(RuntimeError, match="the game is over: reset begins another one"):
            client.step(Move(text="a1"))


def test_sessions_are_apart_and_limited() -> None:
    with openenv_env.serving("mnk", sessions=2, m=5, n=5, k=4) as url:
        one, two, three = (GamesClient(url).sync() for _ in range(3))
        with one, two:
            a, b = one.reset(seed=1, seat=0), two.reset(seed=2, seat=0)
            one.step(Move(action=a.observation.legal_actions[3]))
            assert two.state().step_count == 0
            assert one.state().step_count == 1
            assert b.observation.legal_actions
            with pytest.raises(RuntimeError, match=r"(?i)capacity|session"), three:
                three.reset(seed=3)


def test_many_clients_play_at_once() -> None:
    """Threads with a client each; every game is the one that a single client plays."""
    with openenv_env.serving("durak", sessions=8, deck=20) as url:
        with GamesClient(url).sync() as client:
            due = [played(client, seed, 0, np.random.default_rng(seed))[-1].reward for seed in range(8)]
        rewards: dict[int, float] = {}

        def play(seed: int) -> None:
            with GamesClient(url).sync() as own:
                rewards[seed] = played(own, seed, 0, np.random.default_rng(seed))[-1].reward

        threads = [threading.Thread(target=play, args=(seed,)) for seed in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [rewards[seed] for seed in range(8)] == due


def test_an_asynchronous_client_plays_too() -> None:
    async def play(url: str) -> Any:
        client: EnvClient[Any, Any, Any] = GamesClient(url)
        async with client:
            result = await client.reset(seed=4, seat=1)
            while not result.done:
                result = await client.step(Move(action=result.observation.legal_actions[0]))
            return result

    with openenv_env.serving("mnk", m=3, n=3, k=3) as url:
        assert asyncio.run(play(url)).reward in (-1.0, 0.0, 1.0)


def test_plain_http_is_refused_with_the_reason() -> None:
    with openenv_env.serving("durak", deck=36) as url:
        for method, path in (("POST", "/reset"), ("POST", "/step"), ("GET", "/state")):
            answer = httpx.request(method, url + path, json={"action": {"text": "pass"}} if method == "POST" else None)
            assert answer.status_code == 409
            assert "over HTTP each request would meet a new game" in answer.json()["detail"]
        assert httpx.get(f"{url}/health").json() == {"status": "healthy"}
        assert httpx.get(f"{url}/metadata").json()["name"] == "kozyr/durak_v0"
        schema = httpx.get(f"{url}/schema").json()
        assert {"text", "legal_actions"} <= set(schema["observation"]["properties"])


def test_a_step_before_the_first_reset_says_so() -> None:
    with (
        openenv_env.serving("mnk", m=3, n=3, k=3) as url,
        GamesClient(url).sync() as client,
        pytest.raises(RuntimeError, match="no game has begun: reset first"),
    ):
        client.step(Move(text="a1"))


def test_settings_are_checked_before_a_server_begins() -> None:
    wrongs: list[tuple[dict[str, Any], str]] = [
        ({"game": "durak", "players": 9}, "players=9"),
        ({"game": "durak", "opponents": ["lowest"]}, "unknown agent 'lowest'"),
        ({"game": "durak", "sessions": 0}, "sessions=0 is not allowed"),
        ({"game": "durak", "text": "brief"}, "text='brief' is not allowed"),
    ]
    for wrong, words in wrongs:
        with pytest.raises(ValueError, match=words):
            openenv_env.app(**wrong)


def test_the_page_of_the_documentation_runs() -> None:
    running.library("openenv")
