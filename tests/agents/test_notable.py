"""Games worth looking at: the longest, the shortest, the greatest upset, the closest."""

from typing import Any

from kozyr.agents.arena.results import highlights


def test_the_notable_games_are_the_longest_the_shortest_and_the_worst_lost():
    found = highlights.find("mnk", [("easy", "random")], ["easy", "random"], 1, 0, m=3, n=3, k=3)
    plies = [len(one.record.actions) for one in found]
    assert plies[0] == 9
    assert plies[1] == min(plies)
    upset: Any = highlights.find("mnk", [("easy", "random")], ["random", "easy"], 1, 0, m=3, n=3, k=3)[2]
    won = upset.record.agents[upset.record.payoffs.index(1.0)]
    assert won == "easy"
    assert upset.title.startswith("The greatest upset: ")


def test_the_closest_game_is_told_where_margins_differ():
    found = highlights.find("draw_poker", [("random", "priority")], ["priority", "random"], 1, 0)
    closest = {one.what: one.record for one in found}["The closest game"]
    others = [max(one.record.payoffs) - min(one.record.payoffs) for one in found]
    assert max(closest.payoffs) - min(closest.payoffs) == min(others)
