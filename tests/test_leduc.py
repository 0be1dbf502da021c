"""A game in a package of its own gets everything that ours get: Leduc poker, which nothing outside its folder names."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.installed import Installed

pytestmark = pytest.mark.long  # a package is installed, and each of its commands is a process
SOURCE = Path(__file__).parent / "leduc"
REGISTERED = """
import sys
from kozyr import envs
from kozyr.agents.arena import match
if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])
    import leduc, leduc.players
    envs.register(leduc.GAME, players=leduc.players.PLAYERS, settings=sys.argv[1] + "/leduc")
    one, two = (match("leduc", ["tight", "random"], deals=20, seed=1, workers=n).returns.tolist() for n in (1, 2))
    assert one == two
    from kozyr.training.settings import run_settings
    print(run_settings.load(leduc.GAME, "demo")["preset"])
"""


@pytest.fixture(scope="module")
def leduc(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return Installed(SOURCE, tmp_path_factory.mktemp("leduc"))


def test_it_is_listed_with_its_players_and_options(leduc: Installed) -> None:
    listed = {one["game"]: one for one in json.loads(leduc.kozyr("games", "--json"))}
    assert listed["leduc"]["options"]["players"]["allowed"] == "a whole number from 2 to 3"
    players = json.loads(leduc.kozyr("agents", "leduc", "--json"))["leduc"]
    assert players["scripted"] == ["random", "tight"]
    assert "pimc" in players["search"]


def test_pimc_plays_tight_and_tight_beats_random(leduc: Installed) -> None:
    def document(*arguments: str) -> Any:
        told = leduc.kozyr("match", "leduc", *arguments, "--json")
        return json.loads(told[told.index("{") : told.rindex("}") + 1])

    assert document("pimc@8", "tight", "--deals", "4")["games"] == 8
    assert document("tight", "random", "--deals", "2000", "--set", "players=3")["agents"][0]["score"] > 0.5


def test_cfr_comes_close_to_an_equilibrium(leduc: Installed) -> None:
    pytest.importorskip("pyspiel")
    told = leduc.kozyr("exploitability", "leduc", "cfr@200", "--json")
    (row,) = json.loads(told[told.index("{") : told.rindex("}") + 1])["rows"]
    assert 0 <= row["nash_conv"] < 0.01


def test_its_rules_keep_their_paragraphs(leduc: Installed) -> None:
    leduc.run("-m", "pytest", "-q", "./tests", interpreted=True)


def test_a_program_that_registers_it_has_all_of_it_in_worker_processes_too(tmp_path: Path) -> None:
    script = tmp_path / "registered.py"
    script.write_text(REGISTERED, encoding="utf-8")
    done = subprocess.run([sys.executable, str(script), str(SOURCE)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["leduc.toml", "[demo]"]


def test_a_program_cannot_register_what_is_installed(leduc: Installed, tmp_path: Path) -> None:
    script = tmp_path / "registered.py"
    script.write_text(REGISTERED, encoding="utf-8")
    told = leduc.run(str(script), str(SOURCE), code=1)
    assert "ValueError: the package kozyr-leduc brings a game 'leduc' already: give yours another name" in told


@pytest.mark.slow
def test_its_contract_is_green(leduc: Installed) -> None:
    leduc.run("-m", "pytest", "-q")
