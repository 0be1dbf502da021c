"""Dialogue: one game whose seats get texts and answer with texts, for adapters to other people's environments.

A seat gets the rules once, and then only news.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from kozyr import envs
from kozyr.agents.text.answer import Refused
from kozyr.agents.text.question import LONG, Question, QuestionWriter
from kozyr.agents.text.text_agent import RETRIES
from kozyr.envs.core.game import Game
from kozyr.envs.environments import argument_checks
from kozyr.envs.table.event import Event, Kind
from kozyr.envs.table.table import Table

ILLEGAL = "illegal action"  # the reason of a forfeit


class Dialogue:
    """A game in progress whose seats get texts and answer with texts.

    Seats with one legal action play it without being asked. A seat without a legal action in
    `retries` + 1 answers loses the game.

    Args:
        game: of the dialogue; variant: its options.
        seed: of the deal; starter: the seat that begins, or None: the seed draws it.
        retries: questions put again after an answer that is no legal action.
        full_rules: write RULES.md in place of the rules in short.
        text: "long", or "short": the rules once, then few characters a question.
        rule: how to answer, in place of the usual words for an answer in text.

    Attributes:
        table: where the game stands. It knows hidden cards: show nobody more than `text` does.
        answers: of each seat; illegal: those of them that were no legal action.
        reason: of the end of the game, in words; "" until then.
    """

    def __init__(
        self,
        game: Game,
        variant: Any,
        seed: int,
        starter: int | None = None,
        retries: int = RETRIES,
        full_rules: bool = False,
        text: str = LONG,
        rule: str = "",
    ) -> None:
        self.table = Table(game, variant, seed, starter)
        self.retries = argument_checks.count("retries", retries, 0)
        self.answers, self.illegal = [0] * self.table.seats, [0] * self.table.seats
        self._writing = QuestionWriter(game, variant, full_rules, text, rule)
        self._news = [list[Event]() for _ in range(self.table.seats)]
        self._question: Question | None = None
        self._tried, self.reason = 0, ""
        self._hear(self.table.events())
        self._pass_forced()

    @property
    def turn(self) -> int:
        """The seat that is asked, or −1 once the game is over."""
        return self.table.turn

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.table.over

    @property
    def payoffs(self) -> list[float]:
        """A payoff each seat, zeros until the game is over."""
        return self.table.payoffs

    def rules(self, seat: int) -> str:
        """Return the first text for a seat."""
        return self._writing.heading(seat)

    def news(self, seat: int) -> list[Event]:
        """Return the events since the seat's last news, as it may know them, without its own answers."""
        news, self._news[seat] = self._news[seat], []
        return news

    def ask(self, news: Sequence[Event] = ()) -> str:
        """Return the question for the seat to move: its view and legal actions, after the news."""
        table = self.table
        self._question = self._writing.question(table.turn, table.view(table.turn), table.mask, news, heading=None)
        return self._question.prompt

    def legal(self) -> list[str]:
        """Return the legal actions of the seat to move in words; none once the game is over."""
        table = self.table
        return [] if self.over else list(self._writing.words(table.view(table.turn), table.mask).values())

    def act(self, action: int) -> None:
        """Play an action of the seat to move that was chosen elsewhere.

        Raises:
            RuntimeError: if the game is over.
            ValueError: for an illegal action.
        """
        self._play(action, answered=True)
        self._pass_forced()

    def forfeit(self, reason: str) -> None:
        """Let the seat to move lose the game.

        Raises:
            RuntimeError: if the game is over.
        """
        self._hear(self.table.forfeit(self.turn, reason))

    def answer(self, text: str) -> str:
        """Take the answer of the seat to move; return the reason why it does not count, or "" once it has been played.

        Raises:
            RuntimeError: if the game is over.
        """
        if self.over:
            raise RuntimeError(f"{self.table.game.id}: the game is over: begin another one")
        if self._question is None:
            self.ask()
        assert self._question is not None
        seat = self.turn
        self.answers[seat] += 1
        try:
            action = self._question.reader.read(text)
        except Refused as refused:
            return self._refuse(seat, str(refused))
        self._play(action, answered=True)
        self._pass_forced()
        return ""

    def _refuse(self, seat: int, why: str) -> str:
        """Count a bad answer; the last one loses the game."""
        self.illegal[seat] += 1
        self._tried += 1
        if self._tried > self.retries:
            self._hear(self.table.forfeit(seat, ILLEGAL))
        return why

    def _play(self, action: int, answered: bool) -> None:
        """Play an action and tell everybody; the seat that has answered knows it."""
        seat, self._question, self._tried = self.turn, None, 0
        self._hear(self.table.apply(action), seat if answered else None)

    def _pass_forced(self) -> None:
        """Play for seats that have no choice."""
        while not self.over and np.count_nonzero(mask := self.table.mask) == 1:
            self._play(int(mask.argmax()), answered=False)

    def _hear(self, events: Sequence[Event], but: int | None = None) -> None:
        if self.over:
            self.reason = "; ".join(str(event) for event in events if event.kind != Kind.MOVED)
        for event in events:
            for seat, news in enumerate(self._news):
                if seat != but or event.kind != Kind.MOVED:
                    news.append(event.for_seat(seat))


def dialogue(
    game: str,
    seed: int,
    starter: int | None = None,
    retries: int = RETRIES,
    full_rules: bool = False,
    text: str = LONG,
    **variant: Any,
) -> Dialogue:
    r"""Return a new game by name; see `Dialogue`.

    Raises:
        ValueError: for an unknown game, an impossible variant, a bad seed or starter.

    Example:
        >>> game = dialogue("mnk", seed=1, starter=0, m=3, n=3, k=3)
        >>> game.answer("I take the middle.\nb2"), game.answer("b2"), game.answer("`a1`")
        ('', "'b2' is not legal now", '')
        >>> print(*game.news(0), sep="; ")
        player_0 begins; player_1: a1
    """
    it = envs.game(game)
    return Dialogue(it, it.make_variant(**variant), seed, starter, retries, full_rules, text)
