"""The parts of a tensor descriptor and their types.

!tt.tensordesc<tensor<64x32xf16>>    →    base !tt.ptr<f16>, sizes i64 i64, strides i64 i64,
                                          pads with NaN i1, rounds to tf32 i1
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from weft.ir import tt, types
from weft.ir.builtin import Attribute, Operation, SSAValue

__all__ = ["DescriptorParts", "block_shape", "has_descriptor", "is_descriptor", "part_types"]


class DescriptorParts(Struct, frozen=True):
    """The parts of a descriptor.

    Attributes:
        base: The pointer to the tensor.
        shape: The size of the tensor per axis, as i64.
        strides: Its stride per axis, in elements, as i64.
        pads_with_nan: Whether elements outside are NaN instead of 0, as i1.
        rounds_to_tf32: Whether loads round f32 to tf32, as i1.
        sizes: The shape of the block.
    """

    base: SSAValue
    shape: tuple[SSAValue, ...]
    strides: tuple[SSAValue, ...]
    pads_with_nan: SSAValue
    rounds_to_tf32: SSAValue
    sizes: tuple[int, ...]

    @property
    def values(self) -> tuple[SSAValue, ...]:
        """The parts in the order of `part_types`."""
        flags = (self.pads_with_nan, self.rounds_to_tf32)
        return (self.base, *self.shape, *self.strides, *flags)

    @staticmethod
    def of(values: Sequence[SSAValue], sizes: tuple[int, ...]) -> DescriptorParts:
        """Create the parts from values in the order of `part_types`."""
        rank = len(sizes)
        base, *rest = values
        shape, strides = tuple(rest[:rank]), tuple(rest[rank : 2 * rank])
        return DescriptorParts(base, shape, strides, rest[-2], rest[-1], sizes)


def part_types(type_: Attribute) -> list[Attribute]:
    """List the types of the parts of a descriptor, or just the type if it is no descriptor."""
    if not isinstance(type_, types.TensorDescType):
        return [type_]
    tile = type_.block_type
    rank = len(types.shape(tile))
    return [types.pointer(types.element(tile)), *[types.i64] * (2 * rank), types.i1, types.i1]


def block_shape(value: SSAValue) -> tuple[int, ...]:
    """Return the shape of the block that a descriptor accesses."""
    type_ = value.type
    assert isinstance(type_, types.TensorDescType)
    return types.shape(type_.block_type)


def is_descriptor(value: SSAValue) -> bool:
    """Check whether a value is a tensor descriptor."""
    return isinstance(value.type, types.TensorDescType)


def has_descriptor(op: Operation) -> bool:
    """Check whether an operand, result or block argument of an operation is a descriptor.

    So is a result of a function.
    """
    if isinstance(op, tt.FuncOp) and any(
        isinstance(type_, types.TensorDescType) for type_ in op.function_type.outputs
    ):
        return True
    arguments = (a for region in op.regions for block in region.blocks for a in block.args)
    return any(is_descriptor(value) for value in (*op.operands, *op.results, *arguments))
