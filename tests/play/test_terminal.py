"""The table in the terminal, driven by keys and by the mouse."""

import asyncio
import subprocess
import sys
from typing import Any

import pytest
from textual.widgets import Input, OptionList, RichLog, Static

from kozyr import agents, envs
from kozyr.agents.play.terminal.board_widget import BoardWidget, diagram
from kozyr.agents.play.terminal.move_list import coloured, game_text
from kozyr.agents.play.terminal.terminal import TableApp
from kozyr.envs.table.clock import Clock
from kozyr.envs.table.table import Table

SMALL: dict[str, dict[str, Any]] = {
    "daifugo": {"players": 3},
    "draw_poker": {"players": 3},
    "durak": {"deck": 20, "hand": 3},
    "mnk": {"m": 6, "n": 6, "k": 4},
    "war": {"deck": 8},
}


def window(name: str, clock: Clock | None = None, **options: Any) -> TableApp:
    """Return the window of a person in seat 0 against random players."""
    game = envs.game(name)
    v = game.make_variant(**{**SMALL.get(name, {}), **options})
    seats = game.seats(v)
    others = [agents.load("random", game=name, **game.options(v)) for _ in range(seats - 1)]
    names = ["you"] + ["random"] * (seats - 1)
    return TableApp(lambda n: Table(game, v, 5 + n, 0, clock, names=names), [None, *others], pace=0)


async def ready(app: TableApp, pilot: Any) -> bool:
    """Wait until the person is asked or the game is over; tell which."""
    for _ in range(2000):
        await pilot.pause()
        moves = app.query_one(OptionList)
        if moves.option_count:
            return moves.get_option_at_index(0).id != "again"
        await asyncio.sleep(0.002)
    raise AssertionError("nothing happened")


def status(app: TableApp) -> str:
    return str(app.query_one("#status", Static).content)


async def play_by_keys(name: str) -> TableApp:
    app = window(name)
    async with app.run_test(size=(80, 24)) as pilot:
        moved = 0
        while await ready(app, pilot):
            if app.query(BoardWidget):
                cell = app._moves.choices[0].action
                app.query_one(BoardWidget)._go(cell // 6, cell % 6)
            else:
                await pilot.press(*["down"] * (len(app._moves.choices) > 1))
            await pilot.press("enter")
            moved += 1
        assert moved
        assert app._table.over
        assert status(app).startswith("The game is over: player_0 (you) ")
        assert "The game is over" in "\n".join(line.text for line in app.query_one(RichLog).lines)
        await pilot.press("enter")
        assert await ready(app, pilot)
        assert not app._table.over
        await pilot.press("ctrl+q")
    return app


@pytest.mark.parametrize("name", envs.games())
def test_a_whole_game_by_keys_then_another(name: str) -> None:
    app = asyncio.run(play_by_keys(name))
    assert not app._thread.is_alive()


def test_a_whole_game_by_mouse() -> None:
    async def play() -> None:
        app = window("durak")
        async with app.run_test(size=(80, 24)) as pilot:
            while await ready(app, pilot):
                assert await pilot.click("#moves", offset=(2, 0))
            assert app._table.over

    asyncio.run(play())


def test_a_board_is_played_by_mouse() -> None:
    async def play() -> None:
        app = window("mnk")
        async with app.run_test(size=(80, 24)) as pilot:
            await ready(app, pilot)
            await pilot.click("#board", offset=(1 + 2 * 3, 1 + 2))
            await ready(app, pilot)
            assert app._table.record.actions[0] == 2 * 6 + 3

    asyncio.run(play())


def test_the_arrows_move_over_a_board_and_say_the_cell() -> None:
    async def play() -> None:
        app = window("mnk")
        async with app.run_test(size=(80, 24)) as pilot:
            await ready(app, pilot)
            await pilot.press("left", "up")
            assert "c3?" in status(app)
            await pilot.press("enter")
            await ready(app, pilot)
            assert app._table.record.actions[0] == 2 * 6 + 2
            await pilot.press("enter")
            assert "cannot be played" in status(app)

    asyncio.run(play())


def test_a_hint_goes_into_the_log() -> None:
    async def play() -> None:
        app = window("mnk")
        async with app.run_test(size=(80, 24)) as pilot:
            await ready(app, pilot)
            before = len(app.query_one(RichLog).lines)
            await pilot.press("f3")
            lines = [line.text for line in app.query_one(RichLog).lines]
            assert any("would play:" in line for line in lines[before:])
            assert app._table.ply == 0

    asyncio.run(play())


def test_typing_filters_and_plays() -> None:
    async def play() -> None:
        app = window("durak")
        async with app.run_test(size=(80, 24)) as pilot:
            await ready(app, pilot)
            given, moves = list(app._moves.choices), app.query_one(OptionList)
            text = given[-1].text
            await pilot.press(text[0].lower())
            held = [one for one in given if text[0].lower() in one.text.lower()]
            assert moves.option_count == len(held)
            await pilot.press(*text[1:].lower(), "enter")
            await ready(app, pilot)
            assert app._table.record.actions[0] == given[-1].action

    asyncio.run(play())


def test_what_is_no_move_is_explained() -> None:
    async def play() -> None:
        app = window("durak")
        async with app.run_test(size=(80, 24)) as pilot:
            await ready(app, pilot)
            await pilot.press("enter")
            assert status(app).startswith("Choose a move")
            await pilot.press(*"foo", "enter")
            assert status(app).startswith("No move: ")
            assert app._table.ply == 0

    asyncio.run(play())


def test_an_amount_is_a_number() -> None:
    async def play() -> None:
        app = window("draw_poker")
        async with app.run_test(size=(80, 24)) as pilot:
            await ready(app, pilot)
            amounts = {one.amount: one.action for one in app._moves.choices if one.amount is not None}
            most = max(amounts)
            assert app._moves.option_count == len(app._moves.choices) - len(amounts) + 1
            await pilot.press("up", "enter")
            assert status(app).endswith(f"to {most}.")
            await pilot.press(*str(most), "enter")
            await ready(app, pilot)
            assert amounts[most] in app._table.record.actions

    asyncio.run(play())


def test_resigning_asks_twice() -> None:
    async def play() -> None:
        app = window("durak")
        async with app.run_test(size=(80, 24)) as pilot:
            await ready(app, pilot)
            await pilot.press("f2")
            assert not app._table.over
            await pilot.press("f2")
            assert not await ready(app, pilot)
            assert app._table.record.reason == "resigned"
            assert status(app) == "The game is over: player_0 (you) lost, player_1 got +1."

    asyncio.run(play())


def test_who_is_out_of_time_loses() -> None:
    async def play() -> None:
        app = window("durak", Clock(move=0.3))
        async with app.run_test(size=(80, 24)) as pilot:
            while await ready(app, pilot):
                assert "s left" in status(app)
                await asyncio.sleep(0.05)
            assert app._table.record.reason == "time"

    asyncio.run(play())


def test_leaving_in_the_middle_ends_the_thread() -> None:
    async def play() -> TableApp:
        app = window("war")
        async with app.run_test(size=(80, 24)) as pilot:
            await ready(app, pilot)
            await pilot.press("ctrl+q")
        return app

    assert not asyncio.run(play())._thread.is_alive()


def test_an_agent_that_fails_is_named() -> None:
    def broken(view: Any, mask: Any) -> int:
        raise ValueError("no idea")

    async def play() -> None:
        game = envs.game("war")
        app = TableApp(lambda n: Table(game, game.make_variant(), n, 1), [None, broken], pace=0)
        async with app.run_test(size=(80, 24)) as pilot:
            for _ in range(1000):
                await pilot.pause(0.002)
                if "cannot go on" in status(app):
                    break
            assert status(app).startswith("The game cannot go on: no idea")

    asyncio.run(play())


def test_a_pipe_is_no_terminal() -> None:
    command = [sys.executable, "-m", "kozyr.training.cli", "play", "war", "--terminal"]
    ran = subprocess.run(command, input="", capture_output=True, text=True)
    assert ran.returncode == 1
    assert "play with --plain" in ran.stderr
    assert ran.stdout == ""


def test_one_person_sits_at_the_terminal() -> None:
    with pytest.raises(ValueError, match="give None for one seat"):
        TableApp(lambda n: Table(envs.game("war"), envs.game("war").make_variant(), n), [None, None])


def test_suits_are_signs_and_what_is_typed_is_text_again() -> None:
    assert coloured("table: TC/JC, trump S").plain == "table: 10♣/J♣, trump ♠"
    assert coloured("D wins", cards=True).plain == "D wins"
    assert game_text("10♦") == game_text("10d") == "TD"
    assert game_text("raise 10") == "raise 10"


def test_a_diagram_is_found_in_a_text() -> None:
    assert diagram("X to move\n. X\n. .", 2, 2) == ([[".", "X"], [".", "."]], ["X to move"])
    assert diagram("hand: 2C", 2, 2) is None


def test_the_line_takes_the_keys_where_there_is_no_board() -> None:
    async def play() -> None:
        app = window("war")
        async with app.run_test(size=(80, 24)) as pilot:
            await ready(app, pilot)
            assert app.query_one(Input).has_focus
            await pilot.press(*"flip", "enter")
            await ready(app, pilot)
            assert app._table.ply == 2

    asyncio.run(play())
