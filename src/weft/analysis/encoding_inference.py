"""Inference of layouts: of an operation's results from its operands, and the other way.

    %1 = arith.addf %0, %0                       #blocked             →  #blocked
    %2 = "tt.reduce"(%1) {axis = 1}              #blocked             →  #slice<1, #blocked>
    %3 = tt.expand_dims %2 {axis = 1}            #slice<1, #blocked>  →  #blocked
    %4 = tt.trans %1 {order = [1, 0]}            #blocked             →  #blocked, transposed
    %5 = tt.cat %1, %1                           none inferred        →  None

An operation either computes each element from those at the same index, or renames dimensions. In
both cases one layout determines the other: `result_encoding` infers forward, `operand_encoding`
backward. None means that no layout is inferred: the operation cannot have the given one, or it
relates no layouts (a dot, a histogram).

Source: measured with Triton 3.7.1 (inferDstEncoding and inferSrcEncoding in its Utility.cpp).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache

from weft.errors import LayoutError
from weft.ir import amdg, arith, attributes, math, scf, tt, ttg, ttng, types
from weft.ir.builtin import Attribute, Operation
from weft.layouts import BlockedEncoding, Encoding, SliceEncoding
from weft.layouts.fp4_packing import infer_pack, infer_unpack
from weft.layouts.gf2 import rank
from weft.layouts.inference import (
    infer_expand_dims,
    infer_join,
    infer_reduce,
    infer_reshape,
    infer_split,
    infer_trans,
)

__all__ = [
    "ELEMENTWISE",
    "is_elementwise",
    "is_expensive_view",
    "is_view",
    "has_one_encoding",
    "operand_encoding",
    "result_encoding",
]

_infer_join, _infer_split = lru_cache(4096)(infer_join), lru_cache(4096)(infer_split)
_infer_reshape, _infer_trans = lru_cache(4096)(infer_reshape), lru_cache(4096)(infer_trans)

# Operations whose element at an index depends only on the operands' elements at that index.
ELEMENTWISE = frozenset(
    {
        *arith.Arith.operations,
        *math.Math.operations,
        tt.AddPtrOp,
        tt.BitcastOp,
        tt.ClampFOp,
        tt.ElementwiseInlineAsmOp,
        tt.ExternElementwiseOp,
        tt.FpToFpOp,
        tt.IntToPtrOp,
        tt.MulhiUIOp,
        tt.PreciseDivFOp,
        tt.PreciseSqrtOp,
        tt.PtrToIntOp,
    }
    - {arith.ConstantOp}
)
_SAME_ENCODING = ELEMENTWISE | {
    tt.AtomicCASOp,
    tt.AtomicRMWOp,
    tt.BroadcastOp,
    tt.LoadOp,
    tt.MapElementwiseOp,
    tt.ScanOp,
    tt.SplatOp,
    tt.StoreOp,
}
_CONTROL_FLOW = frozenset({scf.ConditionOp, scf.WhileOp, scf.YieldOp, ttng.WarpGroupDotWaitOp})
_VIEWS = frozenset({tt.ExpandDimsOp, tt.JoinOp, tt.ReshapeOp, tt.SplitOp, tt.TransOp})

_Inference = Callable[[Operation, Encoding], Encoding | None]


def is_elementwise(op: Operation) -> bool:
    """Check whether each result element depends only on the operands' elements at its index."""
    return type(op) in ELEMENTWISE


def has_one_encoding(op: Operation) -> bool:
    """Check whether all operands and results of an operation have the same layout."""
    return type(op) in _SAME_ENCODING


def is_view(op: Operation) -> bool:
    """Check whether an operation only renames dimensions, without moving an element."""
    return type(op) in _VIEWS


def result_encoding(op: Operation, encoding: Encoding) -> Encoding | None:
    """Infer the layout of an operation's results from that of its operands.

    Returns:
        The layout, None if none is inferred. That of a layout conversion is free; a loop has
        results with the layout of its initial values.
    """
    cls = type(op)
    if cls in _SAME_ENCODING or cls in _CONTROL_FLOW or cls is scf.ForOp:
        return None if cls is tt.ScanOp and not _is_scannable(encoding) else encoding
    infer = _FORWARD.get(cls)
    return None if infer is None else infer(op, encoding)


def operand_encoding(op: Operation, encoding: Encoding, index: int = 0) -> Encoding | None:
    """Infer the layout of an operand from that of the results.

    Args:
        op: The operation.
        encoding: The layout of its results.
        index: The number of the operand, which matters for scaled upcasts only.

    Returns:
        The layout, None if none is inferred.
    """
    cls = type(op)
    if cls in _SAME_ENCODING or cls in _CONTROL_FLOW:
        return None if cls is tt.ScanOp and not _is_scannable(encoding) else encoding
    if cls is amdg.ScaledUpcastFp4Op and index == 0:
        return _fp4_back(op, encoding)
    infer = _BACKWARD.get(cls)
    return None if infer is None else infer(op, encoding)


def _is_scannable(encoding: Encoding) -> bool:
    """Check for the layouts that a scan is lowered for."""
    return isinstance(encoding, BlockedEncoding)


def _axis(op: Operation) -> int:
    number = attributes.number(op.properties["axis"])
    assert number is not None
    return int(number)


def _order(op: Operation) -> tuple[int, ...]:
    return attributes.array_values(op.properties["order"])


# ----------------------------------------------------------------------------------- dimensions
def _reduce(op: Operation, encoding: Encoding) -> Encoding:
    return infer_reduce(encoding, _axis(op))


def _reduce_back(op: Operation, encoding: Encoding) -> Encoding | None:
    if isinstance(encoding, SliceEncoding) and encoding.dim == _axis(op):
        return encoding.parent
    return None


def _expand(op: Operation, encoding: Encoding) -> Encoding | None:
    try:
        return infer_expand_dims(encoding, _axis(op))
    except LayoutError:
        return None


def _expand_back(op: Operation, encoding: Encoding) -> Encoding:
    return SliceEncoding(_axis(op), encoding)


def _trans(op: Operation, encoding: Encoding) -> Encoding:
    return _infer_trans(encoding, types.shape(op.operands[0].type), _order(op))


def _trans_back(op: Operation, encoding: Encoding) -> Encoding:
    order = _order(op)
    inverse = tuple(sorted(range(len(order)), key=order.__getitem__))
    return _infer_trans(encoding, types.shape(op.results[0].type), inverse)


def _join(op: Operation, encoding: Encoding) -> Encoding:
    return _infer_join(encoding, types.shape(op.operands[0].type))


def _split_or_none(encoding: Encoding, type_: Attribute) -> Encoding | None:
    try:
        return _infer_split(encoding, types.shape(type_))
    except LayoutError:
        return None


def _join_back(op: Operation, encoding: Encoding) -> Encoding | None:
    return _split_or_none(encoding, op.results[0].type)


def _split(op: Operation, encoding: Encoding) -> Encoding | None:
    return _split_or_none(encoding, op.operands[0].type)


def _split_back(op: Operation, encoding: Encoding) -> Encoding:
    return _infer_join(encoding, types.shape(op.results[0].type))


def _same(op: Operation, encoding: Encoding) -> Encoding:
    return encoding


# -------------------------------------------------------------------------------------- reshape
def _reshape(op: Operation, encoding: Encoding) -> Encoding | None:
    return _reshape_to(op, encoding, op.operands[0].type, op.results[0].type)


def _reshape_back(op: Operation, encoding: Encoding) -> Encoding | None:
    return _reshape_to(op, encoding, op.results[0].type, op.operands[0].type)


def _reshape_to(
    op: Operation, encoding: Encoding, source: Attribute, target: Attribute
) -> Encoding | None:
    if "allow_reorder" in op.properties:
        return None  # elements may be in any order, so the layout of the target is free
    return _infer_reshape(encoding, types.shape(source), types.shape(target))


def is_expensive_view(source: Attribute, result: Attribute) -> bool:
    """Check whether a reshape with `allow_reorder` moves data between threads.

    It does not if each thread has as many elements of both tensors, with the same ones replicated.

    Args:
        source: The type of the operand.
        result: The type of the result.
    """
    source_encoding, result_encoding_ = types.encoding(source), types.encoding(result)
    assert source_encoding is not None
    assert result_encoding_ is not None
    return _distribution(source_encoding, types.shape(source)) != _distribution(
        result_encoding_, types.shape(result)
    )


@cache
def _distribution(
    encoding: Encoding, shape: tuple[int, ...]
) -> tuple[int, tuple[tuple[int, ...], ...]]:
    """Count the register bits of a layout, and list its free bits per input dimension.

    A free bit replicates elements: with it set or not, a register holds the same element.
    """
    layout = encoding.linear(shape)
    basis: list[int] = []
    free_bits: list[tuple[int, ...]] = []
    for _, images in layout.ins:
        free: list[int] = []
        for bit, image in enumerate(images):
            if rank([*basis, image]) == len(basis):
                free.append(bit)
            else:
                basis.append(image)
        free_bits.append(tuple(free))
    return len(layout.images("register")), tuple(free_bits)


# ---------------------------------------------------------------------------------- packed fp4
def _fp4(op: Operation, encoding: Encoding) -> Encoding:
    return infer_unpack(encoding, types.shape(op.operands[0].type), _axis(op))


def _fp4_back(op: Operation, encoding: Encoding) -> Encoding | None:
    try:
        return infer_pack(encoding, types.shape(op.results[0].type), _axis(op))
    except LayoutError:
        return None


_FORWARD: dict[type[Operation], _Inference] = {
    tt.ReduceOp: _reduce,
    tt.ExpandDimsOp: _expand,
    tt.TransOp: _trans,
    tt.JoinOp: _join,
    tt.SplitOp: _split,
    tt.ReshapeOp: _reshape,
    tt.GatherOp: _same,
    ttg.Fp4ToFpOp: _fp4,
}

_BACKWARD: dict[type[Operation], _Inference] = {
    tt.ReduceOp: _reduce_back,
    tt.ExpandDimsOp: _expand_back,
    tt.TransOp: _trans_back,
    tt.JoinOp: _join_back,
    tt.SplitOp: _split_back,
    tt.ReshapeOp: _reshape_back,
    tt.GatherOp: _same,
    ttg.Fp4ToFpOp: _fp4_back,
    amdg.ScaledUpcastFp4Op: _same,
    amdg.ScaledUpcastFp8Op: _same,
}
