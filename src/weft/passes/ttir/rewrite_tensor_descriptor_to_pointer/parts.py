"""A descriptor taken apart: the values that it is a bundle of, and their types.

!tt.tensordesc<tensor<64x32xf16>>    →    base !tt.ptr<f16>, sizes i64 i64, strides i64 i64,
                                          pads with NaN i1, rounds to tf32 i1
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from weft.ir import types
from weft.ir.builtin import Attribute, Operation, SSAValue

__all__ = ["Parts", "is_descriptor", "mentions", "tile_of", "types_of"]


@dataclass(frozen=True, slots=True)
class Parts:
    """A descriptor taken apart; sizes: those of its tile."""

    base: SSAValue
    shape: tuple[SSAValue, ...]
    strides: tuple[SSAValue, ...]
    pads_with_nan: SSAValue
    rounds: SSAValue
    sizes: tuple[int, ...]

    @property
    def values(self) -> tuple[SSAValue, ...]:
        """Return the parts in the order of `types_of`."""
        return (self.base, *self.shape, *self.strides, self.pads_with_nan, self.rounds)

    @staticmethod
    def of(values: Sequence[SSAValue], sizes: tuple[int, ...]) -> Parts:
        """Return the parts that values in the order of `types_of` are."""
        rank = len(sizes)
        base, *rest = values
        shape, strides = tuple(rest[:rank]), tuple(rest[rank : 2 * rank])
        return Parts(base, shape, strides, rest[-2], rest[-1], sizes)


def types_of(type_: Attribute) -> list[Attribute]:
    """Return the types of a descriptor's parts; of anything else, its type."""
    if not isinstance(type_, types.TensorDescType):
        return [type_]
    tile = type_.block_type
    rank = len(types.shape(tile))
    return [types.pointer(types.element(tile)), *[types.i64] * (2 * rank), types.i1, types.i1]


def tile_of(value: SSAValue) -> tuple[int, ...]:
    """Return the sizes of the tile that a descriptor copies."""
    type_: Any = value.type
    return types.shape(type_.block_type)


def is_descriptor(value: SSAValue) -> bool:
    """Tell whether a value is a tensor descriptor."""
    return isinstance(value.type, types.TensorDescType)


def mentions(op: Operation) -> bool:
    """Tell whether an operation reads, gives or has arguments that are descriptors."""
    arguments = (a for region in op.regions for block in region.blocks for a in block.args)
    return any(is_descriptor(value) for value in (*op.operands, *op.results, *arguments))
