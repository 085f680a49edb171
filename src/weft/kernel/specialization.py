"""Read the signature off live arguments, by Triton's rules.

    array of float16 at an address divisible by 16  →  *fp16, tt.divisibility = 16
    1                                               →  constexpr 1
    32, 31, 2**40, 2**63                            →  i32 divisible by 16, i32, i64 …, u64 …
    True, 0.5, None                                 →  u1, fp32, constexpr None
    (x, 4, None), a named tuple                     →  item by item
    an element type, a kernel function              →  constexpr

A parameter in `do_not_specialize` keeps its plain type; one in `do_not_specialize_on_alignment`
does not promise divisibility. A parameter annotated with a type has that type, and its argument
is checked against it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from weft.compiler import type_names
from weft.compiler.signature import Signature
from weft.compiler.signature_types import CONSTEXPR, DIVISIBILITY, Path, TypeName, plain
from weft.errors import LaunchError
from weft.language.dtypes import dtype
from weft.language.kernel_function import KernelFunction, Parameter, is_foreign
from weft.launch.arrays import address, element_type, is_array, is_descriptor
from weft.launch.values import described, number_of

ALIGNMENT = 16
_ACCEPTED = (
    "a numpy array", "a CPU tensor with data_ptr() and dtype", "int", "float", "bool", "None",
    "a tuple of these",
)  # fmt: skip
_INTEGER_RANGES = (
    ("i32", -(1 << 31), 1 << 31),
    ("i64", -(1 << 63), 1 << 63),
    ("u64", 1 << 63, 1 << 64),
)


def specialise(kernel: KernelFunction, values: Sequence[object]) -> Signature:
    """Return the signature that `kernel` is compiled with for these arguments.

    Args: values: one per parameter, in order.
    Raises: LaunchError: an argument that no kernel takes, or that contradicts its annotation.
    """
    types: list[TypeName] = []
    constants: list[tuple[Path, object]] = []
    attributes: list[tuple[Path, tuple[tuple[str, int], ...]]] = []
    for parameter, value in zip(kernel.parameters, values, strict=True):
        argument = _Argument(kernel, parameter, constants, attributes)
        types.append(argument.read(value))
    return Signature(kernel.parameter_names, tuple(types), tuple(constants), tuple(attributes))


@dataclass(frozen=True, slots=True)
class _Argument:
    """Read one argument; constants and attributes are added to the lists of its signature."""

    kernel: KernelFunction
    parameter: Parameter
    constants: list[tuple[Path, object]]
    attributes: list[tuple[Path, tuple[tuple[str, int], ...]]]

    def read(self, value: object) -> TypeName:
        path = (self.parameter.index,)
        if self.parameter.is_constexpr:
            return self._constant(value, path)
        declared = type_names.declared(self.parameter.annotation)
        return self._declared(value, declared, path) if declared else self._item(value, path)

    def _constant(self, value: object, path: Path) -> str:
        self.constants.append((path, plain(value)))
        return CONSTEXPR

    def _item(self, value: Any, path: Path) -> TypeName:
        if isinstance(value, bool):
            return "u1"
        if isinstance(value, int):
            return self._integer(value, path)
        if isinstance(value, float):
            return "fp32"
        if value is None or _is_static(value):
            return self._constant(value, path)
        if isinstance(value, tuple):
            items = [self._item(item, (*path, at)) for at, item in enumerate(value)]
            return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
        if is_array(value):
            return self._pointer(value, path)
        if is_descriptor(value):
            shape = ", ".join(str(plain(size)) for size in value.block_shape)
            return f"tensordesc<{self._element(value.base, path)}[{shape}]>"
        if (number := number_of(value)) is not None:
            return self._item(number, path)
        raise self.error(
            "cannot be an argument of a kernel",
            found=described(value),
            accepted=_ACCEPTED,
            hint=f"declare it as {self.parameter.name}: tl.constexpr if it is a constant",
        )

    def _integer(self, value: int, path: Path) -> str:
        fitting = (name for name, low, high in _INTEGER_RANGES if low <= value < high)
        name = next(fitting, None)
        if name is None:
            raise self.error(
                "needs more than 64 bits", found=value, accepted=["-2**63 … 2**64 - 1"]
            )
        if self.parameter.do_not_specialize:
            return name
        if value == 1:
            return self._constant(1, path)
        self._align(value, path)
        return name

    def _align(self, value: int, path: Path) -> None:
        skip = self.parameter.do_not_specialize or self.parameter.do_not_specialize_on_alignment
        if not skip and value % ALIGNMENT == 0:
            self.attributes.append((path, ((DIVISIBILITY, ALIGNMENT),)))

    def _pointer(self, value: object, path: Path) -> str:
        name = self._element(value, path)
        self._align(address(value), path)
        const = self.parameter.annotation.strip("'\"").startswith(("const", "*k", "*const"))
        return f"*k{name}" if const else f"*{name}"

    def _element(self, value: object, path: Path) -> str:
        name = element_type(value)
        if name is None:
            raise self.error(
                f"is an array of a type that kernels do not have{_at(path)}",
                found=described(value),
                accepted=type_names.NUMPY_NAMES,
            )
        return name

    def _declared(self, value: object, declared: str, path: Path) -> TypeName:
        """Check an argument against the type that its parameter is annotated with."""
        if declared.startswith("*"):
            if is_array(value):
                found = self._pointer(value, path)
                if _pointee(found) == _pointee(declared):
                    return declared
            elif value is None:
                return self._constant(value, path)
            raise self.error(
                f"is declared {declared}",
                found=described(value),
                accepted=[f"an array of {type_names.numpy_name(_pointee(declared))}"],
            )
        number = value if isinstance(value, bool | int | float) else number_of(value)
        if number is None or (declared[0] in "iu" and not _fits(number, declared)):
            raise self.error(f"is declared {declared}", found=described(value), accepted=[declared])
        if type_names.is_integer(declared) and int(number) != 1:
            self._align(int(number), path)
        return declared

    def error(
        self, message: str, *, found: object, accepted: Sequence[object] | Any, hint: str = ""
    ) -> LaunchError:
        return LaunchError(
            f"{self.kernel.name}: parameter {self.parameter.name} {message}",
            found=found,
            accepted=accepted,
            hint=hint or None,
        )


def _pointee(name: str) -> str:
    return name.removeprefix("*").removeprefix("k")


def _is_static(value: object) -> bool:
    """Tell whether a value can only be a compile-time one: a wrapper, a type, a kernel."""
    if isinstance(value, dtype | KernelFunction) or type(value).__name__ == CONSTEXPR:
        return True
    return is_foreign(value) and type(value).__name__ in ("dtype", "JITFunction")


def _fits(number: float, declared: str) -> bool:
    if isinstance(number, float):
        return False
    low, high = type_names.range_of(declared)
    return low <= number < high


def _at(path: Path) -> str:
    return f", at item {list(path[1:])}" if len(path) > 1 else ""
