"""NVIDIA's GPUs, by numba-cuda and PyTorch, whose tensors kernels write. Only this file imports the two.

With NUMBA_ENABLE_CUDASIM=1 and NUMBA_DISABLE_JIT=1 kernels run as plain Python, for tests.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import numba_cuda  # noqa: F401  # pyright: ignore[reportMissingImports, reportUnusedImport]
import numpy as np
import torch
from numba import config, cuda

from kozyr.envs.compile.declarations import INTERPRETED

__all__ = [
    "SIMULATED",
    "WARP",
    "captured",
    "complaint",
    "cuda",
    "free",
    "keep",
    "kernel_array",
    "on_device",
    "part",
    "records",
    "rows",
    "stream",
    "tensor",
    "whole_numbers",
]

WARP = 32  # threads that do the same at the same time
SIMULATED = bool(getattr(config, "ENABLE_CUDASIM", False))
_cuda: Any = cuda
_DEVICE = "cpu" if SIMULATED else "cuda"


def complaint() -> str:
    """Return a sentence about the missing part if tables cannot be on a GPU, else nothing."""
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
        return "numba-cuda finds no compiler of NVIDIA's: install the extra cuda12 or cuda13 of kozyr"
    return f"numba-cuda finds no driver ({_cuda.cuda_error()}): install NVIDIA's driver"


def name() -> str:
    """Return the name of the GPU."""
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


def rows(n: int, shape: tuple[int, ...], dtype: Any) -> Any:
    """Return a tensor of zeros [n, …]; its memory goes on to a whole number of warps, for kernels that move blocks."""
    return tensor((-(-n // WARP) * WARP, *shape), dtype)[:n]


@contextmanager
def _told_of_room() -> Generator[None]:
    try:
        yield
    except torch.OutOfMemoryError as error:
        raise MemoryError(f"the GPU has no room for so many tables: take fewer ({error})") from None


def on_device(values: Any) -> Any:
    """Return a tensor on the device of a tensor, an array of another library (DLPack) or whatever makes an array."""
    with _told_of_room():
        return torch.as_tensor(values, device=_DEVICE)


def whole_numbers(values: Any) -> Any:
    """Return a tensor int64 on the device.

    Raises:
        ValueError: for numbers of another kind.
    """
    one = on_device(values)
    if one.is_floating_point() or one.is_complex() or one.dtype == torch.bool:
        raise ValueError(f"they have dtype {one.dtype}: whole numbers are needed")
    return one.to(torch.int64).contiguous()


def keep(target: Any, values: Any, where: Any) -> None:
    """Copy a tensor into another of the same size where a third one says so."""
    torch.where(where, values, target, out=target)


def kernel_array(one: Any) -> Any:
    """Return a tensor as kernels take it: the same memory."""
    return one.numpy() if SIMULATED else _cuda.as_cuda_array(one)


def records(n: int, dtype: np.dtype[Any]) -> tuple[Any, Any]:
    """Return the memory of `n` records, zeros, as a tensor of bytes [n, size] and as kernels take it."""
    memory = rows(n, (dtype.itemsize,), np.uint8)
    return memory, kernel_array(memory.reshape(-1)).view(dtype)


def part(name: str) -> Any:
    """Return a module of numba-cuda."""
    return import_module(f"numba.cuda.{name}")


def stream() -> int:
    """Return the handle of the stream that PyTorch works in: 0 is the default one."""
    return torch.cuda.current_stream().cuda_stream


def free() -> None:
    """Give back the GPU's memory that PyTorch keeps after use."""
    torch.cuda.empty_cache()


def captured(step: Callable[[], None], times: int) -> Any:
    """Return a CUDA graph that does `step` so many times when it is replayed; it is done once before, to compile."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(times):
            step()
    return graph
