"""Kernels for NVIDIA's GPUs, compiled by numba-cuda. Only this file knows it, and PyTorch, whose tensors they write.

A kernel is plain Python that calls the same functions as the processor's loops; its thread is the row. With
NUMBA_ENABLE_CUDASIM=1 and NUMBA_DISABLE_JIT=1 it runs as plain Python, for tests.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import cached_property, partial
from importlib import import_module
from importlib.metadata import version
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
    "whole",
]

THREADS = 128  # of a block
SIMULATED = bool(getattr(config, "ENABLE_CUDASIM", False))
_cuda: Any = cuda
_torch: Any = torch
_DEVICE = "cpu" if SIMULATED else "cuda"


def complaint() -> str:
    """Say what is missing for the GPU, or nothing."""
    if SIMULATED:
        return "" if INTERPRETED else "the simulator of numba-cuda runs plain Python: set NUMBA_DISABLE_JIT=1, too"
    if not torch.cuda.is_available():
        return (
            f"PyTorch {torch.__version__} finds no GPU of NVIDIA's: install a build of it for CUDA "
            "(https://pytorch.org/get-started) on a machine that has one"
        )
    if not _cuda.is_available():
        return f"numba-cuda finds no driver ({_cuda.cuda_error()}): install NVIDIA's driver"
    return ""


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
    try:
        return torch.zeros(shape, dtype=getattr(torch, np.dtype(dtype).name), device=_DEVICE)
    except torch.OutOfMemoryError as error:
        raise MemoryError(f"the GPU has no room for {shape} numbers of {dtype}: take fewer tables ({error})") from None


def on_device(given: Any) -> Any:
    """Return a tensor on the device of a tensor, an array of another library (DLPack) or whatever makes an array."""
    return torch.as_tensor(given, device=_DEVICE)


def whole(one: Any) -> bool:
    """Tell whether a tensor holds whole numbers."""
    return not (one.is_floating_point() or one.is_complex() or one.dtype == torch.bool)


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
        made: Any = _cuda.jit(self.function)
        if not SIMULATED:
            made._cache = _KernelCache(made)
        return made

    def __call__(self, rows: int, *args: Any) -> None:
        """Launch the kernel for so many rows, in PyTorch's current stream."""
        known = 0 if SIMULATED else torch.cuda.current_stream().cuda_stream
        stream = _cuda.external_stream(known) if known else 0  # 0 is the default stream
        with _exact():
            self._dispatcher[-(-rows // THREADS), THREADS, stream](*args)


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
        return _part("api").get_current_device().compute_capability, version("numba-cuda"), "exact"

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
