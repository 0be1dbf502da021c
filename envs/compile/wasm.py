"""Compilation to WebAssembly: Numba's code from before its optimiser, for addresses of 32 bits.

A process that has called `turn` compiles for WebAssembly alone: it keeps nothing and can run nothing of it.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from llvmlite import binding
from numba.core import cgutils, codegen, types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target
from numba.extending import intrinsic
from numba.np import arrayobj, numpy_support

from kozyr.envs.compile import cpu, intrinsics, wasm_file
from kozyr.envs.compile.cache import Cache
from kozyr.envs.compile.declarations import CompileError, jit
from kozyr.envs.compile.reports import explained

_TRIPLE = "wasm32-unknown-unknown"
_FEATURES = "+bulk-memory,+simd128,+sign-ext,+nontrapping-fptoint,+mutable-globals"
_HOST = re.compile(
    r'^target (triple|datalayout) = .*$|"(target-cpu|target-features|tune-cpu|probe-stack)"="[^"]*"', re.M
)
_codegen: Any = codegen
_binding: Any = binding
_types: Any = types
_support: Any = numpy_support
_target: Any = cpu_target
_build: Any = cgutils
_arrays: Any = arrayobj


def _array_at(context: Any, builder: Any, of: Any, pointer: Any, shape: tuple[int, ...]) -> Any:
    """Return code of an array of a constant shape at an address."""
    cell = context.get_data_type(of.dtype)
    width = context.get_abi_sizeof(cell)
    steps = [width * math.prod(shape[i + 1 :]) for i in range(len(shape))]
    numbers = [[context.get_constant(_types.intp, n) for n in some] for some in (shape, steps)]
    struct: Any = _arrays.make_array(of)(context, builder)
    _arrays.populate_array(
        struct,
        data=builder.bitcast(pointer, cell.as_pointer()),
        shape=_build.pack_array(builder, numbers[0]),
        strides=_build.pack_array(builder, numbers[1]),
        itemsize=context.get_constant(_types.intp, width),
        meminfo=None,
    )
    return struct._getvalue()


@intrinsic
def _array(_: Any, pointer: Any, size: Any) -> Any:
    if not isinstance(size, _types.IntegerLiteral):
        return None  # Numba asks again with the literal
    kind = _types.Array(pointer.dtype, 1, "C")

    def write(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _array_at(context, builder, kind, args[0], (size.literal_value,))

    return kind(pointer, size), write


@intrinsic
def _rows(_: Any, pointer: Any, rows: Any, columns: Any) -> Any:
    if not isinstance(rows, _types.IntegerLiteral) or not isinstance(columns, _types.IntegerLiteral):
        return None
    kind = _types.Array(pointer.dtype, 2, "C")

    def write(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _array_at(context, builder, kind, args[0], (rows.literal_value, columns.literal_value))

    return kind(pointer, rows, columns), write


array: Any = _array
"""Return the array [n] at an address, n constant; for the functions of an `Entry`."""
rows: Any = _rows
"""Return the array [n, m] at an address."""


class Entry(NamedTuple):
    """A function of a module.

    Attributes:
        function: plain Python, compiled here; it returns a whole number or nothing.
        takes: for each argument "i32", "i64", or the dtype of the array at the address given.
        gives: whether it returns a whole number.
    """

    function: Callable[..., Any]
    takes: Sequence[str | np.dtype[Any]]
    gives: bool = False


class _Source(_codegen.JITCodeLibrary):
    """Code that is neither optimised nor run."""

    def _optimize_functions(self, ll_module: Any) -> None:
        pass

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        this: Any = self
        this._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        return 0


class _Sources(_codegen.JITCPUCodegen):
    _library_class = _Source

    def set_env(self, env_name: str, env: Any) -> None:
        pass


def _run_plainly(self: Any, *args: Any) -> Any:
    return self.py_func(*args)


def turn() -> None:
    """Let this process compile for WebAssembly, once and for all; call it before anything is compiled.

    What Python itself calls then runs as plain Python.
    """
    _target.target_context._internal_codegen = _Sources("kozyr")
    Cache.keeps = False
    intrinsics.REGISTERS = False
    compiled: Any = cpu.Compiled
    compiled.__call__ = _run_plainly


def _library(entry: Entry) -> tuple[str, str]:
    """Return the name of an entry's machine function, and all code that it needs."""
    kinds = [
        getattr(_types, "int32" if one == "i32" else "int64")
        if isinstance(one, str)
        else _types.CPointer(_support.from_dtype(one))
        for one in entry.takes
    ]
    compiled: Any = jit(entry.function)
    with global_compiler_lock:
        try:
            compiled.compile(tuple(kinds))
        except Exception as error:
            raise explained(error) from error
        code = compiled.overloads[tuple(kinds)]
        code.library._ensure_finalized()  # links what it calls
    return code.fndesc.llvm_func_name, str(code.library._final_module)


def _wrapper(name: str, inner: str, entry: Entry) -> str:
    """Return code of a function that calls Numba's, which takes places for its result and its error; an error traps."""
    kinds = [one if isinstance(one, str) else "ptr" for one in entry.takes]
    parameters = ", ".join(f"{kind} %a{i}" for i, kind in enumerate(kinds))
    passed = "".join(f", {kind} %a{i}" for i, kind in enumerate(kinds))
    declared = "".join(f", {kind}" for kind in kinds)
    gives = "i32" if entry.gives else "void"
    end = "%v = load i64, ptr %r\n%n = trunc i64 %v to i32\nret i32 %n" if entry.gives else "ret void"
    return f"""
declare i32 @"{inner}"(ptr, ptr{declared})
declare void @llvm.trap()
define {gives} @{name}({parameters}) {{
%r = alloca i64
%e = alloca ptr
%s = call i32 @"{inner}"(ptr %r, ptr %e{passed})
%bad = icmp sgt i32 %s, 0
br i1 %bad, label %fails, label %fine
fails:
call void @llvm.trap()
unreachable
fine:
{end}
}}
"""


def module(entries: Mapping[str, Entry]) -> bytes:
    """Return a WebAssembly module with these functions.

    It has its memory, `memory`, and tells the first free address, `__heap_base`. It imports nothing but functions of
    `Math`, where it uses some: the import object is `{env: Math}`.

    Raises:
        CompileError: if something cannot be compiled, or needs a function that browsers do not have.
    """
    _binding.initialize_all_targets()
    _binding.initialize_all_asmprinters()
    machine = _binding.Target.from_triple(_TRIPLE).create_target_machine(opt=3, features=_FEATURES, reloc="static")
    head = f'target triple = "{_TRIPLE}"\ntarget datalayout = "{machine.target_data}"\n'
    whole = _binding.parse_assembly(head)
    for name, entry in entries.items():
        inner, code = _library(entry)
        for part in (code, _wrapper(name, inner, entry)):
            whole.link_in(_binding.parse_assembly(head + _HOST.sub("", part)))
    whole.verify()
    for one in (*whole.functions, *whole.global_variables):
        if not one.is_declaration and one.name not in entries:
            one.linkage = "internal"
    _optimise(whole, machine)
    if any(one.name.startswith("numba.dynamic.globals") for one in whole.global_variables):
        raise CompileError("the code holds an address of this machine, which no browser has")
    return wasm_file.finished(machine.emit_object(whole), set(entries))


def _optimise(whole: Any, machine: Any) -> None:
    """Optimise code as for this processor."""
    options = _binding.create_pipeline_tuning_options(speed_level=3)
    builder = _binding.create_pass_builder(machine, options)
    builder.getModulePassManager().run(whole, builder)
