"""What is known of a kernel's arguments before it is compiled.

For `add(x, y, out, n, BLOCK: tl.constexpr)` the one-line form

    "*fp32:16, *fp32:16, *fp32:16, i32:16, 1024"

and Triton's dictionaries

    signature  = {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32", "BLOCK": "constexpr"}
    constexprs = {"BLOCK": 1024}                      # or {(4,): 1024}
    attrs      = {(0,): [["tt.divisibility", 16]], …}

say the same and give the same `Signature`. A *path* names an argument by position, `(4,)`, or an
item of a tuple argument, `(4, 0)`. A type is a signature name ("*fp16", "i32", "constexpr", …) or,
for a tuple argument, a tuple of types.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from weft.compiler.signature_reader import SignatureReader
from weft.compiler.signature_text import read_text
from weft.compiler.signature_types import CONSTEXPR, DIVISIBILITY, Path, TypeName, leaves
from weft.language.kernel_function import KernelFunction


@dataclass(frozen=True, slots=True)
class Signature:
    """Hold the type, the constant or the attributes of every argument of one kernel.

    Args: names: the parameters in order.  types: one per parameter.
          constants: (path, value) of every "constexpr", in order of the paths.
          attributes: (path, ((attribute, value), …)) where there are any, in order of the paths.
    """

    names: tuple[str, ...]
    types: tuple[TypeName, ...]
    constants: tuple[tuple[Path, object], ...] = ()
    attributes: tuple[tuple[Path, tuple[tuple[str, int], ...]], ...] = ()

    @property
    def signature(self) -> dict[str, TypeName]:
        """Return Triton's first dictionary: parameter name → type."""
        return dict(zip(self.names, self.types, strict=True))

    @property
    def constexprs(self) -> dict[Path, object]:
        """Return Triton's second dictionary: path → compile-time value."""
        return dict(self.constants)

    @property
    def attrs(self) -> dict[Path, list[tuple[str, int]]]:
        """Return Triton's third dictionary: path → list of (attribute, value)."""
        return {path: list(pairs) for path, pairs in self.attributes}

    @property
    def key(self) -> str:
        """Return a text that two signatures share only if they compile to the same code.

        `1`, `1.0` and `True` are equal in Python and differ here; functions count by identity.
        """
        constants = [(path, _constant_key(value)) for path, value in self.constants]
        return repr((self.names, self.types, constants, self.attributes))

    def runtime_arguments(self) -> Iterator[tuple[Path, str]]:
        """Yield path and type of every argument that is left at run time, tuples flattened."""
        for index, kind in enumerate(self.types):
            for path, leaf in leaves(kind, (index,)):
                if leaf != CONSTEXPR:
                    yield path, leaf

    def __str__(self) -> str:
        """Return the one-line form."""
        return ", ".join(self._entry(kind, (index,)) for index, kind in enumerate(self.types))

    def _entry(self, kind: TypeName, path: Path) -> str:
        if isinstance(kind, tuple):
            inner = ", ".join(self._entry(item, (*path, at)) for at, item in enumerate(kind))
            return f"({inner})"
        if kind == CONSTEXPR:
            return constant_text(dict(self.constants)[path])
        hint = dict(dict(self.attributes).get(path, ())).get(DIVISIBILITY)
        return f"{kind}:{hint}" if hint else kind

    @classmethod
    def of(
        cls,
        kernel: KernelFunction,
        signature: str | Mapping[str, object] | Signature,
        constexprs: Mapping[Any, object] | None = None,
        attrs: Mapping[Any, Sequence[Sequence[object]]] | None = None,
    ) -> Signature:
        """Read either form for `kernel`.

        Args: signature: the one-line form, or the dictionary of types, or a Signature.
              constexprs: values by parameter name, index or path.
              attrs: [attribute, value] pairs by parameter name, index or path.
        Raises: SignatureError: anything that does not fit the kernel; names the argument.
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


def constant_text(value: object) -> str:
    """Write a compile-time value as the one-line form reads it."""
    if isinstance(value, tuple):
        return f"({', '.join(map(constant_text, value))}{',' if len(value) == 1 else ''})"
    if value is None or isinstance(value, str | int | float):
        return repr(value)
    return str(getattr(value, "__name__", value))


def _constant_key(value: object) -> object:
    if isinstance(value, tuple):
        return (type(value).__name__, *map(_constant_key, value))
    return (type(value).__name__, id(value) if callable(value) else repr(value))
