"""Compilation: functions compiled for this machine's processor, or interpreted with NUMBA_DISABLE_JIT=1.

Nothing else in kozyr imports Numba. It is loaded by the first call of a compiled function, not by this import.
"""

from typing import TYPE_CHECKING, Any

from kozyr.envs.compile.cache_files import folder
from kozyr.envs.compile.declarations import (
    INTERPRETED,
    CompileError,
    by_type,
    compilable,
    compiled,
    constructs,
    fixes,
    owns,
    reaches,
    twin,
)

if TYPE_CHECKING:
    from kozyr.envs.compile.cache import Mark

if INTERPRETED:
    from kozyr.envs.compile.interpreted import (
        count_bits,
        entry,
        fast,
        highest_bit,
        inlined,
        jit,
        lowest_bit,
        merged,
        once,
        packed,
        read_bits,
        stack_array,
        unpacker,
        write_bits,
        write_word,
    )
else:
    from kozyr.envs.compile.declarations import (
        count_bits,
        entry,
        fast,
        highest_bit,
        inlined,
        jit,
        lowest_bit,
        merged,
        once,
        packed,
        read_bits,
        stack_array,
        unpacker,
        write_bits,
        write_word,
    )

__all__ = [
    "INTERPRETED",
    "CompileError",
    "Mark",
    "by_type",
    "compilable",
    "compiled",
    "constructs",
    "count_bits",
    "entry",
    "fast",
    "fixes",
    "folder",
    "highest_bit",
    "inlined",
    "jit",
    "lowest_bit",
    "merged",
    "once",
    "owns",
    "packed",
    "reaches",
    "read_bits",
    "stack_array",
    "twin",
    "unpacker",
    "write_bits",
    "write_word",
]


def __getattr__(name: str) -> Any:
    if name == "Mark":
        from kozyr.envs.compile.cache import Mark

        return Mark
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
