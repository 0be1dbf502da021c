"""Compiled code behind one face: for this machine's processor, or interpreted with NUMBA_DISABLE_JIT=1.

Nothing else in kozyr imports Numba.
"""

from kozyr.envs.compile.cache import Mark
from kozyr.envs.compile.cache_dirs import folder
from kozyr.envs.compile.cpu import INTERPRETED
from kozyr.envs.compile.errors import CompileError
from kozyr.envs.compile.fingerprint import by_type, compilable, constructs, owns
from kozyr.envs.compile.progress import compiled
from kozyr.envs.compile.specialise import reaches, twin

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
    from kozyr.envs.compile.bit_words import count_bits, read_bits, write_bits, write_word
    from kozyr.envs.compile.cpu import (
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
