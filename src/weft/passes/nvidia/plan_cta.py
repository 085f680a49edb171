"""Share the work out over the blocks of a cluster (`triton-nvidia-gpu-plan-cta`).

Each block should compute a part from what it has itself. With two blocks and a dot of 128x128,
where rows were cut everywhere before, CGALayout = [[1, 0]]:

    %a = tt.load %p        →    [[0, 0]]     both blocks load all of it
    %b = tt.load %q        →    [[0, 1]]     each loads the columns that it needs
    %d = tt.dot %a, %b     →    [[0, 1]]     the second block has columns 64 … 127
    tt.store %r, %d        →    [[0, 1]]     each stores what it has

Dots are cut first: in parts of up to 128 rows, then in columns, but not along what the result is
reduced along; rows that go into another dot stay where they are. Reductions and scans are cut along
the other dimensions, where these are long enough for all blocks; else each block keeps a part of
every row, and the parts meet in the memory of the cluster. What is loaded for them, and what is
stored of them, is cut alike; other accesses keep their share. Conversions stand wherever shares
meet, for remove-layout-conversions to take away.

Needs: layouts. Keeps: one block: everything. Source: measured on Triton 3.7.1, which cuts dots and
rows likewise and refuses rows that are cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import ClassVar

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
from weft.ir.hardware import blocks_of_cluster, threads_per_warp, warps_around
from weft.ir.interfaces import forwarded_from, forwarded_to
from weft.layouts import BlockedEncoding, DotOperandEncoding, Encoding, SliceEncoding
from weft.layouts.cga import cga_bases
from weft.layouts.default_encoding import default_blocked
from weft.passes.ledger import enabled, record_decision, record_remaining_layouts, snapshot_layouts
from weft.passes.rewrite.change_layout import change_types

__all__ = ["PlanCta"]

Share = tuple[tuple[int, ...], ...]  # where block 1, 2, 4 … stands, in parts per dimension
_ROWS, _FEWEST = 128, 64  # of a block's part of a dot: at most, and at least
_DOTS = (tt.DotOp, tt.DotScaledOp)
_ALONG = (tt.ReduceOp, tt.ScanOp)
_ACCESSES = (
    tt.LoadOp,
    tt.StoreOp,
    tt.AtomicRMWOp,
    tt.AtomicCASOp,
    tt.DescriptorLoadOp,
    tt.DescriptorStoreOp,
    tt.DescriptorReduceOp,
)


@dataclass(frozen=True, slots=True)
class PlanCta:
    """Post: layouts say which block of a cluster holds what, so that little crosses."""

    name: ClassVar[str] = "triton-nvidia-gpu-plan-cta"

    def run(self, module: ModuleOp) -> None:
        """Give operations their shares, in place.

        Raises: PassError: the module does not say its threads.
        """
        blocks = blocks_of_cluster(module)
        if blocks == 1:
            return
        lanes = threads_per_warp(module)
        before = snapshot_layouts(module) if enabled() else {}
        for function in module.body.block.ops:
            if isinstance(function, tt.FuncOp):
                plan = _Plan(blocks)
                plan.seed(list(function.walk()))
                for op, share in plan.shares.items():
                    self._record(_cut(op, share, lanes))
        record_remaining_layouts(self, module, before, "converted where blocks hold other parts")

    def _record(self, op: Operation | None) -> None:
        """Write down why an operation that was cut has its layout."""
        if op is None or not enabled():
            return
        why = "each block has what it is combined with"
        if isinstance(op, _DOTS):
            why = "each block multiplies what it loads"
        elif isinstance(op, _ALONG):
            why = f"blocks have rows along dimension {_axis(op)}, or parts of each"
        for result in op.results:
            if types.is_tensor(result.type):
                record_decision(self, result, str(types.encoding(result.type)), why)


@dataclass(slots=True)
class _Plan:
    """The shares of operations, in the order in which they were found.

    made, read: values whose share has been taken to what makes them, and to what reads them.
    """

    blocks: int
    shares: dict[Operation, Share] = field(default_factory=dict)
    made: set[SSAValue] = field(default_factory=set)
    read: set[SSAValue] = field(default_factory=set)

    def seed(self, ops: Sequence[Operation]) -> None:
        """Cut dots, then what is combined along a dimension; spread each from there."""
        for op in ops:
            if isinstance(op, _DOTS) and op not in self.shares:
                shape = types.shape(op.results[0].type)
                self._dot(op, _tiling(shape, self.blocks, _kept_whole(op)))
        for op in ops:
            if isinstance(op, _ALONG) and op not in self.shares:
                source = op.operands[0].type
                share = _beside(types.shape(source), _axis(op), _share_of(source), self.blocks)
                self._combine(op, share)

    def _dot(self, op: tt.DotOp | tt.DotScaledOp, share: Share) -> None:
        self.shares[op] = share
        for side, operand in enumerate((op.a, op.b)):
            self._back(operand, _of_operand(share, side))
        self._back(op.c, share)
        if isinstance(op, tt.DotScaledOp):
            for side, scale in enumerate((op.a_scale, op.b_scale)):
                if scale is not None:
                    self._back(scale, tuple((vector[side], 0) for vector in share))
        self._on(op.results[0], share)

    def _combine(self, op: Operation, share: Share) -> None:
        self.shares[op] = share
        for operand in op.operands:
            self._back(operand, share)
        for result in op.results:
            self._on(result, _through(op, share))

    def _back(self, value: SSAValue, share: Share) -> None:
        """Take a share to what makes a value."""
        if value in self.made or not types.is_tensor(value.type):
            return
        self.made.add(value)
        if isinstance(value, BlockArgument):
            if isinstance(value.block.parent_op(), scf.ForOp):
                for source in forwarded_from(value) or ():
                    self._back(source, share)
            return
        op = value.owner
        assert isinstance(op, Operation)
        if isinstance(op, _ACCESSES):
            self.shares.setdefault(op, share)
        elif isinstance(op, tt.TransOp):
            self._back(op.operands[0], _turned(share, op, backwards=True))
        elif isinstance(op, scf.ForOp):
            assert isinstance(value, OpResult)
            self._back(op.iter_args[value.index], share)
        elif _keeps_places(op):
            for operand in op.operands:
                self._back(operand, share)

    def _on(self, value: SSAValue, share: Share) -> None:
        """Take a share to what reads a value."""
        if value in self.read or not types.is_tensor(value.type):
            return
        self.read.add(value)
        for use in list(value.uses):
            op = use.operation
            if op in self.shares:
                continue
            if isinstance(op, _ACCESSES):
                self.shares[op] = share
            elif isinstance(op, _ALONG):
                self._combine(op, share)
            elif isinstance(op, _DOTS):
                if not use.index and not any(vector[-1] for vector in share):
                    self._dot(op, share)  # the rows that a block has, it multiplies
            elif isinstance(op, scf.YieldOp | scf.ForOp):
                for target in forwarded_to(op, value):
                    self._on(target, share)
            elif isinstance(op, tt.TransOp):
                self._on(op.results[0], _turned(share, op))
            elif _keeps_places(op):
                for operand in op.operands:
                    self._back(operand, share)
                for result in op.results:
                    self._on(result, share)


def _keeps_places(op: Operation) -> bool:
    """Tell whether the elements of an operation's tensors belong together place by place."""
    tensors = [one.type for one in (*op.operands, *op.results) if types.is_tensor(one.type)]
    alike = len({types.shape(type_) for type_ in tensors}) == 1
    return alike and not op.regions and not isinstance(op, (*_DOTS, tt.GatherOp, tt.ReshapeOp))


def _axis(op: Operation) -> int:
    return int(number(op.properties["axis"]) or 0)


def _kept_whole(dot: tt.DotOp | tt.DotScaledOp) -> set[int]:
    """Return the dimensions of a dot's result that it is combined along later."""
    found: set[int] = set()
    waiting: list[SSAValue] = [dot.results[0]]
    seen = set(waiting)
    while waiting:
        value = waiting.pop()
        for use in value.uses:
            op = use.operation
            if isinstance(op, _ALONG):
                found.add(_axis(op))
            following: Iterable[SSAValue] = op.results if _keeps_places(op) else ()
            if isinstance(op, scf.YieldOp | scf.ForOp):
                following = forwarded_to(op, value)
            waiting += [other for other in following if other not in seen]
            seen.update(following)
    return found


def _tiling(shape: Sequence[int], blocks: int, whole: set[int]) -> Share:
    """Return how a dot is cut: in up to 128 rows, or 64 where columns would be fewer, then columns.

    Args: whole: dimensions that are not to be cut.
    """
    *outer, rows, columns = shape
    rank, parts = len(shape), (1, blocks)
    if rank - 1 in whole:
        parts = (blocks, 1)
    elif rank - 2 not in whole:
        for most in (_ROWS, _FEWEST):
            down = max(1, min(blocks, rows // most))
            parts = (down, blocks // down)
            if columns // parts[1] >= _FEWEST:
                break
    along = [[0] * len(outer) + [0, 1 << bit] for bit in range(parts[1].bit_length() - 1)]
    across = [[0] * len(outer) + [1 << bit, 0] for bit in range(parts[0].bit_length() - 1)]
    return tuple(map(tuple, (*along, *across)))


def _beside(shape: Sequence[int], axis: int, given: Share, blocks: int) -> Share:
    """Return how rows along an axis are cut: beside each other, if there are enough of them."""
    others = [dim for dim in range(len(shape)) if dim != axis]
    if not any(vector[axis] for vector in given) or prod(shape[dim] for dim in others) < blocks:
        return given
    found: list[tuple[int, ...]] = []
    for dim in others:
        for bit in range(shape[dim].bit_length() - 1):
            if 1 << len(found) < blocks:
                found.append(tuple(1 << bit if n == dim else 0 for n in range(len(shape))))
    return tuple(found)


def _of_operand(share: Share, side: int) -> Share:
    """Return the share of a dot's operand; k is not cut."""
    inner = -1 if side == 0 else -2
    dropped = (len(share[0]) + inner) if share else 0
    return tuple(tuple(0 if n == dropped else at for n, at in enumerate(v)) for v in share)


def _through(op: Operation, share: Share) -> Share:
    """Return the share of what is combined along an axis."""
    if isinstance(op, tt.ScanOp):
        return share
    axis = _axis(op)
    return tuple((*vector[:axis], *vector[axis + 1 :]) for vector in share)


def _turned(share: Share, op: tt.TransOp, *, backwards: bool = False) -> Share:
    """Return the share of a transposed tensor; `backwards`: of what is transposed."""
    order = array_values(op.properties["order"])
    places = [order.index(dim) for dim in range(len(order))] if backwards else list(order)
    return tuple(tuple(vector[place] for place in places) for vector in share)


def _share_of(type_: Attribute) -> Share:
    encoding = types.encoding(type_)
    assert encoding is not None
    return cga_bases(encoding)


# ------------------------------------------------------------------------------------- layouts
def _cut(op: Operation, share: Share, lanes: int) -> Operation | None:
    """Give an operation the layout of a share; one whose layout is no blocked one keeps it.

    Returns: the operation in its place, None where it stays.
    """
    values = [one for one in (*op.results, *op.operands) if types.is_tensor(one.type)]
    parent = next(map(_blocked, values), None)
    if isinstance(op, _DOTS):
        parent = _blocked(op.results[0])
    elif isinstance(op, _ALONG):
        parent = _blocked(op.operands[0])
    if parent is None or parent.cga_layout == share or parent.rank != len(share[0]):
        return None
    shape = next(types.shape(v.type) for v in values if len(types.shape(v.type)) == parent.rank)
    if isinstance(op, _DOTS):
        shape = types.shape(op.results[0].type)
    elif isinstance(op, _ALONG):
        shape = types.shape(op.operands[0].type)
    layout = _over(parent, shape, share, warps_around(op), lanes)
    return change_types(
        op,
        [_changed(one.type, parent, layout) for one in op.operands],
        [_with(one.type, parent, layout) for one in op.results],
    )


def _blocked(value: SSAValue) -> BlockedEncoding | None:
    encoding = types.encoding(value.type)
    return encoding if isinstance(encoding, BlockedEncoding) else None


def _over(
    parent: BlockedEncoding, shape: Sequence[int], share: Share, warps: int, lanes: int
) -> BlockedEncoding:
    """Return a blocked layout of the same sizes and order over another share."""
    split = [max(1, *(2 * vector[dim] for vector in share)) for dim in range(len(shape))]
    box = [max(1, size // parts) for size, parts in zip(shape, split, strict=True)]
    sizes = tuple(map(min, parent.size_per_thread, box))
    one = default_blocked(tuple(box), warps, lanes, 1, sizes, parent.order)
    return BlockedEncoding(
        one.size_per_thread, one.threads_per_warp, one.warps_per_cta, one.order, share
    )


def _changed(type_: Attribute, old: BlockedEncoding, new: BlockedEncoding) -> Attribute | None:
    found = _with(type_, old, new)
    return None if found == type_ else found


def _with(type_: Attribute, old: BlockedEncoding, new: BlockedEncoding) -> Attribute:
    """Return a type with a layout in the place of another, or of its parent."""
    encoding = types.encoding(type_) if types.is_tensor(type_) else None
    if encoding is None:
        return type_
    replaced: Encoding = encoding
    if encoding is old:
        replaced = new
    elif isinstance(encoding, SliceEncoding) and encoding.parent is old:
        replaced = SliceEncoding(encoding.dim, new)
    elif isinstance(encoding, DotOperandEncoding) and encoding.parent is old:
        replaced = DotOperandEncoding(encoding.op_idx, new, encoding.k_width)
    return types.with_encoding(type_, replaced)
