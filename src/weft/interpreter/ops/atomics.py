"""Atomic read-modify-write and compare-and-swap.

Lanes of one operation that hit one address act one after the other, instances in the order of
their ids and lanes in the order of their indices. Without duplicates that is one gather and one
scatter; with them lanes go in rounds, the n-th visitor of each address in round n.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from xdsl.ir import Attribute, Operation

from weft.interpreter.addresses import Site
from weft.interpreter.affine_arithmetic import Number
from weft.interpreter.dtypes import dtype_of, unsigned
from weft.interpreter.element_access import pointee
from weft.interpreter.gather_scatter import Piece, targets
from weft.interpreter.program_batch import Batch
from weft.interpreter.registry import Evaluate, effect
from weft.interpreter.tile_access import as_affine
from weft.interpreter.values import Value, dense, full
from weft.ir import tt, types
from weft.ir.enums import RMWOp

_UFUNCS: dict[RMWOp, np.ufunc] = {
    RMWOp.AND: np.bitwise_and,
    RMWOp.OR: np.bitwise_or,
    RMWOp.XOR: np.bitwise_xor,
    RMWOp.ADD: np.add,
    RMWOp.FADD: np.add,
    RMWOp.MAX: np.maximum,
    RMWOp.MIN: np.minimum,
    RMWOp.UMAX: np.maximum,
    RMWOp.UMIN: np.minimum,
}
_MANY = 32  # visitors of one address above which it is done in one accumulation


def _rounds(index: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the lanes ordered by index, and which visitor of its index each of them is."""
    order = np.argsort(index, kind="stable")
    ordered = index[order]
    first = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    sizes = np.diff(np.append(first, len(ordered)))
    return order, np.arange(len(ordered)) - np.repeat(first, sizes)


def _update(
    memory: np.ndarray, index: np.ndarray, values: np.ndarray, kind: RMWOp, wants_old: bool
) -> np.ndarray:
    """Update memory lane by lane and return what each lane found."""
    ufunc = _UFUNCS.get(kind)
    if not wants_old and ufunc is not None:
        ufunc.at(memory, index, values)
        return values
    order, visit = _rounds(index)
    old = np.empty_like(values)
    if int(visit.max()) >= _MANY:
        _by_address(memory, index[order], values[order], ufunc, visit, ordered_old := old.copy())
        old[order] = ordered_old
        return old
    for turn in range(int(visit.max()) + 1):
        lanes = order[visit == turn]
        at = index[lanes]
        old[lanes] = memory[at]
        memory[at] = values[lanes] if ufunc is None else ufunc(memory[at], values[lanes])
    return old


def _by_address(
    memory: np.ndarray,
    index: np.ndarray,
    values: np.ndarray,
    ufunc: np.ufunc | None,
    visit: np.ndarray,
    old: np.ndarray,
) -> None:
    starts = np.flatnonzero(visit == 0)
    for start, stop in zip(starts, np.append(starts[1:], len(index)), strict=True):
        at = int(index[start])
        chain = np.concatenate((memory[at : at + 1], values[start:stop]))
        if ufunc is not None:
            chain = ufunc.accumulate(chain, dtype=chain.dtype)
        old[start:stop], memory[at] = chain[:-1], chain[-1]


Combine = Callable[[Batch, Number, Value, "np.ndarray | None", "tuple[int, ...]"], np.ndarray]


def _lanes(
    batch: Batch,
    pointer: Number,
    mask: np.ndarray | None,
    shape: tuple[int, ...],
    size: int,
) -> tuple[np.ndarray, np.ndarray, Piece]:
    """Return the active lanes of the full tile of all instances, and their addresses.

    Args: size: bytes of an element.
    """
    every = full(pointer, shape, batch.size)
    active = np.broadcast_to(np.True_ if mask is None else mask, every.shape)
    if batch.launch.statistics is not None:
        batch.launch.statistics.count_atomic(batch.launch.memory, every[active], size)
    return active, every[active], Piece((), as_affine(pointer, shape), mask)


def combining(op: Operation, element: Attribute, kind: RMWOp, *, wants_old: bool) -> Combine:
    """Return f(batch, addresses, value, mask, shape) that updates memory and gives the old tile."""
    dtype = dtype_of(element)
    site = Site("atomic", op, dtype)
    view = unsigned(dtype) if kind in (RMWOp.UMAX, RMWOp.UMIN) else dtype

    def combine(
        batch: Batch, pointer: Number, value: Value, mask: np.ndarray | None, shape: tuple[int, ...]
    ) -> np.ndarray:
        active, addresses, part = _lanes(batch, pointer, mask, shape, dtype.itemsize)
        values = full(value, shape, batch.size)[active]
        result = np.zeros(active.shape, dtype)
        found = np.empty_like(values)
        for lanes, memory, index in targets(site, batch, addresses, part, writes=True):
            old = _update(memory.view(view), index, values[lanes].view(view), kind, wants_old)
            found[lanes] = old.view(dtype)
            if not wants_old or bool((memory[index] != found[lanes]).any()):
                batch.launch.memory.version += 1
        result[active] = found
        return result

    return combine


@effect(tt.AtomicRMWOp)
def atomic_rmw(op: Operation) -> Evaluate:
    """Read, combine and write back; masked-off lanes give 0."""
    kind = RMWOp.of(op.properties["atomic_rmw_op"])
    wants_old = any(True for _ in op.results[0].uses)
    combine = combining(op, pointee(op.operands[0].type), kind, wants_old=wants_old)
    shape = types.shape(op.results[0].type)

    def run(
        batch: Batch, pointer: Number, value: Value, mask: np.ndarray | None = None
    ) -> np.ndarray:
        return combine(batch, pointer, value, mask, shape)

    return run


Exchange = Callable[[Batch, Number, Value, Value], np.ndarray]


def swapping(op: Operation, element: Attribute) -> Exchange:
    """Return f(batch, addresses, expected, value) that compares, swaps and gives the old tile."""
    dtype = dtype_of(element)
    bits = np.dtype(f"i{dtype.itemsize}")
    site, shape = Site("atomic", op, dtype), types.shape(op.results[0].type)

    def run(batch: Batch, pointer: Number, expected: Value, value: Value) -> np.ndarray:
        active, addresses, part = _lanes(batch, pointer, None, shape, dtype.itemsize)
        wanted, new = (
            np.ascontiguousarray(full(dense(v), shape, batch.size)).reshape(-1).view(bits)
            for v in (expected, value)
        )
        result = np.empty(addresses.shape, bits)
        for lanes, memory, index in targets(site, batch, addresses, part, writes=True):
            cells = memory.view(bits)
            old, changed = _swap(cells, index, wanted[lanes], new[lanes])
            result[lanes] = old
            batch.launch.memory.version += changed
        return result.view(dtype).reshape(active.shape)

    return run


@effect(tt.AtomicCASOp)
def atomic_cas(op: Operation) -> Evaluate:
    """Write where memory holds the expected bits; gives what was there."""
    return swapping(op, pointee(op.operands[0].type))


def _swap(
    cells: np.ndarray, index: np.ndarray, wanted: np.ndarray, new: np.ndarray
) -> tuple[np.ndarray, bool]:
    order, visit = _rounds(index)
    old, changed = np.empty_like(wanted), False
    for turn in range(int(visit.max()) + 1):
        lanes = order[visit == turn]
        at = index[lanes]
        old[lanes] = cells[at]
        hit = old[lanes] == wanted[lanes]
        changed |= bool((hit & (new[lanes] != wanted[lanes])).any())
        cells[at] = np.where(hit, new[lanes], old[lanes])
    return old, changed
