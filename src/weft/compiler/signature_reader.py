"""Check the pieces of a signature, in either form, against one kernel; say what does not fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from weft.compiler import type_names
from weft.compiler.kernel_location import definition
from weft.compiler.signature_types import (
    CONSTEXPR,
    DIVISIBILITY,
    Path,
    TypeName,
    leaves,
    plain,
)
from weft.errors import SignatureError, did_you_mean
from weft.language.kernel_function import KernelFunction, Parameter

_ATTRIBUTES = {DIVISIBILITY: "a power of two", "tt.pointer_range": "32"}


@dataclass(frozen=True, slots=True)
class SignatureParts:
    """The checked parts of a signature, as the fields of `Signature` hold them."""

    types: tuple[TypeName, ...]
    constants: tuple[tuple[Path, object], ...]
    attributes: tuple[tuple[Path, tuple[tuple[str, int], ...]], ...]


class SignatureReader:
    """Check the pieces of a signature against one kernel, and say what does not fit.

    Args: kernel: whose parameters the signature describes.
    """

    def __init__(self, kernel: KernelFunction) -> None:
        self.kernel = kernel
        self.parameters: tuple[Parameter, ...] = kernel.parameters
        self.names: tuple[str, ...] = kernel.parameter_names

    def error(
        self,
        message: str,
        *,
        found: object = None,
        accepted: Sequence[object] = (),
        hint: str | None = None,
    ) -> SignatureError:
        """Return an error that names the kernel and stands at its first line."""
        return SignatureError(
            f"{self.kernel.name}: {message}",
            location=definition(self.kernel),
            found=found,
            accepted=accepted,
            hint=hint,
        )

    def describe(self, parameter: Parameter) -> str:
        """Write a parameter as its author did, for lists of what is accepted."""
        note = ": constexpr" if parameter.is_constexpr else ""
        return f"{parameter.name}{note}"

    def label(self, path: Path) -> str:
        """Name the argument at `path`: "argument 2 (n)" or "argument 2 (shape[1])"."""
        items = "".join(f"[{index}]" for index in path[1:])
        return f"argument {path[0]} ({self.names[path[0]]}{items})"

    def type_name(self, text: str, path: Path) -> str:
        """Return the canonical type, or raise with the argument's name."""
        try:
            return type_names.canonical(text)
        except SignatureError as error:
            raise self.error(
                f"{self.label(path)}: {error.message}",
                found=error.found,
                accepted=error.accepted,
                hint=error.hint,
            ) from None

    def by_path(self, given: Mapping[object, object], what: str) -> dict[Path, object]:
        """Turn a mapping by name, index or path into one by path."""
        return {self._path(key, what): plain(value) for key, value in given.items()}

    def _path(self, key: object, what: str) -> Path:
        if isinstance(key, str):
            if key not in self.names:
                raise self.error(
                    f"{what} names an unknown parameter",
                    found=key,
                    accepted=self.names,
                    hint=did_you_mean(key, self.names),
                )
            return (self.names.index(key),)
        path = (key,) if isinstance(key, int) else key
        if (
            not isinstance(path, tuple)
            or not path
            or not all(isinstance(item, int) and item >= 0 for item in path)
            or path[0] >= len(self.names)
        ):
            raise self.error(
                f"{what} has a key that is no parameter",
                found=repr(key),
                accepted=["a parameter name", f"a path (0,) … ({len(self.names) - 1},)"],
            )
        return path

    def types(
        self, signature: Mapping[str, object], values: Mapping[Path, object]
    ) -> list[TypeName]:
        """Read the dictionary of types; parameters left out must be constants."""
        if not isinstance(signature, Mapping):
            raise self.error(
                "a signature is a text or a dictionary",
                found=type(signature).__name__,
                accepted=['"*fp32:16, i32, 1024"', '{"x": "*fp32", "n": "i32"}'],
            )
        given = {self.names[self._path(key, "signature")[0]]: signature[key] for key in signature}
        kinds: list[TypeName] = []
        missing = []
        for index, parameter in enumerate(self.parameters):
            if parameter.name in given:
                kinds.append(self._type(given[parameter.name], (index,)))
            elif (index,) in values or (parameter.is_constexpr and parameter.has_default):
                kinds.append(CONSTEXPR)
            else:
                missing.append(parameter)
        if missing:
            raise self.error(
                "signature leaves out " + ", ".join(parameter.name for parameter in missing),
                found=", ".join(given) or "no argument",
                accepted=[self.describe(parameter) for parameter in self.parameters],
            )
        return kinds

    def _type(self, given: object, path: Path) -> TypeName:
        if isinstance(given, tuple | list):
            return tuple(self._type(item, (*path, at)) for at, item in enumerate(given))
        text = given if isinstance(given, str) else str(given)
        return CONSTEXPR if text.strip() == CONSTEXPR else self.type_name(text, path)

    def attributes(
        self, attrs: Mapping[object, Sequence[Sequence[object]]]
    ) -> dict[Path, tuple[tuple[str, int], ...]]:
        """Read the dictionary of attributes."""
        found: dict[Path, tuple[tuple[str, int], ...]] = {}
        for key, pairs in attrs.items():
            path = self._path(key, "attrs")
            listed = pairs if isinstance(pairs, Sequence) else (pairs,)
            found[path] = tuple(self._attribute(pair, path) for pair in listed)
        return {path: pairs for path, pairs in found.items() if pairs}

    def _attribute(self, pair: Sequence[object], path: Path) -> tuple[str, int]:
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise self.error(
                f"{self.label(path)}: an attribute is a pair of name and value",
                found=repr(pair),
                accepted=[f'["{DIVISIBILITY}", 16]'],
            )
        name, value = pair
        if name not in _ATTRIBUTES:
            raise self.error(
                f"{self.label(path)}: unknown attribute",
                found=name,
                accepted=list(_ATTRIBUTES),
                hint=did_you_mean(str(name), list(_ATTRIBUTES)),
            )
        legal = isinstance(value, int) and not isinstance(value, bool) and value > 0
        if not legal or (value & (value - 1) if name == DIVISIBILITY else value != 32):  # pyright: ignore[reportOperatorIssue]
            raise self.error(
                f"{self.label(path)}: {name} cannot be {value!r}",
                found=repr(value),
                accepted=[_ATTRIBUTES[name]],  # pyright: ignore[reportArgumentType]
            )
        return name, value  # pyright: ignore[reportReturnType]

    def finish(
        self,
        types: Sequence[TypeName],
        values: Mapping[Path, object],
        attributes: Mapping[Path, tuple[tuple[str, int], ...]],
    ) -> SignatureParts:
        """Fill in defaults, check the pieces against each other and freeze them."""
        kinds = [
            self._with_given_constant(kind, (index,), values) for index, kind in enumerate(types)
        ]
        constants: list[tuple[Path, object]] = []
        names: dict[Path, str] = {}
        for index, kind in enumerate(kinds):
            for path, leaf in leaves(kind, (index,)):
                names[path] = leaf
                if leaf == CONSTEXPR:
                    constants.append((path, self._constant(path, values)))
                elif self.parameters[index].is_constexpr:
                    raise self._needs_value(path, leaf)
        for path in values:
            self._check_path(path, names, "constexprs")
        for path, pairs in attributes.items():
            self._check_path(path, names, "attrs")
            if names.get(path) == CONSTEXPR:
                raise self.error(
                    f"{self.label(path)} is a constant, and a constant takes no attribute",
                    found=", ".join(name for name, _ in pairs),
                    accepted=["attributes of arguments that are left at run time"],
                )
        return SignatureParts(
            tuple(kinds),
            tuple(constants),
            tuple(sorted(attributes.items())),
        )

    def _with_given_constant(
        self, kind: TypeName, path: Path, values: Mapping[Path, object]
    ) -> TypeName:
        """Make a constant of an argument whose value is given, though its type is named too."""
        return CONSTEXPR if path in values and isinstance(kind, str) else kind

    def _constant(self, path: Path, values: Mapping[Path, object]) -> object:
        value: object
        for end in range(len(path), 0, -1):
            if path[:end] in values:
                value = values[path[:end]]
                for index in path[end:]:
                    value = self._item(value, index, path)
                return value
        parameter = self.parameters[path[0]]
        if parameter.has_default and len(path) == 1:
            return plain(parameter.default)
        raise self.error(
            f"{self.label(path)} is a constexpr and has no value",
            found="no value",
            accepted=[f"constexprs={{{parameter.name!r}: value}}", "a value in the signature text"],
        )

    def _item(self, value: object, index: int, path: Path) -> object:
        if not isinstance(value, tuple | list) or index >= len(value):
            raise self.error(
                f"{self.label(path)} is an item of a tuple, and its constant is none",
                found=repr(value),
                accepted=["a tuple of values"],
            )
        return plain(value[index])

    def _needs_value(self, path: Path, leaf: str) -> SignatureError:
        return self.error(
            f"{self.label(path)} is declared tl.constexpr and takes a value, not a type",
            found=leaf,
            accepted=["a value such as 1024, True, None, 0.5 or 'text'", CONSTEXPR],
        )

    def _check_path(self, path: Path, names: Mapping[Path, str], what: str) -> None:
        """Refuse a path that leads to no item of the argument's type."""
        if not any(known[: len(path)] == path for known in names):
            raise self.error(
                f"{what}: {self.label(path[:1])} has no item {list(path[1:])}",
                found=str(path),
                accepted=[str(known) for known in names if known[0] == path[0]],
            )
