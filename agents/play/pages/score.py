"""Score: results of people against each opponent, and ratings, from the games that were finished here."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

from kozyr.agents.statistics.intervals import mean_interval


@dataclass(frozen=True)
class FinishedGame:
    """A finished game.

    Attributes:
        game: its name; names: of the players, a seat each; payoffs: of each seat.
        people: for each seat, whether a person had it.
    """

    game: str
    names: Sequence[str]
    payoffs: Sequence[float]
    people: Sequence[bool]


@dataclass(frozen=True)
class Row:
    """Results of one player against another in a game.

    Attributes:
        game: its name; name, against: of the players; games: their number.
        score: the mean, where a win counts 1 and a draw ½; low, high: its 95 % interval.
    """

    game: str
    name: str
    against: str
    games: int
    score: float
    low: float
    high: float


@dataclass(frozen=True)
class PlayerRating:
    """A player's rating in one game, by openskill's model of Plackett and Luce."""

    game: str
    name: str
    games: int
    mu: float
    sigma: float


def rows(finished: Sequence[FinishedGame]) -> list[Row]:
    """Return the results of each person against everybody else, most games first.

    Example:
        >>> [one] = rows([FinishedGame("war", ("Ann", "flip"), (1.0, -1.0), (True, False))])
        >>> one.name, one.against, one.score
        ('Ann', 'flip', 1.0)
    """
    points = dict[tuple[str, str, str], list[float]]()
    for one in finished:
        for (name, against), won in _pairs(one).items():
            points.setdefault((one.game, name, against), []).append(sum(won) / len(won))
    results = [Row(*key, len(won), *mean_interval(won, (0.0, 1.0))) for key, won in points.items()]
    return sorted(results, key=lambda row: (-row.games, row.game, row.name, row.against))


def _pairs(one: FinishedGame) -> dict[tuple[str, str], list[float]]:
    """Return the scores of each person of a game against each other name there, a number a seat of that name."""
    scores = dict[tuple[str, str], list[float]]()
    for i, j in permutations(range(len(one.names)), 2):
        if one.people[i] and one.names[i] != one.names[j]:
            won = (1 + (one.payoffs[i] > one.payoffs[j]) - (one.payoffs[i] < one.payoffs[j])) / 2
            scores.setdefault((one.names[i], one.names[j]), []).append(won)
    return scores


def ratings(finished: Sequence[FinishedGame]) -> list[PlayerRating]:
    """Return the rating of everybody who played, game by game, the best first; games count in their order.

    Raises:
        ImportError: naming the extra to install.
    """
    from kozyr.agents.arena.tournaments.rating import skills  # the lobby opens without the arena

    everybody = list[PlayerRating]()
    for game in sorted({one.game for one in finished}):
        its = [one for one in finished if one.game == game]
        names = sorted({name for one in its for name in one.names})
        place = {name: i for i, name in enumerate(names)}
        outcomes = [([place[name] for name in one.names], list(one.payoffs)) for one in its]
        times = {name: sum(name in one.names for one in its) for name in names}
        skill = skills(names, outcomes)
        everybody += sorted(
            (PlayerRating(game, name, times[name], one.mu, one.sigma) for name, one in zip(names, skill, strict=True)),
            key=lambda one: -one.mu,
        )
    return everybody
