"""Games as an environment of `verifiers`: tasks, seats that talk, rewards for each seat.

    from kozyr.agents.bridges import verifiers_env

    env = verifiers_env.environment("durak", opponents=["low"], deck=36)

The model sits in one seat, which changes from task to task, and agents of ours in the others. Without opponents it
sits in all seats and plays itself: an episode has a trace for each seat, with the reward of that seat. Each seat is a
conversation of its own and is told what that seat may know.

`verifiers` finds what it runs by the name of a module. For its own commands, write a module of two lines and name it:

    from kozyr.agents.bridges.verifiers_env import GamesEnv, GamesTaskset, TalkHarness
    __all__ = ["GamesEnv", "GamesTaskset", "TalkHarness"]

Needs the extra `[verifiers]`.
"""

import asyncio
import itertools
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from typing import Any

from kozyr import agents, envs
from kozyr.agents.agent_names import refuse_code
from kozyr.agents.text.dialogue import Dialogue
from kozyr.agents.text.question import FORMS, LONG
from kozyr.agents.text.text_agent import RETRIES
from kozyr.envs.core import install_hint
from kozyr.envs.core.rng import spread
from kozyr.envs.environments import argument_checks

try:
    import httpx
    import verifiers.v1 as vf
    from verifiers.v1.dialects.chat import message_to_wire
    from verifiers.v1.utils.loaders import load_environment, resolve_env_config
except ModuleNotFoundError as missing:
    raise ImportError(f"this needs verifiers 0.4 or newer: {install_hint.command('verifiers')}") from missing

__all__ = ["GamesEnv", "GamesTaskset", "TalkHarness", "environment"]

ID = "kozyr_games"  # under which `environment` makes this module known
_SILENT = "no answer"  # the reason of a forfeit where a conversation has ended


class TalkConfig(vf.HarnessConfig):
    """The harness has no settings of its own."""


class TalkHarness(vf.Harness[TalkConfig]):
    """Hands the conversation to the model and takes its answer, in this process: no tools, no program."""

    APPENDS_SYSTEM_PROMPT = True
    SUPPORTS_RESUME = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
    ) -> vf.ProgramResult:
        """Ask once; the answer is in the trace."""
        system, prompt = self.resolve_prompt(data)
        turns = [vf.UserMessage(content=prompt)] if isinstance(prompt, str) else list(prompt or [])
        messages = [{"role": "system", "content": system}] if system else []
        body = {"model": ctx.model, "messages": [*messages, *map(message_to_wire, turns)]}
        where, key = f"{endpoint.rstrip('/')}/chat/completions", {"Authorization": f"Bearer {secret}"}
        async with httpx.AsyncClient(timeout=None) as client:
            answer = await client.post(where, json=body, headers=key)
        failed = answer.status_code != 200
        return vf.ProgramResult(exit_code=int(failed), stdout="", stderr=answer.text[:2000] if failed else "")


class GamesConfig(vf.TasksetConfig):
    """The game and the opponents."""

    game: str = ""
    """Its name, as durak."""
    options: dict[str, Any] = {}
    """Fields of the game's variant."""
    opponents: list[str] = []
    """Agents in the other seats, clockwise, the last one in all that are left; none: the model plays itself."""
    retries: int = RETRIES
    """Answers without a legal action that are asked for again."""
    full_rules: bool = False
    """Tell RULES.md in place of the rules in short."""
    text: str = LONG
    """Of what is told: "long", or "short" for few characters."""


class GameData(vf.TaskData):
    """One deal, and the seat of the model."""

    seed: int = 0
    """Of the deal."""
    seat: int = -1
    """The model's; −1: all seats are."""


class GameTask(vf.Task[GameData, vf.State, vf.TaskConfig]):
    """One game."""


class GamesTaskset(vf.Taskset[GameTask, GamesConfig]):
    """Games without end. With opponents the model plays each deal from every seat, one after the other."""

    INFINITE = True

    def load(self) -> Iterator[GameTask]:
        """Yield games with seeds 0, 1, 2 and so on."""
        game = envs.game(self.config.game)
        seats = game.seats(game.make_variant(**self.config.options)) if self.config.opponents else 1
        for i in itertools.count():
            seed, seat = divmod(i, seats)
            where = {"seed": seed, "seat": seat if self.config.opponents else -1}
            name = f"{game.id}#{seed}" + (f", player_{seat}" if self.config.opponents else "")
            yield GameTask(GameData(name=name, **where), self.config.task)


class GamesEnvConfig(vf.EnvConfig):
    """The player."""

    player: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())
    """The model; nothing runs in its runtime."""


class GamesEnv(vf.Env[GamesEnvConfig]):
    """A game in which a model talks in one seat or in all.

    Each of its seats is an interaction of its own: the rules are its system prompt, each turn has what is new and what
    the seat may do. The reward of a trace is `payoff`, the seat's own; metrics count `answers` and `illegal` ones.
    """

    def __init__(self, config: GamesEnvConfig) -> None:
        super().__init__(config)
        its: Any = self.taskset.config
        refuse_code(its.opponents, "the environment's configuration")
        self.game = envs.game(its.game)
        self.variant = self.game.make_variant(**its.options)
        argument_checks.choice("text", its.text, FORMS)
        for name in its.opponents:
            agents.load(name, self.game.name, **its.options)

    async def run(self, task: Any, agents: vf.Agents) -> None:
        """Play a game."""
        its: Any = self.taskset.config
        game = Dialogue(self.game, self.variant, task.data.seed, None, its.retries, its.full_rules, its.text)
        seats = range(game.table.seats) if task.data.seat < 0 else [task.data.seat]
        others = self._opponents(task.data.seed, [k for k in range(game.table.seats) if k not in seats])
        async with AsyncExitStack() as stack:
            talks = {
                seat: await stack.enter_async_context(agents.player.interaction(_seat_task(task, game, seat)))
                for seat in seats
            }
            while not game.over:
                if game.turn in talks:
                    if not await _ask(game, talks[game.turn]):
                        return
                else:
                    view, mask = game.table.view(game.turn), game.table.mask
                    game.act(int(await asyncio.to_thread(others[game.turn].act, view, mask)))
        for seat, talk in talks.items():
            _score(talk.trace, game, seat)

    def _opponents(self, seed: int, seats: Sequence[int]) -> dict[int, Any]:
        """Return the agents in some seats."""
        its: Any = self.taskset.config
        others = dict[int, Any]()
        for place, seat in enumerate(seats):
            name = its.opponents[min(place, len(its.opponents) - 1)]
            others[seat] = agents.load(name, self.game.name, **its.options)
            others[seat].reset(seat, int(spread(seed, seat)))
        return others


def _seat_task(task: GameTask, game: Dialogue, seat: int) -> GameTask:
    """Return the task of one seat, which is told the rules."""
    return task.with_data(seat=seat, system_prompt=game.rules(seat), prompt=None)


async def _ask(game: Dialogue, talk: Any) -> bool:
    """Ask a seat until it has acted or lost; tell whether it could be asked.

    A model whose limits are reached has lost. An endpoint that fails has not: the episode is not `ok` and has no
    rewards.
    """
    text, why = game.ask(game.news(game.turn)), "not asked"
    while why and not game.over:
        segment = await talk.turn(text)
        if segment.terminated:
            if talk.trace.errors:
                return False
            game.forfeit(_SILENT)
            return True
        why = game.answer(segment.last_reply)
        text = f"This answer does not count: {why}. Answer once more."
    return True


def _score(trace: vf.Trace, game: Dialogue, seat: int) -> None:
    """Record the payoff of a seat, and its answers."""
    trace.record_reward("payoff", game.payoffs[seat])
    trace.record_metrics({"answers": game.answers[seat], "illegal": game.illegal[seat]})
    trace.info |= {"seat": seat, "outcome": game.reason}


def environment(
    game: str,
    opponents: Sequence[str] = (),
    retries: int = RETRIES,
    full_rules: bool = False,
    text: str = LONG,
    player: Mapping[str, Any] | None = None,
    **variant: Any,
) -> GamesEnv:
    """Return an environment.

    Args:
        game: its name.
        opponents: agents in the other seats, clockwise, the last one in all that are left; none: self-play.
        retries: answers without a legal action that are asked for again.
        full_rules: tell RULES.md in place of the rules in short.
        text: of what is told: "long", or "short" for few characters.
        player: settings of the model, a `verifiers.v1.AgentConfig` as a mapping, such as {"max_turns": 50}.
        **variant: fields of the game's variant.

    Raises:
        ValueError: for unknown games and agents, impossible variants, and opponents that are code.
    """
    sys.modules.setdefault(ID, sys.modules[__name__])
    its = {
        "game": game,
        "options": variant,
        "opponents": list(opponents),
        "retries": retries,
        "full_rules": full_rules,
        "text": text,
    }
    loaded: Any = load_environment(resolve_env_config({"taskset": {"id": ID, **its}, "player": dict(player or {})}))
    return loaded
