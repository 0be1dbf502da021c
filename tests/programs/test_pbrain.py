"""Our agents as Gomocup engines, against a manager written from the protocol's page."""

import random
import re
import subprocess
import sys

import pytest

from kozyr.agents.programs.gomocup_engine import Brain

FIVE = 5


class Manager:
    """A manager of one game: it keeps the board and knows when a line is made."""

    def __init__(self, brain: Brain, width: int, height: int) -> None:
        self.brain, self.width, self.height = brain, width, height
        self.stones: dict[tuple[int, int], int] = {}
        start = f"START {width}" if width == height else f"RECTSTART {width},{height}"
        assert brain.answer(start + "\r\n") == ["OK"]

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
        longest, whose = 1, self.stones[place]
        for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
            length = 1
            for side in (1, -1):
                x, y = place[0] + side * dx, place[1] + side * dy
                while self.stones.get((x, y)) == whose:
                    length, x, y = length + 1, x + side * dx, y + side * dy
            longest = max(longest, length)
        return longest


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
    ):
        for line in told:
            assert brain.answer(line) == []
        assert round(1000 * brain._seconds()) == wanted


def test_five_win_and_six_do_not_if_the_manager_says_so() -> None:
    board = ["BOARD", "0,0,1", "1,0,1", "2,0,1", "4,0,1", "5,0,1", "0,2,2", "2,2,2", "4,4,2", "6,6,2", "0,6,2"]
    for rule, six in (("0", True), ("1", False)):
        brain = Brain("hard")
        manager = Manager(brain, 7, 7)
        manager.stones = {(int(x), int(y)): int(whose) for x, y, whose in (line.split(",") for line in board[1:])}
        made = manager.row(manager.ask(f"INFO rule {rule}", *board, "DONE"))
        assert (made == 6) == six


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
    assert brain.answer("begin") == ["UNKNOWN command"]
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
    assert brain.answer("INFO rule 4") == []
    assert brain.answer("BEGIN") == ["ERROR rule is not supported: 0 and 1 are"]
    assert re.match(r'name="kozyr-easy", version="', brain.answer("ABOUT")[0])
    with pytest.raises(ValueError, match="hrad"):
        Brain("hrad")


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
    about, start, *moves = said.splitlines()
    assert about.startswith('name="kozyr-easy"')
    assert start == "OK"
    assert len(moves) == 2
    refused = subprocess.run([*command[:-1], "esay"], input="", capture_output=True, text=True, timeout=120)
    assert refused.returncode == 2
    assert "Did you mean 'easy'" in refused.stderr
