"""Who did how well against whom."""

from kozyr.agents.play.pages.score import FinishedGame, ratings, rows


def test_a_score_counts_each_pair_of_players() -> None:
    won = FinishedGame("durak", ("Ann", "low", "low", "Ben"), (0.5, 0.5, -1.0, 0.0), (True, False, False, True))
    assert [(row.name, row.against, row.games, row.score) for row in rows([won, won])] == [
        ("Ann", "Ben", 2, 1.0),
        ("Ann", "low", 2, 0.75),
        ("Ben", "Ann", 2, 0.0),
        ("Ben", "low", 2, 0.5),
    ]


def test_who_wins_more_is_rated_higher() -> None:
    played = [FinishedGame("war", ("Ann", "flip"), (1.0, -1.0), (True, False))] * 5
    played += [FinishedGame("durak", ("Ann", "low", "low"), (-1.0, 0.5, 0.5), (True, False, False))]
    found = ratings(played)
    assert [(one.game, one.name, one.games) for one in found] == [
        ("durak", "low", 1),
        ("durak", "Ann", 1),
        ("war", "Ann", 5),
        ("war", "flip", 5),
    ]
    assert found[2].mu > 30 > 20 > found[3].mu
