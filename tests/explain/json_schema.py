"""Check an object against the JSON schema keywords that docs/guides/explain.schema.json uses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["violations"]

_TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
    "null": type(None),
}
_KEYWORDS = {
    *("$schema", "$defs", "$ref", "title", "description"),
    *("type", "const", "enum", "anyOf", "items", "properties", "required", "additionalProperties"),
}

_Schema = Mapping[str, Any]


def violations(instance: object, schema: _Schema, root: _Schema, path: str = "$") -> Iterator[str]:
    """Yield each violation of a schema, and each keyword that this function does not check.

    Args:
        instance: What json.loads returned.
        schema: The schema.
        root: The schema with the definitions.
        path: The position of the instance, for messages.
    """
    yield from (f"{path}: {keyword} is not checked" for keyword in schema.keys() - _KEYWORDS)
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/$defs/")
        yield from violations(instance, root["$defs"][name], root, path)
    if "anyOf" in schema:
        branches = [list(violations(instance, branch, root, path)) for branch in schema["anyOf"]]
        if all(branches):
            yield from branches[0]
    if "const" in schema and instance != schema["const"]:
        yield f"{path}: {instance!r} is not {schema['const']!r}"
    if "enum" in schema and instance not in schema["enum"]:
        yield f"{path}: {instance!r} is not one of {schema['enum']}"
    if "type" in schema:
        names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        if not any(isinstance(instance, _TYPES[name]) for name in names):
            yield f"{path}: {instance!r} is not of type {' or '.join(names)}"
            return
    if isinstance(instance, list):
        for index, item in enumerate(instance):
            yield from violations(item, schema.get("items", {}), root, f"{path}[{index}]")
    if isinstance(instance, dict):
        yield from _property_violations(instance, schema, root, path)


def _property_violations(
    instance: Mapping[str, object], schema: _Schema, root: _Schema, path: str
) -> Iterator[str]:
    properties = schema.get("properties", {})
    additional = schema.get("additionalProperties", {})
    missing = [key for key in schema.get("required", []) if key not in instance]
    yield from (f"{path}: {key} is missing" for key in missing)
    for key, value in instance.items():
        if key in properties:
            yield from violations(value, properties[key], root, f"{path}.{key}")
        elif additional is False:
            yield f"{path}: {key} is not in the schema"
        else:
            yield from violations(value, additional, root, f"{path}.{key}")
