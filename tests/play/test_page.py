"""The page's pure functions, under node, and that they agree with what Python does."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kozyr import envs
from kozyr.envs.core import labels
from kozyr.envs.core.cards import RANKS, SUITS
from kozyr.envs.pictures import render_svg, scene
from kozyr.envs.pictures.layout import place
from kozyr.envs.table.table import Table

ROOT = Path(__file__).parents[2]
VIEWER, TABLE = ROOT / "envs/viewer/static", ROOT / "agents/play/static"
NODE = shutil.which("node")
FILLED = [
    ("{0:seat} has {1} {1|cards|card|cards}", (0, 1, 0), None),
    ("{0:seat}: {1:milli}", (1, -333, 0), ["Anna", "Ben"]),
    ("{0:milli} {1:milli} {2:milli}", (0, 1250, -1), None),
    ("{0:signed} {1:signed} {2:signed}", (3, -3, 0), None),
    ("{0|none|one}{1||s}", (5, -2, 0), None),
    ("{0:milli}", (123456789, 0, 0), None),
    ("<b>{0:seat}</b> 100 % {x}", (0, 0, 0), ["<script>"]),
]

needs_node = pytest.mark.skipif(NODE is None, reason="JavaScript is tested where node is installed")


@needs_node
def test_labels_say_the_same_in_a_browser() -> None:
    code = f"""import {{ fill }} from {json.dumps(str(VIEWER / "words.js"))};
        const given = {json.dumps(FILLED)};
        console.log(JSON.stringify(given.map(([text, values, names]) => fill(text, values, names))));"""
    run = [str(NODE), "--no-warnings", "--input-type=module", "-e", code]
    said = json.loads(subprocess.run(run, check=True, capture_output=True, text=True).stdout)
    assert said == [labels.fill(text, values, names) for text, values, names in FILLED]


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the table's scripts, with the viewer's beside it, as the server gives them."""
    folder = tmp_path_factory.mktemp("scripts")
    for source, name in ((TABLE, "static"), (VIEWER, "viewer")):
        shutil.copytree(source, folder / name)
    return folder / "static"


CHOICES = [
    [0, "fold", 2, 0, 0, []],
    [1, "two 5s", 1, 0, 0, [5, 5]],
    [2, "a 5", 1, 0, 0, [5]],
    [3, "a 7", 1, 0, 9, [7]],
    [4, "transfer the 7", 1, 0, 8, [7]],
    [5, "a 9", 1, 0, 0, [9]],
    [6, "raise to 4", 3, 4, 0, []],
    [7, "raise to 2", 3, 2, 0, []],
]


@needs_node
@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("judge(c, [9]).play", 5),
        ("judge(c, [5]).offers.map((one) => one[0])", [2]),
        ("judge(c, [5]).play", None),
        ("judge(c, [5, 5]).play", 1),
        ("judge(c, [7]).offers.map((one) => one[0])", [3, 4]),
        ("judge(c, [7, 9]).why", "No legal move uses these together."),
        ("judge(c.slice(1, 2), [5]).why", "This needs more: two 5s."),
        ("dropped(c, [7], 8)", 4),
        ("dropped(c, [7], 9)", 3),
        ("dropped(c, [7], 0)", None),
        ("dropped(c, [9], 0)", 5),
        ("buttons(c).map((one) => one[0])", [0]),
        ("amounts(c).map((one) => one[0])", [7, 6]),
        ("spoken(c, 7)", "a 7, transfer the 7"),
    ],
)
def test_chosen_elements_become_actions(scripts: Path, call: str, expected: object) -> None:
    code = f"""import {{ amounts, buttons, dropped, judge, spoken }} from {json.dumps(str(scripts / "choose.js"))};
        const c = {json.dumps(CHOICES)};
        console.log(JSON.stringify({call}));"""
    run = [str(NODE), "--no-warnings", "--input-type=module", "-e", code]
    assert json.loads(subprocess.run(run, check=True, capture_output=True, text=True).stdout) == expected


def faces(rows: list[list[int]], seat: int) -> list[int]:
    """Return the faces of a seat's hand from left to right, by the panel in which it lies."""
    rows = place(rows)
    panel = next(row for row in rows if row[scene.KIND] == scene.PANEL and row[scene.A] == seat)
    top, low = panel[scene.Y], panel[scene.Y] + panel[scene.HIGH]
    cards = [row for row in rows if row[scene.KIND] == scene.CARD and row[scene.FACE] and top <= row[scene.Y] < low]
    return [row[scene.FACE] for row in sorted(cards, key=lambda row: row[scene.X])]


def boxes(rows: list[list[int]]) -> list[list[int]]:
    """Return the places of all elements."""
    return [row[scene.X : scene.FLAGS] for row in place(rows)]


def _laid(rows: list[list[int]], ranks: str, scripts: Path) -> list[Any]:
    """Return whether seat 0 may sort its hand, and the scene in each order; the last one is the deal's reversed."""
    script = json.dumps(str(scripts / "sort.js"))
    code = f"""import {{ ORDERS, arrange, facesOf, sort, sortable }} from {script};
        const rows = {json.dumps(rows)};
        const laid = ORDERS.map((order) => sort(rows, 0, order, "{ranks}"));
        laid.push(arrange(rows, 0, facesOf(rows, 0).toReversed().slice(0, -1)));  // the last is new
        console.log(JSON.stringify([sortable(rows, 0, "{ranks}"), ...laid]));"""
    run = [str(NODE), "--no-warnings", "--input-type=module", "-e", code]
    return json.loads(subprocess.run(run, check=True, capture_output=True, text=True).stdout)


@needs_node
@pytest.mark.parametrize(("name", "options"), [("durak", {"rules": "podkidnoy"}), ("daifugo", {}), ("draw_poker", {})])
def test_a_hand_is_sorted_and_nothing_else_moves(name: str, options: dict[str, Any], scripts: Path) -> None:
    game = envs.game(name)
    for seed in range(4):
        table = Table(game, game.make_variant(**options), seed)
        rows = render_svg.rows(game, table.variant, table.state(), 0, marked=False).tolist()
        able, dealt, suits, ranks, own = _laid(rows, game.ranks, scripts)
        assert able
        assert dealt == rows
        assert faces(own, 0) == faces(rows, 0)[::-1]
        assert boxes(own) == boxes(rows)
        trump = table.state()[0].trump if name == "durak" else -1
        for laid, key in ((suits, 0), (ranks, 1)):
            assert sorted(laid) == sorted(rows)
            assert boxes(laid) == boxes(rows)
            weights = [_weight(face, key, game.ranks, trump) for face in faces(laid, 0)]
            assert weights == sorted(weights)
            assert sorted(faces(laid, 0)) == sorted(faces(rows, 0))


@needs_node
def test_cards_whose_order_means_something_stay(scripts: Path) -> None:
    game = envs.game("war")
    table, rng = Table(game, game.make_variant(pickup="choice"), 1), np.random.default_rng(1)
    for _ in range(200):
        table.play(int(rng.choice(np.flatnonzero(table.mask))))
    rows = render_svg.rows(game, table.variant, table.state(), 0, marked=False).tolist()
    assert len(faces(rows, 0)) > 4
    able, *laid, _ = _laid(rows, game.ranks, scripts)
    assert not able
    assert laid == [rows] * 3


def _weight(face: int, by_rank: int, ranks: str, trump: int) -> tuple[int, int, int]:
    """Return what a card is sorted by: jokers and then trumps come last."""
    if face == scene.JOKER:
        return 2, 0, 0
    suit, rank = (face - 1) // 13, ranks.index(RANKS[(face - 1) % 13])
    place = "CHSD".index(SUITS[suit])
    return int(suit == trump), *((rank, place) if by_rank else (place, rank))


LOBBIES = {"lobby.css", "lobby.js", "site.js", "disk.js"}  # what no table loads
RECORDED = {"viewer.css", "viewer.js", "replayed.js"}  # of recorded games, which no table loads either
ASKED = {"told.js"}  # what a table loads when somebody opens the position in words


def test_pages_are_light() -> None:
    files = [*VIEWER.glob("*.js"), *VIEWER.glob("*.css"), *TABLE.glob("*.js"), *TABLE.glob("*.css")]
    assert len(files) >= 8
    assert {file.name for file in files} > LOBBIES | RECORDED | ASKED
    assert sum(file.stat().st_size for file in files if file.name not in LOBBIES | RECORDED | ASKED) < 120_000
    assert sum(file.stat().st_size for file in files if file.name in LOBBIES) < 30_000
