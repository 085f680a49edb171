"""Which lanes of a result are undefined, given those of the operands.

    %y = arith.addf %x, %c           where one of the operands is
    %y = arith.select %m, %x, %c     where the chosen operand is, or the condition
    %b = arith.andi %m, %p           not where %m is false and defined
    %q = arith.divsi %x, %d          also where %d is 0
    %r = tt.reduce %x                where all that are combined are (`uses` reports the others)
    %s = tt.scan %x                  where any that are combined are

Operations that move elements move their shadow in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from xdsl.ir import Operation

from weft.interpreter.properties import flag_of, int_of
from weft.interpreter.registry import row_for
from weft.interpreter.sanitizer.shadow import Shadow, join
from weft.interpreter.values import Bundle, dense, full
from weft.ir import arith, tt, ttg, types

__all__ = ["Transfer", "all_undefined", "has_xor_region", "transfer_of"]

Shadows = Sequence[Shadow | None]
Transfer = Callable[[Shadows, Sequence[object]], "list[Shadow | None]"]
"""Maps the shadows and the values of the operands to the shadows of the results."""

_MOVES = (
    tt.SplatOp,
    tt.UnsplatOp,
    tt.BroadcastOp,
    tt.ExpandDimsOp,
    tt.ReshapeOp,
    tt.TransOp,
    tt.CatOp,
    tt.JoinOp,
    tt.SplitOp,
    ttg.ConvertLayoutOp,
)
_ELEMENTWISE_DIALECTS = ("arith", "math")
_ELEMENTWISE = (
    tt.AddPtrOp,
    tt.BitcastOp,
    tt.ClampFOp,
    tt.ElementwiseInlineAsmOp,
    tt.ExternElementwiseOp,
    tt.FpToFpOp,
    tt.IntToPtrOp,
    tt.MapElementwiseOp,
    tt.MulhiUIOp,
    tt.PreciseDivFOp,
    tt.PreciseSqrtOp,
    tt.PtrToIntOp,
)


def transfer_of(op: Operation) -> Transfer | None:
    """Make the transfer function of an operation; None if its results are always defined."""
    if isinstance(op, arith.SelectOp):
        return _select
    if isinstance(op, arith.AndIOp | arith.MulIOp):
        return lambda shadows, values: [_absorb(shadows, values, zero_absorbs=True)]
    if isinstance(op, arith.OrIOp) and types.element(op.results[0].type) == types.i1:
        return lambda shadows, values: [_absorb(shadows, values, zero_absorbs=False)]
    if isinstance(op, _MOVES):
        return _move(op)
    if isinstance(op, _ELEMENTWISE) or op.name.partition(".")[0] in _ELEMENTWISE_DIALECTS:
        count = len(op.results)
        return lambda shadows, values: [join(shadows, _union(shadows))] * count
    if isinstance(op, tt.ReduceOp | tt.ScanOp):
        return _reduce(op) if isinstance(op, tt.ReduceOp) else _scan(op)
    if isinstance(op, tt.DotOp | tt.DotScaledOp):
        return _dot
    return _gather(op) if isinstance(op, tt.GatherOp) else None


def _union(shadows: Shadows) -> np.ndarray | None:
    lanes: np.ndarray | None = None
    for shadow in shadows:
        if shadow is not None:
            lanes = shadow.lanes if lanes is None else lanes | shadow.lanes
    return lanes


def _lanes(shadow: Shadow | None, rank: int) -> np.ndarray:
    return np.zeros((1,) * rank, bool) if shadow is None else shadow.lanes


def _select(shadows: Shadows, values: Sequence[object]) -> list[Shadow | None]:
    if isinstance(values[1], Bundle) or isinstance(values[2], Bundle):
        return [None]
    rank = dense(values[1]).ndim  # pyright: ignore[reportArgumentType]
    condition = np.asarray(values[0])
    condition = condition.reshape(condition.shape + (1,) * (rank - condition.ndim))
    of_condition, yes, no = (_lanes(shadow, rank) for shadow in shadows)
    of_condition = of_condition.reshape(of_condition.shape + (1,) * (rank - of_condition.ndim))
    lanes = of_condition | np.where(condition, yes, no)
    return [join((shadows[1], shadows[2], shadows[0]), lanes)]


def _absorb(shadows: Shadows, values: Sequence[object], *, zero_absorbs: bool) -> Shadow | None:
    """Find the undefined lanes of a product or conjunction, or of a disjunction.

    A defined operand that is 0 decides a product or conjunction, one that is true a disjunction.
    """
    left, right = (dense(value) for value in values)  # pyright: ignore[reportArgumentType]
    rank = max(left.ndim, right.ndim)
    of_left, of_right = (_lanes(shadow, rank) for shadow in shadows)
    decides_left, decides_right = (
        (each == 0) if zero_absorbs else (each != 0) for each in (left, right)
    )
    lanes = (of_left & (of_right | ~decides_right)) | (of_right & (of_left | ~decides_left))
    return join(shadows, lanes)


def _move(op: Operation) -> Transfer:
    """Apply an operation that moves elements to the shadows of its operands."""
    evaluate = row_for(op).compile(op)
    shapes = [types.shape(operand.type) for operand in op.operands]

    def transfer(shadows: Shadows, values: Sequence[object]) -> list[Shadow | None]:
        masks = [
            full(_lanes(shadow, len(shape) + 1), shape)
            for shadow, shape in zip(shadows, shapes, strict=True)
        ]
        moved = evaluate(*masks)
        results = moved if len(op.results) > 1 else [moved]
        return [join(shadows, np.asarray(dense(lanes), bool)) for lanes in results]

    return transfer


def has_xor_region(op: Operation) -> bool:
    """Check whether a reduction combines by xor, as `tl.flip` and `tl.sort` do to swap elements."""
    last = op.regions[0].blocks[0].last_op
    return last is not None and isinstance(last.operands[0].owner, arith.XOrIOp)


def all_undefined(shadows: Shadows, op: Operation) -> tuple[np.ndarray, np.ndarray]:
    """Compute for a reduction where all, and where any, of the combined lanes are undefined."""
    shape, axis = types.shape(op.operands[0].type), int_of(op, "axis") + 1
    lanes = np.zeros((1, *shape), bool)
    for shadow in shadows:
        lanes = lanes | _lanes(shadow, len(shape) + 1)
    return np.asarray(lanes.all(axis=axis)), np.asarray(lanes.any(axis=axis))


def _reduce(op: Operation) -> Transfer:
    count, is_xor = len(op.results), has_xor_region(op)

    def transfer(shadows: Shadows, values: Sequence[object]) -> list[Shadow | None]:
        every, some = all_undefined(shadows, op)
        return [join(shadows, some if is_xor else every)] * count

    return transfer


def _scan(op: Operation) -> Transfer:
    shape, axis = types.shape(op.operands[0].type), int_of(op, "axis") + 1
    is_reverse, count = flag_of(op, "reverse"), len(op.results)

    def transfer(shadows: Shadows, values: Sequence[object]) -> list[Shadow | None]:
        lanes = np.zeros((1, *shape), bool)
        for shadow in shadows:
            lanes = lanes | _lanes(shadow, len(shape) + 1)
        lanes = np.flip(lanes, axis) if is_reverse else lanes
        lanes = np.logical_or.accumulate(lanes, axis=axis)
        return [join(shadows, np.flip(lanes, axis) if is_reverse else lanes)] * count

    return transfer


def _dot(shadows: Shadows, values: Sequence[object]) -> list[Shadow | None]:
    a, b, c = (
        np.broadcast_to(_lanes(shadow, dense(value).ndim), dense(value).shape)  # pyright: ignore
        for shadow, value in zip(shadows[:3], values[:3], strict=True)
    )
    lanes = c | a.all(axis=-1, keepdims=True) | b.all(axis=-2, keepdims=True)
    return [join(shadows, lanes)]


def _gather(op: Operation) -> Transfer:
    shape, axis = types.shape(op.operands[0].type), int_of(op, "axis") + 1

    def transfer(shadows: Shadows, values: Sequence[object]) -> list[Shadow | None]:
        index = full(values[1], types.shape(op.operands[1].type))  # pyright: ignore
        source = full(_lanes(shadows[0], len(shape) + 1), shape, index.shape[0])
        inside = np.clip(index, 0, shape[axis - 1] - 1).astype(np.int64)
        lanes = np.take_along_axis(source, inside, axis) | _lanes(shadows[1], index.ndim)
        return [join(shadows, lanes)]

    return transfer
