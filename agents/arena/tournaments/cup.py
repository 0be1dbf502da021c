"""Cups: groups drawn at random whose winners meet in a final, all against all, or double elimination.

A table seats different players, and every deal is played with all rotations of its seats. The tables follow from the
seed and from earlier results, so the same command goes on where it was stopped.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

import numpy as np

from kozyr.agents.arena.matches.schedule import TWO_SEATS, Contest, Table, tables_of
from kozyr.agents.arena.tournaments.cup_result import CupResult, Row, Stage
from kozyr.agents.arena.tournaments.league import neighbours
from kozyr.agents.statistics.intervals import mean_interval
from kozyr.envs.core.rng import spread
from kozyr.envs.environments import argument_checks

FORMS = ("groups", "round-robin", "double-elimination")
_EVEN = 1e-9  # difference of two sums that are the same
_AGAIN = 3  # matches of a pair before the draw is decided by lot


@dataclass
class Cup:
    """A cup of a contest's players.

    Args:
        contest: players and terms; its `deals` are those of each table.
        form: "groups" draws groups, each a league, whose winners play a final; "round-robin" is one league;
            "double-elimination" pairs players of as many defeats, and whoever has lost two matches is out.
        groups: number of groups; None: as many as leave enough players to fill a table of each.
        advance: winners of each group; None: enough to fill the final's table.

    Raises:
        ValueError: for another form, numbers of groups and winners that cannot be, and double elimination in a game
            of more than two seats.
    """

    contest: Contest
    form: str = FORMS[0]
    groups: int | None = None
    advance: int | None = None
    _stages: list[Stage] = field(default_factory=list[Stage], init=False)

    def __post_init__(self) -> None:
        players, seats = len(self.contest.names), self.contest.seats
        argument_checks.choice("form", self.form, FORMS)
        if self.form == FORMS[2] and seats != TWO_SEATS:
            raise ValueError(f"double elimination is for games of two seats, and this one has {seats}: choose groups")
        if self.form != FORMS[0] and (self.groups, self.advance) != (None, None):
            raise ValueError(f"groups and advance are for the form groups, not for {self.form}: leave them out")
        if self.groups is not None:
            argument_checks.count("groups", self.groups, 1, players // 2)
        self._groups = self.groups or max(1, players // max(seats, 4 if seats == TWO_SEATS else seats))
        smallest = players // self._groups
        enough = min(-(-seats // self._groups), smallest)
        self._advance = enough if self.advance is None else argument_checks.count("advance", self.advance, 1, smallest)

    def play(self, seed: int, workers: int = 1, progress: bool = False) -> CupResult:
        """Play a cup and return its result.

        Args:
            seed: fixes the draw, the deals and all random choices.
            workers: processes that play; progress: show a bar for each part on stderr.
        """
        self._stages, self._seed, self._parts = [], argument_checks.seed(seed), 0
        self._how: dict[str, Any] = {"workers": workers, "progress": progress}
        rng = np.random.default_rng(self._seed)
        draw: list[int] = rng.permutation(len(self.contest.names)).tolist()
        if self.form == FORMS[2]:
            order = self._double_elimination(draw, rng)
        elif self.form == FORMS[1]:
            order = self._league("All against all", draw, rng)
        else:
            order = self._in_groups(draw, rng)
        return CupResult(self._stages, [self.contest.names[i] for i in order], self._seed)

    def play_often(self, seed: int, repeat: int, workers: int = 1, progress: bool = False) -> list[CupResult]:
        """Play cups with draws of their own; the first is what `play` plays."""
        seeds = [seed, *(int(spread(seed, k)) for k in range(1, repeat))]
        return [self.play(one, workers, progress) for one in seeds]

    def _in_groups(self, draw: list[int], rng: np.random.Generator) -> list[int]:
        """Play groups and a final; return the players, the winner first."""
        groups = [draw[g :: self._groups] for g in range(self._groups)]
        tables = [tables_of(group, self.contest.seats, rng) for group in groups]
        seed = self._next_seed()
        self.contest.play([table for one in tables for table in one], seed=seed, **self._how)
        final = self._groups > 1 or self._advance < len(draw)
        titles = [f"Group {chr(ord('A') + g % 26)}{g // 26 or ''}" for g in range(self._groups)]
        ends = [
            self._add_stage(title, group, one, seed, self._advance if final else 0)
            for title, group, one in zip(titles, groups, tables, strict=True)
        ]
        if not final or self._groups == self._advance == 1:
            return ends[0]
        winners = [i for end in ends for i in end[: self._advance]]
        rest = [(place, -self._score(i), i) for end in ends for place, i in enumerate(end) if place >= self._advance]
        return [*self._league("Final", winners, rng), *(i for *_, i in sorted(rest))]

    def _league(self, title: str, players: Sequence[int], rng: np.random.Generator) -> list[int]:
        """Play a stage of all against all; return its players, the best first."""
        tables, seed = tables_of(players, self.contest.seats, rng), self._next_seed()
        self.contest.play(tables, seed=seed, **self._how)
        return self._add_stage(title, players, tables, seed)

    def _double_elimination(self, draw: list[int], rng: np.random.Generator) -> list[int]:
        """Play rounds until all but one have lost two matches; return the players, the winner first."""
        lost, met, out = dict.fromkeys(draw, 0), set[frozenset[int]](), list[int]()
        for number in count(1):
            remaining = [i for i in draw if lost[i] < 2]
            if len(remaining) == 1:
                return [*remaining, *out]
            brackets = [[i for i in remaining if lost[i] == defeats] for defeats in (0, 1)]
            if all(len(one) == 1 for one in brackets):
                brackets = [remaining]
            pairs = [pair for one in brackets for pair in paired(one, met)]
            losers = self._round(number, pairs, rng)
            for i in losers:
                lost[i] += 1
            met |= {frozenset(pair) for pair in pairs}
            gone = sorted((i for i in losers if lost[i] == 2), key=lambda i: -self._score(i))
            out = gone + out
            resting = [i for i in remaining if all(i not in pair for pair in pairs)]
            draw = resting + [i for i in draw if i not in resting]  # players who have rested are paired first
        raise AssertionError

    def _round(self, number: int, pairs: list[Table], rng: np.random.Generator) -> list[int]:
        """Play a round of matches and return the losers."""
        open_, totals, losers = list(pairs), dict.fromkeys(pairs, 0.0), list[int]()
        for match in range(_AGAIN):
            seed = self._next_seed()
            self.contest.play(open_, seed=seed, **self._how)
            for pair in open_:
                totals[pair] += float(self.contest.returns_of(pair, 0, seed=seed).sum())
            even = [pair for pair in open_ if abs(totals[pair]) < _EVEN]
            if match == _AGAIN - 1:
                for pair in even:
                    totals[pair] = float(rng.choice([-1.0, 1.0]))  # by lot
                even = []
            done = [pair for pair in open_ if pair not in even]
            losers += [pair[1] if totals[pair] > 0 else pair[0] for pair in done]
            won = {i for pair in done for i in pair} - set(losers)
            self._add_round(f"Round {number}{f', match {match + 1}' if match else ''}", open_, seed, won)
            open_ = even
            if not open_:
                break
        return losers

    def _add_round(self, title: str, pairs: list[Table], seed: int, won: set[int]) -> None:
        """Add a round of matches to the stages; rows come in pairs, the winner first."""
        rows = [self._row(i, [pair], seed, i in won) for pair in pairs for i in pair]
        names = [tuple(self.contest.names[i] for i in pair) for pair in pairs]
        twos = [sorted(rows[k : k + 2], key=lambda row: (not row.through, -row.score)) for k in range(0, len(rows), 2)]
        self._stages.append(Stage(title, names, [row for two in twos for row in two], "Won"))

    def _add_stage(
        self, title: str, players: Sequence[int], tables: list[Table], seed: int, advance: int = 0
    ) -> list[int]:
        """Add a stage; return its players, the best first, equal ones in the order of the draw."""
        rows = {i: self._row(i, tables, seed, False) for i in players}
        order = sorted(players, key=lambda i: -rows[i].score)
        ranked = [replace(rows[i], through=place < advance) for place, i in enumerate(order)]
        names = [tuple(self.contest.names[i] for i in table) for table in tables]
        self._stages.append(Stage(title, names, ranked, "Goes on"))
        return order

    def _row(self, i: int, tables: Sequence[Table], seed: int, through: bool) -> Row:
        """Return a player's result at some tables."""
        places, name = [(table, table.index(i)) for table in tables if i in table], self.contest.names[i]
        returns = np.mean([self.contest.returns_of(table, place, seed=seed) for table, place in places], 0)
        score = mean_interval(returns).score
        outcomes = [(one, place) for table, place in places for one in self.contest.table_outcomes(table, seed=seed)]
        return Row(
            name=name,
            score=score.value,
            low=score.low,
            high=score.high,
            games=len(places) * self.contest.deals * self.contest.seats,
            errors=sum(one.errors[place] for one, place in outcomes),
            why=self.contest.words(name, next((words for one, place in outcomes if (words := one.why[place])), None)),
            through=through,
        )

    def _score(self, i: int) -> float:
        """Return a player's mean score over all its games."""
        rows = [row for stage in self._stages for row in stage.rows if row.name == self.contest.names[i]]
        return sum(row.score * row.games for row in rows) / sum(row.games for row in rows)

    def _next_seed(self) -> int:
        """Return the seed of the next deals."""
        self._parts += 1
        return int(spread(self._seed, self._parts))


def paired(order: Sequence[int], met: set[frozenset[int]]) -> list[Table]:
    """Pair neighbours who have not met; if more than one is left over, those meet again."""
    pairs: list[Table] = list(neighbours(order, met))
    remaining = [i for i in order if all(i not in pair for pair in pairs)]
    return pairs + [(remaining[k], remaining[k + 1]) for k in range(0, len(remaining) - 1, 2)]
