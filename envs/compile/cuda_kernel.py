"""Kernels: plain Python that calls the same functions as the processor's loops, and whose thread is the row.

numba-cuda compiles them. A kernel's code is kept like all compiled code.
"""

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from functools import cache, cached_property, partial
from importlib.metadata import version
from threading import RLock
from types import SimpleNamespace
from typing import Any

from llvmlite import ir
from numba import types

from kozyr.envs.compile.cache import Cache
from kozyr.envs.compile.cuda import SIMULATED, WARP, cuda, free, part, stream
from kozyr.envs.compile.declarations import compiler, target_of
from kozyr.envs.compile.fingerprint import digest

_cuda: Any = cuda
_ir: Any = ir
_THREADS = 128  # of a block that keeps no tables on the chip
_INTP: Any = types.intp
_MAIN, _WHOLE = 1, 16  # NVIDIA's number for the main memory; bytes that it gives at once
_ON_CHIP = 48 * 1024  # bytes of its memory that a block gets without asking
_one_at_a_time = RLock()


class Kernel:
    """A kernel for any game: compiled for a variant's type when it is first launched for one.

    Args:
        function: `function(…)` does what is to be done at the row `cuda.grid(1)`, if there is one.
        staged: tells from the arguments which arrays [N, …] the kernel keeps in the memory on the chip.
    """

    def __init__(self, function: Callable[..., None], staged: Callable[..., tuple[Any, ...]] | None = None) -> None:
        self.function, self.staged = function, staged
        self.__doc__ = function.__doc__

    @cached_property
    def _dispatcher(self) -> Any:
        if SIMULATED:
            return _cuda.jit(self.function)
        dispatcher = _cuda.jit(self.function, lto=False)  # the linker would fuse what `_exact` keeps apart
        dispatcher._cache = _KernelCache(dispatcher)
        return dispatcher

    def __call__(self, rows: int, *args: Any) -> None:
        """Launch the kernel for so many rows; see `Launch`."""
        self.bound(rows, *args)()

    def bound(self, rows: int, *args: Any) -> Callable[[], None]:
        """Compile the kernel if need be and return what launches it for these arguments, as often as it is called."""
        threads, memory = self._block(args)
        if SIMULATED:
            return partial(self._dispatcher[-(-rows // threads), threads], *args)
        return Launch(self.compiled(args), rows, threads, memory, args)

    def compiled(self, args: tuple[Any, ...]) -> Any:
        """Return numba-cuda's kernel for arguments of these types."""
        with _exact():
            return self._dispatcher.compile(_types(args))

    def _block(self, args: tuple[Any, ...]) -> tuple[int, int]:
        """Return the threads of a block and its bytes on the chip."""
        if self.staged is None or SIMULATED:
            return _THREADS, 0
        row = sum(array.strides[0] for array in self.staged(*args))
        threads = WARP if row * WARP <= _ON_CHIP else WARP // 2
        return threads, row * threads


def kernel(staged: Callable[..., tuple[Any, ...]] | None = None) -> Callable[[Callable[..., None]], Kernel]:
    """Make a kernel of a function; see `Kernel`."""
    return partial(Kernel, staged=staged)


class Launch:
    """A compiled kernel and its arguments, which stay where they are: numba-cuda would look at their types each time.

    Args:
        compiled: numba-cuda's kernel; rows: how many there are.
        threads: of a block; memory: bytes of a block on the chip.
        args: the arguments.
    """

    def __init__(self, compiled: Any, rows: int, threads: int, memory: int, args: tuple[Any, ...]) -> None:
        self._args, self._rows = args, rows  # whose memory must live as long as this
        function = compiled._codelibrary.get_cufunc()
        self._kernel = function.kernel
        if memory > _ON_CHIP:
            driver = part("cudadrv.driver")
            attribute = driver.binding.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            driver.driver.cuKernelSetAttribute(attribute, memory, function.handle, function.device.id)
        self._values = list[Any]()
        for kind, one in zip(compiled.argument_types, args, strict=True):
            compiled._prepare_args(kind, one, 0, [], self._values)
        module = part("dispatcher")
        self._launch = module.launch
        self._how = module.LaunchConfig(grid=-(-rows // threads), block=threads, shmem_size=memory)

    def __call__(self) -> None:
        """Launch the kernel in PyTorch's current stream.

        Raises:
            MemoryError: if the GPU has no room for what its threads need.
        """
        for again in (True, False):
            try:
                self._launch(_stream(stream()), self._how, self._kernel, *self._values)
                return
            except Exception as error:
                if "OUT_OF_MEMORY" not in str(error):
                    raise
                if not again:
                    raise MemoryError(f"the GPU has no room for the threads of {self._rows} tables ({error})") from None
                free()


@cache
def _stream(handle: int) -> Any:
    """Return a stream as launches take it."""
    return part("cudadrv.driver")._to_core_stream(_cuda.external_stream(handle) if handle else 0)


def _types(args: tuple[Any, ...]) -> tuple[Any, ...]:
    typeof = part("typing.typeof").typeof
    return tuple(typeof(one) for one in args)


@cache
def _resolve_deferred() -> None:
    """Let kernels call functions that are deferred: numba-cuda compiles the plain functions of Numba's dispatchers."""
    context = part("target").CUDATypingContext
    before = context.resolve_value_type

    def resolve(self: Any, value: Any) -> Any:
        return before(self, target_of(value))

    context.resolve_value_type = resolve


@contextmanager
def _exact() -> Generator[None]:
    """Compile so that products and sums are rounded one by one, as the processor does, and tables may be large.

    NVIDIA's memory for constants holds 64 kB; beyond that the assembler refuses a kernel. Threads that read different
    places of it wait for each other, too. So constant arrays go to the main memory. numba-cuda has no option of a
    kernel for either.
    """
    compiler()  # numba-cuda must know all declarations, too
    _resolve_deferred()
    nvvm, context = part("cudadrv.nvvm"), part("target").CUDATargetContext
    with _one_at_a_time:
        before = nvvm.compile_ir, context.make_constant_array
        nvvm.compile_ir, context.make_constant_array = partial(before[0], fma=False), _constant_array
        try:
            yield
        finally:
            nvvm.compile_ir, context.make_constant_array = before


def _constant_array(context: Any, builder: Any, kind: Any, array: Any) -> Any:
    """Return an array that never changes, in the GPU's main memory."""
    content = _ir.Constant(_ir.ArrayType(_ir.IntType(8), array.nbytes), bytearray(array.tobytes()))
    name = builder.module.get_unique_name("kozyr_table")
    memory = _ir.GlobalVariable(builder.module, content.type, name, addrspace=_MAIN)
    memory.linkage, memory.global_constant, memory.initializer, memory.align = "internal", True, content, _WHOLE
    place = builder.addrspacecast(memory, _ir.IntType(8).as_pointer())
    struct = context.make_array(kind)(context, builder)
    context.populate_array(
        struct,
        data=builder.bitcast(place, struct.data.type),
        shape=[context.get_constant(_INTP, one) for one in array.shape],
        strides=[context.get_constant(_INTP, one) for one in array.strides],
        itemsize=struct.itemsize,
        parent=struct.parent,
        meminfo=None,
    )
    return struct._getvalue()


class _Packing:
    """Turns a compiled kernel into what can be pickled, and back."""

    def __init__(self, function: Any) -> None:
        pass

    def check_cachable(self, code: Any) -> bool:
        return True

    def reduce(self, code: Any) -> Any:
        """Return the parts of a kernel but the source of its machine code, which takes fifty times the room."""
        library = code._codelibrary
        library._llvm_strs, library._ptx_cache = [], {}
        return code._reduce_states()

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        return part("dispatcher")._Kernel._rebuild(**payload)


class _KernelCache(Cache):
    """Kernels in the folder of the game whose variant is among their arguments."""

    locks = False  # numba-cuda does not tell when a compilation has failed
    packing = _Packing

    def processor(self, target_context: Any) -> Any:
        """Return the target that a kernel is compiled for."""
        nvvm = part("cudadrv.nvvm").NVVM().get_version()
        return tuple(part("api").get_current_device().compute_capability), version("numba-cuda"), nvvm, "exact"

    def made_of(self, classes: Iterator[type]) -> str:
        """Return the hash of all that a kernel is made of."""
        return digest(self._compiled.py_func, classes)


@contextmanager
def for_capability(capability: tuple[int, int]) -> Generator[None]:
    """Compile for a GPU of this compute capability, whatever is at hand: no driver is needed."""
    parts = [part(name) for name in ("api", "compiler", "dispatcher")]  # each looks for the GPU at hand
    originals = [one.get_current_device for one in parts]
    for one in parts:
        one.get_current_device = lambda: SimpleNamespace(compute_capability=capability, id=0)
    try:
        yield
    finally:
        for one, get in zip(parts, originals, strict=True):
            one.get_current_device = get


def ptx(function: Kernel, args: tuple[Any, ...], capability: tuple[int, int] = (9, 0)) -> str:
    """Return a kernel's code for arguments like some, without a GPU and without NVIDIA's driver.

    Args:
        function: the kernel.
        args: NumPy arrays, numbers and named tuples of the types that it is to take.
        capability: of the GPU that is meant, as (9, 0) for an H100.
    """
    with for_capability(capability), _exact():
        return _cuda.compile(function.function, _types(args), device=False, cc=capability, output="ptx", abi="numba")[0]
