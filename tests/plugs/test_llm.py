"""TRL's GRPOTrainer plays and trains in games through `environment_factory`, with a tiny random model."""

import re
from typing import Any

import numpy as np
import pytest

from tests.docs import running
from tests.plugs.required import library

library("trl", "1.16", extra="llm")

import torch
from trl import GRPOConfig

from kozyr import envs
from kozyr.agents.arena import match
from kozyr.agents.bridges import trl_env
from kozyr.agents.bridges.one_seat import OneSeat, Setting
from kozyr.agents.text import TextAgent
from kozyr.envs.core import dispatch
from tests.plugs import tiny_llm

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::UserWarning", "ignore::DeprecationWarning")
BOARD: dict[str, Any] = {"game": "mnk", "m": 3, "n": 3, "k": 3}
GAMES: list[dict[str, Any]] = [BOARD, {"game": "durak", "players": 3, "deck": 20}]
EACH = pytest.mark.parametrize("options", GAMES, ids=[one["game"] for one in GAMES])
GROUP = 4
CELLS = [f"{column}{row}" for row in "123" for column in "abc"]
CALL = 80  # tokens of a call and of what the template puts around it and its answer


def settings(folder: Any, length: int, **more: Any) -> GRPOConfig:
    usual = {"per_device_train_batch_size": GROUP, "num_generations": GROUP, "max_steps": 2, "learning_rate": 1e-2}
    return GRPOConfig(
        str(folder),
        max_completion_length=length,
        use_cpu=True,
        save_strategy="no",
        report_to=[],
        logging_steps=1,
        disable_tqdm=True,
        **{**usual, **more},
    )


def scripted(folder: Any, options: dict[str, Any], length: int | None = None, reward: Any = trl_env.payoff) -> Any:
    """Return a trainer whose script plays at random, on a bridge that notes each reset."""
    words = tiny_llm.tokenizer()
    if length is None:
        length = trl_env.completion_length(tokenizer=words, call=CALL, spare=20, **options)
    trainer = tiny_llm.Scripted(
        model=tiny_llm.model(words),
        args=settings(folder, length),
        processing_class=words,
        train_dataset=trl_env.dataset(deals=4, **options),
        environment_factory=trl_env.environment(**options),
        reward_funcs=reward,
    )
    trainer.script = tiny_llm.Player(3)
    return trainer


def weights(trainer: Any) -> list[Any]:
    return [one.detach().clone() for one in trainer.model.parameters()]


def logged(trainer: Any, name: str) -> list[float]:
    return [line[name] for line in trainer.state.log_history if name in line]


@EACH
def test_it_trains_on_whole_games_with_legal_moves_alone(
    options: dict[str, Any], tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = list[tuple[Any, str]]()
    reset = trl_env.GameEnv.reset

    def noted(env: Any, seed: int | None = None, seat: int | None = None, **row: Any) -> str:
        text = reset(env, seed, seat, **row)
        first.append(((seed, seat), text))
        return text

    monkeypatch.setattr(trl_env.GameEnv, "reset", noted)
    trainer = scripted(tmp_path, options)
    before = weights(trainer)
    trainer.train()
    after = weights(trainer)
    assert all(torch.isfinite(one).all() for one in after)
    assert any(not torch.equal(old, new) for old, new in zip(before, after, strict=True))
    assert logged(trainer, "games/finished") == [1.0, 1.0]
    assert logged(trainer, "games/illegal_answers") == [0.0, 0.0]
    assert logged(trainer, "tools/failure_frequency") == [0.0, 0.0]
    assert all(-1 <= reward <= 1 for reward in logged(trainer, "reward"))
    assert sum(logged(trainer, "reward_std")) > 0  # so there was something to learn
    for i in range(0, len(first), GROUP):  # all generations of a group play the same deal from the same seat
        assert len(set(first[i : i + GROUP])) == 1
    assert len({row for row, _ in first}) == len(first) // GROUP


@EACH
def test_a_row_is_a_deal_and_a_seat(options: dict[str, Any]) -> None:
    rows = trl_env.dataset(deals=3, seed=7, **options)
    game = envs.game(options["game"])
    seats = game.seats(game.make_variant(**{key: value for key, value in options.items() if key != "game"}))
    assert [(row["seed"], row["seat"]) for row in rows] == [(7 + i // seats, i % seats) for i in range(3 * seats)]
    made = trl_env.environment(**options)
    texts = [made().reset(**row) for row in rows]
    assert texts == [made().reset(**row) for row in rows]
    assert len(set(texts)) > seats
    for row, text in zip(rows, texts, strict=True):
        assert text.startswith(f"You are p{row['seat']}. ")
        assert "Call the tool play" in text
        assert "last line" not in text


def test_a_row_without_a_seed_is_refused() -> None:
    env = trl_env.environment(**BOARD)()
    with pytest.raises(ValueError, match="the row has no seed, so the generations of a group would play different"):
        env.reset(prompt=[{"role": "user", "content": ""}])
    with pytest.raises(ValueError, match="seat=5 is not allowed"):
        env.reset(seed=1, seat=5)
    with pytest.raises(RuntimeError, match="no game has begun"):
        env.play("a1")


def test_its_tool_is_play_alone_and_answers_with_text() -> None:
    env: Any = trl_env.environment(**BOARD, retries=1)()
    tools = [name for name in dir(type(env)) if not name.startswith("_") and name not in ("reset", "get_reward")]
    assert tools == ["play"]
    assert "tokens" not in env.reset(seed=1, seat=0)
    rng = np.random.default_rng(1)
    assert env.play("z9").startswith("This answer does not count: ")
    while env.payoffs[-1] is None:
        legal = env.game.dialogue.legal()
        assert isinstance(env.play(legal[rng.integers(len(legal))]), str)
    assert env.play("a1") == env.replies[-2]
    assert re.match(r"The game is over: p0 [+-]?\d, you|The game is over: you [+-]?\d, p1", env.replies[-1])
    assert " 900 tokens" in trl_env.environment(**BOARD, tokens=900)().reset(seed=1)
    long = trl_env.environment(**BOARD, text="long")().reset(seed=1)
    assert "## Your legal actions" in long
    assert "Choose one of them. Call the tool play" in long


def told(env: Any, replies: int) -> list[dict[str, Any]]:
    """Return a completion that shows so many answers of the tool."""
    conversation = list[dict[str, Any]]()
    for reply in env.replies[:replies]:
        conversation += [{"role": "assistant", "content": ""}, {"role": "tool", "name": "play", "content": reply}]
    return conversation


def test_a_reward_counts_only_what_the_model_was_shown() -> None:
    envs_: list[Any] = [trl_env.environment(**BOARD, unfinished=one)() for one in (-1.0, None)]
    metrics: dict[str, float] = {}
    for env in envs_:
        env.reset(seed=2, seat=0)
        rng = np.random.default_rng(4)
        while env.payoffs[-1] is None:
            legal = env.game.dialogue.legal()
            env.play(legal[rng.integers(len(legal))])
    count, payoff = len(envs_[0].replies), envs_[0].game.payoff

    def rewards(replies: int) -> list[float | None]:
        return trl_env.payoff([told(env, replies) for env in envs_], envs_, log_metric=metrics.__setitem__, prompts=[])

    assert rewards(count) == [payoff, payoff]
    assert metrics == {"games/finished": 1.0, "games/illegal_answers": 0.0}
    for shown in range(count):
        assert rewards(shown) == [-1.0, None]
    assert metrics["games/finished"] == 0.0
    other = [{"role": "tool", "name": "search", "content": "nothing"}, *told(envs_[0], count)]
    assert trl_env.payoff([other], envs_[:1]) == [payoff]


def test_a_game_whose_end_was_dropped_is_not_won(tmp_path: Any) -> None:
    """TRL drops the tool's answer that does not fit, while the game behind it goes on."""
    seen = list[tuple[Any, Any, int, int]]()

    def noted(completions: Any, environments: Any, **more: Any) -> Any:
        rewards = trl_env.payoff(completions, environments, **more)
        shown = [sum(message["role"] == "tool" for message in one) for one in completions]
        for env, reward, count in zip(environments, rewards, shown, strict=True):
            seen.append((env.game.payoff, reward, count, len(env.replies)))
        return rewards

    for length in range(200, 320, 20):  # the last answer of a game has more than 20 tokens
        trainer = scripted(tmp_path, BOARD, length, reward=noted)
        trainer.train()
    dropped = [reward for payoff, reward, count, replies in seen if payoff is not None and count < replies]
    assert dropped
    assert set(dropped) == {-1.0}
    whole = [(payoff, reward) for payoff, reward, count, replies in seen if payoff is not None and count == replies]
    assert whole
    assert all(payoff == reward for payoff, reward in whole)


def test_a_tiny_model_that_samples_for_itself(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A call is one token, so that a random model calls; what is wrong is refused, and nothing illegal is played."""
    played = list[bool]()
    apply = OneSeat.answer

    def watched(game: Any, text: str) -> str:
        table = game.dialogue.table
        mask, before = np.zeros(9, np.int8), table.ply
        dispatch.legal(table.variant, table.states[0], mask)
        why = apply(game, text)
        played.append((table.ply > before or game.dialogue.over) == (not why) or game.dialogue.over)
        return why

    monkeypatch.setattr(OneSeat, "answer", watched)
    words = tiny_llm.tokenizer(CELLS)
    net = tiny_llm.model(words, len(CELLS))
    more = {"max_tool_calling_iterations": 8, "generation_kwargs": {"suppress_tokens": [*range(words.eos_token_id)]}}
    trainer = tiny_llm.GRPOTrainer(
        model=net,
        args=settings(tmp_path, 2000, **more),
        processing_class=words,
        train_dataset=trl_env.dataset(deals=4, **BOARD),
        environment_factory=trl_env.environment(**BOARD),
        reward_funcs=trl_env.payoff,
    )
    trainer.train()
    assert len(played) > 20
    assert all(played)
    assert all(torch.isfinite(one).all() for one in net.parameters())
    assert all(0 < share < 1 for share in logged(trainer, "games/illegal_answers"))
    assert sum(logged(trainer, "games/finished")) > 0
    play_in_our_arena(net, words)


def play_in_our_arena(net: Any, words: Any) -> None:
    """Let a model choose among the legal cells by its own logits."""
    calls = {cell: len(words) - len(CELLS) + i for i, cell in enumerate(CELLS)}

    def best(prompt: str) -> str:
        view, _, legal = prompt.rpartition("\nlegal: ")
        with torch.no_grad():
            logits = net(**words(prompt, return_tensors="pt")).logits[0, -1]
        return max(tiny_llm.actions(view.rpartition("\nyou ")[2], legal), key=lambda cell: float(logits[calls[cell]]))

    agent = TextAgent(best, "mnk", text="short", m=3, n=3, k=3)
    result = match("mnk", [agent, "random"], 10, m=3, n=3, k=3)
    assert [(one.errors, one.first_error) for one in result.agents] == [(0, None)] * 2
    assert agent.usage.illegal == 0


def test_a_budget_holds_whole_games() -> None:
    words = tiny_llm.tokenizer()
    short = trl_env.completion_length(tokenizer=words, **BOARD)
    assert 256 < short < trl_env.completion_length(tokenizer=words, text="long", **BOARD) / 2
    assert trl_env.completion_length(tokenizer=words, call=200, **BOARD) > short


def test_settings_are_checked_before_anything_is_played() -> None:
    wrongs: list[tuple[dict[str, Any], str]] = [
        ({"game": "chess"}, "chess"),
        ({"game": "durak", "players": 9}, "players=9"),
        ({"game": "durak", "opponents": ["lowest"]}, "unknown agent 'lowest'"),
        ({"game": "durak", "opponents": []}, r"opponents=\[\] is not allowed"),
        ({"game": "durak", "opponents": "low"}, "opponents='low' is not allowed"),
        ({"game": "durak", "text": "brief"}, "text='brief' is not allowed"),
    ]
    for wrong, words in wrongs:
        with pytest.raises(ValueError, match=words):
            trl_env.environment(**wrong)
    assert Setting("durak").seats == 2


def test_the_page_of_the_documentation_runs(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    running.library("trl")
