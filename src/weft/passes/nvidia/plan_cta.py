"""Distribute tensors over the CTAs of a cluster (triton-nvidia-gpu-plan-cta).

Each CTA should compute its part from data that it holds. With two CTAs and a 128x128 dot, where
every tensor was split by rows before, CGALayout = [[1, 0]]:

    %a = tt.load %p        →    [[0, 0]]     both CTAs load the whole tile
    %b = tt.load %q        →    [[0, 1]]     each loads the columns that it needs
    %d = tt.dot %a, %b     →    [[0, 1]]     the second CTA has columns 64 … 127
    tt.store %r, %d        →    [[0, 1]]     each stores its part

Dots are split first: into parts of up to 128 rows, then into columns, but not along a dimension
that the result is reduced along. Rows that are an operand of another dot keep their split.
Reductions and scans are split along the other dimensions if these are long enough for all CTAs;
otherwise each CTA keeps a part of every row, and partial results are combined through distributed
shared memory. Their loads and stores are split alike; other accesses keep their split. Conversions
are inserted where splits differ, for remove-layout-conversions to remove.

Needs: layouts. Keeps: modules with one CTA. Source: measured with Triton 3.7.1, which splits dots
and rows likewise and refuses reductions along a split dimension (docs/decisions, 023).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import ClassVar

from msgspec import Struct, field

from weft.ir import scf, tt, types
from weft.ir.attributes import array_values, number
from weft.ir.builtin import (
    Attribute,
    BlockArgument,
    ModuleOp,
    Operation,
    OpResult,
    SSAValue,
)
from weft.ir.interfaces import forwarded_from, forwarded_to
from weft.ir.module_attributes import lookup_num_ctas, lookup_num_warps, lookup_threads_per_warp
from weft.layouts import BlockedEncoding, DotOperandEncoding, Encoding, SliceEncoding
from weft.layouts.cga import cga_bases
from weft.layouts.default_encoding import default_blocked
from weft.passes.ledger import enabled, record_decision, record_remaining_layouts, snapshot_layouts
from weft.passes.rewrite.change_layout import change_types

__all__ = ["PlanCta"]

Split = tuple[tuple[int, ...], ...]  # a CGALayout: part of CTA 1, 2, 4 … along each dimension
_MAX_ROWS, _MIN_ROWS = 128, 64  # of a CTA's part of a dot
_DOTS = (tt.DotOp, tt.DotScaledOp)
_REDUCTIONS = (tt.ReduceOp, tt.ScanOp)
_ACCESSES = (
    tt.LoadOp,
    tt.StoreOp,
    tt.AtomicRMWOp,
    tt.AtomicCASOp,
    tt.DescriptorLoadOp,
    tt.DescriptorStoreOp,
    tt.DescriptorReduceOp,
)


class PlanCta(Struct, frozen=True):
    """Choose CGALayouts that move little data between CTAs."""

    name: ClassVar[str] = "triton-nvidia-gpu-plan-cta"

    def run(self, module: ModuleOp) -> None:
        """Split the operations of a module in place."""
        blocks = lookup_num_ctas(module)
        if blocks == 1:
            return
        lanes = lookup_threads_per_warp(module)
        before = snapshot_layouts(module) if enabled() else {}
        for function in module.body.block.ops:
            if isinstance(function, tt.FuncOp):
                plan = _Plan(blocks)
                plan.seed(list(function.walk()))
                for op, split in plan.splits.items():
                    self._record(_apply(op, split, lanes))
        record_remaining_layouts(self, module, before, "converted between different CGALayouts")

    def _record(self, op: Operation | None) -> None:
        """Record the layouts of an operation that was split."""
        if op is None or not enabled():
            return
        reason = "each CTA holds the other operands"
        if isinstance(op, _DOTS):
            reason = "each CTA multiplies what it loads"
        elif isinstance(op, _REDUCTIONS):
            reason = f"CTAs hold whole slices along dimension {_axis(op)}, or parts of each"
        for result in op.results:
            if types.is_tensor(result.type):
                record_decision(self, result, str(types.encoding(result.type)), reason)


class _Plan(Struct):
    """The splits of operations, in the order in which they were chosen.

    Attributes:
        blocks: CTAs of the cluster.
        splits: the chosen splits.
        propagated_backward: values whose split was propagated to their definition.
        propagated_forward: values whose split was propagated to their users.
    """

    blocks: int
    splits: dict[Operation, Split] = field(default_factory=dict)
    propagated_backward: set[SSAValue] = field(default_factory=set)
    propagated_forward: set[SSAValue] = field(default_factory=set)

    def seed(self, ops: Sequence[Operation]) -> None:
        """Split dots, then reductions and scans, and propagate each split."""
        for op in ops:
            if isinstance(op, _DOTS) and op not in self.splits:
                shape = types.shape(op.results[0].type)
                self._dot(op, _tiling(shape, self.blocks, _reduced_dimensions(op)))
        for op in ops:
            if isinstance(op, _REDUCTIONS) and op not in self.splits:
                source = op.operands[0].type
                split = _split_other_dimensions(
                    types.shape(source), _axis(op), _split_of(source), self.blocks
                )
                self._combine(op, split)

    def _dot(self, op: tt.DotOp | tt.DotScaledOp, split: Split) -> None:
        self.splits[op] = split
        for side, operand in enumerate((op.a, op.b)):
            self._propagate_backward(operand, _of_operand(split, side))
        self._propagate_backward(op.c, split)
        if isinstance(op, tt.DotScaledOp):
            for side, scale in enumerate((op.a_scale, op.b_scale)):
                if scale is not None:
                    self._propagate_backward(scale, tuple((vector[side], 0) for vector in split))
        self._propagate_forward(op.results[0], split)

    def _combine(self, op: Operation, split: Split) -> None:
        self.splits[op] = split
        for operand in op.operands:
            self._propagate_backward(operand, split)
        for result in op.results:
            self._propagate_forward(result, _result_split(op, split))

    def _propagate_backward(self, value: SSAValue, split: Split) -> None:
        """Propagate a split to the definition of a value."""
        if value in self.propagated_backward or not types.is_tensor(value.type):
            return
        self.propagated_backward.add(value)
        if isinstance(value, BlockArgument):
            if isinstance(value.block.parent_op(), scf.ForOp):
                for source in forwarded_from(value) or ():
                    self._propagate_backward(source, split)
            return
        op = value.owner
        assert isinstance(op, Operation)
        if isinstance(op, _ACCESSES):
            self.splits.setdefault(op, split)
        elif isinstance(op, tt.TransOp):
            self._propagate_backward(op.operands[0], _permuted(split, op, backwards=True))
        elif isinstance(op, scf.ForOp):
            assert isinstance(value, OpResult)
            self._propagate_backward(op.iter_args[value.index], split)
        elif _is_elementwise(op):
            for operand in op.operands:
                self._propagate_backward(operand, split)

    def _propagate_forward(self, value: SSAValue, split: Split) -> None:
        """Propagate a split to the users of a value."""
        if value in self.propagated_forward or not types.is_tensor(value.type):
            return
        self.propagated_forward.add(value)
        for use in list(value.uses):
            op = use.operation
            if op in self.splits:
                continue
            if isinstance(op, _ACCESSES):
                self.splits[op] = split
            elif isinstance(op, _REDUCTIONS):
                self._combine(op, split)
            elif isinstance(op, _DOTS):
                if not use.index and not any(vector[-1] for vector in split):
                    self._dot(op, split)  # a CTA multiplies the rows that it holds
            elif isinstance(op, scf.YieldOp | scf.ForOp):
                for target in forwarded_to(op, value):
                    self._propagate_forward(target, split)
            elif isinstance(op, tt.TransOp):
                self._propagate_forward(op.results[0], _permuted(split, op))
            elif _is_elementwise(op):
                for operand in op.operands:
                    self._propagate_backward(operand, split)
                for result in op.results:
                    self._propagate_forward(result, split)


def _is_elementwise(op: Operation) -> bool:
    """Check whether an operation relates elements of equal index, as elementwise operations do."""
    tensors = [value.type for value in (*op.operands, *op.results) if types.is_tensor(value.type)]
    alike = len({types.shape(type_) for type_ in tensors}) == 1
    return alike and not op.regions and not isinstance(op, (*_DOTS, tt.GatherOp, tt.ReshapeOp))


def _axis(op: Operation) -> int:
    return int(number(op.properties["axis"]) or 0)


def _reduced_dimensions(dot: tt.DotOp | tt.DotScaledOp) -> set[int]:
    """Find the dimensions of a dot's result along which it is reduced or scanned later."""
    result: set[int] = set()
    worklist: list[SSAValue] = [dot.results[0]]
    visited = set(worklist)
    while worklist:
        value = worklist.pop()
        for use in value.uses:
            op = use.operation
            if isinstance(op, _REDUCTIONS):
                result.add(_axis(op))
            following: Iterable[SSAValue] = op.results if _is_elementwise(op) else ()
            if isinstance(op, scf.YieldOp | scf.ForOp):
                following = forwarded_to(op, value)
            worklist += [other for other in following if other not in visited]
            visited.update(following)
    return result


def _tiling(shape: Sequence[int], blocks: int, whole: set[int]) -> Split:
    """Split a dot's result: into parts of 128 rows, or 64 if columns would be fewer; then columns.

    Args:
        shape: shape of the result.
        blocks: CTAs of the cluster.
        whole: dimensions that must not be split.
    """
    *outer, rows, columns = shape
    rank, parts = len(shape), (1, blocks)
    if rank - 1 in whole:
        parts = (blocks, 1)
    elif rank - 2 not in whole:
        for max_rows in (_MAX_ROWS, _MIN_ROWS):
            row_parts = max(1, min(blocks, rows // max_rows))
            parts = (row_parts, blocks // row_parts)
            if columns // parts[1] >= _MIN_ROWS:
                break
    along = [[0] * len(outer) + [0, 1 << bit] for bit in range(parts[1].bit_length() - 1)]
    across = [[0] * len(outer) + [1 << bit, 0] for bit in range(parts[0].bit_length() - 1)]
    return tuple(map(tuple, (*along, *across)))


def _split_other_dimensions(
    shape: Sequence[int], axis: int, split_of_source: Split, blocks: int
) -> Split:
    """Split the dimensions other than `axis`, if they are long enough; else keep the split."""
    others = [dim for dim in range(len(shape)) if dim != axis]
    if (
        not any(vector[axis] for vector in split_of_source)
        or prod(shape[dim] for dim in others) < blocks
    ):
        return split_of_source
    result: list[tuple[int, ...]] = []
    for dim in others:
        for bit in range(shape[dim].bit_length() - 1):
            if 1 << len(result) < blocks:
                result.append(tuple(1 << bit if n == dim else 0 for n in range(len(shape))))
    return tuple(result)


def _of_operand(split: Split, side: int) -> Split:
    """Return the split of a dot's operand; K is not split."""
    inner = -1 if side == 0 else -2
    dropped = (len(split[0]) + inner) if split else 0
    return tuple(tuple(0 if n == dropped else at for n, at in enumerate(v)) for v in split)


def _result_split(op: Operation, split: Split) -> Split:
    """Return the split of the results of a reduction or scan."""
    if isinstance(op, tt.ScanOp):
        return split
    axis = _axis(op)
    return tuple((*vector[:axis], *vector[axis + 1 :]) for vector in split)


def _permuted(split: Split, op: tt.TransOp, *, backwards: bool = False) -> Split:
    """Permute a split for the result of a transpose; `backwards`: for its operand."""
    order = array_values(op.properties["order"])
    permutation = [order.index(dim) for dim in range(len(order))] if backwards else list(order)
    return tuple(tuple(vector[dim] for dim in permutation) for vector in split)


def _split_of(type_: Attribute) -> Split:
    encoding = types.encoding(type_)
    assert encoding is not None
    return cga_bases(encoding)


# ------------------------------------------------------------------------------------- layouts
def _apply(op: Operation, split: Split, lanes: int) -> Operation | None:
    """Change the blocked layout of an operation to a split; other layouts are not changed.

    Returns: the new operation; None if the operation is not changed.
    """
    values = [value for value in (*op.results, *op.operands) if types.is_tensor(value.type)]
    parent = next(map(_blocked, values), None)
    if isinstance(op, _DOTS):
        parent = _blocked(op.results[0])
    elif isinstance(op, _REDUCTIONS):
        parent = _blocked(op.operands[0])
    if parent is None or parent.cga_layout == split or parent.rank != len(split[0]):
        return None
    shape = next(types.shape(v.type) for v in values if len(types.shape(v.type)) == parent.rank)
    if isinstance(op, _DOTS):
        shape = types.shape(op.results[0].type)
    elif isinstance(op, _REDUCTIONS):
        shape = types.shape(op.operands[0].type)
    layout = _with_split(parent, shape, split, lookup_num_warps(op), lanes)
    return change_types(
        op,
        [_changed_type(value.type, parent, layout) for value in op.operands],
        [_replace_layout(value.type, parent, layout) for value in op.results],
    )


def _blocked(value: SSAValue) -> BlockedEncoding | None:
    encoding = types.encoding(value.type)
    return encoding if isinstance(encoding, BlockedEncoding) else None


def _with_split(
    parent: BlockedEncoding, shape: Sequence[int], split: Split, warps: int, lanes: int
) -> BlockedEncoding:
    """Create a blocked layout with the same sizes and order for another split."""
    parts = [max(1, *(2 * vector[dim] for vector in split)) for dim in range(len(shape))]
    block_shape = [max(1, size // count) for size, count in zip(shape, parts, strict=True)]
    sizes = tuple(map(min, parent.size_per_thread, block_shape))
    layout = default_blocked(tuple(block_shape), warps, lanes, 1, sizes, parent.order)
    return BlockedEncoding(
        layout.size_per_thread, layout.threads_per_warp, layout.warps_per_cta, layout.order, split
    )


def _changed_type(type_: Attribute, old: BlockedEncoding, new: BlockedEncoding) -> Attribute | None:
    result = _replace_layout(type_, old, new)
    return None if result == type_ else result


def _replace_layout(type_: Attribute, old: BlockedEncoding, new: BlockedEncoding) -> Attribute:
    """Return a type with a layout, or a parent layout, replaced."""
    encoding = types.encoding(type_) if types.is_tensor(type_) else None
    if encoding is None:
        return type_
    new_encoding: Encoding = encoding
    if encoding is old:
        new_encoding = new
    elif isinstance(encoding, SliceEncoding) and encoding.parent is old:
        new_encoding = SliceEncoding(encoding.dim, new)
    elif isinstance(encoding, DotOperandEncoding) and encoding.parent is old:
        new_encoding = DotOperandEncoding(encoding.op_idx, new, encoding.k_width)
    return types.with_encoding(type_, new_encoding)
