"""An error of pydantic's as a sentence: where, which key, its value, what is allowed, and perhaps what was meant."""

import difflib
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from kozyr.envs.table.files import cut

_KINDS = {"boolean": "true or false", "string": "a text", "integer": "a whole number", "number": "a number"}


def sentence(model: type[BaseModel], given: Mapping[str, Any], error: Mapping[str, Any], where: str) -> str:
    """Return what is wrong.

    Args:
        model: what the settings are checked by; given: the settings.
        error: one of pydantic's errors.
        where: the file and the table, or nothing.
    """
    path = [key for key in error["loc"] if isinstance(key, str) and key != "[key]"]  # a list is told as a whole
    *tables, key = path
    whole = schema = model.model_json_schema()
    value, keys = given, list[str]()
    for each in path:
        keys = list(schema.get("properties", {}))
        value, schema = value[each], _inside(schema, each, whole)
    at = f"{' '.join([where, *tables])}: " if where else ""
    if error["type"] == "extra_forbidden":
        close = difflib.get_close_matches(key, keys, 1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        return f"{at}unknown key {key!r}.{hint} The keys are: {', '.join(keys)}"
    return f"{at}{key}={cut(repr(value), 300)} is not allowed: {key} is {_allowed(schema)}"


def _inside(schema: dict[str, Any], key: str, whole: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON schema of a key, without the choice of leaving it out."""
    found = schema.get("properties", {}).get(key) or schema.get("additionalProperties") or {}
    found = found.get("anyOf", [found])[0]
    return whole["$defs"][found["$ref"].rpartition("/")[2]] if "$ref" in found else found


def _allowed(schema: dict[str, Any]) -> str:
    """Say in words what a key may hold."""
    if "items" in schema:
        few = f" of up to {schema['maxItems']}" if "maxItems" in schema else ""
        return f"a list{few}, each entry {_allowed(schema['items'])}"
    if "enum" in schema:
        return "one of " + ", ".join(map(repr, schema["enum"]))
    above, low, high = (schema.get(key) for key in ("exclusiveMinimum", "minimum", "maximum"))
    words = _KINDS.get(schema["type"], "a table of keys")
    words += "" if above is None else f" above {above:g}"
    words += "" if low is None else f" from {low:g}"
    return words + (f" to {high}" if high is not None else " up" if low is not None else "")
