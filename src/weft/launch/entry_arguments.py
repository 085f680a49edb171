"""The arguments of an entry whose IR came from a file, checked against the IR's own types.

    tt.func public @scaled(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32, %by: f32)
    →  argument 0: an array of f32 at a multiple of 16 bytes, argument 1: a number of 32 bits, …

There is no Python signature that says what is meant: an i32 takes signed and unsigned numbers, and
an array of integers stands for any elements that are as wide.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from weft.compiler import type_names
from weft.compiler.build import entry_of
from weft.compiler.signature import Signature
from weft.compiler.signature_types import DIVISIBILITY
from weft.errors import LaunchError
from weft.ir import types
from weft.ir.attributes import number
from weft.launch.arrays import address, element_type, is_array, is_descriptor
from weft.launch.values import described, number_of

if TYPE_CHECKING:
    from weft.ir.builtin import Attribute, ModuleOp

__all__ = ["EntryArgument", "arguments_of", "signature_of"]

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


@dataclass(frozen=True, slots=True)
class EntryArgument:
    """What a launch gives to an entry: one array, number or descriptor.

    kernel, name: for messages.  kind: its type in the IR.  leaf: the same as signatures name it.
    divisibility: what the IR promises of the address or number; 1 for nothing.
    """

    kernel: str
    name: str
    kind: Attribute
    leaf: str
    divisibility: int = 1

    def checked(self, value: Any) -> Any:
        """Return what is written for a value.

        Raises: LaunchError: names the argument, and what it takes.
        """
        if types.is_pointer(self.kind):
            return self._array(value, self.kind.pointee)
        if isinstance(self.kind, types.TensorDescType):
            if not is_descriptor(value):
                raise self._error("is a tensor descriptor", value, "a weft.TensorDescriptor")
            self._array(value.base, types.element(self.kind.block_type))
            wanted = types.shape(self.kind.block_type)
            if tuple(map(int, value.block_shape)) != wanted:
                raise self._error("describes other tiles", list(value.block_shape), list(wanted))
            return value
        return self._number(value)

    def _array(self, value: Any, element: Attribute) -> Any:
        if not is_array(value):
            raise self._error(f"is a pointer to {element}", value, f"an array of {element}")
        name = element_type(value)
        if name is None or not _holds(name, element):
            raise self._error(f"is a pointer to {element}", value, f"an array of {element}")
        self._require_divisible(address(value), "address")
        return value

    def _number(self, value: Any) -> Any:
        found = value if isinstance(value, bool | int | float) else number_of(value)
        if found is None or is_array(value):
            raise self._error(f"is a number of type {self.kind}", value, "a number")
        if not types.is_integer(self.kind):
            return found
        bits = types.bit_width(self.kind)
        low, high = -(1 << (bits - 1)), 1 << bits
        if isinstance(found, float) or not low <= found < high:
            raise self._error(f"is an {self.kind}", value, f"integers from {low} to {high - 1}")
        self._require_divisible(int(found), "number")
        return found - high if bits > 1 and found >= high >> 1 else found

    def _require_divisible(self, found: int, what: str) -> None:
        if found % self.divisibility:
            raise self._error(
                f"breaks what the IR promises of it, tt.divisibility = {self.divisibility}",
                f"{what} {found:#x}",
                f"a multiple of {self.divisibility}",
            )

    def _error(self, message: str, found: object, accepted: object) -> LaunchError:
        shown = found if isinstance(found, str | list) else described(found)
        return LaunchError(
            f"{self.kernel}: {self.name} {message}", found=shown, accepted=[accepted]
        )


def arguments_of(module: ModuleOp) -> tuple[EntryArgument, ...]:
    """Return what a launch gives to the entry of a module.

    Raises: LaunchError: the entry takes a type that no launch gives.
    """
    entry = entry_of(module)
    kinds, found = list(entry.function_type.inputs.data), []
    place = 0
    while place < len(kinds):
        name = f"argument {len(found)}"
        leaf, taken = _leaf(entry.symbol, name, kinds[place])
        promised = number(entry.argument_attributes(place).get(DIVISIBILITY))
        divisibility = int(promised or 1)
        found.append(EntryArgument(entry.symbol, name, kinds[place], leaf, divisibility))
        place += taken
    return tuple(found)


def signature_of(arguments: tuple[EntryArgument, ...]) -> Signature:
    """Return the signature of an entry's arguments."""
    return Signature(tuple(each.name for each in arguments), tuple(each.leaf for each in arguments))


def _leaf(kernel: str, name: str, kind: Attribute) -> tuple[str, int]:
    """Return a type as signatures name it, and how many of the entry's arguments it stands for."""
    if isinstance(kind, types.TensorDescType):
        shape = types.shape(kind.block_type)
        sizes = ",".join(map(str, shape))
        return f"tensordesc<{types.element(kind.block_type)}[{sizes}]>", 1 + 2 * len(shape)
    if types.is_pointer(kind):
        return f"*{kind.pointee}", 1
    leaf = _NUMBERS.get(kind)
    if leaf is None:
        raise LaunchError(
            f"{kernel}: {name} is of a type that no launch gives",
            found=kind,
            accepted=["a pointer", "a tensor descriptor", *_NUMBERS],
        )
    return leaf, 1


def _holds(name: str, element: Attribute) -> bool:
    """Tell whether an array of a signature's elements stands for a pointer to elements."""
    from weft.frontend.semantics.ir_types import ir_type

    given = ir_type(type_names.element_type(name))
    if given == element:
        return True
    is_bits = types.is_integer(given) or not types.is_float(element)
    return is_bits and _stored_bits(given) == _stored_bits(element)


def _stored_bits(type_: Attribute) -> int:
    return max(_BYTE_BITS, types.bit_width(type_))
