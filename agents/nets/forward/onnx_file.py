"""Reader of ONNX files, which are protobuf, as far as networks need it. Numbers of fields are those of onnx.proto."""

from collections.abc import Iterator
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_VARINT, _EIGHT_BYTES, _BYTES, _FOUR_BYTES = 0, 1, 2, 5  # wire types
_FLOAT = 1
_TYPES = {
    _FLOAT: np.float32,
    2: np.uint8,
    3: np.int8,
    4: np.uint16,
    5: np.int16,
    6: np.int32,
    7: np.int64,
    9: np.bool_,
    11: np.float64,
}
_MODEL = {"graph": 7, "metadata": 14, "functions": 25}
_GRAPH = {"nodes": 1, "constants": 5, "inputs": 11, "outputs": 12}
_TENSOR, _OUTSIDE, _PLACE = "tensor", 13, 14  # a tensor's fields for numbers in another file
_PARTS = {  # fields of a message that may hold tensors, and which messages they are
    "model": {7: "graph", 20: "training", 25: "function"},
    "training": {1: "graph", 2: "graph"},
    "graph": {1: "node", 5: _TENSOR, 15: "sparse"},
    "function": {7: "node", 11: "attribute"},
    "node": {5: "attribute"},
    "attribute": {5: _TENSOR, 6: "graph", 10: _TENSOR, 11: "graph", 22: "sparse", 23: "sparse"},
    "sparse": {1: _TENSOR, 2: _TENSOR},
    _TENSOR: {},
}
_NESTED = 64  # graphs within graphs, at most
_BITS = 64
_LONGEST = 10  # bytes of a whole number
_DEEPEST = 12  # dimensions of a tensor

Fields = dict[int, list[Any]]  # of a message: whole numbers, or bytes


class UnsupportedError(ValueError):
    """Raised for what ONNX allows and only other runtimes know."""


class Node(NamedTuple):
    """Operation of a network on named tensors."""

    kind: str
    inputs: list[str]  # "" where one is left out
    outputs: list[str]
    attributes: dict[str, Any]


class End(NamedTuple):
    """Input or output of a network."""

    name: str
    dtype: Any  # NumPy's type, or None where it is another one
    shape: list[int | str]  # a name stands for a size that is free


class Network(NamedTuple):
    """Content of an ONNX file."""

    nodes: list[Node]
    constants: dict[str, NDArray[Any]]
    inputs: list[End]
    outputs: list[End]
    metadata: dict[str, str]


def read(content: bytes) -> Network:
    """Return the network in an ONNX file.

    Raises:
        UnsupportedError: if something is not read here.
        ValueError: if it is damaged, or keeps numbers in other files, which are never read.
    """
    try:
        model = _group(memoryview(content))
        _require("graph" in _field_names(model, _MODEL), "it holds no network")
        if _MODEL["functions"] in model:
            raise UnsupportedError("it has functions of its own, which are not known here")
        graph = _group(model[_MODEL["graph"]][0])
        constants = dict(_constant(_group(one)) for one in graph.get(_GRAPH["constants"], []))
        return Network(
            [_node(_group(one)) for one in graph.get(_GRAPH["nodes"], [])],
            constants,
            [one for one in _ends(graph.get(_GRAPH["inputs"], [])) if one.name not in constants],
            list(_ends(graph.get(_GRAPH["outputs"], []))),
            dict(_pair(_group(one)) for one in model.get(_MODEL["metadata"], [])),
        )
    except UnicodeDecodeError:
        raise ValueError("it holds names that are no text") from None
    except (TypeError, AttributeError):  # a number where bytes belong, or the other way round
        raise ValueError("its fields have not the types of ONNX") from None


def require_one_file(content: bytes) -> None:
    """Raise ValueError if a tensor's numbers lie in another file, also in a part that is not read here.

    Other runtimes would read that file: from whatever folder, past each limit of size, and no digest covers it.
    """
    waiting: list[tuple[str, Any, int]] = [("model", memoryview(content), 0)]
    while waiting:
        kind, message, depth = waiting.pop()
        _require(isinstance(message, memoryview), "its fields have not the types of ONNX")
        _require(depth < _NESTED, "its graphs are nested too deeply")
        fields = _group(message)
        if kind == _TENSOR and (_OUTSIDE in fields or any(fields.get(_PLACE, []))):
            raise ValueError("it keeps numbers in another file, which is never read: save it as one file")
        parts = _PARTS[kind].items()
        waiting += [(part, one, depth + 1) for number, part in parts for one in fields.get(number, [])]


def numpy_type(number: int) -> Any:
    """Return NumPy's type for one of ONNX's.

    Raises:
        UnsupportedError: if it is not read here.
    """
    if number not in _TYPES:
        raise UnsupportedError(f"its numbers of type {number} cannot be read here")
    return _TYPES[number]


def _require(fine: bool, why: str) -> None:
    if not fine:
        raise ValueError(why)


def _field_names(fields: Fields, names: dict[str, int]) -> set[str]:
    """Return the names of the fields that a message has."""
    return {name for name, number in names.items() if number in fields}


def _node(fields: Fields) -> Node:
    inputs, outputs = ([str(one, "utf-8") for one in fields.get(side, [])] for side in (1, 2))
    return Node(_text(fields, 4), inputs, outputs, dict(_attribute(_group(one)) for one in fields.get(5, [])))


def _attribute(fields: Fields) -> tuple[str, Any]:
    """Return the name of an attribute and its value: a number, whole numbers, a text, or a tensor."""
    name = _text(fields, 1)
    if 2 in fields:
        return name, float(np.frombuffer(fields[2][0], "<f4", 1)[0])
    if 3 in fields:
        return name, _signed(fields[3][0])
    if 4 in fields:
        return name, _text(fields, 4)
    if 5 in fields:
        return name, _constant(_group(fields[5][0]))[1]
    if 8 in fields:
        return name, _numbers(fields[8])
    raise UnsupportedError(f"its attribute {name} is of a kind that is not known here")


def _constant(fields: Fields) -> tuple[str, NDArray[Any]]:
    """Return the name of a tensor and its numbers."""
    name, shape = _text(fields, 8), _numbers(fields.get(1, []))
    _require(13 not in fields and not fields.get(14, [0])[0], f"its constant {name} lies in another file")
    _require(2 in fields, f"its constant {name} has no type")
    _require(len(shape) <= _DEEPEST and all(size >= 0 for size in shape), f"its constant {name} has no such shape")
    dtype = np.dtype(numpy_type(fields[2][0]))
    if 9 in fields:
        raw = bytes(fields[9][0])
        _require(len(raw) % dtype.itemsize == 0, "it ends too early")
        data = np.frombuffer(raw, dtype.newbyteorder("<")).astype(dtype)
    elif dtype == np.float32:
        data = np.concatenate([np.frombuffer(one, "<f4") for one in fields.get(4, [])] or [np.zeros(0, dtype)])
    elif dtype == np.float64:
        data = np.concatenate([np.frombuffer(one, "<f8") for one in fields.get(10, [])] or [np.zeros(0, dtype)])
    else:
        data = np.array(_numbers(fields.get(7) or fields.get(5, [])), np.int64).astype(dtype)
    _require(data.size == prod(shape), f"its constant {name} has {data.size} numbers, and the shape {shape}")
    return name, data.reshape(shape)


def _ends(messages: list[Any]) -> Iterator[End]:
    """Yield inputs or outputs."""
    for fields in map(_group, messages):
        tensor = _inner(_inner(fields, 2), 1)
        shape = [_size(_group(one)) for one in _inner(tensor, 2).get(1, [])]
        yield End(_text(fields, 1), _TYPES.get(tensor.get(1, [0])[0]), shape)


def _size(fields: Fields) -> int | str:
    return _signed(fields[1][0]) if 1 in fields else _text(fields, 2)


def _inner(fields: Fields, number: int) -> Fields:
    """Return a message in a message; an empty one where there is none."""
    return _group(fields[number][0]) if number in fields else {}


def _pair(fields: Fields) -> tuple[str, str]:
    return _text(fields, 1), _text(fields, 2)


def _text(fields: Fields, number: int) -> str:
    return str(fields[number][0], "utf-8") if number in fields else ""


def _numbers(values: list[Any]) -> list[int]:
    """Return repeated whole numbers, of which a field has one or many."""
    numbers: list[int] = []
    for one in values:
        if isinstance(one, int):
            numbers.append(_signed(one))
            continue
        at = 0
        while at < len(one):
            value, at = _varint(one, at)
            numbers.append(_signed(value))
    return numbers


def _signed(value: int) -> int:
    """Return a number of 64 bits, of which the highest is its sign."""
    value &= (1 << _BITS) - 1
    return value - (value >> (_BITS - 1) << _BITS)


def _group(message: memoryview) -> Fields:
    """Return the values of a message's fields by their numbers: whole numbers, or bytes."""
    fields: Fields = {}
    at = 0
    while at < len(message):
        tag, at = _varint(message, at)
        value, at = _field(message, at, tag & 7)
        fields.setdefault(tag >> 3, []).append(value)
    return fields


def _field(message: memoryview, at: int, wire: int) -> tuple[Any, int]:
    """Return the value of a field and where the next one begins."""
    if wire == _VARINT:
        return _varint(message, at)
    sizes = {_EIGHT_BYTES: 8, _FOUR_BYTES: 4}
    _require(wire == _BYTES or wire in sizes, f"it has a field of kind {wire}")
    size, at = _varint(message, at) if wire == _BYTES else (sizes[wire], at)
    _require(at + size <= len(message), "it ends too early")
    return message[at : at + size], at + size


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    """Return a whole number, seven bits a byte, and where the next field begins."""
    value = 0
    for i in range(_LONGEST):
        _require(at + i < len(message), "it ends too early")
        byte = message[at + i]
        value |= (byte & 127) << (7 * i)
        if byte < 128:
            return value, at + i + 1
    raise ValueError("it has a number of more than 64 bits")
