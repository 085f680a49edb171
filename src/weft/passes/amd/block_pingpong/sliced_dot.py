"""Two or four memory and dot clusters: the dot is split along K.

Two slices:  local load A0 B0, load A, local load A1 B1, load B | dot 0 | local store A B | dot 1
Four slices: load A, local load A0 B0 | dot 0 | load B, local load A1 B1 | dot 1 |
             local load A2 B2 A3 B3 | dot 2 | local store A B | dot 3

Each `|` is a barrier. A whole dot of such a tile would need more registers than a thread has.
"""

from __future__ import annotations

from msgspec import Struct

from weft.ir import attributes, tt, ttg, types
from weft.ir.builtin import Operation, OpResult, SSAValue
from weft.ir.rewriting import Builder, clone, erase
from weft.layouts import DotOperandEncoding
from weft.passes.amd.block_pingpong.cluster_builder import ClusterBuilder
from weft.passes.amd.block_pingpong.loop_operations import LoopOperations

__all__ = ["schedule_four_slices", "schedule_two_slices"]

_MIN_SLICE_WIDTH = 16  # the smallest K of an MFMA instruction


class _Slices(Struct, frozen=True):
    """The slices of a dot.

    Attributes:
        loads: Per slice: the view and the local load of A, those of B.
        dots: The dots, each of which adds to the result of the previous one.
    """

    loads: tuple[tuple[Operation, ...], ...]
    dots: tuple[Operation, ...]


def schedule_two_slices(ops: LoopOperations) -> bool:
    """Reorder a loop into two memory and two dot clusters; return whether this was possible."""
    location = ops.dots[0].location
    slices = _slice_dot(ops, 2)
    if slices is None:
        return False
    clusters = ClusterBuilder(ops.loads[1], location)
    _append_slices(clusters, slices, 0)
    clusters.fix_order()
    clusters.append(ops.loads[0])
    clusters.fix_order()
    _append_slices(clusters, slices, 1)
    clusters.fix_order()
    clusters.append(ops.loads[1])
    # A plain barrier: ttg.barrier would wait for the local loads here. The dot waits for those
    # that it needs.
    clusters.append(clusters.create.plain_barrier())
    clusters.fix_order()
    clusters.append_with_priority(slices.dots[0])
    clusters.end_cluster()
    _append_stores_and_last_dot(clusters, ops, slices)
    return True


def schedule_four_slices(ops: LoopOperations) -> bool:
    """Reorder a loop into four memory and four dot clusters; return whether this was possible."""
    location = ops.dots[0].location
    slices = _slice_dot(ops, 4)
    if slices is None:
        return False
    clusters = ClusterBuilder(ops.loads[1], location)
    _append_slices(clusters, slices, 0)
    clusters.end_cluster()
    clusters.append_with_priority(slices.dots[0])
    clusters.end_cluster()
    clusters.append(ops.loads[1])
    _append_slices(clusters, slices, 1)
    clusters.end_cluster()
    clusters.append_with_priority(slices.dots[1])
    clusters.end_cluster()
    _append_slices(clusters, slices, 2, 3)
    clusters.end_cluster()
    clusters.append_with_priority(slices.dots[2])
    clusters.end_cluster()
    _append_stores_and_last_dot(clusters, ops, slices)
    return True


def _append_slices(clusters: ClusterBuilder, slices: _Slices, *indices: int) -> None:
    for index in indices:
        clusters.append(*slices.loads[index])


def _append_stores_and_last_dot(
    clusters: ClusterBuilder, ops: LoopOperations, slices: _Slices
) -> None:
    # The stores move above operations that read the result of the dot: the epilogue of a
    # persistent matmul.
    for store in ops.local_stores:
        clusters.pull(store)
    clusters.end_cluster()
    clusters.append_with_priority(slices.dots[-1])
    # The last barrier ends the iteration, so that an epilogue is part of the dot's cluster.
    last = ops.loop.terminator.prev_op
    assert last is not None
    ClusterBuilder(last, ops.dots[0].location).end_cluster()


def _slice_dot(ops: LoopOperations, number: int) -> _Slices | None:
    """Split the dot of a loop along K, and erase it with its local loads.

    Returns:
        The slices, after the first load; None if the operands are no plain local loads.
    """
    dot = ops.dots[0]
    depth = types.shape(dot.b.type)[0]
    width = depth // number
    if depth % number or not _can_be_erased(ops) or not _is_available_after(ops.loads[1], dot.c):
        return None
    builder = Builder().after(ops.loads[0])
    operands: list[list[tuple[Operation, Operation]]] = []
    for index, operand in enumerate((dot.a, dot.b)):
        parts = _slice_operand(builder, dot, operand, index, number, width)
        if parts is None:
            return None  # the unused slices of A are erased by canonicalization
        operands.append(parts)
    parts_of_a, parts_of_b = operands
    dots: list[Operation] = []
    sum_ = dot.c
    for part_of_a, part_of_b in zip(parts_of_a, parts_of_b, strict=True):
        values = {dot.a: part_of_a[1].results[0], dot.b: part_of_b[1].results[0], dot.c: sum_}
        dots.append(clone(dot, values))
        builder.insert(dots[-1])
        sum_ = dots[-1].results[0]
    dot.d.replace_all_uses_with(sum_)
    erase(dot)
    for load in ops.local_loads:
        erase(load)
    loads = tuple((*a, *b) for a, b in zip(parts_of_a, parts_of_b, strict=True))
    return _Slices(loads, tuple(dots))


def _can_be_erased(ops: LoopOperations) -> bool:
    """Check whether only the dot, or an operation on its operands, reads each local load."""
    dot = ops.dots[0]
    return all(
        use.operation is dot or load.results[0] not in (dot.a, dot.b)
        for load in ops.local_loads
        for use in load.results[0].uses
    )


def _is_available_after(op: Operation, value: SSAValue) -> bool:
    """Check whether a value is available after an operation of the loop's body."""
    if not isinstance(value, OpResult) or value.op.parent is not op.parent:
        return True
    return value.op is op or value.op.is_before_in_block(op)


def _slice_operand(
    builder: Builder, dot: tt.DotOp, operand: SSAValue, index: int, number: int, width: int
) -> list[tuple[Operation, Operation]] | None:
    """Create the view and local load of each slice of an operand that is a local load."""
    load = operand.op if isinstance(operand, OpResult) else None
    a = types.encoding(dot.a.type)
    if not isinstance(load, ttg.LocalLoadOp) or width < _MIN_SLICE_WIDTH:
        return None
    buffer = load.src.type
    assert isinstance(buffer, ttg.MemDescType)
    assert isinstance(a, DotOperandEncoding)
    assert buffer.encoding is not None
    depth_dim = 1 - index
    shape = tuple(width if dim == depth_dim else size for dim, size in enumerate(buffer.shape))
    view_type = ttg.MemDescType.of(
        shape,
        buffer.element_type,
        buffer.encoding,
        buffer.memory_space,
        mutable=buffer.is_mutable,
        allocated=buffer.allocated,
    )
    encoding = DotOperandEncoding(index, a.parent, a.k_width)
    part_type = types.tensor(shape, buffer.element_type, encoding)
    builder.location = load.location
    parts: list[tuple[Operation, Operation]] = []
    for start in range(0, number * width, width):
        offsets = attributes.array_i32((0, start) if depth_dim else (start, 0))
        view = builder.create(ttg.MemDescSubsliceOp, [load.src], [view_type], {"offsets": offsets})
        parts.append((view, builder.create(ttg.LocalLoadOp, view.results, [part_type])))
    return parts
