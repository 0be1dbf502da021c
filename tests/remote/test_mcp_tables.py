"""What the tools tell of a table: what its seat knows, and nothing else."""

from typing import Any

import pytest

from kozyr import envs
from kozyr.agents.mcp.tables import ToolTables
from kozyr.envs.bridges.structured import observation_dict

TABLES: list[dict[str, Any]] = [
    {"game": "durak", "options": {"players": 4}, "seat": 2, "opponents": ["low"]},
    {"game": "draw_poker", "options": {"episode": "tournament", "max_hands": 4}, "seat": 1, "opponents": ["priority"]},
    {"game": "daifugo", "options": {"rules": "uecda", "rounds": 3}, "seat": 0, "opponents": ["low", "random"]},
    {"game": "war", "options": {"deck": 12, "pickup": "choice"}, "seat": 1, "opponents": []},
]


def sit(tables: ToolTables, asked: dict[str, Any], seed: int | None = 3) -> dict[str, Any]:
    return tables.sit_down(asked["game"], asked["options"], asked["seat"], asked["opponents"], seed)


@pytest.mark.parametrize("asked", TABLES, ids=[one["game"] for one in TABLES])
def test_a_seat_is_told_what_it_knows(asked: dict[str, Any]) -> None:
    tables = ToolTables()
    seen = sit(tables, asked)
    sitting, seat, told = tables.session(seen["table"]), asked["seat"], list(seen["events"])
    while not seen["over"]:
        table = sitting.table
        assert table.turn == seat
        assert seen["text"] == table.text(seat)
        assert seen["observation"] == observation_dict(table.game, table.variant, table.view(seat))
        assert [one["action"] for one in seen["legal"]] == table.mask.nonzero()[0].tolist()
        assert len({one["words"] for one in seen["legal"]}) == len(seen["legal"])
        seen = sitting.act(seen["legal"][-1]["words"], observation=True)
        told += seen["events"]
    assert told == [str(event.for_seat(seat)) for event in sitting.table.events()]
    payoffs = sitting.result()["payoffs"]
    assert list(payoffs.values()) == sitting.table.payoffs


def test_a_seed_fixes_the_deal_and_the_others_luck_and_none_draws_one() -> None:
    asked = {**TABLES[0], "opponents": ["random"]}

    def texts(seed: int | None) -> list[str]:
        tables, found = ToolTables(), list[str]()
        seen = sit(tables, asked, seed)
        for _ in range(5):
            found.append(seen["text"])
            if seen["over"]:
                break
            seen = tables.session(seen["table"]).act(seen["legal"][0]["action"], observation=False)
        return found

    assert texts(8) == texts(8)
    assert texts(None) != texts(None)


@pytest.mark.parametrize("name", ["Raising", "Wrong"])
def test_an_opponent_that_errs_loses_its_game_and_nothing_else(name: str) -> None:
    agent = f"tests.agents.strange:{name}"
    tables = ToolTables(allowed=[agent])
    seen = tables.sit_down("mnk", {"m": 3, "n": 3, "k": 3}, 0, [agent], 1)
    if not seen["over"]:
        seen = tables.session(seen["table"]).act(seen["legal"][-1]["action"], observation=False)
    assert "player_1 forfeits" in " ".join(seen["events"])
    assert tables.session(seen["table"]).result()["your_payoff"] == 1.0
    assert sit(tables, TABLES[0])["table"] == "t2"


def test_every_game_tells_its_options_and_rules() -> None:
    tables = ToolTables()
    for facts in tables.games():
        game = envs.game(facts["game"])
        assert set(facts["options"]) == set(game.fields)
        assert tables.rules(facts["game"]).startswith("# ")
        assert facts["opponents"]["scripted, weakest first"]
