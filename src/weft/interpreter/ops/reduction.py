"""tt.reduce, tt.scan and tt.map_elementwise.

A region of one known operation is one numpy call. Any other region runs on halves: a reduction
combines elements 2i and 2i + 1 until one is left; a scan combines each element with the one d
before it, for d = 1, 2, 4, … Both keep the order, so the region need only be associative.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from xdsl.ir import Block, Operation

from weft.interpreter.dtypes import BOOL, dtype_of, is_small_float, unsigned
from weft.interpreter.function_compiler import FunctionCompiler
from weft.interpreter.ops.combine_regions import Region, expression
from weft.interpreter.program_batch import Batch
from weft.interpreter.properties import flag_of, int_of
from weft.interpreter.registry import Slots, Step, control
from weft.interpreter.rounding import narrow, widen
from weft.interpreter.values import AffineTensor, Value, dense, full
from weft.ir import tt, types

_UFUNCS: dict[str, np.ufunc] = {
    "arith.addf": np.add,
    "arith.addi": np.add,
    "arith.mulf": np.multiply,
    "arith.muli": np.multiply,
    "arith.maxnumf": np.fmax,
    "arith.minnumf": np.fmin,
    "arith.maximumf": np.maximum,
    "arith.minimumf": np.minimum,
    "arith.maxsi": np.maximum,
    "arith.minsi": np.minimum,
    "arith.maxui": np.maximum,
    "arith.minui": np.minimum,
    "arith.andi": np.bitwise_and,
    "arith.ori": np.bitwise_or,
    "arith.xori": np.bitwise_xor,
}
_BITS: dict[str, np.ufunc] = {
    "arith.addi": np.logical_xor,
    "arith.muli": np.logical_and,
    "arith.maxsi": np.logical_and,
    "arith.minsi": np.logical_or,
    "arith.maxui": np.logical_or,
    "arith.minui": np.logical_and,
    "arith.andi": np.logical_and,
    "arith.ori": np.logical_or,
    "arith.xori": np.logical_xor,
}
Fold = Callable[[np.ndarray, int], np.ndarray]


def _simple(block: Block) -> str | None:
    """Find the one operation that combines the two arguments of a block, None if there are more."""
    last = block.last_op
    if last is None or len(block.args) != 2 or len(last.operands) != 1:
        return None
    combined = expression(last.operands[0])
    if not isinstance(combined, tuple) or len(combined) != 3 or {*combined[1:]} != {0, 1}:
        return None
    return combined[0] if combined[0] in _UFUNCS else None


def _fold(name: str, dtype: np.dtype, method: str) -> Fold:
    """Make ufunc.reduce or ufunc.accumulate along an axis, rounded to the dtype."""
    ufunc = _BITS[name] if dtype == BOOL else _UFUNCS[name]
    call: Callable[..., np.ndarray] = getattr(ufunc, method)
    if is_small_float(dtype):
        return lambda x, axis: narrow(call(widen(x), axis=axis), dtype)
    view = unsigned(dtype) if name in ("arith.maxui", "arith.minui") else dtype
    return lambda x, axis: call(x.view(view), axis=axis, dtype=view).view(dtype)


def _materialize_axis(value: Value, axis: int, size: int) -> np.ndarray:
    """Materialize one axis of a value."""
    array = dense(value)
    if array.shape[axis] == size:
        return array
    return np.broadcast_to(array, (*array.shape[:axis], size, *array.shape[axis + 1 :]))


def _axis_first(
    op: Operation, slots: Slots, operands: Sequence[int], axis: int, count: int
) -> list[np.ndarray]:
    """Materialize the operands, with the axis of the operation right after the instance axis."""
    shape = types.shape(op.operands[0].type)
    arrays = [dense(slots[slot]) for slot in operands]
    count = max(count, *(array.shape[0] for array in arrays))
    return [np.moveaxis(full(array, shape, count), axis, 1) for array in arrays]


@control(tt.ReduceOp)
def reduce(op: Operation, compiler: FunctionCompiler) -> Step:
    """Combine all elements along an axis."""
    operands, results = compiler.slots(op.operands), compiler.slots(op.results)
    axis = int_of(op, "axis") + 1
    size = types.shape(op.operands[0].type)[axis - 1]
    name = _simple(op.regions[0].blocks[0])
    if name is not None:
        fold = _fold(name, dtype_of(op.operands[0].type), "reduce")
        source, result = operands[0], results[0]

        def simple(slots: Slots, batch: Batch) -> None:
            slots[result] = fold(_materialize_axis(slots[source], axis, size), axis)

        return simple
    extremum = _extremum_of(op.regions[0].blocks[0])
    region = Region(op, compiler)

    def step(slots: Slots, batch: Batch) -> None:
        values = None
        if extremum is not None:
            values = _arg(extremum, slots[operands[0]], slots[operands[1]], axis, size)
        if values is None:
            count = region.count(slots, batch)
            values = _reduce_pairwise(
                region, slots, batch, _axis_first(op, slots, operands, axis, count)
            )
        for slot, value in zip(results, values, strict=True):
            slots[slot] = value

    return step


def _reduce_pairwise(
    region: Region, slots: Slots, batch: Batch, arrays: list[np.ndarray]
) -> list[np.ndarray]:
    while (size := arrays[0].shape[1]) > 1:
        even = size // 2 * 2
        pairs = [a[:, 0:even:2] for a in arrays] + [a[:, 1:even:2] for a in arrays]
        combined = region(slots, batch, pairs)
        rest = [array[:, even:] for array in arrays]
        arrays = [
            np.concatenate((c, r), axis=1) if r.shape[1] else c
            for c, r in zip(combined, rest, strict=True)
        ]
    return [array[:, 0] for array in arrays]


def _extremum_of(block: Block) -> str | None:
    """Check for a block that selects the (value, index) of the extremum.

    Its arguments are (value, index) of the left and (value, index) of the right, 0 to 3.

    Returns:
        "argmax" or "argmin"; None for another block.
    """
    last = block.last_op
    if last is None or len(block.args) != 4 or len(last.operands) != 2:
        return None
    value, index = (expression(operand) for operand in last.operands)
    if not (isinstance(value, tuple) and isinstance(index, tuple)):
        return None
    left_wins = value[1]
    if value != ("arith.select", left_wins, 0, 2) or index != ("arith.select", left_wins, 1, 3):
        return None
    for name, predicates in _BETTER.items():
        for compare, better, equal in predicates:
            plain = (compare, better, 0, 2)
            tie = ("arith.andi", (compare, equal, 0, 2), ("arith.cmpi", 2, 1, 3))
            if left_wins in (plain, ("arith.ori", plain, tie)):
                return name
    return None


_BETTER = {  # comparison, its predicate for "better", its predicate for "equal"
    "argmax": (("arith.cmpf", 2, 1), ("arith.cmpi", 4, 0)),
    "argmin": (("arith.cmpf", 4, 1), ("arith.cmpi", 2, 0)),
}


def _arg(name: str, value: Value, index: Value, axis: int, size: int) -> list[np.ndarray] | None:
    """Compute the extremum and its index; None if the result depends on the order of combining."""
    if type(index) is not AffineTensor or index.strides[axis - 1] <= 0 or not index.fits():
        return None
    array = _materialize_axis(value, axis, size)
    if array.dtype.kind not in "iu":
        array = widen(array)
        if np.isnan(array).any():
            return None
    position = np.expand_dims(getattr(array, name)(axis=axis), axis)
    extremum = np.take_along_axis(array, position, axis)
    numbers = _materialize_axis(index, axis, size)
    shape = np.broadcast_shapes(numbers.shape, array.shape)
    number = np.take_along_axis(np.broadcast_to(numbers, shape), position, axis)
    return [narrow(extremum, dense(value).dtype).squeeze(axis), number.squeeze(axis)]


@control(tt.ScanOp)
def scan(op: Operation, compiler: FunctionCompiler) -> Step:
    """Combine each element with all before it along an axis, or all after it if reversed."""
    operands, results = compiler.slots(op.operands), compiler.slots(op.results)
    axis = int_of(op, "axis") + 1
    size = types.shape(op.operands[0].type)[axis - 1]
    is_reverse = flag_of(op, "reverse")
    name = _simple(op.regions[0].blocks[0])
    if name is not None:
        fold = _fold(name, dtype_of(op.operands[0].type), "accumulate")
        source, result = operands[0], results[0]

        def simple(slots: Slots, batch: Batch) -> None:
            array = _materialize_axis(slots[source], axis, size)
            if is_reverse:
                slots[result] = np.flip(fold(np.flip(array, axis), axis), axis)
            else:
                slots[result] = fold(array, axis)

        return simple
    region = Region(op, compiler)

    def step(slots: Slots, batch: Batch) -> None:
        arrays = _axis_first(op, slots, operands, axis, region.count(slots, batch))
        if is_reverse:
            arrays = [np.flip(array, 1) for array in arrays]
        arrays = _scan_prefixes(region, slots, batch, arrays)
        for slot, array in zip(results, arrays, strict=True):
            array = np.flip(array, 1) if is_reverse else array
            slots[slot] = np.moveaxis(array, 1, axis)

    return step


def _scan_prefixes(
    region: Region, slots: Slots, batch: Batch, arrays: list[np.ndarray]
) -> list[np.ndarray]:
    distance = 1
    while distance < arrays[0].shape[1]:
        pairs = [a[:, :-distance] for a in arrays] + [a[:, distance:] for a in arrays]
        combined = region(slots, batch, pairs)
        arrays = [
            np.concatenate((a[:, :distance], c), axis=1)
            for a, c in zip(arrays, combined, strict=True)
        ]
        distance *= 2
    return arrays


@control(tt.MapElementwiseOp)
def map_elementwise(op: Operation, compiler: FunctionCompiler) -> Step:
    """Apply a region to each element, or to each pack of consecutive elements."""
    operands, results = compiler.slots(op.operands), compiler.slots(op.results)
    shape = types.shape(op.operands[0].type)
    pack = int_of(op, "pack")
    region = Region(op, compiler)

    def step(slots: Slots, batch: Batch) -> None:
        arrays = [dense(slots[slot]) for slot in operands]
        count = max(region.count(slots, batch), *(array.shape[0] for array in arrays))
        packs = [full(a, shape, count).reshape(count, -1, pack) for a in arrays]
        outputs = region(slots, batch, [p[..., i] for p in packs for i in range(pack)])
        for number_, slot in enumerate(results):
            own = outputs[number_ * pack : (number_ + 1) * pack]
            slots[slot] = np.stack(own, axis=-1).reshape(count, *shape)

    return step
