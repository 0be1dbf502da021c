"""Tables on a GPU, without one: kernels compile to PTX and equal the processor's loops in numba-cuda's simulator."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kozyr import envs
from kozyr.envs import registry
from kozyr.envs.core.rng import generators
from kozyr.envs.loops.episodes import Episodes, OpponentMix
from tests.plugs.required import library

library("numba-cuda", "0.30", "cuda")

from kozyr.envs.compile import cuda
from kozyr.envs.compile.cuda_kernel import Kernel, for_capability, ptx
from kozyr.envs.environments.device import padded
from kozyr.envs.loops import kernels

ROOT = Path(__file__).parents[2]
SHARED = {"find_illegal"}  # the only kernel whose threads write to one place


def arguments(game: Any, v: Any) -> dict[str, tuple[Any, ...]]:
    """Return arguments of the types that each kernel gets, by its name."""
    n, size, seats = 2, game.size(v), game.seats(v)
    states, g = np.zeros(n, padded(game.layout(v))), generators(0, n)
    views, masks = np.zeros((n, size), game.view_dtype), np.zeros((n, game.actions(v)), np.int8)
    zeros: Any = [np.zeros(n, kind) for kind in (np.int8, np.int32, np.int64, np.float32)]
    i8, i32, i64, f32 = zeros
    payoffs, occupants = np.zeros((n, seats), np.float32), np.zeros((n, seats), np.int32)
    episodes = Episodes(states, g, g, occupants, i32, i8, i32, views, masks, f32, i8, views)
    mix = OpponentMix(-1, True, np.zeros(1, np.int32), np.ones((seats - 1, 1)), 0)
    return {
        "deal": (v, states, views, masks, g, i32),
        "find_illegal": (masks, i64, i64),
        "step": (v, states, views, masks, i64, g, i32, payoffs, i8, i64),
        "decide_rows": (v, views, masks, g, i64),
        "look": (v, states, i32, views),
        "open_rows": (v, episodes, mix, -1, -1),
        "learn": (v, episodes, mix, i64, i64),
    }


@pytest.mark.parametrize("name", envs.games())
def test_kernels_compile_without_a_driver(name):
    game = envs.game(name)
    registry.seat_bots(game)
    variant = game.make_variant()
    given = arguments(game, variant)
    strongest = len(registry.players(name).ladder) - 1
    made = {what: one for what, one in vars(kernels).items() if isinstance(one, Kernel)}
    by_level = {what: getattr(kernels, what) for what in ("decide_rows", "open_rows", "learn")}
    assert set(made) | set(by_level) == set(given)
    made |= {what: one(strongest) for what, one in by_level.items()}
    for what in sorted(made):
        code = ptx(made[what], given[what])
        assert re.search(r"\.visible \.entry ", code), what
        assert ".target sm_90" in code
        assert "NRT_" not in code, what  # nothing is allocated
        assert "fma.rn" not in code, what  # floats are rounded as the processor does
        assert len(assembled(code)) > 1000, what
        assert bool(re.search(r"\b(atom|red)\.", code)) == (what in SHARED), what


def assembled(code: str) -> bytes:
    """Return the machine code that NVIDIA's assembler makes of PTX, which refuses what the GPU has no room for."""
    linker = cuda.part("cudadrv.driver")._Linker(cc=(9, 0), lto=False)
    linker.add_ptx(code.encode(), "a kernel")
    return linker.complete().code


def stack(code: str) -> int:
    """Return the bytes that the arrays of a kernel's functions take in each thread."""
    return sum(map(int, re.findall(r"__local_depot\d+\[(\d+)\]", code)))


def test_random_players_need_no_room_for_strong_ones():
    game = envs.game("mnk")
    registry.seat_bots(game)
    given = arguments(game, game.make_variant())
    for what in ("decide_rows", "learn"):
        weak, strong = (stack(ptx(getattr(kernels, what)(level), given[what])) for level in (0, 2))
        assert 10 * weak < strong > 1000, what  # what the rules need is little: 2.5 kB for renju's bans


@pytest.mark.parametrize("name", envs.games())
def test_kernels_do_in_the_simulator_what_the_processor_does(name):
    given = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-m", "tests.plugs.cuda_simulated", name]
    done = subprocess.run(command, env=given, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(re.findall(r"(\d+) games ended", done.stdout)[0]) > 0


def test_what_is_missing_is_said_in_a_sentence():
    if not cuda.complaint():
        pytest.skip("there is a GPU here")
    for make in (envs.make_tables, envs.make_vec):
        with pytest.raises(ValueError, match=r'device="cuda" needs a GPU, numba-cuda and PyTorch: PyTorch .* finds no'):
            make("war", 4, device="cuda")


def test_the_hash_of_a_kernel_is_the_same_in_every_process():
    """What only GPUs run is of a kind that pickles differently each time."""
    asked = (
        "from kozyr.envs.loops import kernels; from kozyr.envs.compile.fingerprint import digest; "
        "print(digest(kernels.step.function, ()))"
    )
    told = {subprocess.check_output([sys.executable, "-c", asked], cwd=ROOT, text=True) for _ in range(2)}
    assert len(told) == 1


def test_a_kernel_is_compiled_once_and_kept(monkeypatch, tmp_path):
    """The driver alone could load the code, so it is not asked to."""
    kernel: Any = cuda.part("dispatcher")._Kernel
    monkeypatch.setattr(kernel, "bind", lambda self: self._codelibrary.get_cubin(cc=(9, 0)))
    monkeypatch.setattr(cuda.part("codegen").CUDACodeLibrary, "_ensure_cc", lambda self, cc: (9, 0))
    monkeypatch.setattr("kozyr.envs.compile.cache.inside", lambda home: tmp_path / home)
    game = envs.game("war")
    given = arguments(game, game.make_variant())["look"]
    types = tuple(map(cuda.part("typing.typeof").typeof, given))

    def compiled() -> tuple[Any, Any]:
        one = Kernel(kernels.look.function)
        with for_capability((9, 0)):
            made = one.compiled(given)
        return made._codelibrary.get_cubin(cc=(9, 0)), one._dispatcher

    code, dispatcher = compiled()
    assert not dispatcher.overloads[types]._codelibrary._lto  # the linker would fuse floats
    assert sum(dispatcher._cache_misses.values()) == 1
    (kept,) = (tmp_path / "kozyr.envs.war").glob("kernels.look-*.nbc")
    assert kept.stat().st_size < 2 * len(code.code)  # without what it was made from
    again, dispatcher = compiled()
    assert sum(dispatcher._cache_hits.values()) == 1
    assert len(code.code) == len(again.code) > 0
