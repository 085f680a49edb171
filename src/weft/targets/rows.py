"""Read rows of facts strictly: known keys, values of their type, a source for each.

    [sources]
    amd = "AMD Instinct MI300 ISA reference guide, LDS and wavefront size"

    [facts]                                                # read_facts: one row for each fact
    threads_per_warp = { value = 64, source = "amd" }

    [rows]                                                 # read_row: a row is an object
    matrix = [{ name = "mfma.f32.32x32x8f16", m = 32, …, source = "amd" }]

What a value must be is told by the field of the dataclass that holds it. A key that is unknown or
missing, a value of another type and a source that is not listed are errors; so is whatever is no
table where one is needed. The modules beside this one say what their own rows mean.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields
from typing import Any, TypeVar

from weft.errors import WeftError, did_you_mean

__all__ = [
    "Sources",
    "Tables",
    "check_among",
    "check_exactly",
    "check_keys",
    "check_source",
    "kinds_of",
    "parse",
    "read_facts",
    "read_list",
    "read_row",
    "read_sources",
    "read_value",
    "sourced_row",
]

Row = TypeVar("Row")
Sources = Mapping[str, str]
Tables = dict[str, Any]

# How a dataclass writes the type of a field: what a value is, what its items are, how to say it.
_KINDS: Mapping[str, tuple[tuple[type, ...], type | None, str]] = {
    "int": ((int,), None, "an integer"),
    "str": ((str,), None, "a string"),
    "bool": ((bool,), None, "true or false"),
    "int | str": ((int, str), None, "an integer or a string"),
    "tuple[int, ...]": ((list,), int, "a list of integers"),
    "tuple[str, ...]": ((list,), str, "a list of strings"),
}


def parse(text: str | Tables, file: str) -> Tables:
    """Return the tables of a file.

    Args: text: TOML, or the tables of what has been parsed before.  file: its name, for messages.
    Raises: WeftError: the text is no TOML.
    """
    if not isinstance(text, str):
        return text
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise WeftError(f"{file}: no TOML: {problem}") from problem


def read_sources(file: str, found: object) -> Sources:
    """Return the sources of a file by the names that its rows use.

    Raises: WeftError: no table, or a source that is no text.
    """
    table = _table(f"{file}: sources", found)
    for name, told in table.items():
        if not isinstance(told, str) or not told:
            raise WeftError(f"{file}: source {name} must be a string", found=repr(told))
    return table


def read_facts(
    file: str, found: object, kinds: Mapping[str, str], sources: Sources
) -> dict[str, Any]:
    """Return the values of a table whose rows are { value = …, source = … }.

    Args: kinds: the facts that there must be, and what each is.
    Raises: WeftError with the fact and what stands there.
    """
    table = check_keys(file, "fact", found, tuple(kinds))
    values = {}
    for name, kind in kinds.items():
        row = sourced_row(f"{file}: {name}", table[name], ("value",), sources)
        values[name] = read_value(f"{file}: {name}", kind, row["value"])
    return values


def read_list(where: str, found: object) -> list[Any]:
    """Return what must be a list of rows.

    Raises: WeftError: it is none.
    """
    if not isinstance(found, list):
        raise WeftError(f"{where} must be a list of rows", found=repr(found))
    return found


def read_row(
    file: str, named: tuple[str, str], cls: type[Row], found: object, sources: Sources
) -> Row:
    """Return a row as an object of a dataclass, of whose fields one is its source.

    Args: named: how messages name it, a word and the key that tells it from others.
    Raises: WeftError with the row, the key and what stands there.
    """
    kind, key_of_name = named
    row = _table(f"{file}: {kind}", found)
    what = f"{kind} {row.get(key_of_name, '?')}"
    declared = fields(cls)  # pyright: ignore[reportArgumentType]
    needed = tuple(field.name for field in declared if field.default is MISSING)
    optional = tuple(field.name for field in declared if field.default is not MISSING)
    check_keys(file, f"{what}, key", row, needed, optional)
    check_source(f"{file}: {what}", row["source"], sources)
    kinds = kinds_of(cls)
    return cls(**{key: read_value(f"{file}: {what}: {key}", kinds[key], row[key]) for key in row})


def sourced_row(
    where: str,
    found: object,
    wanted: tuple[str, ...],
    sources: Sources,
    optional: tuple[str, ...] = (),
) -> Mapping[str, Any]:
    """Return a row of the keys that are wanted and a source, and perhaps of optional ones.

    Raises: WeftError: no row, other keys, or a source that is not listed.
    """
    keys = (*wanted, "source")
    shown = ", ".join(f"{key} = …" for key in keys)
    row = check_exactly(f"{where} must be {{ {shown} }}", found, keys, optional)
    check_source(where, row["source"], sources)
    return row


def read_value(where: str, kind: str, found: object) -> Any:
    """Return a value; a list comes back as a tuple.

    Args: kind: its type as the dataclass writes it.
    Raises: WeftError: it is of another type; true and false are no integers.
    """
    types, items, told = _KINDS[kind]
    if type(found) in types:
        if items is None:
            return found
        if isinstance(found, list) and all(type(item) is items for item in found):
            return tuple(found)
    raise WeftError(f"{where} must be {told}", found=repr(found))


def kinds_of(cls: type, leave_out: Iterable[str] = ()) -> dict[str, str]:
    """Return what the fields of a dataclass are, as it writes their types."""
    return {field.name: str(field.type) for field in fields(cls) if field.name not in leave_out}


def check_keys(
    file: str,
    kind: str,
    found: object,
    needed: tuple[str, ...],
    optional: tuple[str, ...] = (),
) -> dict[str, Any]:
    """Return a table that has the keys that are needed, and none but those and the optional ones.

    Args: kind: what the keys are, "fact".
    Raises: WeftError: no table, or with the key and what is near to it.
    """
    if not isinstance(found, dict):
        raise WeftError(f"{file}: every {kind} must stand in a table", found=repr(found))
    known = needed + optional
    for key in found:
        check_among(f"{file}: unknown {kind} {key}", key, known)
    for key in needed:
        if key not in found:
            raise WeftError(f"{file}: {kind} {key} is missing", accepted=known)
    return found


def check_exactly(
    message: str, found: object, needed: Iterable[str], optional: Iterable[str] = ()
) -> Mapping[str, Any]:
    """Return a table that has the keys that are needed, and none but those and the optional ones.

    Raises: WeftError with the message, which names them.
    """
    needed = tuple(needed)
    if not isinstance(found, dict) or set(found) - set(optional) != set(needed):
        raise WeftError(message, found=repr(found), accepted=needed)
    return found


def check_source(where: str, found: object, sources: Sources) -> None:
    """Require a source that the file lists.

    Raises: WeftError: it does not.
    """
    if not isinstance(found, str) or found not in sources:
        raise WeftError(f"{where} has a source that is not listed", found=found, accepted=sources)


def check_among(message: str, found: object, accepted: Iterable[str]) -> None:
    """Require one of the names that are accepted.

    Raises: WeftError with the message, what is accepted and what of it is near.
    """
    accepted = tuple(accepted)
    if found not in accepted:
        raise WeftError(
            message, found=found, accepted=accepted, hint=did_you_mean(str(found), accepted)
        )


def _table(where: str, found: object) -> dict[str, Any]:
    if not isinstance(found, dict):
        raise WeftError(f"{where} must be a table", found=repr(found))
    return found
