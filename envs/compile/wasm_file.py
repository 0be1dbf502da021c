"""WebAssembly modules: an object file of LLVM made into a module that a browser loads, without a linker.

Source: the WebAssembly core specification (binary format), and "WebAssembly Object File Linking" of the tool
conventions, https://github.com/WebAssembly/tool-conventions/blob/main/Linking.md
"""

from collections.abc import Iterator

from kozyr.envs.compile.declarations import CompileError

CUSTOM, TYPES, IMPORTS, FUNCTIONS, TABLES, MEMORY, GLOBALS, EXPORTS, START, ELEMENTS, CODE, DATA, COUNT = range(13)
_ORDER = (TYPES, IMPORTS, FUNCTIONS, TABLES, MEMORY, GLOBALS, EXPORTS, START, ELEMENTS, COUNT, CODE, DATA)
_FUNCTION, _TABLE, _MEMORY, _GLOBAL = range(4)  # kinds of imports and exports
_SYMBOLS, _UNDEFINED, _NAMED = 8, 0x10, 0x40  # a subsection of "linking", and flags of its symbols
MATHS = frozenset(("cos", "exp", "log", "pow", "sin", "tan", "tanh"))  # functions that every browser has in `Math`
_I32_CONST, _END, _I32, _MUTABLE = 0x41, 0x0B, 0x7F, 1
STACK = 1 << 20  # bytes, below which the data lie
PAGE = 1 << 16


def number(n: int) -> bytes:
    """Return a whole number from 0 on as LEB128."""
    data = bytearray()
    while n > 127:
        data.append(n & 127 | 128)
        n >>= 7
    return bytes([*data, n])


def signed(n: int) -> bytes:
    """Return a whole number as signed LEB128."""
    data = bytearray()
    while not -64 <= n < 64:
        data.append(n & 127 | 128)
        n >>= 7
    return bytes([*data, n & 127])


class Reader:
    """Reads a section from its beginning to its end; the methods have the names of the specification."""

    def __init__(self, content: bytes, at: int = 0) -> None:
        self.content, self.at = content, at

    def __bool__(self) -> bool:
        return self.at < len(self.content)

    def byte(self) -> int:
        """Read 8 bits."""
        self.at += 1
        return self.content[self.at - 1]

    def number(self) -> int:
        """Read a whole number from 0 on in LEB128."""
        total = shift = 0
        while (part := self.byte()) & 128:
            total |= (part & 127) << shift
            shift += 7
        return total | part << shift

    def bytes(self, n: int) -> bytes:
        """Read so many bytes."""
        self.at += n
        return self.content[self.at - n : self.at]

    def text(self) -> str:
        """Read a name."""
        return self.bytes(self.number()).decode()

    def limits(self) -> None:
        """Skip the least and the greatest size of a memory or a table."""
        if self.byte() & 1:
            self.number()
        self.number()


def _sections(object_file: bytes) -> Iterator[tuple[int, bytes]]:
    reader = Reader(object_file, 8)
    while reader:
        kind = reader.byte()
        yield kind, reader.bytes(reader.number())


def _symbols(custom: bytes) -> dict[str, int]:
    """Return the functions that a "linking" section defines: number by name."""
    reader, symbols = Reader(custom), dict[str, int]()
    reader.number()  # the version
    while reader:
        kind, size = reader.byte(), reader.number()
        part = Reader(reader.bytes(size))
        for _ in range(part.number() if kind == _SYMBOLS else 0):
            what, flags = part.byte(), part.number()
            if what == 1:  # data
                part.text()
                if not flags & _UNDEFINED:
                    for _ in range(3):  # segment, offset, size
                        part.number()
                continue
            index = part.number()
            if what != 3 and (not flags & _UNDEFINED or flags & _NAMED):  # 3: a section has no name
                name = part.text()
                if what == 0 and not flags & _UNDEFINED:
                    symbols[name] = index
    return symbols


def imports(section: bytes) -> tuple[bytes, list[str]]:
    """Return the functions that a module imports, as a section and by name.

    Memory, table and stack pointer, which an object file imports too, are left out: the module has its own.

    Raises:
        CompileError: if it asks for anything else.
    """
    reader, functions, names = Reader(section), list[bytes](), list[str]()
    for _ in range(reader.number()):
        begin = reader.at
        reader.text()
        name, kind = reader.text(), reader.byte()
        if kind == _FUNCTION:
            reader.number()
            functions.append(section[begin : reader.at])
            names.append(name)
        elif kind == _GLOBAL:
            reader.bytes(2)
            if name != "__stack_pointer":
                raise CompileError(f"no browser has the global {name!r}")
        else:
            if kind == _TABLE:
                reader.byte()
            reader.limits()
    return number(len(functions)) + b"".join(functions), names


def _end_of_data(section: bytes) -> int:
    """Return the first address behind the data."""
    reader, end = Reader(section), 0
    for _ in range(reader.number()):
        reader.number()
        reader.byte()
        at = reader.number()  # an address below 2³¹ that LLVM has written with room for five bytes
        reader.byte()
        size = reader.number()
        reader.bytes(size)
        end = max(end, at + size)
    return end


def finished(object_file: bytes, names: set[str]) -> bytes:
    """Return a module that exports the functions named, its memory, and `__heap_base`, the first free address."""
    parts, symbols = dict[int, bytes](), dict[str, int]()
    for kind, content in _sections(object_file):
        if kind != CUSTOM:
            parts[kind] = content
        elif (custom := Reader(content)).text() == "linking":
            symbols = _symbols(content[custom.at :])
    parts[IMPORTS], missing = imports(parts.get(IMPORTS, b"\0"))
    if unknown := sorted(set(missing) - MATHS):
        raise CompileError(f"no browser has the functions {', '.join(unknown)}")
    stack = -(-_end_of_data(parts.get(DATA, b"\0")) // 16) * 16 + STACK
    pages = stack // PAGE + 1
    parts[MEMORY] = bytes([1, 0]) + number(pages)
    changing = bytes([_I32, _MUTABLE, _I32_CONST]) + signed(stack) + bytes([_END])
    fixed = bytes([_I32, 0, _I32_CONST]) + signed(stack) + bytes([_END])
    parts[GLOBALS] = number(2) + changing + fixed
    exports = [(name, _FUNCTION, symbols[name]) for name in sorted(names)]
    exports += [("memory", _MEMORY, 0), ("__heap_base", _GLOBAL, 1)]
    parts[EXPORTS] = number(len(exports)) + b"".join(
        number(len(name)) + name.encode() + bytes([kind]) + number(index) for name, kind, index in exports
    )
    sections = [(kind, parts[kind]) for kind in _ORDER if kind in parts]
    return object_file[:8] + b"".join(bytes([kind]) + number(len(one)) + one for kind, one in sections)
