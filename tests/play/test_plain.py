"""Games that are played line by line."""

import io
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from kozyr import agents, envs
from kozyr.agents.play.host.choices import choices
from kozyr.agents.play.terminal import line_terminal
from kozyr.agents.play.terminal.line_terminal import LinePlayer
from kozyr.agents.player import play
from kozyr.envs.table.clock import Clock
from kozyr.envs.table.table import Table

SMALL: dict[str, dict[str, Any]] = {"draw_poker": {"players": 2}, "war": {"deck": 36}, "mnk": {"m": 5, "n": 5, "k": 4}}


def table(name: str, seed: int = 1, **options: Any) -> Table:
    game = envs.game(name)
    return Table(game, game.make_variant(**{**SMALL.get(name, {}), **options}), seed, starter=0)


def told(at: Table, *lines: str) -> str:
    """Return what a person in seat 0 reads who writes these lines."""
    sink = io.StringIO()
    others = [agents.load("random", game=at.game.name, **at.game.options(at.variant))] * (at.seats - 1)
    line_terminal.run(at, [None, *others], io.StringIO("".join(f"{line}\n" for line in lines)), sink)
    return sink.getvalue()


@pytest.mark.parametrize("name", envs.games())
def test_a_whole_game_through_a_pipe(name: str) -> None:
    options = [f"--set={key}={value}" for key, value in SMALL.get(name, {}).items()]
    command = [
        sys.executable,
        "-m",
        "kozyr.training.cli",
        "play",
        name,
        "--plain",
        "--against",
        "random",
        "--seed",
        "7",
    ]
    ran = subprocess.run([*command, *options], input="#1\n" * 3000, capture_output=True, text=True, check=True)
    assert "Your move, player_0." in ran.stdout
    assert ran.stdout.splitlines()[-1].startswith("The game is over: player_0 (you) ")
    assert ran.stderr == ""


@pytest.mark.parametrize("name", envs.games())
def test_every_game_is_played_by_its_own_text(name: str) -> None:
    at, rng = table(name), np.random.default_rng(3)

    class Lines(io.StringIO):
        def readline(self, *args: Any) -> str:
            return f"={rng.choice([one.text for one in choices(at)])}\n"

    others = [agents.load("random", game=name, **at.game.options(at.variant))] * (at.seats - 1)
    sink = io.StringIO()
    assert line_terminal.run(at, [None, *others], Lines(), sink) == at.payoffs
    assert "No move" not in sink.getvalue()


@pytest.mark.parametrize("name", envs.games())
def test_the_end_of_the_lines_ends_it_in_a_sentence(name: str) -> None:
    at = table(name)
    assert told(at).endswith("There are no more lines: the game stays unfinished.\n")
    assert not at.over


def test_it_shows_what_the_seat_knows() -> None:
    at = table("durak")
    words = at.text(0)
    assert words in told(at)


def test_wrong_answers_are_explained_and_change_nothing() -> None:
    at = table("mnk")
    heard = told(at, "a1", "a1", "z9", "#99", "nonsense", "")
    assert at.ply == 2
    assert "No move: a1 is not legal now." in heard
    assert "No move: 'z9' names no cell" in heard
    assert "No move: the list has numbers from 1 to 23." in heard
    assert "Type a move, or ? for help." in heard


def test_a_number_that_is_a_move_too_must_be_made_clear() -> None:
    at = table("daifugo", players=3)
    given = choices(at)
    number = next(i for i in range(1, len(given) + 1) if str(i) in [other.text for other in given])
    said = next(one for one in given if one.text == str(number))
    assert given[number - 1] != said
    heard = told(at, f"{number}", f"={number}")
    assert f"type #{number} or ={number}" in heard
    assert at.record.actions[0] == said.action


def test_a_hint_is_what_an_agent_would_do() -> None:
    at = table("mnk", m=3, n=3, k=3)
    heard = told(at, "hint", "hint easy", "hint nobody")
    assert heard.count(" would play:\n  ") >= 1
    assert "No hint: 'nobody' gives no hints: ask " in heard
    assert at.ply == 0
    sink = io.StringIO()
    line_terminal.run(table("mnk"), [None, None], io.StringIO("hint\n"), sink)
    assert "No hint: there are no hints where other people sit." in sink.getvalue()


def test_help_list_and_show() -> None:
    at = table("mnk", m=9, n=9)
    heard = told(at, "?", "list", "show")
    assert line_terminal.HELP in heard
    assert "81 moves, from a1 to i9. Type list to see them all." in heard
    assert "\n81  i9\n" in heard
    assert heard.count(at.text(0)) == 2


def test_quitting_resigns() -> None:
    at = table("durak", players=3)
    heard = told(at, "quit")
    assert "player_0 forfeits: resigned" in heard
    assert heard.endswith("The game is over: player_0 (you) lost, player_1 got +0.5, player_2 got +0.5.\n")
    assert at.payoffs == [-1.0, 0.5, 0.5]


def test_a_seat_is_told_how_much_time_there_is() -> None:
    game = envs.game("mnk")
    at = Table(game, game.make_variant(m=3, n=3, k=3), 1, 0, clock=Clock(move=1000))
    assert "You have 1000 seconds." in told(at, "b2")


def test_two_people_share_a_terminal() -> None:
    at = table("mnk", m=3, n=3, k=3)
    lines = io.StringIO("a1\nb1\na2\nb2\na3\nc1\n")
    sink = io.StringIO()
    play(at, [LinePlayer(at, lines, sink), LinePlayer(at, lines, sink)])
    assert "Your move, player_1." in sink.getvalue()
    assert at.payoffs[0] == 1.0


def test_no_two_moves_have_the_same_words() -> None:
    at, rng = table("draw_poker"), np.random.default_rng(2)
    while not at.over:
        given = choices(at)
        assert len({one.words for one in given}) == len(given)
        at.apply(int(rng.choice(np.flatnonzero(at.mask))))


def test_an_amount_is_asked_for() -> None:
    at = table("draw_poker")
    amounts = [one for one in choices(at) if one.amount is not None]
    row = 1 + next(i for i, one in enumerate(choices(at)) if one.amount is not None)
    heard = told(at, f"{row}", "1000", f"{row}", f"{amounts[-1].amount}")
    assert f"How much? {amounts[0].amount} to {amounts[-1].amount}" in heard
    assert "No move: 1000 is not one of the amounts." in heard
    assert at.record.actions[0] == amounts[-1].action
