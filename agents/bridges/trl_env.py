"""Games as environments of TRL: a factory, rows of deals and a reward for trainers with `environment_factory`.

    from trl import GRPOConfig, GRPOTrainer
    from kozyr.agents.bridges import trl_env

    trainer = GRPOTrainer(
        model=...,
        args=GRPOConfig(max_completion_length=trl_env.completion_length("durak", tokenizer, deck=36)),
        train_dataset=trl_env.dataset("durak", deals=1000, deck=36),
        environment_factory=trl_env.environment("durak", opponents=["low"], deck=36),
        reward_funcs=trl_env.payoff,
    )

The model plays by calling the tool `play`. It sits in one seat, agents of ours in the others. A row carries seed and
seat, so all generations of a group play the same deal. Needs the extra `[llm]`.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from kozyr.agents.bridges.one_seat import RANDOM, OneSeat, Setting
from kozyr.agents.text.budget import budget
from kozyr.agents.text.question import SHORT
from kozyr.agents.text.text_agent import RETRIES
from kozyr.envs.core import install_hint
from kozyr.envs.environments import argument_checks

try:
    from datasets import Dataset
except ModuleNotFoundError as missing:
    raise ImportError(f"this needs TRL: {install_hint.command('llm')}") from missing

__all__ = ["GameEnv", "completion_length", "dataset", "environment", "payoff"]

LOSS = -1.0
_RULE = "Call the tool play with one action, in the words offered. Wait for its answer before you call it again."
_PROMPT = "Play this game to its end.\n\n"
_CALL = 64  # tokens of a call, with a few thoughts and what the template puts around it and its answer


class GameEnv:
    """One seat of one game. Public methods are the model's tools, so there is one.

    Args:
        setting: of the game.
        unfinished: reward of a game whose end the model has not seen, or None: it has none.
        tokens: told to the model as those that it has for the whole game; None: it is told nothing.

    Attributes:
        game: in progress; replies: of the tool in it.
        payoffs: after the reset and after each reply, None before the end.
        unfinished: as the argument.
    """

    def __init__(self, setting: Setting, unfinished: float | None = LOSS, tokens: int | None = None) -> None:
        self._setting, self.unfinished = setting, unfinished
        self._limit = f" You have {tokens} tokens for the whole game, thoughts and answers of the tool included."
        self._limit = self._limit if tokens else ""
        self.replies = list[str]()
        self.payoffs: list[float | None] = [None]
        self.game: OneSeat | None = None

    def reset(self, seed: int | None = None, seat: int | None = None, **row: Any) -> str:
        """Begin the game of a row and return its rules and the first question.

        Args:
            seed: of the deal; seat: the model's, or None: it follows from the seed.
            **row: other columns, which do not matter here.

        Raises:
            ValueError: without a seed: the generations of a group would play different deals.
        """
        if seed is None:
            raise ValueError(
                "the row has no seed, so the generations of a group would play different deals: "
                "take train_dataset=trl_env.dataset(…), or give your own rows the columns seed and seat"
            )
        seed = argument_checks.seed(seed)
        self.game = OneSeat(self._setting, seed, self._setting.seat(seed, seat), _RULE + self._limit)
        self.replies, self.payoffs = [], [self.game.payoff]
        return self.game.first()

    def play(self, action: str) -> str:
        """Play one of your legal actions.

        Args:
            action: the action, in the words offered.

        Returns:
            What the others did, the position and your legal actions; or the end of the game.
        """
        if self.game is None:
            raise RuntimeError("no game has begun: call reset first")
        game = self.game
        self.replies.append(game.ask() if game.dialogue.over else game.reply(str(action)))
        self.payoffs.append(game.payoff)
        return self.replies[-1]


def _outcome(env: GameEnv, completion: Sequence[Mapping[str, Any]]) -> float | None:
    """Return the payoff as far as a completion shows it, or None if it shows no end."""
    count = 0
    for message in completion:
        known = count < len(env.replies) and message.get("role") == "tool"
        count += known and message.get("content") == env.replies[count]
    return env.payoffs[count]


def payoff(
    completions: Sequence[Sequence[Mapping[str, Any]]],
    environments: Sequence[GameEnv],
    log_metric: Callable[[str, float], None] | None = None,
    **columns: Any,
) -> list[float | None]:
    """Return the reward of each game: the payoff of the model's seat.

    Only answers of the tool count that stand in the completion. TRL drops an answer that does not fit into
    `max_completion_length`, but the game has gone on by then: without this rule a move would be rewarded whose outcome
    the model was never shown.

    Args:
        completions: conversations; environments: of the same games.
        log_metric: of TRL; it gets the shares of finished games and of illegal answers.
        **columns: other columns, which do not matter here.
    """
    outcomes = [_outcome(env, one) for env, one in zip(environments, completions, strict=True)]
    if log_metric is not None and outcomes:
        log_metric("games/finished", sum(one is not None for one in outcomes) / len(outcomes))
        games = [env.game for env in environments if env.game is not None]
        answers = sum(game.dialogue.answers[game.seat] for game in games)
        illegal = sum(game.dialogue.illegal[game.seat] for game in games)
        log_metric("games/illegal_answers", illegal / max(answers, 1))
    return [env.unfinished if one is None else one for env, one in zip(environments, outcomes, strict=True)]


def environment(
    game: str,
    opponents: Sequence[str] = RANDOM,
    retries: int = RETRIES,
    full_rules: bool = False,
    text: str = SHORT,
    unfinished: float | None = LOSS,
    tokens: int | None = None,
    **variant: Any,
) -> Callable[[], GameEnv]:
    """Return a factory of environments, for `environment_factory`.

    Args:
        game: its name.
        opponents: agents in the other seats, clockwise, the last one in all that are left.
        retries: answers without a legal action that are asked for again; one more loses the game.
        full_rules: tell RULES.md in place of the rules in short.
        text: "short" or "long".
        unfinished: reward of a game whose end the model has not seen; None: it has none.
        tokens: told to the model as those that it has for the whole game; None: it is told nothing.
        **variant: fields of the game's variant.

    Raises:
        ValueError: for unknown games and agents and impossible variants.
    """
    setting = Setting(game, variant, opponents, retries, full_rules, text)
    return partial(GameEnv, setting, unfinished, tokens)


def dataset(game: str, deals: int, seed: int = 0, prompt: str = _PROMPT, **variant: Any) -> Dataset:
    """Return rows of deals, each once for every seat: a prompt, a seed and a seat.

    TRL repeats a row for all generations of its group, so these play the same deal from the same seat.

    Args:
        game: its name; deals: how many.
        seed: of the first deal; the others follow.
        prompt: what stands before the rules.
        **variant: fields of the game's variant.
    """
    seats = Setting(game, variant).seats
    each = [
        (number, seat) for number in range(seed, seed + argument_checks.count("deals", deals)) for seat in range(seats)
    ]
    return Dataset.from_dict(
        {
            "prompt": [[{"role": "user", "content": prompt}] for _ in each],
            "seed": [number for number, _ in each],
            "seat": [seat for _, seat in each],
        }
    )


def completion_length(
    game: str, tokenizer: Any, text: str = SHORT, call: int = _CALL, spare: int = 4, games: int = 20, **variant: Any
) -> int:
    """Return a `max_completion_length` that holds whole games: the longest of some at random, with the model's calls.

    TRL counts the answers of tools, too. Its usual 512 tokens end longer games in the middle.

    Args:
        game: its name; tokenizer: of the model.
        text: as of the environment.
        call: tokens of one call, thoughts and the template's own included.
        spare: further questions, as each illegal answer leads to one.
        games: to be played at random.
        **variant: fields of the game's variant.
    """
    long = budget(game, text, games, count=lambda words: len(tokenizer(words)["input_ids"]), **variant)
    question = (long.mean - long.rules) / max(long.questions, 1.0)
    return long.most - long.rules + long.most_questions * call + round(spare * (question + call))
