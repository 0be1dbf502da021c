"""`kozyr new-agent` writes a repository whose agent plays and is scored at once."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from kozyr.training.cli import app

AGENTS = {"python": "bot:Bot", "cpp": "process:./bot"}


def written(folder: Path, *arguments: str, code: int = 0) -> str:
    done = CliRunner().invoke(app, ["new-agent", *arguments, "--out", str(folder)])
    assert done.exit_code == code, done.output
    return done.output


@pytest.mark.parametrize("language", AGENTS)
def test_the_repository_has_an_agent_a_test_and_ci(language: str, tmp_path: Path) -> None:
    told = written(tmp_path, "mine", "--language", language)
    folder = tmp_path / "mine"
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    source = {"python": {"bot.py"}, "cpp": {"bot.cpp", "Makefile"}}[language]
    assert files == source | {"test_bot.py", "README.md", ".github/workflows/score.yml"}
    assert AGENTS[language] in told
    assert f'- run: kozyr score "{AGENTS[language]}" --quick' in (folder / ".github/workflows/score.yml").read_text(
        "utf-8"
    )
    assert AGENTS[language] in (folder / "README.md").read_text("utf-8")


@pytest.mark.parametrize("language", AGENTS)
def test_its_test_passes_and_it_is_scored(language: str, tmp_path: Path) -> None:
    if language == "cpp" and not (shutil.which("g++") and shutil.which("make")):
        pytest.skip("needs g++ and make")
    written(tmp_path, "mine", "--language", language)
    folder = tmp_path / "mine"
    places = os.pathsep.join(str(Path(place).resolve()) for place in sys.path if place)
    how: dict[str, Any] = {"cwd": folder, "check": True, "capture_output": True, "text": True, "timeout": 500}
    environment = {**os.environ, "PYTHONPATH": places, "COLUMNS": "100"}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "war_20 or durak_36"],
        env=environment, **how,
    )  # fmt: skip
    assert "2 passed" in done.stdout
    command = [sys.executable, "-m", "kozyr.training.cli", "score", AGENTS[language], "--task", "war_20", "--quick"]
    scored = subprocess.run([*command, "--out", "report.json", "--card", "card.html"], env=environment, **how)
    assert "war_20" in scored.stdout
    assert (folder / "card.html").exists()


def test_wrong_names_and_languages_are_refused(tmp_path: Path) -> None:
    assert "write letters, digits" in written(tmp_path, "../mine", code=2)
    assert "language='basic'" in written(tmp_path, "mine", "--language", "basic", code=2)
    written(tmp_path, "mine")
    assert "is there already" in written(tmp_path, "mine", code=2)
