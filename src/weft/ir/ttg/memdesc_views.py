"""Views of buffers: operations of ttg that compute a memory descriptor and move no data.

memdesc_index          one buffer of a multi-buffered one   [2, 64, 32] → [64, 32]
memdesc_subslice       a part at constant offsets           [64, 32] → [64, 16] of [64, 32]
memdesc_trans          permuted dimensions                  [64, 32] → [32, 64]
memdesc_reshape        another shape                        [64, 32] → [2048]
memdesc_reinterpret    another element type, shape and encoding of the same bytes
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
from weft.ir.ttg.memory import memdesc_type
from weft.ir.ttg.types import MemDescType


def _check_same_memory(before: MemDescType, after: MemDescType) -> None:
    if before.element_type != after.element_type:
        raise VerifyException("result element type must match desc element type")
    if before.memory_space != after.memory_space:
        raise VerifyException("result memory space must match desc memory space")


@operation
class MemDescIndexOp(Op):
    """Select an index of the first dimension: one buffer of a multi-buffered one.

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
        before, after = memdesc_type(self, self.src), memdesc_type(self, self.result)
        _check_same_memory(before, after)
        # A buffer of scalars, such as mbarriers, keeps rank 1.
        if after.shape not in (before.shape[1:], (1, *before.shape[1:])):
            raise VerifyException("result shape must equal to srcShape[1:]")


@operation
class MemDescSubsliceOp(Op):
    """Select a part of a buffer at constant offsets, each a multiple of the size.

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
        before, after = memdesc_type(self, self.src), memdesc_type(self, self.result)
        _check_same_memory(before, after)
        offsets = array_values(self.offsets)
        if not len(offsets) == len(before.shape) == len(after.shape):
            raise VerifyException("offsets must have the same rank as input")
        for dim, (offset, size, whole) in enumerate(
            zip(offsets, after.shape, before.shape, strict=True)
        ):
            if not 0 <= offset <= whole - size:
                raise VerifyException(f"subslice is out of bounds of dimension {dim}")
            if size < whole and offset % size:
                raise VerifyException("The split offset may not touch the tile")
        if after.encoding is not before.encoding:
            raise VerifyException("requires the same encoding for all operands and results")


@operation
class MemDescTransOp(Op):
    """Permute the dimensions of a buffer.

    `%v = ttg.memdesc_trans %b {order = array<i32: 1, 0>} : !ttg.memdesc<64x32xf16, #shared, #smem>
    -> !ttg.memdesc<32x64xf16, #shared1, #smem>`
    """

    name = "ttg.memdesc_trans"
    src = operand_def()
    order = array_prop()
    result = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$src attr-dict `:` type($src) `->` type($result)"

    def verify_(self) -> None:
        before, after = memdesc_type(self, self.src), memdesc_type(self, self.result)
        _check_same_memory(before, after)
        order = array_values(self.order)
        if sorted(order) != list(range(len(before.shape))):
            raise VerifyException("order must be a permutation of [0, ..., rank - 1]")
        if tuple(before.shape[i] for i in order) != after.shape:
            raise VerifyException("result shape must match the permutation of the source shape")


@operation
class MemDescReshapeOp(Op):
    """Reshape a buffer, in row-major order of its elements.

    `%v = ttg.memdesc_reshape %b : !ttg.memdesc<64x32xf16, #shared, #smem> ->
    !ttg.memdesc<2048xf16, #shared1, #smem>`
    """

    name = "ttg.memdesc_reshape"
    src = operand_def()
    result = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$src attr-dict `:` type($src) `->` type($result)"

    def verify_(self) -> None:
        before, after = memdesc_type(self, self.src), memdesc_type(self, self.result)
        _check_same_memory(before, after)
        if prod(before.shape) != prod(after.shape):
            raise VerifyException("number of src and dst elements of reshape must be the same")


@operation
class MemDescReinterpretOp(Op):
    """Reinterpret the bytes of a buffer as another element type, shape and encoding.

    `%v = ttg.memdesc_reinterpret %b : !ttg.memdesc<64x32xf16, #shared, #smem> ->
    !ttg.memdesc<64x64xi8, #shared1, #smem>`
    """

    name = "ttg.memdesc_reinterpret"
    src = operand_def()
    result = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$src attr-dict `:` type($src) `->` type($result)"

    def verify_(self) -> None:
        before, after = memdesc_type(self, self.src), memdesc_type(self, self.result)
        if before.memory_space != after.memory_space:
            raise VerifyException("source and destination memory space must match")


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
