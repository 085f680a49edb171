"""The layout of an operation's results, given that of its operands, and back.

    %1 = arith.addf %0, %0                       #blocked          →  #blocked
    %2 = "tt.reduce"(%1) {axis = 1}              #blocked          →  #slice<1, #blocked>
    %3 = tt.expand_dims %2 {axis = 1}            #slice<1, #blocked>  →  #blocked
    %4 = tt.trans %1 {order = [1, 0]}            #blocked          →  #blocked, transposed
    %5 = tt.cat %1, %1                           nothing follows   →  None

An operation computes each element where its operands' elements lie, or only renames the
dimensions: then one layout follows from the other. `result_encoding` answers forward,
`operand_encoding` backward; None says that nothing follows, for a layout that the operation
cannot have or for an operation that ties no layouts together (a product, a histogram).
Source: measured on Triton 3.7.1.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

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
    "keeps_encoding",
    "operand_encoding",
    "result_encoding",
]

_join_of, _split_of = lru_cache(4096)(infer_join), lru_cache(4096)(infer_split)
_reshape_of, _trans_of = lru_cache(4096)(infer_reshape), lru_cache(4096)(infer_trans)

# Operations whose element i depends only on the operands' elements i.
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
_KEEPING = ELEMENTWISE | {
    tt.AtomicCASOp,
    tt.AtomicRMWOp,
    tt.BroadcastOp,
    tt.LoadOp,
    tt.MapElementwiseOp,
    tt.ScanOp,
    tt.SplatOp,
    tt.StoreOp,
}
_FLOW = frozenset({scf.ConditionOp, scf.WhileOp, scf.YieldOp, ttng.WarpGroupDotWaitOp})
_VIEWS = frozenset({tt.ExpandDimsOp, tt.JoinOp, tt.ReshapeOp, tt.SplitOp, tt.TransOp})

Rule = Callable[[Any, Encoding], Encoding | None]


def is_elementwise(op: Operation) -> bool:
    """Tell whether each element of the results comes from the operands' elements at its place."""
    return type(op) in ELEMENTWISE


def keeps_encoding(op: Operation) -> bool:
    """Tell whether all tensors that an operation reads and gives have one layout."""
    return type(op) in _KEEPING


def is_view(op: Operation) -> bool:
    """Tell whether an operation only renames dimensions: no element moves."""
    return type(op) in _VIEWS


def result_encoding(op: Operation, encoding: Encoding) -> Encoding | None:
    """Return the layout of an operation's results where its operands have `encoding`.

    None where nothing follows. A conversion ties nothing; a loop gives what it carries.
    """
    cls = type(op)
    if cls in _KEEPING or cls in _FLOW or cls is scf.ForOp:
        return None if cls is tt.ScanOp and not _scans(encoding) else encoding
    rule = _FORWARD.get(cls)
    return None if rule is None else rule(op, encoding)


def operand_encoding(op: Operation, encoding: Encoding, index: int = 0) -> Encoding | None:
    """Return the layout of operand `index` where the results of an operation have `encoding`.

    None where nothing follows. Only operations that scale and unpack have operands that differ.
    """
    cls = type(op)
    if cls in _KEEPING or cls in _FLOW:
        return None if cls is tt.ScanOp and not _scans(encoding) else encoding
    if cls is amdg.ScaledUpcastFp4Op and index == 0:
        return _fp4_back(op, encoding)
    rule = _BACKWARD.get(cls)
    return None if rule is None else rule(op, encoding)


def _scans(encoding: Encoding) -> bool:
    """A scan is only lowered for blocked layouts."""
    return isinstance(encoding, BlockedEncoding)


def _number(value: Attribute) -> int:
    number = attributes.number(value)
    assert number is not None
    return int(number)


# ----------------------------------------------------------------------------------- dimensions
def _reduce(op: tt.ReduceOp, encoding: Encoding) -> Encoding:
    return infer_reduce(encoding, _number(op.properties["axis"]))


def _reduce_back(op: tt.ReduceOp, encoding: Encoding) -> Encoding | None:
    if isinstance(encoding, SliceEncoding) and encoding.dim == _number(op.properties["axis"]):
        return encoding.parent
    return None


def _expand(op: tt.ExpandDimsOp, encoding: Encoding) -> Encoding | None:
    try:
        return infer_expand_dims(encoding, _number(op.properties["axis"]))
    except LayoutError:
        return None


def _expand_back(op: tt.ExpandDimsOp, encoding: Encoding) -> Encoding:
    return SliceEncoding(_number(op.properties["axis"]), encoding)


def _trans(op: tt.TransOp, encoding: Encoding) -> Encoding:
    order = attributes.array_values(op.properties["order"])
    return _trans_of(encoding, types.shape(op.src.type), order)


def _trans_back(op: tt.TransOp, encoding: Encoding) -> Encoding:
    order = attributes.array_values(op.properties["order"])
    inverse = tuple(sorted(range(len(order)), key=order.__getitem__))
    return _trans_of(encoding, types.shape(op.results[0].type), inverse)


def _join(op: tt.JoinOp, encoding: Encoding) -> Encoding:
    return _join_of(encoding, types.shape(op.operands[0].type))


def _split_or_none(encoding: Encoding, type_: Attribute) -> Encoding | None:
    try:
        return _split_of(encoding, types.shape(type_))
    except LayoutError:
        return None


def _join_back(op: tt.JoinOp, encoding: Encoding) -> Encoding | None:
    return _split_or_none(encoding, op.results[0].type)


def _split(op: tt.SplitOp, encoding: Encoding) -> Encoding | None:
    return _split_or_none(encoding, op.operands[0].type)


def _split_back(op: tt.SplitOp, encoding: Encoding) -> Encoding:
    return _join_of(encoding, types.shape(op.results[0].type))


def _same(op: Operation, encoding: Encoding) -> Encoding:
    return encoding


# -------------------------------------------------------------------------------------- reshape
def _reshape(op: tt.ReshapeOp, encoding: Encoding) -> Encoding | None:
    return _reshaped(op, encoding, op.src.type, op.results[0].type)


def _reshape_back(op: tt.ReshapeOp, encoding: Encoding) -> Encoding | None:
    return _reshaped(op, encoding, op.results[0].type, op.src.type)


def _reshaped(
    op: tt.ReshapeOp, encoding: Encoding, given: Attribute, asked: Attribute
) -> Encoding | None:
    """Where elements may come in any order, no layout follows from another."""
    if "allow_reorder" in op.properties:
        return None
    return _reshape_of(encoding, types.shape(given), types.shape(asked))


def is_expensive_view(source: Attribute, result: Attribute) -> bool:
    """Tell whether a reshape in free order still has to move data between threads.

    So it is unless each thread holds as many elements of both, repeated in the same places.
    """
    a, b = types.encoding(source), types.encoding(result)
    assert a is not None
    assert b is not None
    first, second = _spread(a, types.shape(source)), _spread(b, types.shape(result))
    return first != second


@cache
def _spread(encoding: Encoding, shape: tuple[int, ...]) -> tuple[int, tuple[tuple[int, ...], ...]]:
    """Return the register bits, and per in-dimension those bits that lead to no new element."""
    layout = encoding.linear(shape)
    seen: list[int] = []
    repeated = []
    for _, images in layout.ins:
        idle = []
        for bit, image in enumerate(images):
            if rank([*seen, image]) == len(seen):
                idle.append(bit)
            else:
                seen.append(image)
        repeated.append(tuple(idle))
    return len(layout.images("register")), tuple(repeated)


# ------------------------------------------------------------------------------- halves of bytes
def _fp4(op: ttg.Fp4ToFpOp, encoding: Encoding) -> Encoding:
    return infer_unpack(encoding, types.shape(op.operands[0].type), _number(op.properties["axis"]))


def _fp4_back(op: Operation, encoding: Encoding) -> Encoding | None:
    try:
        return infer_pack(encoding, types.shape(op.results[0].type), _number(op.properties["axis"]))
    except LayoutError:
        return None


_FORWARD: dict[type[Operation], Rule] = {
    tt.ReduceOp: _reduce,
    tt.ExpandDimsOp: _expand,
    tt.TransOp: _trans,
    tt.JoinOp: _join,
    tt.SplitOp: _split,
    tt.ReshapeOp: _reshape,
    tt.GatherOp: _same,
    ttg.Fp4ToFpOp: _fp4,
}

_BACKWARD: dict[type[Operation], Rule] = {
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
