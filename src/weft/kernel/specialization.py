"""Specialize a kernel: read its signature off the arguments of a launch, by Triton's rules.

    array of float16 at an address divisible by 16  →  *fp16, tt.divisibility = 16
    1                                               →  constexpr 1
    32, 31, 2**40, 2**63                            →  i32 divisible by 16, i32, i64 …, u64 …
    True, 0.5, None                                 →  u1, fp32, constexpr None
    (x, 4, None), a named tuple                     →  item by item
    an element type, a kernel function              →  constexpr

A parameter in `do_not_specialize` keeps its plain type. One in `do_not_specialize_on_alignment` has
no divisibility. A parameter annotated with a type has that type, and its argument is checked
against it.

For AMD GPUs, an array in less than 2 GiB of memory has tt.pointer_range = 32: buffer instructions
can address it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

from msgspec import Struct

from weft.compiler.signature import Signature
from weft.compiler.signature_types import (
    CONSTEXPR,
    DIVISIBILITY,
    POINTER_RANGE,
    AttributePairs,
    Path,
    TypeName,
    unwrap_constant,
)
from weft.compiler.type_names import (
    NUMPY_NAMES,
    annotated_type,
    integer_range,
    is_integer,
    numpy_dtype_name,
)
from weft.errors import LaunchError
from weft.language.dtypes import dtype
from weft.language.kernel_function import KernelFunction, Parameter, is_foreign
from weft.launch.array_types import Array
from weft.launch.arrays import (
    address,
    element_type_name,
    is_array,
    is_descriptor,
    storage_bytes,
    tuple_like,
)
from weft.launch.values import describe_argument, python_number

__all__ = ["specialize", "specialize_argument"]

ALIGNMENT = 16
_SMALL_BYTES = 1 << 31
_ACCEPTED = (
    "a numpy array", "a CPU tensor with data_ptr() and dtype", "int", "float", "bool", "None",
    "a tuple of these",
)  # fmt: skip
# The type of an int, by its range. Triton takes the first one that fits.
_INTEGER_TYPES = (
    ("i32", -(1 << 31), 1 << 31),
    ("i64", -(1 << 63), 1 << 63),
    ("u64", 1 << 63, 1 << 64),
)


def specialize(
    kernel: KernelFunction, values: Sequence[object], *, pointer_ranges: bool = False
) -> Signature:
    """Compute the signature that a kernel is compiled with for some arguments.

    Args:
        kernel: The kernel.
        values: One argument per parameter, in order.
        pointer_ranges: Whether to distinguish arrays of less than 2 GiB, for AMD GPUs.

    Raises:
        LaunchError: An argument of an unsupported type, or one that does not fit its annotation.
    """
    types: list[TypeName] = []
    constants: list[tuple[Path, object]] = []
    attributes: list[tuple[Path, AttributePairs]] = []
    for parameter, value in zip(kernel.parameters, values, strict=True):
        specializer = _ArgumentSpecializer(
            kernel.name, parameter, constants, attributes, pointer_ranges
        )
        types.append(specializer.specialize(value))
    return Signature(kernel.parameter_names, tuple(types), tuple(constants), tuple(attributes))


def specialize_argument(
    value: object, *, is_const: bool = False, specialize_value: bool = True, align: bool = True
) -> tuple[TypeName, object]:
    """Specialize on one argument, without a kernel.

    Args:
        value: The argument.
        is_const: Whether the kernel only reads from the pointer.
        specialize_value: Whether to specialize on the value.
        align: Whether to specialize on divisibility by 16.

    Returns:
        The type, and "D" for a multiple of 16, else ""; for a constant "constexpr" and the value.

    Raises:
        LaunchError: An argument of an unsupported type.
    """
    parameter = Parameter(
        0,
        "argument",
        "const" if is_const else "",
        None,
        False,
        False,
        not specialize_value,
        not align,
    )
    constants: list[tuple[Path, object]] = []
    attributes: list[tuple[Path, AttributePairs]] = []
    type_ = _ArgumentSpecializer("specialize", parameter, constants, attributes).specialize(value)
    if type_ == CONSTEXPR:
        return type_, constants[0][1]
    return type_, "D" if attributes else ""


class _ArgumentSpecializer(Struct, frozen=True):
    """Specialize one argument; its constants and attributes are added to the lists."""

    kernel: str
    parameter: Parameter
    constants: list[tuple[Path, object]]
    attributes: list[tuple[Path, AttributePairs]]
    pointer_ranges: bool = False

    def specialize(self, value: object) -> TypeName:
        path = (self.parameter.index,)
        if self.parameter.is_constexpr:
            return self._constant(value, path)
        annotation = annotated_type(self.parameter.annotation)
        return self._annotated(value, annotation, path) if annotation else self._item(value, path)

    def _constant(self, value: object, path: Path) -> str:
        self.constants.append((path, unwrap_constant(value)))
        return CONSTEXPR

    def _item(self, value: object, path: Path) -> TypeName:
        if isinstance(value, bool):
            return "u1"
        if isinstance(value, int):
            return self._integer(value, path)
        if isinstance(value, float):
            return "fp32"
        if value is None or _is_compile_time(value):
            return self._constant(value, path)
        if isinstance(value, tuple):
            items = [self._item(item, (*path, n)) for n, item in enumerate(value)]
            return cast("TypeName", tuple_like(value, items))
        if is_array(value):
            return self._pointer(value, path)
        if is_descriptor(value):
            shape = ", ".join(str(unwrap_constant(size)) for size in value.block_shape)
            element = self._element(cast("Array", value.base), path)
            layout = getattr(value, "layout", None)
            suffix = "" if layout is None else f",{layout!r}"
            return f"tensordesc<{element}[{shape}]{suffix}>"
        if (number := python_number(value)) is not None:
            return self._item(number, path)
        raise self._error(
            f"failed to specialize argument of type {type(value).__name__}",
            found=describe_argument(value),
            accepted=_ACCEPTED,
            hint=f"declare {self.parameter.name}: tl.constexpr if it is a constant",
        )

    def _integer(self, value: int, path: Path) -> str:
        names = (name for name, low, high in _INTEGER_TYPES if low <= value < high)
        name = next(names, None)
        if name is None:
            raise self._error(
                "integer needs more than 64 bits", found=value, accepted=["-2**63 … 2**64 - 1"]
            )
        if self.parameter.do_not_specialize:
            return name
        if value == 1:
            return self._constant(1, path)
        self._add_divisibility(value, path)
        return name

    def _add_divisibility(self, value: int, path: Path) -> None:
        if pairs := self._divisibility(value):
            self.attributes.append((path, pairs))

    def _divisibility(self, value: int) -> AttributePairs:
        skip = self.parameter.do_not_specialize or self.parameter.do_not_specialize_on_alignment
        return () if skip or value % ALIGNMENT else ((DIVISIBILITY, ALIGNMENT),)

    def _pointer(self, array: Array, path: Path) -> str:
        name = self._element(array, path)
        pairs = self._divisibility(address(array))
        is_specialized = self.pointer_ranges and not self.parameter.do_not_specialize
        if is_specialized and (size := storage_bytes(array)) is not None and size < _SMALL_BYTES:
            pairs = (*pairs, (POINTER_RANGE, 32))
        if pairs:
            self.attributes.append((path, pairs))
        is_const = self.parameter.annotation.strip("'\"").startswith(("const", "*k", "*const"))
        return f"*k{name}" if is_const else f"*{name}"

    def _element(self, array: Array, path: Path) -> str:
        name = element_type_name(array)
        if name is None:
            item = f" of item {list(path[1:])}" if len(path) > 1 else ""
            raise self._error(
                f"unsupported element type{item}",
                found=describe_argument(array),
                accepted=NUMPY_NAMES,
            )
        return name

    def _annotated(self, value: object, annotation: str, path: Path) -> TypeName:
        """Check an argument against the type that its parameter is annotated with."""
        if annotation.startswith("*"):
            return self._annotated_pointer(value, annotation, path)
        number = value if isinstance(value, bool | int | float) else python_number(value)
        is_integral = annotation[0] in "iu"
        if number is None or (is_integral and not _fits(number, annotation)):
            raise self._error(
                f"argument does not fit its annotation {annotation}",
                found=describe_argument(value),
                accepted=[annotation],
            )
        # An annotated integer is never specialized to the constant 1, nor 1 to divisibility 16.
        if is_integer(annotation) and int(number) != 1:
            self._add_divisibility(int(number), path)
        return annotation

    def _annotated_pointer(self, value: object, annotation: str, path: Path) -> TypeName:
        if value is None:
            return self._constant(value, path)
        if is_array(value) and _pointee(self._pointer(value, path)) == _pointee(annotation):
            return annotation
        raise self._error(
            f"argument does not fit its annotation {annotation}",
            found=describe_argument(value),
            accepted=[f"an array of {numpy_dtype_name(_pointee(annotation))}"],
        )

    def _error(
        self, message: str, *, found: object, accepted: Iterable[object], hint: str | None = None
    ) -> LaunchError:
        return LaunchError(
            f"{self.kernel}: parameter {self.parameter.name}: {message}",
            found=found,
            accepted=accepted,
            hint=hint,
        )


def _pointee(name: str) -> str:
    return name.removeprefix("*").removeprefix("k")


def _is_compile_time(value: object) -> bool:
    """Check whether a value can only be a constexpr: a constexpr wrapper, a type, a kernel."""
    if isinstance(value, dtype | KernelFunction) or type(value).__name__ == CONSTEXPR:
        return True
    return is_foreign(value) and type(value).__name__ in ("dtype", "JITFunction")


def _fits(number: float, type_name: str) -> bool:
    if isinstance(number, float):
        return False
    if type_name == "u1":  # any number is a truth value, as in C
        return True
    low, high = integer_range(type_name)
    return low <= number < high
