"""Kernels for NVIDIA's GPUs, compiled by numba-cuda. Only this file knows it, and PyTorch, whose tensors they write.

A kernel is plain Python that calls the same functions as the processor's loops; its thread is the row. With
NUMBA_ENABLE_CUDASIM=1 and NUMBA_DISABLE_JIT=1 it runs as plain Python, for tests.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import cached_property, partial
from importlib import import_module
from importlib.metadata import version
from threading import RLock
from types import SimpleNamespace
from typing import Any

import numba_cuda  # noqa: F401  # pyright: ignore[reportMissingImports, reportUnusedImport]
import numpy as np
import torch
from numba import config, cuda

from kozyr.envs.core.compile.cache import Cache
from kozyr.envs.core.compile.contents import digest
from kozyr.envs.core.compile.cpu import INTERPRETED

__all__ = [
    "SIMULATED",
    "Kernel",
    "complaint",
    "cuda",
    "kernel",
    "on_device",
    "ptx",
    "records",
    "seen",
    "tensor",
    "whole_numbers",
]

THREADS = 128  # of a block
SIMULATED = bool(getattr(config, "ENABLE_CUDASIM", False))
_cuda: Any = cuda
_DEVICE = "cpu" if SIMULATED else "cuda"
_one_at_a_time = RLock()


def complaint() -> str:
    """Say what is missing for the GPU, or nothing."""
    if SIMULATED:
        return "" if INTERPRETED else "the simulator of numba-cuda runs plain Python: set NUMBA_DISABLE_JIT=1, too"
    if not torch.cuda.is_available():
        return (
            f"PyTorch {torch.__version__} finds no GPU of NVIDIA's: install a build of it for CUDA "
            "(https://pytorch.org/get-started) on a machine that has one"
        )
    if INTERPRETED:
        return "NUMBA_DISABLE_JIT=1 is set, with which nothing can be compiled for it: leave it out"
    if _cuda.is_available():
        return ""
    if _cuda.cuda_error() is None:
        return "numba-cuda finds no compiler of NVIDIA's: install kozyr[cuda12] or kozyr[cuda13]"
    return f"numba-cuda finds no driver ({_cuda.cuda_error()}): install NVIDIA's driver"


def name() -> str:
    """Return what the GPU is called."""
    return "the simulator" if SIMULATED else torch.cuda.get_device_name()


def wait() -> None:
    """Wait until the GPU has done all that was asked of it."""
    if not SIMULATED:
        torch.cuda.synchronize()


def tensor(shape: tuple[int, ...], dtype: Any) -> Any:
    """Return a tensor of zeros on the device, given a NumPy type of whole numbers or floats.

    Raises:
        MemoryError: if the device has no room for it.
    """
    with _told_of_room(), torch.inference_mode(False):
        return torch.zeros(shape, dtype=getattr(torch, np.dtype(dtype).name), device=_DEVICE)


@contextmanager
def _told_of_room() -> Generator[None]:
    try:
        yield
    except torch.OutOfMemoryError as error:
        raise MemoryError(f"the GPU has no room for so many tables: take fewer ({error})") from None


def on_device(given: Any) -> Any:
    """Return a tensor on the device of a tensor, an array of another library (DLPack) or whatever makes an array."""
    with _told_of_room():
        return torch.as_tensor(given, device=_DEVICE)


def whole_numbers(given: Any) -> Any:
    """Return a tensor int64 on the device.

    Raises:
        ValueError: for numbers of another kind.
    """
    one = on_device(given)
    if one.is_floating_point() or one.is_complex() or one.dtype == torch.bool:
        raise ValueError(f"they have dtype {one.dtype}: whole numbers are needed")
    return one.to(torch.int64).contiguous()


def seen(one: Any) -> Any:
    """Return a tensor as kernels take it: the same memory."""
    return one.numpy() if SIMULATED else _cuda.as_cuda_array(one)


def records(n: int, dtype: np.dtype[Any]) -> tuple[Any, Any]:
    """Return the memory of `n` records, zeros, as a tensor of bytes [n, size] and as kernels take it."""
    memory = tensor((n, dtype.itemsize), np.uint8)
    return memory, seen(memory.reshape(-1)).view(dtype)


class Kernel:
    """A kernel for any game: compiled for a variant's type when it is first launched for one.

    Args:
        function: `function(…)` does what is to be done at the row `cuda.grid(1)`, if there is one.
    """

    def __init__(self, function: Callable[..., None]) -> None:
        self.function = function
        self.__doc__ = function.__doc__

    @cached_property
    def _dispatcher(self) -> Any:
        if SIMULATED:
            return _cuda.jit(self.function)
        made = _cuda.jit(self.function, lto=False)  # the linker would fuse what `_exact` keeps apart
        made._cache = _KernelCache(made)
        return made

    def __call__(self, rows: int, *args: Any) -> None:
        """Launch the kernel for so many rows, in PyTorch's current stream.

        Raises:
            MemoryError: if the GPU has no room for what its threads need.
        """
        known = 0 if SIMULATED else torch.cuda.current_stream().cuda_stream
        stream = _cuda.external_stream(known) if known else 0  # 0 is the default stream
        launch = self._dispatcher[-(-rows // THREADS), THREADS, stream]
        for again in (True, False):
            try:
                with _exact():
                    launch(*args)
                return
            except Exception as error:
                if "OUT_OF_MEMORY" not in str(error):
                    raise
                if not again:
                    raise MemoryError(f"the GPU has no room for the threads of {rows} tables ({error})") from None
                torch.cuda.empty_cache()  # PyTorch keeps what it has freed


kernel = Kernel
"""Make a kernel of a function."""


def _part(name: str) -> Any:
    """Return a module of numba-cuda."""
    return import_module(f"numba.cuda.{name}")


@contextmanager
def _exact() -> Generator[None]:
    """Let products and sums be rounded one by one, as the processor does, and few tables be no reason to warn.

    numba-cuda has no option of a kernel for either.
    """
    if SIMULATED:
        yield
        return
    nvvm, settings = _part("cudadrv.nvvm"), _part("core.config")
    with _one_at_a_time:
        before = nvvm.compile_ir, settings.CUDA_LOW_OCCUPANCY_WARNINGS
        nvvm.compile_ir, settings.CUDA_LOW_OCCUPANCY_WARNINGS = partial(before[0], fma=False), 0
        try:
            yield
        finally:
            nvvm.compile_ir, settings.CUDA_LOW_OCCUPANCY_WARNINGS = before


class _Packing:
    """Turns a compiled kernel into what can be pickled, and back."""

    def __init__(self, function: Any) -> None:
        pass

    def check_cachable(self, made: Any) -> bool:
        return True

    def reduce(self, made: Any) -> Any:
        return made._reduce_states()

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        return _part("dispatcher")._Kernel._rebuild(**payload)


class _KernelCache(Cache):
    """Kernels in the folder of the game whose variant is among their arguments."""

    packing = _Packing

    def processor(self, target_context: Any) -> Any:
        """Return what a kernel is compiled for."""
        compiler = _part("cudadrv.nvvm").NVVM().get_version()
        return _part("api").get_current_device().compute_capability, version("numba-cuda"), compiler, "exact"

    def made_of(self, classes: Any) -> str:
        """Return the hash of all that a kernel is made of."""
        return digest(self._compiled.py_func, classes)


def ptx(made: Kernel, args: tuple[Any, ...], capability: tuple[int, int] = (9, 0)) -> str:
    """Return a kernel's code for arguments like some, without a GPU and without NVIDIA's driver.

    Args:
        made: the kernel.
        args: NumPy arrays, numbers and named tuples of the types that it is to take.
        capability: of the GPU that is meant, as (9, 0) for an H100.
    """
    parts = [_part(name) for name in ("api", "compiler", "dispatcher")]  # each looks for the GPU at hand
    asked = [part.get_current_device for part in parts]
    for part in parts:
        part.get_current_device = lambda: SimpleNamespace(compute_capability=capability, id=0)
    try:
        with _exact():
            types = tuple(_part("typing.typeof").typeof(one) for one in args)
            return _cuda.compile(made.function, types, device=False, cc=capability, output="ptx", abi="numba")[0]
    finally:
        for part, get in zip(parts, asked, strict=True):
            part.get_current_device = get
