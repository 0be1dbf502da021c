"""Compiled code behind one face: for this machine's processor, or interpreted with NUMBA_DISABLE_JIT=1.

Nothing else in kozyr imports Numba.
"""

from kozyr.envs.core.compile.cache import Mark
from kozyr.envs.core.compile.contents import by_type, compilable, constructs, owns
from kozyr.envs.core.compile.cpu import INTERPRETED
from kozyr.envs.core.compile.errors import CompileError
from kozyr.envs.core.compile.folders import folder
from kozyr.envs.core.compile.progress import compiled
from kozyr.envs.core.compile.twin import reaches, twin

if INTERPRETED:
    from kozyr.envs.core.compile.interpreted import (
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
    from kozyr.envs.core.compile.cpu import (
        entry,
        fast,
        highest_bit,
        inlined,
        jit,
        lowest_bit,
        merged,
        once,
        packed,
        stack_array,
        unpacker,
    )
    from kozyr.envs.core.compile.wide import count_bits, read_bits, write_bits, write_word

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
