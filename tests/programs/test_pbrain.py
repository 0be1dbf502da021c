"""Our agents as Gomocup engines, against a manager written from the protocol's page."""

import random
import re
import subprocess
import sys
import time
from io import BytesIO
from threading import Event, Timer
from typing import Any

import numpy as np
import pytest

from kozyr import agents
from kozyr.agents.programs.gomocup import RULES
from kozyr.agents.programs.gomocup_engine import Brain, run
from kozyr.agents.search import Searcher
from tests.oracles.mnk import Mnk
from tests.programs.manager import Game, opponent

FIVE = 5


class Manager:
    """A manager of one game: it keeps the board and knows when a line is made."""

    def __init__(self, brain: Brain, width: int, height: int) -> None:
        self.brain, self.width, self.height = brain, width, height
        self.stones: dict[tuple[int, int], int] = {}
        start = f"START {width}" if width == height else f"RECTSTART {width},{height}"
        assert brain.answer(start + "\r\n")[-1] == "OK"  # a MESSAGE before it where code is compiled

    def ask(self, *lines: str) -> tuple[int, int]:
        """Send lines, of which the last one is answered by a move."""
        *silent, last = lines
        for line in silent:
            assert self.brain.answer(line + "\r\n") == []
        (said,) = self.brain.answer(last + "\r\n")
        found = re.fullmatch(r"(\d+),(\d+)", said)
        assert found, said
        x, y = int(found[1]), int(found[2])
        assert x < self.width
        assert y < self.height
        assert (x, y) not in self.stones
        self.stones[x, y] = 1
        return x, y

    def free(self) -> list[tuple[int, int]]:
        return [(x, y) for x in range(self.width) for y in range(self.height) if (x, y) not in self.stones]

    def row(self, place: tuple[int, int]) -> int:
        """Return the longest row through a stone."""
        return max(self.rows(place))

    def rows(self, place: tuple[int, int]) -> list[int]:
        """Return the lengths of the four rows through a stone."""
        lengths, whose = list[int](), self.stones[place]
        for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
            length = 1
            for side in (1, -1):
                x, y = place[0] + side * dx, place[1] + side * dy
                while self.stones.get((x, y)) == whose:
                    length, x, y = length + 1, x + side * dx, y + side * dy
            lengths.append(length)
        return lengths


@pytest.mark.parametrize("agent", ["hard", "easy", "search@2ms", "mnk:random"])
@pytest.mark.parametrize(("width", "height"), [(15, 15), (9, 6), (5, 5)])
def test_games_with_a_manager(agent: str, width: int, height: int) -> None:
    rng, brain = random.Random(3), Brain(agent)
    for number in range(3):
        manager = Manager(brain, width, height)
        line = "BEGIN"
        if number == 1:
            manager.stones = {(0, 0): 2, (1, 1): 1, (2, 2): 2}
            line = "DONE"
            for told in ("BOARD", "0,0,2", "1,1,1", "2,2,2"):
                assert brain.answer(told) == []
        while manager.free():
            if manager.row(manager.ask(line)) >= FIVE or not manager.free():
                break
            x, y = rng.choice(manager.free())
            manager.stones[x, y] = 2
            if manager.row((x, y)) >= FIVE:
                break
            line = f"TURN {x},{y}"


def test_a_search_without_a_budget_takes_the_managers_time() -> None:
    brain = Brain("search")
    for told, wanted in (
        (["INFO timeout_turn 1000"], 900),
        (["INFO timeout_turn 200"], 150),
        (["INFO timeout_turn 0"], 1),
        (["INFO timeout_turn 30000", "INFO time_left 5000"], 450),
        (["INFO timeout_turn 9999999", "INFO time_left 2147483647"], 60_000),
        (["INFO timeout_turn soon"], 900),
        (["INFO timeout_turn 5000", "INFO time_left 0"], 1),
        (["INFO timeout_turn 5000", "INFO time_left -100"], 1),
    ):
        for line in told:
            assert brain.answer(line) == []
        assert round(1000 * brain._seconds()) == wanted


ALL = ["easy", "hard", "threat", "shapes@50ms", "search@50ms"]
SIX = ["0,0,1", "1,0,1", "2,0,1", "4,0,1", "5,0,1", "0,2,2", "2,2,2", "4,4,2", "6,6,2", "0,6,2"]


@pytest.mark.parametrize("agent", ALL)
@pytest.mark.parametrize("when", ["before START", "after it", "both"])
def test_five_win_and_six_do_not_if_the_manager_says_so(agent: str, when: str) -> None:
    for rule, six in (("0", True), ("1", False)):
        brain = Brain(agent)
        if when != "after it":
            brain.answer(f"INFO rule {rule if when != 'both' else 1 - int(rule)}")
        manager = Manager(brain, 7, 7)
        manager.stones = {(int(x), int(y)): int(whose) for x, y, whose in (line.split(",") for line in SIX)}
        said = [f"INFO rule {rule}"] if when != "before START" else []
        made = manager.row(manager.ask(*said, "BOARD", *SIX, "DONE"))
        assert (made == 6) == six


@pytest.mark.parametrize("agent", ALL)
def test_where_the_other_side_makes_six_there_is_no_threat_under_rule_1(agent: str) -> None:
    rows = ["0,0,2", "1,0,2", "2,0,2", "4,0,2", "5,0,2", "1,4,1", "2,4,1", "3,4,1", "6,2,1", "6,6,1"]
    for rule, must in (("0", True), ("1", False)):
        manager = Manager(Brain(agent), 7, 7)
        assert (manager.ask(f"INFO rule {rule}", "BOARD", *rows, "DONE") == (3, 0)) == must


@pytest.mark.parametrize("agent", ALL)
def test_rules_4_8_and_9_are_played(agent: str) -> None:
    blocked = [
        "0,0,2",
        "1,0,1",
        "2,0,1",
        "4,0,1",
        "5,0,1",
        "6,0,2",
        "0,2,1",
        "1,2,1",
        "2,2,1",
        "3,2,1",
        "6,6,2",
        "5,4,2",
    ]
    for rule, cells in (("0", {(3, 0), (4, 2)}), ("8", {(4, 2)}), ("9", {(4, 2)})):
        assert Manager(Brain(agent), 7, 7).ask(f"INFO rule {rule}", "BOARD", *blocked, "DONE") in cells
    six = ["0,0,1", "1,0,1", "2,0,1", "4,0,1", "5,0,1", "0,2,2", "2,2,2", "4,4,2", "6,6,2", "0,6,2"]
    assert Manager(Brain(agent), 7, 7).ask("INFO rule 4", "BOARD", *six, "DONE") != (3, 0)


def test_an_agent_that_does_not_play_rule_1_is_an_error_and_rule_0_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    load = agents.load

    def picky(name: str, *rest: Any, **options: Any) -> Any:
        if options["line"] != "free":
            raise ValueError("trained for another variant")
        return load(name, *rest, **options)

    brain = Brain("easy")
    monkeypatch.setattr("kozyr.agents.programs.gomocup_engine.agents.load", picky)
    assert last_answer(brain, "START 9", "INFO rule 1", "TURN 4,4") == [
        "ERROR easy cannot answer: ValueError: trained for another variant"
    ]
    assert not brain._board.any()
    assert re.fullmatch(r"\d+,\d+", last_answer(brain, "INFO rule 0", "TURN 4,4")[0])


@pytest.mark.parametrize("games", [4, pytest.param(40, marks=pytest.mark.long)])
def test_games_by_rule_1_end_as_the_oracle_says(games: int) -> None:
    rng, ends = random.Random(games), [0, 0, 0]
    for number in range(games):
        width, height = rng.randint(9, 15), rng.randint(9, 15)
        names = ["hard", "search@200"][:: 1 if number % 2 else -1]
        brains = [Brain(name, number) for name in names]
        managers = [Manager(brain, width, height) for brain in brains]
        oracle, side, last = Mnk(height, width, FIVE, last_reply=False, line="exact"), 0, ""
        for brain in brains:
            assert brain.answer("INFO rule 1") == []
        while oracle.turn >= 0:
            me, other = managers[side], managers[1 - side]
            x, y = me.ask(f"TURN {last}" if last else "BEGIN")
            other.stones[x, y] = 2
            last, side, rows = f"{x},{y}", 1 - side, me.rows((x, y))
            oracle.play(y * width + x)
            assert (oracle.turn < 0) == (FIVE in rows or not me.free())
        ends[int(oracle.payoffs()[0])] += 1
    assert ends[1] + ends[-1] > games / 4


@pytest.mark.parametrize("agent", ["hard", "search@200"])
def test_the_order_of_a_board_does_not_matter(agent: str) -> None:
    """The protocol leaves it to the manager; whoever has fewer stones, or as many, is asked."""
    rng = random.Random(2)
    for stones in (5, 8, 13):
        cells = rng.sample([(x, y) for x in range(3, 12) for y in range(3, 12)], stones)
        rows = [f"{x},{y},{1 + (number + stones) % 2}" for number, (x, y) in enumerate(cells)]
        answers = set[str]()
        for order in (rows, rows[::-1], sorted(rows), sorted(rows, key=lambda row: row[-1])):
            brain = Brain(agent)
            assert brain.answer("START 15") == ["OK"]
            for line in ("BOARD", *order):
                assert brain.answer(line) == []
            answers.update(brain.answer("DONE"))
        assert len(answers) == 1


def test_wrong_lines_are_answered_as_the_page_says() -> None:
    brain = Brain("easy")
    assert brain.answer("TURN 1,1") == ["ERROR START comes first"]
    assert brain.answer("HELLO") == ["UNKNOWN command"]
    assert brain.answer("") == []
    assert brain.answer("START 4") == brain.answer("START 26") == ["ERROR unsupported size: sides are 5 to 25"]
    assert brain.answer("START ten")[0].startswith("ERROR START takes")
    assert brain.answer("RECTSTART 10")[0].startswith("ERROR RECTSTART takes")
    assert brain.answer("START 5") == ["OK"]
    assert brain.answer("TURN 5,0") == ["ERROR '5,0' is no cell of this board"]
    assert brain.answer("TURN 1,1")[0].count(",") == 1
    assert brain.answer("TURN 1,1") == ["ERROR 1,1 is not free"]
    assert brain.answer("TAKEBACK 1,1") == ["OK"]
    assert brain.answer("RESTART") == ["OK"]
    assert brain.answer("INFO rule 2") == []
    assert brain.answer("BEGIN") == ["ERROR rule is not supported: 0, 1, 4, 8, 9 are"]
    assert re.match(r'name="kozyr-easy", version="', brain.answer("ABOUT")[0])
    with pytest.raises(ValueError, match="hrad"):
        Brain("hrad")


def test_the_bundled_policy_plays_on_its_board() -> None:
    brain = Brain("policy")
    assert brain.answer("START 9")[0].startswith("ERROR policy cannot answer: ValueError: no policy of mnk is bundled")
    manager, rng = Manager(brain, 15, 15), random.Random(1)
    line = "BEGIN"
    while manager.row(manager.ask(line)) < FIVE:
        x, y = rng.choice(manager.free())
        manager.stones[x, y] = 2
        line = f"TURN {x},{y}"
    assert len(manager.stones) < 60


def last_answer(brain: Brain, *lines: str) -> list[str]:
    """Return what an engine answers to the last line."""
    return [brain.answer(line) for line in lines][-1]


def test_a_refused_command_changes_nothing() -> None:
    brain = Brain("easy")
    last_answer(brain, "START 9", "TURN 4,4")
    stones = brain._board.copy()
    for refused in (
        ["START 4"],
        ["START 26"],
        ["RECTSTART 9"],
        ["TURN 4,4"],
        ["TURN 9,9"],
        ["TAKEBACK 99,1"],
        ["BOARD", "1,1,2", "9,9,1", "DONE"],
        ["BOARD", "1,1,2", "1,1,1", "DONE"],
        ["BOARD", *["1,1,2"] * 700, "DONE"],
        ["INFO rule 2", "TURN 0,0"],
    ):
        assert last_answer(brain, *refused)[0].startswith("ERROR "), refused
        assert (brain._board == stones).all(), refused
    brain.answer("INFO rule 0")
    assert re.fullmatch(r"\d+,\d+", last_answer(brain, "TURN 0,0")[0])


def test_an_agent_that_raises_is_an_error_and_the_engine_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    brain = Brain("easy")
    last_answer(brain, "START 9")
    with monkeypatch.context() as patch:
        player: Any = brain._player
        patch.setattr(player.agent, "act", lambda view, mask: 1 // 0)
        (said,) = last_answer(brain, "TURN 4,4")
        assert said == "ERROR easy cannot answer: ZeroDivisionError: integer division or modulo by zero"
        assert not brain._board.any()
    assert re.fullmatch(r"\d+,\d+", last_answer(brain, "TURN 4,4")[0])


def test_no_opening_is_loaded_beside_a_move() -> None:
    brain = Brain("search")
    assert brain.answer("START 9") == ["OK"]
    first = brain._player  # pyright: ignore[reportPrivateUsage]
    assert first is not None
    assert first.ready_to_open.wait(60)
    brain.answer("INFO rule 1")
    assert re.fullmatch(r"\d,\d", brain.answer("BEGIN")[0])
    player = brain._player  # pyright: ignore[reportPrivateUsage]
    assert player is not None and player is not first  # noqa: PT018 - the rule came after the board
    assert player.ready.wait(60)
    assert not player.is_loading
    assert not player.ready_to_open.is_set()
    brain.answer("SWAP2BOARD")
    brain.answer("DONE")
    assert player.ready_to_open.wait(60)


def test_start_waits_for_compiled_code_no_longer_than_a_manager_does(monkeypatch: pytest.MonkeyPatch) -> None:
    done = Event()
    monkeypatch.setattr("kozyr.agents.programs.gomocup_engine._WAIT", 0.01)
    monkeypatch.setattr(Searcher, "warm", lambda self: done.wait(60))
    brain = Brain("search@10")
    message, ok = brain.answer("START 9")
    assert message.startswith("MESSAGE compiling")
    assert "kozyr warm mnk" in message
    assert ok == "OK"
    Timer(0.05, done.set).start()
    assert re.fullmatch(r"\d+,\d+", last_answer(brain, "BEGIN")[0])
    assert done.is_set()


@pytest.mark.parametrize("rule", RULES)
def test_while_code_is_compiled_every_move_is_legal_and_in_time(rule: int, monkeypatch: pytest.MonkeyPatch) -> None:
    done = Event()
    monkeypatch.setattr("kozyr.agents.programs.gomocup_engine._WAIT", 0.01)
    monkeypatch.setattr("kozyr.agents.programs.gomocup_engine._warm", lambda agent, variant: done.wait(60))
    rng, slowest = random.Random(rule), 0.0
    for number in range(4):
        brain, game = Brain("search"), Game(7 + number, 6 + number, rule, number % 2)
        for line in ("INFO timeout_turn 100", f"INFO rule {rule}", f"RECTSTART {game.width},{game.height}"):
            brain.answer(line)
        while not game.over and len(game.moves) < 30:
            if len(game.moves) % 2 != game.ours:
                game.play(opponent(game, rng))
                continue
            began = time.monotonic()
            said = brain.answer(f"TURN {game.moves[-1][0]},{game.moves[-1][1]}" if game.moves else "BEGIN")[0]
            slowest = max(slowest, time.monotonic() - began)
            x, y = map(int, said.split(","))
            assert (x, y) in game.free()
            game.play((x, y))
    done.set()
    assert slowest < 5.0  # it would have been a minute


@pytest.mark.parametrize(
    "laid", [[], ["7,7", "8,8", "11,7"], ["7,7", "9,9", "7,8"], ["7,7", "0,0", "11,7", "1,1", "14,0"]]
)
def test_while_code_is_compiled_openings_are_answered(laid: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    done = Event()
    monkeypatch.setattr("kozyr.agents.programs.gomocup_engine._WAIT", 0.01)
    monkeypatch.setattr("kozyr.agents.programs.gomocup_engine._warm", lambda agent, variant: done.wait(60))
    brain = Brain("search")
    for line in ("INFO timeout_turn 100", "START 15", "SWAP2BOARD", *laid):
        brain.answer(line)
    words = brain.answer("DONE")[0].split()
    assert len(words) == (1 if laid else 3)
    new = [word for word in words if word != "SWAP"]
    assert (words == ["SWAP"]) == (laid == ["7,7", "9,9", "7,8"])
    assert len({*laid, *new}) == len(laid) + len(new) == np.count_nonzero(brain._board)
    done.set()


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_end_as_the_manager_likes(end: str) -> None:
    said = list[str]()
    lines = end.join(["start 9", "INFO folder C:\\Jos\xe9", "Board", "1,1,2", "done", "ABOUT", "END", "ABOUT", ""])
    run(Brain("easy"), BytesIO(lines.encode("latin-1")), said.append)
    assert said[0] == "OK"
    assert re.fullmatch(r"\d+,\d+", said[1])
    assert said[2].startswith('name="kozyr-easy"')
    assert len(said) == 3


def test_an_answer_comes_before_the_next_line() -> None:
    command = [sys.executable, "-m", "kozyr.training.cli", "engine", "gomocup", "--agent", "easy"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as engine:
        assert engine.stdin is not None
        assert engine.stdout is not None
        for asked, answer in ((b"START 9\r", b"OK"), (b"BEGIN\r", b","), (b"RESTART\n", b"OK")):
            engine.stdin.write(asked)
            engine.stdin.flush()
            while (said := engine.stdout.readline()).startswith(b"MESSAGE"):  # that code compiles
                pass
            assert answer in said
        engine.stdin.write(b"END\r")
        engine.stdin.flush()
        assert engine.wait(60) == 0


def test_a_hundred_thousand_malformed_lines_leave_it_as_it_was() -> None:
    rng, brain = random.Random(5), Brain("easy")
    words = [
        "START",
        "TURN",
        "BOARD",
        "DONE",
        "INFO",
        "RESTART",
        "TAKEBACK",
        "RECTSTART",
        "ABOUT",
        "x",
        "",
        "INFO rule",
    ]
    parts = [
        "5",
        "26",
        "99999999999",
        "-1",
        "1,1",
        "1,1,1",
        "1,1,9",
        "²,٣",
        "a,b",
        "\0",
        "é" * 50,
        "timeout_turn 9" * 9,
    ]
    for _ in range(100_000):
        for said in brain.answer(" ".join([rng.choice(words), *rng.sample(parts, rng.randrange(3))])):
            assert re.fullmatch(r"OK|ERROR .*|UNKNOWN .*|name=.*|\d+,\d+", said), said
    brain.answer("DONE")
    brain.answer("INFO rule 0")
    Manager(brain, 6, 6).ask("BEGIN")


def test_the_command_speaks_it() -> None:
    command = [sys.executable, "-m", "kozyr.training.cli", "engine", "gomocup", "--agent", "easy"]
    lines = "ABOUT\nSTART 15\nBEGIN\nTURN 0,0\nEND\nBEGIN\n"
    said = subprocess.run(command, input=lines, capture_output=True, text=True, timeout=120, check=True).stdout
    about, start, *moves = [line for line in said.splitlines() if not line.startswith("MESSAGE")]
    assert about.startswith('name="kozyr-easy"')
    assert start == "OK"
    assert len(moves) == 2
    refused = subprocess.run([*command[:-1], "esay"], input="", capture_output=True, text=True, timeout=120)
    assert refused.returncode == 2
    assert "Did you mean 'easy'" in refused.stderr
