"""The documentation's page: its JavaScript runs as it stands there."""

import re
from pathlib import Path

from tests.site import node
from tests.test_cli import run as kozyr

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "javascript.md"


def test_the_code_of_the_page_plays_a_game(tmp_path: Path) -> None:
    text = PAGE.read_text(encoding="utf-8")
    [command] = re.findall(r"```sh\nkozyr (.*)\n```", text)
    [code, _] = re.findall(r"```js\n(.*?)```", text, re.S)  # the other one: tests/browser/test_bundlers.py
    assert len(code.splitlines()) <= 22
    kozyr(*command.replace("--out games", f"--out {tmp_path / 'games'}").split())
    (tmp_path / "play.mjs").write_text(code, encoding="utf-8")
    told = node.run(tmp_path / "play.mjs")
    assert re.search(r"^\d+ moves, payoffs (1,-1|-1,1|0,0)$", told, re.M), told
    assert re.search(r"^seat [01] holds 6 cards$", told, re.M), told
