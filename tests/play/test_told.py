"""The position in words: what a table's page tells of a scene, in each language and without a word of another."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kozyr import envs
from kozyr.agents.play.pages.languages import ENGLISH, LANGUAGES, catalogues
from kozyr.envs.pictures import render_svg
from kozyr.envs.pictures.scene import AFTER, BAR, FLAGS, KIND, SEES_PUBLIC, ZONE
from kozyr.envs.table.table import Table

ROOT = Path(__file__).parents[2]
NODE = shutil.which("node")
NAMES = ["Ян", "Ия", "Юм", "Эя", "Ён", "Ша", "Жо", "Ще"]
VARIANTS = [
    ("durak", {"players": 3, "transfer": True}),
    ("war", {"pickup": "choice"}),
    ("daifugo", {"players": 5, "suits": True, "rounds": 2, "exchange": True}),
    ("daifugo", {"players": 3, "rounds": 2, "revolution": True}),
    ("draw_poker", {"players": 4}),
    ("mnk", {"m": 9, "n": 7, "k": 5, "opening_rule": "swap2"}),
    ("mnk", {"m": 15, "n": 15, "k": 5, "bans": "renju"}),
]
SCRIPT = """
let text = "";
for await (const part of process.stdin) text += part;
const { language, catalogues, scenes, folder } = JSON.parse(text);
globalThis.document = { documentElement: { lang: language } };
globalThis.fetch = async () => ({ ok: true, json: async () => catalogues });
const { translate, useGame } = await import(folder + "/language.js");
const { told } = await import(folder + "/told.js");
console.log(JSON.stringify(scenes.map(([name, labels, rows, names, me]) => {
  useGame(name);
  const words = Object.fromEntries(Object.entries(labels).map(([number, one]) => [number, translate(one)]));
  return told(rows, words, names, me);
})));
"""
pytestmark = pytest.mark.skipif(NODE is None, reason="JavaScript is tested where node is installed")


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the table's scripts, with the viewer's beside it, as the server gives them."""
    folder = tmp_path_factory.mktemp("scripts")
    for source, name in ((ROOT / "agents/play/static", "static"), (ROOT / "envs/viewer/static", "viewer")):
        shutil.copytree(source, folder / name)
    return folder / "static"


def tell(scripts: Path, language: str, scenes: list[Any]) -> list[list[str]]:
    """Return the lines of scenes, each given as the game's name, its labels, rows, names and the seat that looks."""
    words = catalogues(language) if language != ENGLISH else {}
    given = {"language": language, "catalogues": words, "scenes": scenes, "folder": scripts.as_uri()}
    run = [str(NODE), "--no-warnings", "--input-type=module", "-e", SCRIPT]
    done = subprocess.run(run, input=json.dumps(given), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def scene_of(table: Table, seat: int) -> Any:
    rows = render_svg.rows(table.game, table.variant, table.state(), seat, marked=False).tolist()
    return [table.game.name, dict(table.game.labels), rows, NAMES[: table.seats], seat]


def scenes(name: str, options: dict[str, Any], every: int = 7) -> Iterator[Any]:
    """Yield scenes of a random game, of a seat in turn, and of those who only watch."""
    game = envs.game(name)
    table, rng = Table(game, game.make_variant(**options), 3), np.random.default_rng(3)
    for ply in range(150):
        if ply % every == 0 or table.turn < 0:
            yield scene_of(table, ply % table.seats)
            yield scene_of(table, SEES_PUBLIC)
        if table.turn < 0:
            return
        table.play(int(rng.choice(np.flatnonzero(table.mask))))


@pytest.mark.parametrize(("name", "options"), VARIANTS)
@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != ENGLISH])
def test_no_english_word_is_left(name: str, options: dict[str, Any], language: str, scripts: Path) -> None:
    given = list(scenes(name, options))
    lines = tell(scripts, language, given)
    assert len(lines) == len(given) > 2
    for one in lines:
        assert len(one) > 2
        assert [line for line in one if re.search("[A-Za-z]{2,}|undefined", line)] == []


def after(name: str, seed: int, moves: str, seat: int, **options: Any) -> Any:
    """Return the scene that a seat sees after some moves."""
    game = envs.game(name)
    table = Table(game, game.make_variant(**options), seed)
    for move in moves.split():
        table.play(game.text.parse(table.variant, move))
    return scene_of(table, seat)


def test_an_attack_is_told_with_what_the_seat_knows(scripts: Path) -> None:
    [lines] = tell(scripts, ENGLISH, [after("durak", 1, "6C 8C", 0, **envs.game("durak").usual)])
    assert lines == [
        "Ян: DEFENDER; 5 cards; 8 of spades, ace of spades, 6 of diamonds, 8 of diamonds, 10 of clubs",
        "Ия: ATTACKER; 5 cards",
        "8 of hearts, 23 cards face down, 24 in the stock, trump: ♥",
        "0 discarded",
        "6 of clubs, beaten by 8 of clubs",
        "Ян has beaten all; Ия may add, round 1",
    ]


def test_a_board_is_told_row_by_row(scripts: Path) -> None:
    [lines] = tell(scripts, ENGLISH, [after("mnk", 1, "b2 c1", 0, m=3, n=3, k=3)])
    assert lines == ["Ян: O", "Ия: X; TO MOVE", "  a b c", "1 · · O", "2 · X ·", "3 · · ·", "Ия (X) to move"]


def test_only_the_phase_that_is_on_is_told(scripts: Path) -> None:
    [lines] = tell(scripts, ENGLISH, [after("draw_poker", 1, "", 1, players=2)])
    assert lines == [
        "Ия: BUTTON; 4 of spades, 8 of spades, 8 of hearts, queen of clubs, king of clubs, pair; "
        "chips: 99, bet 0, in the pot 1",
        "Ян: TO MOVE; 5 cards face down; chips: 99, bet 0, in the pot 1",
        "Ян bets, pot 2, first bets",
    ]


def test_a_deck_is_counted_once_and_what_lies_on_known_cards_apart(scripts: Path) -> None:
    game = envs.game("war")
    table = Table(game, game.make_variant(deck=28, pickup="choice", max_turns=5), 3)
    rng = np.random.default_rng(3)
    [start] = tell(scripts, ENGLISH, [scene_of(table, 0)])
    assert start[:2] == ["Ян: STARTER; 14 cards", "Ия: 14 cards"]
    while table.turn >= 0:
        table.play(int(rng.choice(np.flatnonzero(table.mask))))
    [end] = tell(scripts, ENGLISH, [scene_of(table, 0)])
    for line in end[:2]:
        assert re.match(r"(Ян|Ия): \d+ cards; \d cards face down; .*from the top", line)


def test_cards_whose_order_is_open_stand_in_brackets(scripts: Path) -> None:
    given = list(scenes("war", {"pickup": "random"}, every=3))
    marked = [scene for scene in given if any(row[KIND] == BAR for row in scene[2])]
    assert marked
    for lines, scene in zip(tell(scripts, ENGLISH, marked), marked, strict=True):
        runs = sum(row[KIND] == BAR and not row[FLAGS] & AFTER for row in scene[2])
        assert sum(line.count(")") - line.count("(known") for line in lines) == runs
        assert any("in an order that nobody knows" in line for line in lines)


def test_a_scene_without_zones_is_left_to_the_text_of_the_game(scripts: Path) -> None:
    scene = after("durak", 1, "", 0)
    scene[2] = [row for row in scene[2] if row[KIND] != ZONE]
    assert tell(scripts, ENGLISH, [scene]) == [[]]
