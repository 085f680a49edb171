"""Triton's one-line signature: one entry for each argument, in order, separated by commas.

    entry := type | type:16 | type:1 | value | constexpr | (entry, …)

`:16` says that the value, or the address, is divisible by 16; `:1` that the value is 1, which makes
it a constant. A value is a number, None, True, False, a quoted text, or the name of an element
type where the parameter is a `tl.constexpr`. Arguments whose value is given by name need no entry:
with BLOCK = 1024 in `constexprs`, "*fp32:16, i32" is a whole signature of `f(x, n, BLOCK)`.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from weft.compiler import type_names
from weft.compiler.signature_reader import SignatureReader
from weft.compiler.signature_types import CONSTEXPR, DIVISIBILITY, Path, TypeName
from weft.language.kernel_function import Parameter

Attributes = dict[Path, tuple[tuple[str, int], ...]]

_OPENING, _CLOSING = "([<", ")]>"
_NO_VALUE = object()


def read_text(
    reader: SignatureReader, text: str, values: dict[Path, object]
) -> tuple[list[TypeName], Attributes]:
    """Read the one-line form.

    Args: values: constants known by name; those that the text gives are added.
    Returns: one type per parameter, and the attributes that the hints say.
    Raises: SignatureError: too few or too many entries, or an entry that is none.
    """
    entries = split(text)
    if _unclosed(text):
        raise reader.error("a bracket of the signature is not closed", found=text)
    types: list[TypeName] = [CONSTEXPR] * len(reader.parameters)
    hints: Attributes = {}
    for parameter, entry in zip(_described(reader, entries, values), entries, strict=True):
        types[parameter.index] = _Entry(reader, parameter, values, hints).read(
            entry, (parameter.index,)
        )
    return types, hints


def _unclosed(text: str) -> bool:
    return any(
        text.count(opening) != text.count(closing)
        for opening, closing in zip(_OPENING, _CLOSING, strict=True)
    )


def split(text: str) -> list[str]:
    """Split at the commas that stand outside of brackets and quotes."""
    entries, depth, quote, start = [], 0, "", 0
    for at, char in enumerate(text):
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char in _OPENING:
            depth += 1
        elif char in _CLOSING:
            depth -= 1
        elif char == "," and depth == 0:
            entries.append(text[start:at].strip())
            start = at + 1
    last = text[start:].strip()
    return [*entries, last] if last else entries


def _described(
    reader: SignatureReader, entries: Sequence[str], values: dict[Path, object]
) -> list[Parameter]:
    """Return the parameters that the entries stand for, in order.

    All of them; or all but those with a value by name; or, of these, all but the trailing
    constexpr parameters with a default.
    """
    everything = list(reader.parameters)
    if len(entries) == len(everything):
        return everything
    unnamed = [parameter for parameter in everything if (parameter.index,) not in values]
    if len(entries) == len(unnamed):
        return unnamed
    left_out = unnamed[len(entries) :]
    if left_out and all(each.is_constexpr and each.has_default for each in left_out):
        return unnamed[: len(entries)]
    hint = None
    if left_out:
        hint = f"no entry for {', '.join(parameter.name for parameter in left_out)}"
    raise reader.error(
        f"{len(entries)} in the signature for {len(unnamed)} arguments",
        found=", ".join(entries) or "no entry",
        accepted=[", ".join(reader.describe(parameter) for parameter in unnamed)],
        hint=hint or f"nothing takes {', '.join(entries[len(unnamed) :])}",
    )


class _Entry:
    """Read one entry of the text for one parameter."""

    def __init__(
        self,
        reader: SignatureReader,
        parameter: Parameter,
        values: dict[Path, object],
        hints: Attributes,
    ) -> None:
        self.reader = reader
        self.parameter = parameter
        self.values = values
        self.hints = hints

    def read(self, entry: str, path: Path) -> TypeName:
        if entry == CONSTEXPR:
            return CONSTEXPR
        if entry.startswith("(") and entry.endswith(")") and not self.parameter.is_constexpr:
            items = split(entry[1:-1])
            return tuple(self.read(item, (*path, at)) for at, item in enumerate(items))
        value = self._value(entry)
        if value is not _NO_VALUE:
            return self._constant(value, path)
        name, colon, hint = entry.partition(":")
        kind = self.reader.type_name(name, path)
        return self._hinted(kind, hint.strip(), path) if colon else kind

    def _value(self, entry: str) -> object:
        if self.parameter.is_constexpr and (name := type_names.scalar(entry)):
            return type_names.element_type(name)
        try:
            return ast.literal_eval(entry)
        except (ValueError, SyntaxError):
            pass
        try:
            return float(entry)
        except ValueError:
            return _NO_VALUE

    def _constant(self, value: object, path: Path) -> TypeName:
        known = self.values.setdefault(path, value)
        if known != value:
            raise self.reader.error(
                f"{self.reader.label(path)} has one value in the text and another by name",
                found=repr(value),
                accepted=[repr(known), CONSTEXPR],
            )
        return CONSTEXPR

    def _hinted(self, kind: str, hint: str, path: Path) -> TypeName:
        if hint == "16" and (kind.startswith("*") or type_names.is_integer(kind)):
            self.hints[path] = ((DIVISIBILITY, 16),)
            return kind
        if hint == "1" and type_names.is_integer(kind):
            return self._constant(1, path)
        integer = type_names.is_integer(kind)
        accepted = [f"{kind}:16"] if kind.startswith("*") or integer else []
        raise self.reader.error(
            f"{self.reader.label(path)}: {kind} cannot have the hint {hint!r}",
            found=f"{kind}:{hint}",
            accepted=[kind, *accepted, *([f"{kind}:1"] if integer else [])],
        )
