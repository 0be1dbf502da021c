"""Every player of a game stays inside its arrays and knows all legal actions."""

import os
import subprocess
import sys

import pytest


@pytest.mark.slow
def test_players_stay_inside_their_arrays_and_know_all_legal_actions(game_name: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "kozyr.contract.bounds", game_name],
        env=os.environ | {"NUMBA_BOUNDSCHECK": "1"},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
