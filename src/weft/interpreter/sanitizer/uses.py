"""Operations that must not use undefined lanes, and the lanes of an operation that are undefined.

stored                          tt.store, tt.descriptor_store (where the mask is true)
used as an address or a mask    tt.load, tt.store, atomics
decides control flow            scf.if, scf.while, scf.for, cf.cond_br
combined with defined lanes     tt.reduce, tt.dot, tt.histogram
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from xdsl.ir import Operation

from weft.interpreter.sanitizer.shadow import Shadow
from weft.interpreter.sanitizer.transfer import all_undefined, has_xor_region
from weft.interpreter.values import Bundle, dense
from weft.ir import cf, scf, tt

__all__ = ["Use", "Uses", "mask_of", "uses_of"]

Use = tuple[str, np.ndarray, Shadow]
"""A sentence about the use, the undefined lanes that are used, and their shadow."""
Uses = Callable[[Sequence[Shadow | None], Sequence[object]], Iterator[Use]]
"""Maps the shadows and the values of the operands to the uses of undefined lanes."""


def uses_of(op: Operation) -> Uses | None:
    """Make the function that finds the uses of an operation; None if it may use any lanes."""
    if isinstance(op, tt.LoadOp | tt.StoreOp | tt.AtomicRMWOp | tt.AtomicCASOp):
        return _access(op)
    if isinstance(op, scf.IfOp | cf.CondBranchOp | scf.ConditionOp):
        return _decides("a branch depends on an undefined value", 1)
    if isinstance(op, scf.ForOp):
        return _decides("the bounds of a loop depend on an undefined value", 3)
    if isinstance(op, tt.ReduceOp) and not has_xor_region(op):
        return _reduction(op)
    if isinstance(op, tt.DotOp | tt.DotScaledOp):
        return _dot
    return _histogram if isinstance(op, tt.HistogramOp) else None


def mask_of(op: Operation, values: Sequence[object]) -> np.ndarray | None:
    """Find the value of the mask of an access; None if it has none."""
    index = {tt.LoadOp: 1, tt.StoreOp: 2, tt.AtomicRMWOp: 2}.get(type(op))
    value = values[index] if index is not None and index < len(values) else None
    return None if value is None else np.asarray(value)


def _access(op: Operation) -> Uses:
    is_write = not isinstance(op, tt.LoadOp)
    values_end = 3 if isinstance(op, tt.AtomicCASOp) else 2 if is_write else 1
    mask_index = None if isinstance(op, tt.AtomicCASOp) else values_end

    def uses(shadows: Sequence[Shadow | None], values: Sequence[object]) -> Iterator[Use]:
        if isinstance(values[0], Bundle):
            return
        mask = mask_of(op, values)
        if (
            mask_index is not None
            and mask_index < len(shadows)
            and (of_mask := shadows[mask_index])
        ):
            yield "undefined lanes are used as a mask", of_mask.lanes, of_mask
            mask = None if mask is None else mask & ~of_mask.lanes
        for index, shadow in enumerate(shadows[:values_end]):
            if shadow is None:
                continue
            lanes = shadow.lanes if mask is None else shadow.lanes & mask
            message = "undefined lanes are stored" if index else "undefined lanes are addresses"
            yield message, lanes, shadow

    return uses


def _decides(message: str, count: int) -> Uses:
    def uses(shadows: Sequence[Shadow | None], values: Sequence[object]) -> Iterator[Use]:
        for shadow in shadows[:count]:
            if shadow is not None:
                yield message, shadow.lanes, shadow

    return uses


def _reduction(op: Operation) -> Uses:
    def uses(shadows: Sequence[Shadow | None], values: Sequence[object]) -> Iterator[Use]:
        shadow = next((each for each in shadows if each is not None), None)
        if shadow is not None:
            every, some = all_undefined(shadows, op)
            yield "undefined lanes are combined with defined ones", some & ~every, shadow

    return uses


def _dot(shadows: Sequence[Shadow | None], values: Sequence[object]) -> Iterator[Use]:
    for shadow, value, axis in zip(shadows[:2], values[:2], (-1, -2), strict=True):
        if shadow is not None:
            lanes = np.broadcast_to(shadow.lanes, dense(value).shape)  # pyright: ignore
            some = lanes & ~lanes.all(axis=axis, keepdims=True)
            yield "undefined lanes are combined with defined ones in a dot", some, shadow


def _histogram(shadows: Sequence[Shadow | None], values: Sequence[object]) -> Iterator[Use]:
    shadow = shadows[0]
    if shadow is not None:
        mask = np.asarray(values[1]) if len(values) > 1 else np.True_
        yield "undefined lanes are counted in a histogram", shadow.lanes & mask, shadow
