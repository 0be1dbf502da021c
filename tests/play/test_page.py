"""The page's pure functions, under node, and that they agree with what Python does."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from kozyr.envs.core import labels

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
def test_chosen_elements_become_actions(call: str, expected: object) -> None:
    code = f"""import {{ amounts, buttons, dropped, judge, spoken }} from {json.dumps(str(TABLE / "choose.js"))};
        const c = {json.dumps(CHOICES)};
        console.log(JSON.stringify({call}));"""
    run = [str(NODE), "--no-warnings", "--input-type=module", "-e", code]
    assert json.loads(subprocess.run(run, check=True, capture_output=True, text=True).stdout) == expected


LOBBIES = {"lobby.css", "lobby.js", "site.js", "disk.js"}  # what no table loads


def test_pages_are_light() -> None:
    files = [*VIEWER.glob("*.js"), *VIEWER.glob("*.css"), *TABLE.glob("*.js"), *TABLE.glob("*.css")]
    assert len(files) >= 8
    assert {file.name for file in files} > LOBBIES
    assert sum(file.stat().st_size for file in files if file.name not in LOBBIES) < 100_000
    assert sum(file.stat().st_size for file in files if file.name in LOBBIES) < 30_000
