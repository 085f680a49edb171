"""Operations of ttg that look at a buffer another way; they move no data.

memdesc_index      one of the buffers of a ring     [2, 64, 32] → [64, 32]
memdesc_subslice   a box of it                      [64, 32] → [64, 16] of [64, 32]
memdesc_trans      its dimensions in another order  [64, 32] → [32, 64]
memdesc_reshape    another shape                    [64, 32] → [2048]
memdesc_reinterpret  other elements, shape and encoding over the same bytes
"""

from __future__ import annotations

from math import prod
from typing import ClassVar

from xdsl.irdl import operand_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from weft.ir import types
from weft.ir.attributes import array_values
from weft.ir.constraints import array_prop, int_list_prop
from weft.ir.operation import Infer, Op, fixed, operation
from weft.ir.ttg.memory import memdesc_of
from weft.ir.ttg.types import MemDescType


def _check_kept(op: Op, before: MemDescType, after: MemDescType) -> None:
    for what, kept in (
        ("element type", before.element_type == after.element_type),
        ("memory space", before.memory_space == after.memory_space),
    ):
        if not kept:
            raise VerifyException(f"{op.name}: {before} and {after} differ in {what}")


@operation
class MemDescIndexOp(Op):
    """Pick an element of the first dimension: one buffer of a ring.

    `%v = ttg.memdesc_index %b[%i] : !ttg.memdesc<2x64xf16, #shared, #smem, mutable> ->
    !ttg.memdesc<64xf16, #shared, #smem, mutable>`
    """

    name = "ttg.memdesc_index"
    src = operand_def()
    index = operand_def()
    result = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$src `[` $index `]` attr-dict `:` type($src) `->` type($result)"
    INFER: ClassVar[Infer] = {"index": fixed(types.i32)}

    def verify_(self) -> None:
        before, after = memdesc_of(self, self.src), memdesc_of(self, self.result)
        _check_kept(self, before, after)
        # A ring of scalars, such as barriers, stays of rank 1.
        if after.shape not in (before.shape[1:], (1, *before.shape[1:])):
            raise VerifyException(f"{self.name}: an element of {before} is not {after}")


@operation
class MemDescSubsliceOp(Op):
    """Look at a box of a buffer, at constant offsets.

    `%v = ttg.memdesc_subslice %b[0, 16] : !ttg.memdesc<64x32xf16, #shared, #smem> ->
    !ttg.memdesc<64x16xf16, #shared, #smem, 64x32>`
    """

    name = "ttg.memdesc_subslice"
    src = operand_def()
    offsets = int_list_prop(types.i32)
    result = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$src `` $offsets attr-dict `:` type($src) `->` type($result)"

    def verify_(self) -> None:
        before, after = memdesc_of(self, self.src), memdesc_of(self, self.result)
        _check_kept(self, before, after)
        offsets = array_values(self.offsets)
        if not len(offsets) == len(before.shape) == len(after.shape):
            raise VerifyException(
                f"{self.name}: offsets {list(offsets)} of {before} do not give {after}: the ranks "
                "differ"
            )
        for dim, (offset, size, whole) in enumerate(
            zip(offsets, after.shape, before.shape, strict=True)
        ):
            if not 0 <= offset <= whole - size or (size < whole and offset % size):
                raise VerifyException(
                    f"{self.name}: offset {offset} with size {size} does not fit dimension {dim} "
                    f"of {before}; a multiple of the size that stays inside is expected"
                )
        if after.encoding is not before.encoding:
            raise VerifyException(f"{self.name}: a slice of {before} keeps its encoding")


@operation
class MemDescTransOp(Op):
    """Look at a buffer with its dimensions in another order.

    `%v = ttg.memdesc_trans %b {order = array<i32: 1, 0>} : … -> …`
    """

    name = "ttg.memdesc_trans"
    src = operand_def()
    order = array_prop()
    result = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$src attr-dict `:` type($src) `->` type($result)"

    def verify_(self) -> None:
        before, after = memdesc_of(self, self.src), memdesc_of(self, self.result)
        _check_kept(self, before, after)
        order = array_values(self.order)
        if sorted(order) != list(range(len(before.shape))):
            raise VerifyException(
                f"{self.name}: order {list(order)} is no permutation of the dimensions of {before}"
            )
        if tuple(before.shape[i] for i in order) != after.shape:
            raise VerifyException(
                f"{self.name}: order {list(order)} of {before} does not give {after}"
            )


@operation
class MemDescReshapeOp(Op):
    """Look at a buffer in another shape, elements in the same order.

    `%v = ttg.memdesc_reshape %b : … -> …`
    """

    name = "ttg.memdesc_reshape"
    src = operand_def()
    result = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$src attr-dict `:` type($src) `->` type($result)"

    def verify_(self) -> None:
        before, after = memdesc_of(self, self.src), memdesc_of(self, self.result)
        _check_kept(self, before, after)
        if prod(before.shape) != prod(after.shape):
            raise VerifyException(
                f"{self.name}: {before} and {after} differ in their number of elements"
            )


@operation
class MemDescReinterpretOp(Op):
    """Look at the bytes of a buffer as another element type, shape and encoding.

    `%v = ttg.memdesc_reinterpret %b : … -> …`
    """

    name = "ttg.memdesc_reinterpret"
    src = operand_def()
    result = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$src attr-dict `:` type($src) `->` type($result)"

    def verify_(self) -> None:
        before, after = memdesc_of(self, self.src), memdesc_of(self, self.result)
        if before.memory_space != after.memory_space:
            raise VerifyException(f"{self.name}: {before} and {after} differ in memory space")


OPERATIONS = (
    MemDescIndexOp,
    MemDescSubsliceOp,
    MemDescTransOp,
    MemDescReshapeOp,
    MemDescReinterpretOp,
)

__all__ = [
    "OPERATIONS",
    "MemDescIndexOp",
    "MemDescReinterpretOp",
    "MemDescReshapeOp",
    "MemDescSubsliceOp",
    "MemDescTransOp",
]
