"""Check TOML tables against dataclasses: known keys, values of their type, a source for each row.

    [sources]
    amd = "AMD Instinct MI300 ISA reference guide, LDS and wavefront size"

    [facts]                                                # read_facts: one row per fact
    threads_per_warp = { value = 64, source = "amd" }

    [rows]                                                 # read_row: one row per object
    matrix = [{ name = "mfma.f32.32x32x8f16", m = 32, …, source = "amd" }]

The annotation of the dataclass field gives the type of a value. Unknown or missing keys, values of
another type, sources that are not listed, and anything else where a table belongs are errors.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeAlias, TypeVar, overload

from msgspec import Struct

from weft.errors import WeftError, did_you_mean

__all__ = [
    "Sources",
    "Tables",
    "check_choice",
    "check_exact_keys",
    "check_keys",
    "check_source",
    "field_types",
    "parse_toml",
    "read_facts",
    "read_facts_and_rows",
    "read_list",
    "read_row",
    "read_rows",
    "read_sourced_row",
    "read_sources",
    "read_value",
]

Row = TypeVar("Row", bound=Struct)
Sources: TypeAlias = Mapping[str, str]
Tables: TypeAlias = dict[str, object]

# Annotation of a field → TOML types of the value, type of a list's items, words for messages.
_TYPES: Mapping[str, tuple[tuple[type, ...], type | None, str]] = {
    "int": ((int,), None, "an integer"),
    "str": ((str,), None, "a string"),
    "bool": ((bool,), None, "true or false"),
    "int | str": ((int, str), None, "an integer or a string"),
    "tuple[int, ...]": ((list,), int, "a list of integers"),
    "tuple[str, ...]": ((list,), str, "a list of strings"),
}


def parse_toml(text: str | Tables, file: str) -> Tables:
    """Parse the text of a file; tables that are parsed already pass through.

    Args:
        text: TOML, or its tables.
        file: Name of the file, for messages.

    Raises:
        WeftError: The text is not valid TOML.
    """
    if not isinstance(text, str):
        return text
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise WeftError(f"{file}: invalid TOML: {error}") from error


def read_sources(file: str, value: object) -> Sources:
    """Read the table of sources: the names that rows use, and their texts.

    Raises:
        WeftError: The value is not a table, or a source is not a text.
    """
    table = _check_table(f"{file}: sources", value)
    sources: dict[str, str] = {}
    for name, text in table.items():
        if not isinstance(text, str) or not text:
            raise WeftError(f"{file}: source {name} must be a string", found=repr(text))
        sources[name] = text
    return sources


def read_facts(
    file: str, value: object, types: Mapping[str, str], sources: Sources
) -> dict[str, Any]:
    """Read a table whose rows are `{ value = …, source = … }`.

    Args:
        file: Name of the file, for messages.
        value: The table.
        types: Name of each fact, all of them required, and its type as a dataclass annotates it.
        sources: Sources of the file.

    Returns:
        The value of each fact.

    Raises:
        WeftError: A fact is missing, unknown or malformed.
    """
    table = check_keys(file, "fact", value, tuple(types))
    facts: dict[str, Any] = {}
    for name, type_ in types.items():
        where = f"{file}: {name}"
        row = read_sourced_row(where, table[name], ("value",), sources)
        facts[name] = read_value(where, type_, row["value"])
    return facts


def read_facts_and_rows(
    text: str | Tables,
    file: str,
    cls: type[Struct],
    list_name: str,
    key: tuple[str, str],
    row_cls: type[Row],
) -> tuple[dict[str, Any], tuple[Row, ...]]:
    """Read a file that has facts, and rows in one list.

    Args:
        text: TOML, or its tables.
        file: Name of the file, for messages.
        cls: The Struct whose fields are the facts, except for the field of the rows.
        list_name: Name of that field, and of the list.
        key: How messages name a row, as of `read_row`.
        row_cls: The Struct of a row.

    Returns:
        The value of each fact, and the rows.

    Raises:
        WeftError: A fact or a row is malformed; the message names it.
    """
    tables = check_keys(file, "table", parse_toml(text, file), ("sources", "facts", "rows"))
    sources = read_sources(file, tables["sources"])
    facts = read_facts(file, tables["facts"], field_types(cls, exclude=(list_name,)), sources)
    lists = check_keys(file, "list", tables["rows"], (list_name,))
    return facts, read_rows(file, list_name, key, row_cls, lists[list_name], sources)


def read_list(where: str, value: object) -> list[object]:
    """Check that a value is a list.

    Raises:
        WeftError: The value is not a list.
    """
    if not isinstance(value, list):
        raise WeftError(f"{where} must be a list of rows", found=repr(value))
    return value


def read_rows(
    file: str, list_name: str, key: tuple[str, str], cls: type[Row], value: object, sources: Sources
) -> tuple[Row, ...]:
    """Read a list of rows as objects of a dataclass, as `read_row` does.

    Args:
        file: Name of the file, for messages.
        list_name: Name of the list, for messages.
        key: As of `read_row`.
        cls: The dataclass.
        value: The list.
        sources: Sources of the file.
    """
    rows = read_list(f"{file}: {list_name}", value)
    return tuple(read_row(file, key, cls, row, sources) for row in rows)


def read_row(
    file: str, key: tuple[str, str], cls: type[Row], value: object, sources: Sources
) -> Row:
    """Read a row as an object of a dataclass that has a field `source`.

    Args:
        file: Name of the file, for messages.
        key: How messages name a row: a noun and the field that identifies it, ("board", "name").
        cls: The Struct; fields with a default are optional in the row.
        value: The row.
        sources: Sources of the file.

    Raises:
        WeftError: The row is malformed; the message names the row and the key.
    """
    noun, name_field = key
    row = _check_table(f"{file}: {noun}", value)
    where = f"{file}: {noun} {row.get(name_field, '?')}"
    names, defaults = cls.__struct_fields__, cls.__struct_defaults__  # defaults of the last fields
    required, optional = names[: len(names) - len(defaults)], names[len(names) - len(defaults) :]
    check_keys(where, "key", row, required, optional)
    check_source(where, row["source"], sources)
    types = field_types(cls)
    values: dict[str, Any] = {
        name: read_value(f"{where}: {name}", types[name], row[name]) for name in row
    }
    return cls(**values)


def read_sourced_row(
    where: str,
    value: object,
    keys: tuple[str, ...],
    sources: Sources,
    optional: tuple[str, ...] = (),
) -> Mapping[str, object]:
    """Check a row that has given keys and a source.

    Args:
        where: Place of the row, for messages.
        value: The row.
        keys: Required keys besides `source`.
        sources: Sources of the file.
        optional: Further keys that the row may have.

    Raises:
        WeftError: The value is not a table, has other keys, or its source is not listed.
    """
    required = (*keys, "source")
    pattern = ", ".join(f"{key} = …" for key in required)
    row = check_exact_keys(f"{where} must be {{ {pattern} }}", value, required, optional)
    check_source(where, row["source"], sources)
    return row


@overload
def read_value(where: str, type_: Literal["int"], value: object) -> int: ...
@overload
def read_value(where: str, type_: Literal["str"], value: object) -> str: ...
@overload
def read_value(where: str, type_: Literal["bool"], value: object) -> bool: ...
@overload
def read_value(where: str, type_: Literal["tuple[int, ...]"], value: object) -> tuple[int, ...]: ...
@overload
def read_value(where: str, type_: Literal["tuple[str, ...]"], value: object) -> tuple[str, ...]: ...
@overload
def read_value(where: str, type_: str, value: object) -> object: ...
def read_value(where: str, type_: str, value: object) -> object:
    """Check the type of a value; a list becomes a tuple.

    Args:
        where: Place of the value, for messages.
        type_: Type as a Struct annotates it, a key of `_TYPES`.
        value: The value.

    Raises:
        WeftError: The value is of another type. In TOML, true and false are not integers.
    """
    types, item_type, description = _TYPES[type_]
    if type(value) in types:
        if item_type is None:
            return value
        if isinstance(value, list) and all(type(item) is item_type for item in value):
            return tuple(value)
    raise WeftError(f"{where} must be {description}", found=repr(value))


def field_types(cls: type[Struct], exclude: Iterable[str] = ()) -> dict[str, str]:
    """Map the fields of a Struct to their types as the source annotates them."""
    annotations = cls.__annotations__
    return {name: annotations[name] for name in cls.__struct_fields__ if name not in exclude}


def check_keys(
    where: str,
    noun: str,
    value: object,
    required: tuple[str, ...],
    optional: tuple[str, ...] = (),
) -> Tables:
    """Check that a value is a table with all required keys and no unknown ones.

    Args:
        where: Place of the table, for messages.
        noun: What a key names, for messages: "fact".
        value: The table.
        required: Keys that must be there.
        optional: Keys that may be there.

    Raises:
        WeftError: The value is not a table, or a key is missing or unknown.
    """
    if not isinstance(value, dict):
        raise WeftError(f"{where}: expected a table of {noun}s", found=repr(value))
    known = required + optional
    for key in value:
        check_choice(f"{where}: unknown {noun} {key}", key, known)
    for key in required:
        if key not in value:
            raise WeftError(f"{where}: {noun} {key} is missing", accepted=known)
    return value


def check_exact_keys(
    message: str, value: object, required: Iterable[str], optional: Iterable[str] = ()
) -> Tables:
    """Check that a value is a table with all required keys and no unknown ones.

    Raises:
        WeftError: It is not; the error has the given message, which names the keys.
    """
    required = tuple(required)
    if not isinstance(value, dict) or set(value) - set(optional) != set(required):
        raise WeftError(message, found=repr(value), accepted=required)
    return value


def check_source(where: str, value: object, sources: Sources) -> None:
    """Check that a row names a source that the file lists.

    Raises:
        WeftError: It does not.
    """
    if not isinstance(value, str) or value not in sources:
        raise WeftError(f"{where} has a source that is not listed", found=value, accepted=sources)


def check_choice(message: str, value: object, accepted: Iterable[str]) -> None:
    """Check that a value is among the accepted ones.

    Raises:
        WeftError: It is not; the error has the given message and the most similar accepted value.
    """
    accepted = tuple(accepted)
    if value not in accepted:
        raise WeftError(
            message, found=value, accepted=accepted, hint=did_you_mean(str(value), accepted)
        )


def _check_table(where: str, value: object) -> Tables:
    if not isinstance(value, dict):
        raise WeftError(f"{where} must be a table", found=repr(value))
    return value
