"""The arguments of an entry whose IR came from a file, checked against the types in the IR.

    tt.func public @scaled(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32, %by: f32)
    →  argument 0: an array of f32 at a multiple of 16 bytes, argument 1: a number of 32 bits, …

IR has no signed and unsigned integers: an i32 accepts both, and a pointer to integers accepts any
elements of the same width.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from weft.compiler.entry import entry_function
from weft.compiler.signature import Signature
from weft.compiler.signature_types import DIVISIBILITY
from weft.compiler.type_names import language_dtype
from weft.errors import LaunchError
from weft.frontend.semantics.ir_types import ir_type
from weft.ir import types
from weft.ir.attributes import number
from weft.launch.array_types import Array, Descriptor
from weft.launch.arrays import address, element_type_name, is_array, is_descriptor
from weft.launch.values import describe_argument, python_number

if TYPE_CHECKING:
    from weft.ir.builtin import Attribute, ModuleOp

__all__ = ["EntryArgument", "entry_arguments", "entry_signature"]

_NUMBERS = {
    types.i1: "u1",
    types.i8: "i8",
    types.i16: "i16",
    types.i32: "i32",
    types.i64: "i64",
    types.f16: "fp16",
    types.bf16: "bf16",
    types.f32: "fp32",
    types.f64: "fp64",
}
_BYTE_BITS = 8


class EntryArgument(Struct, frozen=True):
    """An argument of an entry: an array, a number or a descriptor.

    Attributes:
        kernel: Name of the entry, for messages.
        name: Name of the argument, for messages.
        type: Its type in the IR.
        type_name: The same as signatures name it.
        divisibility: The divisibility that the IR promises of its address or number.
    """

    kernel: str
    name: str
    type: Attribute
    type_name: str
    divisibility: int = 1

    def check(self, value: object) -> object:
        """Check a value against the type.

        Returns:
            The value to encode.

        Raises:
            LaunchError: The value does not have the type.
        """
        if types.is_pointer(self.type):
            return self._check_array(value, self.type.pointee)
        if isinstance(self.type, types.TensorDescType):
            return self._check_descriptor(value, self.type.block_type)
        return self._check_number(value)

    def _check_descriptor(self, value: object, block_type: Attribute) -> Descriptor:
        if not is_descriptor(value):
            raise self._error("is a tensor descriptor", value, "a weft.TensorDescriptor")
        self._check_array(value.base, types.element(block_type))
        block_shape = types.shape(block_type)
        if tuple(map(int, value.block_shape)) != block_shape:
            raise self._error("has another block shape", list(value.block_shape), list(block_shape))
        return value

    def _check_array(self, value: object, element: Attribute) -> Array:
        name = element_type_name(value) if is_array(value) else None
        if not is_array(value) or name is None or not _can_hold(name, element):
            raise self._error(f"is a pointer to {element}", value, f"an array of {element}")
        self._check_divisibility(address(value), "address")
        return value

    def _check_number(self, value: object) -> float:
        number = value if isinstance(value, bool | int | float) else python_number(value)
        if number is None or is_array(value):
            raise self._error(f"is a number of type {self.type}", value, "a number")
        if not types.is_integer(self.type):
            return number
        bits = types.bit_width(self.type)
        low, high = -(1 << (bits - 1)), 1 << bits
        if isinstance(number, float) or not low <= number < high:
            raise self._error(f"is an {self.type}", value, f"integers from {low} to {high - 1}")
        self._check_divisibility(int(number), "number")
        # Unsigned numbers are passed as the signed ones of the same bits.
        return number - high if bits > 1 and number >= high >> 1 else number

    def _check_divisibility(self, number: int, what: str) -> None:
        if number % self.divisibility:
            raise self._error(
                f"must have tt.divisibility = {self.divisibility}, as the IR promises",
                f"{what} {number:#x}",
                f"a multiple of {self.divisibility}",
            )

    def _error(self, message: str, found: object, accepted: object) -> LaunchError:
        return LaunchError(
            f"{self.kernel}: {self.name} {message}",
            found=found if isinstance(found, str | list) else describe_argument(found),
            accepted=[accepted],
        )


def entry_arguments(module: ModuleOp) -> tuple[EntryArgument, ...]:
    """List the arguments of a module's entry.

    Raises:
        LaunchError: An argument has a type that cannot be passed at launch.
    """
    entry = entry_function(module)
    arguments: list[EntryArgument] = []
    input_types = list(entry.function_type.inputs.data)
    index = 0
    while index < len(input_types):
        name = f"argument {len(arguments)}"
        type_name, count = _type_name(entry.symbol, name, input_types[index])
        divisibility = number(entry.argument_attributes(index).get(DIVISIBILITY))
        arguments.append(
            EntryArgument(entry.symbol, name, input_types[index], type_name, int(divisibility or 1))
        )
        index += count
    return tuple(arguments)


def entry_signature(arguments: tuple[EntryArgument, ...]) -> Signature:
    """Build the signature of an entry's arguments."""
    return Signature(
        tuple(each.name for each in arguments), tuple(each.type_name for each in arguments)
    )


def _type_name(kernel: str, name: str, type_: Attribute) -> tuple[str, int]:
    """Find the signature name of a type, and the number of entry arguments that it takes.

    A descriptor is followed by its shape and strides.
    """
    if isinstance(type_, types.TensorDescType):
        shape = types.shape(type_.block_type)
        sizes = ",".join(map(str, shape))
        return f"tensordesc<{types.element(type_.block_type)}[{sizes}]>", 1 + 2 * len(shape)
    if types.is_pointer(type_):
        return f"*{type_.pointee}", 1
    type_name = _NUMBERS.get(type_)
    if type_name is None:
        raise LaunchError(
            f"{kernel}: {name} has a type that cannot be passed at launch",
            found=type_,
            accepted=["a pointer", "a tensor descriptor", *_NUMBERS],
        )
    return type_name, 1


def _can_hold(name: str, element: Attribute) -> bool:
    """Check whether an array of a signature's elements can be passed as a pointer to elements."""
    array_element = ir_type(language_dtype(name))
    if array_element == element:
        return True
    is_bits = types.is_integer(array_element) or not types.is_float(element)
    return is_bits and _storage_bits(array_element) == _storage_bits(element)


def _storage_bits(type_: Attribute) -> int:
    return max(_BYTE_BITS, types.bit_width(type_))
