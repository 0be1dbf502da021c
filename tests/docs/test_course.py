"""The sample course of the documentation: its bots play the cup whose page lies beside them."""

import re
import subprocess
import sys
from pathlib import Path

from tests.docs import pages

COURSE = pages.ROOT / "docs" / "extra" / "course"


def tables(page: Path) -> str:
    return page.read_text(encoding="utf-8").partition("<h2>Games</h2>")[0]


def test_the_students_play_the_cup_of_the_page(tmp_path: Path) -> None:
    how = ["--form", "round-robin", "--deals", "10", "--seed", "1", "--time", "5s", "--out", str(tmp_path)]
    command = [sys.executable, "-m", "kozyr.training.cli", "cup", "mnk", str(COURSE / "students"), *how]
    subprocess.run(command, check=True, capture_output=True)
    assert tables(tmp_path / "cup.html") == tables(COURSE / "cup.html")
    assert re.findall(r"<td>(\w+)</td><td>\d</td>", tables(COURSE / "cup.html")) == ["chen", "anna", "boris"]


def test_the_page_links_to_games() -> None:
    links = re.findall(r'href="([^"]+)"', (COURSE / "cup.html").read_text(encoding="utf-8"))
    assert links
    assert all((COURSE / link).is_file() for link in links)
