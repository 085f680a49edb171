"""Atomic read-modify-write and compare-and-swap.

Lanes of one operation with the same address act one after the other: instances in the order of
their ids, lanes in the order of their indices. Without duplicate addresses that is one gather and
one scatter. With duplicates lanes act in rounds, the n-th lane of each address in round n.
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
_MANY = 32  # lanes of one address from which on it is one accumulation


def _rounds(index: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sort lanes by index, and number the lanes of each index."""
    order = np.argsort(index, kind="stable")
    ordered = index[order]
    first = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    sizes = np.diff(np.append(first, len(ordered)))
    return order, np.arange(len(ordered)) - np.repeat(first, sizes)


def _update(
    memory: np.ndarray, index: np.ndarray, values: np.ndarray, kind: RMWOp, wants_old: bool
) -> np.ndarray:
    """Update memory lane by lane; return the old value for each lane."""
    ufunc = _UFUNCS.get(kind)
    if not wants_old and ufunc is not None:
        ufunc.at(memory, index, values)
        return values
    order, round_of = _rounds(index)
    old = np.empty_like(values)
    if int(round_of.max()) >= _MANY:
        _by_address(memory, index[order], values[order], ufunc, round_of, ordered_old := old.copy())
        old[order] = ordered_old
        return old
    for number in range(int(round_of.max()) + 1):
        lanes = order[round_of == number]
        targets_ = index[lanes]
        old[lanes] = memory[targets_]
        new = values[lanes] if ufunc is None else ufunc(memory[targets_], values[lanes])
        memory[targets_] = new
    return old


def _by_address(
    memory: np.ndarray,
    index: np.ndarray,
    values: np.ndarray,
    ufunc: np.ufunc | None,
    round_of: np.ndarray,
    old: np.ndarray,
) -> None:
    starts = np.flatnonzero(round_of == 0)
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
    """Compute the active lanes of the tile of all instances, and their addresses.

    Args:
        batch: The instances.
        pointer: The addresses.
        mask: The active lanes; None for all.
        shape: The shape of the tile.
        size: The bytes of an element.
    """
    every = full(pointer, shape, batch.size)
    active = np.broadcast_to(np.True_ if mask is None else mask, every.shape)
    if batch.launch.statistics is not None:
        batch.launch.statistics.count_atomic(batch.launch.memory, every[active], size)
    return active, every[active], Piece((), as_affine(pointer, shape), mask)


def make_read_modify_write(
    op: Operation, element: Attribute, kind: RMWOp, *, wants_old: bool
) -> Combine:
    """Make f(batch, addresses, value, mask, shape): update memory and return the old tile."""
    dtype = dtype_of(element)
    site = Site("atomic", op, dtype)
    view = unsigned(dtype) if kind in (RMWOp.UMAX, RMWOp.UMIN) else dtype

    def combine(
        batch: Batch, pointer: Number, value: Value, mask: np.ndarray | None, shape: tuple[int, ...]
    ) -> np.ndarray:
        active, addresses, part = _lanes(batch, pointer, mask, shape, dtype.itemsize)
        if batch.launch.observer is not None:
            batch.launch.observer.atomic(op, addresses)
        values = full(value, shape, batch.size)[active]
        result = np.zeros(active.shape, dtype)
        old_values = np.empty_like(values)
        for lanes, memory, index in targets(site, batch, addresses, part, writes=True):
            old = _update(memory.view(view), index, values[lanes].view(view), kind, wants_old)
            old_values[lanes] = old.view(dtype)
            if not wants_old or bool((memory[index] != old_values[lanes]).any()):
                batch.launch.memory.version += 1
        result[active] = old_values
        return result

    return combine


@effect(tt.AtomicRMWOp)
def atomic_rmw(op: Operation) -> Evaluate:
    """Read, combine and write back; the result of inactive lanes is 0."""
    kind = RMWOp.of(op.properties["atomic_rmw_op"])
    wants_old = any(True for _ in op.results[0].uses)
    combine = make_read_modify_write(op, pointee(op.operands[0].type), kind, wants_old=wants_old)
    shape = types.shape(op.results[0].type)

    def run(
        batch: Batch, pointer: Number, value: Value, mask: np.ndarray | None = None
    ) -> np.ndarray:
        return combine(batch, pointer, value, mask, shape)

    return run


Exchange = Callable[[Batch, Number, Value, Value], np.ndarray]


def make_compare_and_swap(op: Operation, element: Attribute) -> Exchange:
    """Make f(batch, addresses, expected, value), which swaps and returns the old tile."""
    dtype = dtype_of(element)
    bits = np.dtype(f"i{dtype.itemsize}")
    site, shape = Site("atomic", op, dtype), types.shape(op.results[0].type)

    def run(batch: Batch, pointer: Number, expected: Value, value: Value) -> np.ndarray:
        active, addresses, part = _lanes(batch, pointer, None, shape, dtype.itemsize)
        if batch.launch.observer is not None:
            batch.launch.observer.atomic(op, addresses)
        expected_bits, new_bits = (
            np.ascontiguousarray(full(dense(v), shape, batch.size)).reshape(-1).view(bits)
            for v in (expected, value)
        )
        result = np.empty(addresses.shape, bits)
        for lanes, memory, index in targets(site, batch, addresses, part, writes=True):
            cells = memory.view(bits)
            old, changed = _swap(cells, index, expected_bits[lanes], new_bits[lanes])
            result[lanes] = old
            batch.launch.memory.version += changed
        return result.view(dtype).reshape(active.shape)

    return run


@effect(tt.AtomicCASOp)
def atomic_cas(op: Operation) -> Evaluate:
    """Write where memory has the expected bits; return the old bits."""
    return make_compare_and_swap(op, pointee(op.operands[0].type))


def _swap(
    cells: np.ndarray, index: np.ndarray, expected: np.ndarray, new: np.ndarray
) -> tuple[np.ndarray, bool]:
    order, round_of = _rounds(index)
    old, changed = np.empty_like(expected), False
    for number in range(int(round_of.max()) + 1):
        lanes = order[round_of == number]
        targets_ = index[lanes]
        old[lanes] = cells[targets_]
        is_equal = old[lanes] == expected[lanes]
        changed |= bool((is_equal & (new[lanes] != expected[lanes])).any())
        cells[targets_] = np.where(is_equal, new[lanes], old[lanes])
    return old, changed
