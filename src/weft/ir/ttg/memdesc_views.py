"""Views of buffers: operations of ttg that compute a memory descriptor and move no data.

memdesc_index          one buffer of a multi-buffered one   [2, 64, 32] → [64, 32]
memdesc_subslice       a part at constant offsets           [64, 32] → [64, 16] of [64, 32]
memdesc_trans          permuted dimensions                  [64, 32] → [32, 64]
memdesc_reshape        another shape                        [64, 32] → [2048]
memdesc_reinterpret    another element type, shape and encoding of the same bytes
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import ClassVar

from xdsl.irdl import operand_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from weft.errors import LayoutError
from weft.ir import types
from weft.ir.attributes import array_values
from weft.ir.constraints import array_prop, int_list_prop
from weft.ir.op_traits import SameOperandsAndResultElementType
from weft.ir.operation import Infer, Op, fixed, operation
from weft.ir.ttg.memory import memdesc_type
from weft.ir.ttg.types import MEMDESC, MemDescType
from weft.ir.type_constraints import I32
from weft.ir.type_inference import are_equivalent, incompatible_types, infer_layout
from weft.layouts import PaddedSharedEncoding
from weft.layouts.memdesc_inference import infer_memdesc_reshape, infer_memdesc_trans


def _check_same_element(before: MemDescType, after: MemDescType) -> None:
    if before.element_type != after.element_type:
        raise VerifyException("result element type must match desc element type")


def _family(memory: MemDescType) -> str:
    """Get the family of the encoding, "shared" or "tensor_memory"."""
    return "" if memory.encoding is None else memory.encoding.family


def _are_equivalent(one: MemDescType, other: MemDescType) -> bool:
    """Check whether two types are equal but for encodings that place the elements alike."""
    if one == other:
        return True
    assert one.encoding is not None
    alike = MemDescType.of(
        other.shape,
        other.element_type,
        one.encoding,
        other.memory_space,
        mutable=other.is_mutable,
        allocated=other.allocated,
    )
    return one == alike and are_equivalent(one.shape, one.encoding, other.encoding)


@operation
class MemDescIndexOp(Op):
    """Select an index of the first dimension: one buffer of a multi-buffered one.

    `%v = ttg.memdesc_index %b[%i] : !ttg.memdesc<2x64xf16, #shared, #smem, mutable> ->
    !ttg.memdesc<64xf16, #shared, #smem, mutable>`
    """

    name = "ttg.memdesc_index"
    src = operand_def(MEMDESC)
    index = operand_def(I32)
    result = result_def(MEMDESC)
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$src `[` $index `]` attr-dict `:` type($src) `->` type($result)"
    INFER: ClassVar[Infer] = {"index": fixed(types.i32)}

    def verify_(self) -> None:
        before, after = memdesc_type(self, self.src), memdesc_type(self, self.result)
        _check_same_element(before, after)
        if len(before.shape) != len(after.shape) + 1:
            raise VerifyException("result rank must be input rank - 1")
        if len(before.allocated) != len(before.shape):
            raise VerifyException("We don't allow taking memdesc_index of a memdesc_index")
        if after.shape != before.shape[1:]:
            raise VerifyException("result shape must equal to srcShape[1:]")
        if before.allocated != before.shape:
            raise VerifyException("We don't support memdesc_index of a subview")
        if _family(before) != _family(after):
            raise VerifyException("src and dst must have the same type of encoding")
        if after.allocated != after.shape:
            raise VerifyException("alloc shape must match shape for both result and src")
        if _family(before) == "tensor_memory" and len(before.shape) != 3:
            raise VerifyException(
                "only 3D -> 2D subviews are supported for TensorMemoryEncodingAttr"
            )


def _check_split(before: MemDescType, after: MemDescType, split: Sequence[int]) -> None:
    """Require that a buffer can be split without cutting a swizzle or a padded row.

    Args:
        before: The buffer.
        after: The part.
        split: The dimensions along which the part is smaller.
    """
    encoding = before.encoding
    assert encoding is not None
    if encoding.rank < len(before.shape):
        name = "PaddedSharedEncoding" if isinstance(encoding, PaddedSharedEncoding) else "encoding"
        raise VerifyException(
            f"SubSlice of low rank {name} from higher rank tensors is not supported yet"
        )
    try:
        # A part of a buffer keeps the encoding, whose vectors describe the whole buffer.
        is_padded = isinstance(encoding, PaddedSharedEncoding)
        whole = before.allocated[-len(before.shape) :]
        layout = encoding.linear(encoding.shape if is_padded else whole)
    except LayoutError as error:
        raise VerifyException(error.message) from error
    if layout.in_dims.get("block", 1) != 1:
        raise VerifyException("non-trivial block dimension not supported")
    inverse = layout.invert()
    for dim in split:
        size = after.shape[dim]
        while size < before.shape[dim]:
            point = {f"dim{d}": size if d == dim else 0 for d in range(len(before.shape))}
            offset = inverse.apply(point)["offset"]
            if offset <= 0 or offset & (offset - 1):
                raise VerifyException("We don't support splitting along the swizzling pattern")
            size *= 2


@operation
class MemDescSubsliceOp(Op):
    """Select a part of a buffer at constant offsets, each a multiple of the size.

    `%v = ttg.memdesc_subslice %b[0, 16] : !ttg.memdesc<64x32xf16, #shared, #smem> ->
    !ttg.memdesc<64x16xf16, #shared, #smem, 64x32>`
    """

    name = "ttg.memdesc_subslice"
    src = operand_def(MEMDESC)
    offsets = int_list_prop(types.i32)
    result = result_def(MEMDESC)
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$src `` $offsets attr-dict `:` type($src) `->` type($result)"

    def verify_(self) -> None:
        before, after = memdesc_type(self, self.src), memdesc_type(self, self.result)
        _check_same_element(before, after)
        offsets = array_values(self.offsets)
        if len(offsets) != len(before.shape):
            raise VerifyException("offsets must have the same rank as input")
        if len(before.shape) != len(after.shape):
            raise VerifyException("result rank must equal to input rank")
        if _family(before) != "shared" or _family(after) != "shared":
            raise VerifyException("src and dst must both be of shared memory encoding")
        split = [d for d, size in enumerate(before.shape) if size != after.shape[d]]
        if not split:
            return
        for dim, offset in enumerate(offsets):
            if dim not in split and offset:
                raise VerifyException(
                    "A non zero offset found in a dimension that is not being split"
                )
            if dim in split and offset & (after.shape[dim] - 1):
                raise VerifyException("The split offset may not touch the tile")
            if not 0 <= offset <= before.shape[dim] - after.shape[dim]:
                raise VerifyException(f"subslice is out of bounds of dimension {dim}")
        _check_split(before, after, split)


@operation
class MemDescTransOp(Op):
    """Permute the dimensions of a buffer.

    `%v = ttg.memdesc_trans %b {order = array<i32: 1, 0>} : !ttg.memdesc<64x32xf16, #shared, #smem>
    -> !ttg.memdesc<32x64xf16, #shared1, #smem>`
    """

    name = "ttg.memdesc_trans"
    src = operand_def(MEMDESC)
    order = array_prop()
    result = result_def(MEMDESC)
    traits = traits_def(Pure(), SameOperandsAndResultElementType())
    FORMAT: ClassVar[str] = "$src attr-dict `:` type($src) `->` type($result)"

    def verify_(self) -> None:
        before, after = memdesc_type(self, self.src), memdesc_type(self, self.result)
        order = array_values(self.order)
        if len(order) != len(before.shape):
            raise VerifyException(
                "order must have the same size as the rank of the operand and result"
            )
        if sorted(order) != list(range(len(order))):
            raise VerifyException("order must be a permutation of [0, ..., rank - 1]")
        assert before.encoding is not None
        encoding = before.encoding
        if order != tuple(range(len(order))):
            encoding = infer_layout(
                encoding, lambda: infer_memdesc_trans(encoding, order, before.shape)
            )
        leading = len(before.allocated) - len(order)
        allocated = before.allocated[leading:]
        inferred = MemDescType.of(
            tuple(before.shape[i] for i in order),
            before.element_type,
            encoding,
            before.memory_space,
            mutable=before.is_mutable,
            allocated=(*before.allocated[:leading], *(allocated[i] for i in order)),
        )
        if not _are_equivalent(inferred, after):
            raise incompatible_types([inferred], [after])


@operation
class MemDescReshapeOp(Op):
    """Reshape a buffer, in row-major order of its elements.

    `%v = ttg.memdesc_reshape %b : !ttg.memdesc<64x32xf16, #shared, #smem> ->
    !ttg.memdesc<2048xf16, #shared1, #smem>`
    """

    name = "ttg.memdesc_reshape"
    src = operand_def(MEMDESC)
    result = result_def(MEMDESC)
    traits = traits_def(Pure(), SameOperandsAndResultElementType())
    FORMAT: ClassVar[str] = "$src attr-dict `:` type($src) `->` type($result)"

    def verify_(self) -> None:
        before, after = memdesc_type(self, self.src), memdesc_type(self, self.result)
        if prod(before.shape) != prod(after.shape):
            raise VerifyException("number of src and dst elements of reshape must be the same")
        leading = len(before.allocated) - len(before.shape)
        if before.allocated[leading:] != before.shape:
            raise VerifyException("NYI: memdesc_reshape of memdesc_subslice")
        assert before.encoding is not None
        encoding = before.encoding
        if encoding.family == "unresolved":
            return
        inferred = MemDescType.of(
            after.shape,
            before.element_type,
            infer_layout(
                encoding, lambda: infer_memdesc_reshape(encoding, before.shape, after.shape)
            ),
            before.memory_space,
            mutable=before.is_mutable,
            allocated=(*before.allocated[:leading], *after.shape),
        )
        if not _are_equivalent(inferred, after):
            raise VerifyException(f"Expected result type '{inferred}' but was '{after}'")


@operation
class MemDescReinterpretOp(Op):
    """Reinterpret the bytes of a buffer as another element type, shape and encoding.

    `%v = ttg.memdesc_reinterpret %b : !ttg.memdesc<64x32xf16, #shared, #smem> ->
    !ttg.memdesc<64x64xi8, #shared1, #smem>`
    """

    name = "ttg.memdesc_reinterpret"
    src = operand_def(MEMDESC)
    result = result_def(MEMDESC)
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
