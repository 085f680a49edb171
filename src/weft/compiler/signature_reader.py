"""Check the parts of a signature against a kernel's parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from weft.compiler.kernel_location import definition_location
from weft.compiler.signature_types import (
    CONSTEXPR,
    DIVISIBILITY,
    POINTER_RANGE,
    AttributePairs,
    Path,
    TypeName,
    leaf_types,
    unwrap_constant,
)
from weft.compiler.type_names import canonical_type
from weft.errors import SignatureError, did_you_mean
from weft.language.kernel_function import KernelFunction, Parameter

__all__ = ["SignatureParts", "SignatureReader"]

_ATTRIBUTES = {DIVISIBILITY: "a power of two", POINTER_RANGE: "32"}


class SignatureParts(Struct, frozen=True):
    """The checked parts of a signature, in the form that `Signature` has them."""

    types: tuple[TypeName, ...]
    constants: tuple[tuple[Path, object], ...]
    attributes: tuple[tuple[Path, AttributePairs], ...]


class SignatureReader:
    """Check the parts of a signature against a kernel.

    Attributes:
        kernel: The kernel that the signature describes.
        parameters: Its parameters in order.
        names: Their names.
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
        """Create an error with the name and the location of the kernel."""
        return SignatureError(
            f"{self.kernel.name}: {message}",
            location=definition_location(self.kernel),
            found=found,
            accepted=accepted,
            hint=hint,
        )

    def describe(self, parameter: Parameter) -> str:
        """Format a parameter for lists of what is accepted."""
        return f"{parameter.name}{': constexpr' if parameter.is_constexpr else ''}"

    def label(self, path: Path) -> str:
        """Format a path: "argument 2 (n)", "argument 2 (shape[1])"."""
        items = "".join(f"[{index}]" for index in path[1:])
        return f"argument {path[0]} ({self.names[path[0]]}{items})"

    def type_name(self, text: str, path: Path) -> str:
        """Find the signature name of a type.

        Raises:
            SignatureError: Not a type; names the argument.
        """
        try:
            return canonical_type(text)
        except SignatureError as error:
            raise self.error(
                f"{self.label(path)}: {error.message}",
                found=error.found,
                accepted=error.accepted,
                hint=error.hint,
            ) from None

    def by_path(
        self, values: Mapping[str | int | Path, object] | Mapping[str, object], what: str
    ) -> dict[Path, object]:
        """Convert a mapping by name, position or path to one by path.

        Args:
            values: The mapping.
            what: Its name in messages.
        """
        return {self._path(key, what): unwrap_constant(value) for key, value in values.items()}

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
                f"{what} has a key that is not a parameter",
                found=repr(key),
                accepted=["a parameter name", f"a path (0,) … ({len(self.names) - 1},)"],
            )
        return path

    def types(
        self, signature: Mapping[str, object], values: Mapping[Path, object]
    ) -> list[TypeName]:
        """Read the dictionary of types. Parameters that it omits must have a value.

        Args:
            signature: The type of each parameter by name.
            values: The constants by path.

        Raises:
            SignatureError: Not a dictionary, an unknown parameter or type, or a missing parameter.
        """
        if not isinstance(signature, Mapping):
            raise self.error(
                "a signature is a str or a dict",
                found=type(signature).__name__,
                accepted=['"*fp32:16, i32, 1024"', '{"x": "*fp32", "n": "i32"}'],
            )
        entries = {self.names[self._path(key, "signature")[0]]: signature[key] for key in signature}
        types: list[TypeName] = []
        missing: list[str] = []
        for index, parameter in enumerate(self.parameters):
            if parameter.name in entries:
                types.append(self._type(entries[parameter.name], (index,)))
            elif (index,) in values or (parameter.is_constexpr and parameter.has_default):
                types.append(CONSTEXPR)
            else:
                missing.append(parameter.name)
        if missing:
            raise self.error(
                f"the signature has no entry for {', '.join(missing)}",
                found=", ".join(entries) or "no argument",
                accepted=[self.describe(parameter) for parameter in self.parameters],
            )
        return types

    def _type(self, entry: object, path: Path) -> TypeName:
        if isinstance(entry, tuple | list):
            return tuple(self._type(item, (*path, n)) for n, item in enumerate(entry))
        text = str(entry)
        return CONSTEXPR if text.strip() == CONSTEXPR else self.type_name(text, path)

    def attributes(
        self, attrs: Mapping[str | int | Path, Sequence[Sequence[object]]]
    ) -> dict[Path, AttributePairs]:
        """Read the dictionary of attributes.

        Raises:
            SignatureError: An unknown parameter or attribute, or a value out of range.
        """
        attributes: dict[Path, AttributePairs] = {}
        for key, pairs in attrs.items():
            path = self._path(key, "attrs")
            sequence = pairs if isinstance(pairs, Sequence) else (pairs,)
            attributes[path] = tuple(self._attribute(pair, path) for pair in sequence)
        return {path: pairs for path, pairs in attributes.items() if pairs}

    def _attribute(self, pair: object, path: Path) -> tuple[str, int]:
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise self.error(
                f"{self.label(path)}: an attribute is a pair of name and value",
                found=repr(pair),
                accepted=[f'["{DIVISIBILITY}", 16]'],
            )
        name, value = str(pair[0]), pair[1]
        if name not in _ATTRIBUTES:
            raise self.error(
                f"{self.label(path)}: unknown attribute",
                found=name,
                accepted=list(_ATTRIBUTES),
                hint=did_you_mean(name, list(_ATTRIBUTES)),
            )
        if not _is_attribute_value(name, value):
            raise self.error(
                f"{self.label(path)}: {name} cannot be {value!r}",
                found=repr(value),
                accepted=[_ATTRIBUTES[name]],
            )
        return name, value

    def finish(
        self,
        types: Sequence[TypeName],
        values: Mapping[Path, object],
        attributes: Mapping[Path, AttributePairs],
    ) -> SignatureParts:
        """Fill in default values and check the parts against each other.

        Args:
            types: One type per parameter.
            values: The constants by path.
            attributes: The attributes by path.

        Raises:
            SignatureError: A constexpr without a value, a type where a value is required, an
                attribute of a constant, or a path to no item of an argument.
        """
        # An argument with a value is a constant, even if its type is given too.
        resolved = [
            CONSTEXPR if (index,) in values and isinstance(type_name, str) else type_name
            for index, type_name in enumerate(types)
        ]
        constants: list[tuple[Path, object]] = []
        leaves: dict[Path, str] = {}
        for index, type_name in enumerate(resolved):
            for path, leaf in leaf_types(type_name, (index,)):
                leaves[path] = leaf
                if leaf == CONSTEXPR:
                    constants.append((path, self._constant(path, values)))
                elif self.parameters[index].is_constexpr:
                    raise self.error(
                        f"{self.label(path)} is declared tl.constexpr and takes a value, "
                        "not a type",
                        found=leaf,
                        accepted=["a value such as 1024, True, None, 0.5 or 'text'", CONSTEXPR],
                    )
        for path in values:
            self._check_path(path, leaves, "constexprs")
        for path in attributes:
            self._check_path(path, leaves, "attrs")
        # The value of a constant implies its attributes. torch.compile names them all the same,
        # for an argument whose value is 1.
        used = {path: each for path, each in attributes.items() if leaves.get(path) != CONSTEXPR}
        return SignatureParts(tuple(resolved), tuple(constants), tuple(sorted(used.items())))

    def _constant(self, path: Path, values: Mapping[Path, object]) -> object:
        # A value for a whole tuple argument also holds the values of its items.
        for end in range(len(path), 0, -1):
            if path[:end] in values:
                value = values[path[:end]]
                for index in path[end:]:
                    value = self._item(value, index, path)
                return value
        parameter = self.parameters[path[0]]
        if parameter.has_default and len(path) == 1:
            return unwrap_constant(parameter.default)
        raise self.error(
            f"{self.label(path)} is a constexpr without a value",
            found="no value",
            accepted=[f"constexprs={{{parameter.name!r}: value}}", "a value in the signature text"],
        )

    def _item(self, value: object, index: int, path: Path) -> object:
        if not isinstance(value, tuple | list) or index >= len(value):
            raise self.error(
                f"{self.label(path)} is an item of a tuple, and its constant is not",
                found=repr(value),
                accepted=["a tuple of values"],
            )
        return unwrap_constant(value[index])

    def _check_path(self, path: Path, leaves: Mapping[Path, str], what: str) -> None:
        """Reject a path that leads to no item of the argument's type."""
        if not any(leaf[: len(path)] == path for leaf in leaves):
            raise self.error(
                f"{what}: {self.label(path[:1])} has no item {list(path[1:])}",
                found=str(path),
                accepted=[str(leaf) for leaf in leaves if leaf[0] == path[0]],
            )


def _is_attribute_value(name: str, value: object) -> bool:
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        return False
    return value.bit_count() == 1 if name == DIVISIBILITY else value == 32
