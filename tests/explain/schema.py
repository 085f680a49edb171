"""Check an object against the JSON schema keywords that docs/guides/explain.schema.json uses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "null": type(None),
}
_WORDS = {
    *("$schema", "$defs", "$ref", "title", "description"),
    *("type", "const", "enum", "anyOf", "items", "properties", "required", "additionalProperties"),
}


def mistakes(found: Any, schema: dict[str, Any], root: dict[str, Any], path: str = "$") -> Iterator:
    """Yield where an object is not what the schema says, and words that are not checked here."""
    yield from (f"{path}: {word} is not checked" for word in schema.keys() - _WORDS)
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/$defs/")
        yield from mistakes(found, root["$defs"][name], root, path)
    if "anyOf" in schema:
        ways = [list(mistakes(found, way, root, path)) for way in schema["anyOf"]]
        if all(ways):
            yield from ways[0]
    if "const" in schema and found != schema["const"]:
        yield f"{path}: {found!r} is not {schema['const']!r}"
    if "enum" in schema and found not in schema["enum"]:
        yield f"{path}: {found!r} is none of {schema['enum']}"
    if "type" in schema:
        names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        if not any(isinstance(found, _TYPES[name]) for name in names):
            yield f"{path}: {found!r} is no {' or '.join(names)}"
            return
    if isinstance(found, list):
        for index, item in enumerate(found):
            yield from mistakes(item, schema.get("items", {}), root, f"{path}[{index}]")
    if isinstance(found, dict):
        yield from _keys(found, schema, root, path)


def _keys(
    found: dict[str, Any], schema: dict[str, Any], root: dict[str, Any], path: str
) -> Iterator[str]:
    known = schema.get("properties", {})
    yield from (
        f"{path}: {key} is missing" for key in schema.get("required", []) if key not in found
    )
    for key, value in found.items():
        other = schema.get("additionalProperties", {})
        if key in known:
            yield from mistakes(value, known[key], root, f"{path}.{key}")
        elif other is False:
            yield f"{path}: {key} is not in the schema"
        else:
            yield from mistakes(value, other, root, f"{path}.{key}")
