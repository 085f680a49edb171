"""Triton's one-line signature: one entry per argument, in order, separated by commas.

    entry := type | type:16 | type:16S | type:S | type:1 | value | constexpr | (entry, …)

`:16` promises that the number or address is divisible by 16; `:S` that the array of a pointer
is small, less than 2 GiB, so that AMD's buffer instructions can address it; `:1` that the number is
1, which makes it a constant. A value is a number, None, True, False, a quoted text, or the name of
an element type where the parameter is a `tl.constexpr`. Arguments with a value in `constexprs` need
no entry: with BLOCK = 1024 there, "*fp32:16, i32" is a whole signature of `f(x, n, BLOCK)`.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from msgspec import Struct

from weft.compiler.signature_reader import SignatureReader
from weft.compiler.signature_types import (
    CONSTEXPR,
    DIVISIBILITY,
    POINTER_RANGE,
    AttributePairs,
    Path,
    TypeName,
)
from weft.compiler.type_names import is_integer, language_dtype, scalar_name
from weft.language.kernel_function import Parameter

__all__ = ["SMALL", "read_text"]

SMALL = "S"
"""The hint for an array of less than 2 GiB, Triton's letter for it."""

_OPENING, _CLOSING = "([<", ")]>"
_NO_VALUE = object()


def read_text(
    reader: SignatureReader, text: str, values: dict[Path, object]
) -> tuple[list[TypeName], dict[Path, AttributePairs]]:
    """Read the one-line form.

    Args:
        reader: The reader of the kernel's signature.
        text: The one-line form.
        values: The constants by path; those in the text are added.

    Returns:
        One type per parameter, and the attributes that the hints give.

    Raises:
        SignatureError: Too few or too many entries, or an entry that cannot be read.
    """
    entries = _split(text)
    if _has_unclosed_bracket(text):
        raise reader.error("unclosed bracket in the signature", found=text)
    types: list[TypeName] = [CONSTEXPR] * len(reader.parameters)
    hints: dict[Path, AttributePairs] = {}
    parameters = _parameters_of_entries(reader, entries, values)
    for parameter, entry in zip(parameters, entries, strict=True):
        entry_reader = _EntryReader(reader, parameter, values, hints)
        types[parameter.index] = entry_reader.read(entry, (parameter.index,))
    return types, hints


def _has_unclosed_bracket(text: str) -> bool:
    return any(
        text.count(opening) != text.count(closing)
        for opening, closing in zip(_OPENING, _CLOSING, strict=True)
    )


def _split(text: str) -> list[str]:
    """Split at the commas outside of brackets and quotes."""
    entries, depth, quote, start = [], 0, "", 0
    for position, char in enumerate(text):
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char in _OPENING:
            depth += 1
        elif char in _CLOSING:
            depth -= 1
        elif char == "," and depth == 0:
            entries.append(text[start:position].strip())
            start = position + 1
    last = text[start:].strip()
    return [*entries, last] if last else entries


def _parameters_of_entries(
    reader: SignatureReader, entries: Sequence[str], values: dict[Path, object]
) -> list[Parameter]:
    """List the parameters that the entries describe, in order.

    These are all parameters; or those without a value by name; or of the latter those before
    trailing constexpr parameters with a default.
    """
    parameters = list(reader.parameters)
    if len(entries) == len(parameters):
        return parameters
    unnamed = [parameter for parameter in parameters if (parameter.index,) not in values]
    if len(entries) == len(unnamed):
        return unnamed
    omitted = unnamed[len(entries) :]
    if omitted and all(each.is_constexpr and each.has_default for each in omitted):
        return unnamed[: len(entries)]
    if omitted:
        hint = f"no entry for {', '.join(parameter.name for parameter in omitted)}"
    else:
        hint = f"no parameter for {', '.join(entries[len(unnamed) :])}"
    raise reader.error(
        f"the signature has {len(entries)} entries for {len(unnamed)} arguments",
        found=", ".join(entries) or "no entry",
        accepted=[", ".join(reader.describe(parameter) for parameter in unnamed)],
        hint=hint,
    )


class _EntryReader(Struct, frozen=True):
    """Read one entry for one parameter; constants and hints are added to the dictionaries."""

    reader: SignatureReader
    parameter: Parameter
    values: dict[Path, object]
    hints: dict[Path, AttributePairs]

    def read(self, entry: str, path: Path) -> TypeName:
        if entry == CONSTEXPR:
            return CONSTEXPR
        if entry.startswith("(") and entry.endswith(")") and not self.parameter.is_constexpr:
            items = _split(entry[1:-1])
            return tuple(self.read(item, (*path, n)) for n, item in enumerate(items))
        value = self._value(entry)
        if value is not _NO_VALUE:
            return self._constant(value, path)
        name, colon, hint = entry.partition(":")
        type_name = self.reader.type_name(name, path)
        return self._hinted(type_name, hint.strip(), path) if colon else type_name

    def _value(self, entry: str) -> object:
        if self.parameter.is_constexpr and (name := scalar_name(entry)):
            return language_dtype(name)
        try:
            return ast.literal_eval(entry)
        except (ValueError, SyntaxError):
            pass
        try:
            return float(entry)  # nan and inf
        except ValueError:
            return _NO_VALUE

    def _constant(self, value: object, path: Path) -> TypeName:
        previous = self.values.setdefault(path, value)
        if previous != value:
            raise self.reader.error(
                f"{self.reader.label(path)} has one value in the text and another by name",
                found=repr(value),
                accepted=[repr(previous), CONSTEXPR],
            )
        return CONSTEXPR

    def _hinted(self, type_name: str, hint: str, path: Path) -> TypeName:
        integer = is_integer(type_name)
        can_be_divisible = integer or type_name.startswith("*")
        is_pointer = type_name.startswith("*")
        if hint == "16" and can_be_divisible:
            self.hints[path] = ((DIVISIBILITY, 16),)
            return type_name
        if hint in (SMALL, f"16{SMALL}") and is_pointer:
            alignment = ((DIVISIBILITY, 16),) if hint != SMALL else ()
            self.hints[path] = (*alignment, (POINTER_RANGE, 32))
            return type_name
        if hint == "1" and integer:
            return self._constant(1, path)
        accepted = [type_name]
        accepted += [f"{type_name}:16"] if can_be_divisible else []
        accepted += [f"{type_name}:16S", f"{type_name}:S"] if is_pointer else []
        accepted += [f"{type_name}:1"] if integer else []
        raise self.reader.error(
            f"{self.reader.label(path)}: {type_name} cannot have the hint {hint!r}",
            found=f"{type_name}:{hint}",
            accepted=accepted,
        )
