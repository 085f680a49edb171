"""What is known of a kernel's arguments before it is compiled.

For `add(x, y, out, n, BLOCK: tl.constexpr)` the one-line form

    "*fp32:16, *fp32:16, *fp32:16, i32:16, 1024"

and Triton's dictionaries

    signature  = {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32", "BLOCK": "constexpr"}
    constexprs = {"BLOCK": 1024}                      # or {(4,): 1024}
    attrs      = {(0,): [["tt.divisibility", 16]], …}

give the same `Signature`. A path names an argument by position, `(4,)`, or an item of a tuple
argument, `(4, 0)`. A type is a name ("*fp16", "i32", "constexpr", …) or, for a tuple argument, a
tuple of types.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from weft.compiler.signature_reader import SignatureReader
from weft.compiler.signature_text import SMALL, read_text
from weft.compiler.signature_types import (
    CONSTEXPR,
    DIVISIBILITY,
    POINTER_RANGE,
    AttributePairs,
    Path,
    TypeName,
    leaf_types,
)
from weft.language.kernel_function import KernelFunction

__all__ = ["Attributes", "Constants", "PathKey", "Signature"]

PathKey = str | int | Path
"""A parameter by name or position, or an item of a tuple argument by its path."""

Constants = Mapping[PathKey, object] | Mapping[str, object]
"""Compile-time values. Mapping is invariant in its keys, so that names alone are a case apart."""

Attributes = Mapping[PathKey, Sequence[Sequence[object]]]
"""[name, value] pairs of arguments."""


class Signature(Struct, frozen=True):
    """The type, constant or attributes of every argument of a kernel.

    Attributes:
        names: The parameters in order.
        types: One type per parameter.
        constants: Path and value of every "constexpr", ordered by path.
        attributes: Path and attributes of the arguments that have any, ordered by path.
    """

    names: tuple[str, ...]
    types: tuple[TypeName, ...]
    constants: tuple[tuple[Path, object], ...] = ()
    attributes: tuple[tuple[Path, AttributePairs], ...] = ()

    @property
    def signature(self) -> dict[str, TypeName]:
        """Triton's first dictionary: the type of each parameter."""
        return dict(zip(self.names, self.types, strict=True))

    @property
    def constexprs(self) -> dict[Path, object]:
        """Triton's second dictionary: the value of each constexpr, by path."""
        return dict(self.constants)

    @property
    def argument_constants(self) -> dict[int, object]:
        """The value of each argument that is a constant as a whole, by position."""
        return {path[0]: value for path, value in self.constants if len(path) == 1}

    @property
    def attrs(self) -> dict[Path, list[tuple[str, int]]]:
        """Triton's third dictionary: (attribute, value) pairs, by path."""
        return {path: list(pairs) for path, pairs in self.attributes}

    @property
    def key(self) -> str:
        """A text that two signatures share only if they compile to the same code.

        `1`, `1.0` and `True` are equal in Python and differ here. Functions count by identity.
        """
        constants = [(path, _constant_key(value)) for path, value in self.constants]
        return repr((self.names, self.types, constants, self.attributes))

    def runtime_arguments(self) -> Iterator[tuple[Path, str]]:
        """Yield path and type of every argument that is not a constexpr, tuples flattened."""
        for index, type_name in enumerate(self.types):
            for path, leaf in leaf_types(type_name, (index,)):
                if leaf != CONSTEXPR:
                    yield path, leaf

    def __str__(self) -> str:
        """Format the one-line form."""
        return ", ".join(self._entry(each, (index,)) for index, each in enumerate(self.types))

    def _entry(self, type_name: TypeName, path: Path) -> str:
        if isinstance(type_name, tuple):
            items = (self._entry(item, (*path, n)) for n, item in enumerate(type_name))
            return f"({', '.join(items)})"
        if type_name == CONSTEXPR:
            return _constant_text(dict(self.constants)[path])
        attributes = dict(dict(self.attributes).get(path, ()))
        hint = str(attributes.get(DIVISIBILITY, "")) + (
            SMALL if POINTER_RANGE in attributes else ""
        )
        return f"{type_name}:{hint}" if hint else type_name

    @classmethod
    def of(
        cls,
        kernel: KernelFunction,
        signature: str | Mapping[str, object] | Signature,
        constexprs: Constants | None = None,
        attrs: Attributes | None = None,
    ) -> Signature:
        """Read a signature in either form and check it against a kernel.

        Args:
            kernel: The kernel.
            signature: The one-line form, the dictionary of types, or a Signature.
            constexprs: Values by parameter name, position or path.
            attrs: [attribute, value] pairs by parameter name, position or path.

        Raises:
            SignatureError: A part that does not fit the kernel; names the argument.
        """
        if isinstance(signature, Signature):
            return signature
        reader = SignatureReader(kernel)
        values = reader.by_path(constexprs or {}, "constexprs")
        attributes = reader.attributes(attrs or {})
        if isinstance(signature, str):
            types, hints = read_text(reader, signature, values)
            attributes = hints | attributes
        else:
            types = reader.types(signature, values)
        parts = reader.finish(types, values, attributes)
        return cls(reader.names, parts.types, parts.constants, parts.attributes)


def _constant_text(value: object) -> str:
    """Write a compile-time value as the one-line form reads it."""
    if isinstance(value, tuple):
        return f"({', '.join(map(_constant_text, value))}{',' if len(value) == 1 else ''})"
    if value is None or isinstance(value, str | int | float):
        return repr(value)
    return str(getattr(value, "__name__", value))


def _constant_key(value: object) -> object:
    if isinstance(value, tuple):
        return (type(value).__name__, *map(_constant_key, value))
    return (type(value).__name__, id(value) if callable(value) else repr(value))
