"""One seat of a game that talks, and agents in the others: what TRL's and OpenEnv's environments are made of."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from kozyr import agents, envs
from kozyr.agents.text.dialogue import Dialogue
from kozyr.agents.text.question import FORMS, SHORT
from kozyr.agents.text.text_agent import RETRIES
from kozyr.envs.core.quote import quote
from kozyr.envs.core.rng import spread
from kozyr.envs.core.text_lines import ME, short_names
from kozyr.envs.environments import argument_checks

RANDOM = ("random",)


@dataclass(frozen=True)
class Setting:
    """A game and who plays it, checked before anything is played.

    Attributes:
        name: of the game; options: fields of its variant.
        opponents: agents in the other seats, clockwise, the last one in all that are left.
        retries: answers without a legal action that are asked for again.
        full_rules: RULES.md in place of the rules in short.
        text: "short" or "long".

    Raises:
        ValueError: for unknown games and agents, impossible variants, and other forms of text.
    """

    name: str
    options: dict[str, Any] = field(default_factory=dict[str, Any])
    opponents: Sequence[str] = RANDOM
    retries: int = RETRIES
    full_rules: bool = False
    text: str = SHORT

    def __post_init__(self) -> None:
        argument_checks.count("retries", self.retries, 0)
        argument_checks.choice("text", self.text, FORMS)
        if isinstance(self.opponents, str) or not self.opponents:
            raise ValueError(f"opponents={quote(self.opponents)} is not allowed: a list of agents, as ['random']")
        for name in self.opponents:
            agents.load(name, self.game.name, **self.options)

    @property
    def game(self) -> Any:
        """The game."""
        return envs.game(self.name)

    @property
    def variant(self) -> Any:
        """The game's variant."""
        return self.game.make_variant(**self.options)

    @property
    def seats(self) -> int:
        """The number of seats."""
        return self.game.seats(self.variant)

    def seat(self, seed: int, seat: int | None) -> int:
        """Return a seat, once it is checked; None: each has its turn as seeds go up.

        Raises:
            ValueError: if there is no such seat.
        """
        if seat is None:
            return seed % self.seats
        return argument_checks.choice("seat", int(seat), range(self.seats))


class OneSeat:
    """A game in progress with one seat that answers with texts.

    Args:
        setting: of the game; seed: of the deal and of what agents draw; seat: that talks.
        rule: how to answer, in place of the usual words.

    Attributes:
        dialogue: the game; seat: that talks.
    """

    def __init__(self, setting: Setting, seed: int, seat: int, rule: str = "") -> None:
        self.seat, self._short = seat, setting.text == SHORT
        self.dialogue = Dialogue(
            setting.game, setting.variant, seed, None, setting.retries, setting.full_rules, setting.text, rule
        )
        self._others = dict[int, Any]()
        for place, other in enumerate(k for k in range(setting.seats) if k != seat):
            name = setting.opponents[min(place, len(setting.opponents) - 1)]
            self._others[other] = agents.load(name, setting.game.name, **setting.options)
            self._others[other].reset(other, int(spread(seed, other)))
        self._go_on()

    @property
    def payoff(self) -> float | None:
        """The payoff of the seat, or None while the game goes on."""
        return self.dialogue.payoffs[self.seat] if self.dialogue.over else None

    def first(self) -> str:
        """Return the rules and the first question."""
        return f"{self.dialogue.rules(self.seat)}\n{self.ask()}"

    def ask(self) -> str:
        """Return the question to the seat, after the news; or the end of the game."""
        news = self.dialogue.news(self.seat)
        return self.dialogue.ask(news) if not self.dialogue.over else self._end()

    def _end(self) -> str:
        """Return the end of the game in words."""
        words = self.dialogue.reason
        if self._short:
            words = short_names(words, self.seat).replace(f"{ME} forfeits", f"{ME} forfeit")
        return f"{words[:1].upper()}{words[1:]}."

    def answer(self, text: str) -> str:
        """Take an answer; return why it does not count, or ""."""
        why = self.dialogue.answer(text)
        self._go_on()
        return why

    def act(self, action: int) -> None:
        """Play an action by its number.

        Raises:
            ValueError: for an illegal one.
        """
        self.dialogue.act(action)
        self._go_on()

    def reply(self, text: str) -> str:
        """Take an answer; return why it does not count, if so, and the next question."""
        why = self.answer(text)
        return f"This answer does not count: {why}.\n{self.ask()}" if why else self.ask()

    def _go_on(self) -> None:
        """Let the agents move until the seat is asked or the game is over."""
        game = self.dialogue
        while not game.over and game.turn != self.seat:
            game.act(int(self._others[game.turn].act(game.table.view(game.turn), game.table.mask)))
