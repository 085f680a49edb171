"""Build asynchronous references: multi-buffers that partitions write and read in turn.

%m = ttg.local_alloc : () -> !ttg.memdesc<1x64x32xf16, …, mutable>
%r = nvws.aref.create %m
%b, %t = nvws.aref.put.enter %r      wait until the buffer is free
…                                    write %b
nvws.aref.put.exit %r, %t            signal that it is full
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from weft.ir import attributes, nvws, ttg, ttng
from weft.ir.builtin import ArrayAttr, Attribute, Block, Operation, SSAValue
from weft.ir.rewriting import Builder
from weft.layouts import TensorMemoryScalesEncoding
from weft.passes.pipelining.buffers.multi_buffers import buffer_array_type
from weft.passes.pipelining.partitions.attributes import Placement
from weft.passes.rewrite.nesting import ancestor_in_block

__all__ = [
    "allocate",
    "async_ops",
    "buffer_view_type",
    "common_block",
    "create_aref",
    "create_enter",
    "depth_of",
    "first_in_block",
    "kinds_of",
    "last_in_block",
    "multi_buffered",
]

Enter = TypeVar("Enter", bound=nvws.ArefPutEnterOp | nvws.ArefGetEnterOp)


def _holds_scales(type_: ttg.MemDescType) -> bool:
    return isinstance(type_.encoding, TensorMemoryScalesEncoding)


def depth_of(buffers: Attribute) -> int:
    """Get the number of buffers of a reference."""
    assert isinstance(buffers, ttg.MemDescType)
    return 1 if _holds_scales(buffers) else buffers.shape[0]


def multi_buffered(type_: ttg.MemDescType, count: int) -> ttg.MemDescType:
    """Compute the type of several mutable buffers.

    The scales of an MMA have one buffer only.
    """
    if not _holds_scales(type_):
        return buffer_array_type(type_, count)
    assert type_.encoding is not None
    return ttg.MemDescType.of(
        type_.shape, type_.element_type, type_.encoding, type_.memory_space, mutable=True
    )


def buffer_view_type(buffers: Attribute, *, mutable: bool = True) -> ttg.MemDescType:
    """Compute the type of one of several buffers, which remembers how many there are."""
    assert isinstance(buffers, ttg.MemDescType)
    assert buffers.encoding is not None
    return ttg.MemDescType.of(
        buffers.shape if _holds_scales(buffers) else buffers.shape[1:],
        buffers.element_type,
        buffers.encoding,
        buffers.memory_space,
        mutable=mutable,
        allocated=buffers.allocated,
    )


def allocate(builder: Builder, type_: ttg.MemDescType) -> SSAValue:
    """Allocate buffers in shared memory or TMEM."""
    if isinstance(type_.memory_space, ttg.SharedMemoryAttr):
        return builder.value(ttg.LocalAllocOp, (), type_)
    return builder.value(ttng.TMEMAllocOp, (), type_)


def create_aref(builder: Builder, buffers: Sequence[SSAValue]) -> nvws.ArefCreateOp:
    """Create an asynchronous reference to buffers."""
    type_ = nvws.ArefType(ArrayAttr([buffer.type for buffer in buffers]))
    return builder.create(nvws.ArefCreateOp, buffers, [type_])


def create_enter(
    builder: Builder,
    cls: type[Enter],
    placement: Placement,
    aref: SSAValue,
    views: Sequence[Attribute],
    slot: Sequence[SSAValue] = (),
) -> Enter:
    """Create the operation that waits for the buffers of a reference.

    Args:
        builder: Where.
        cls: `nvws.aref.put.enter` or `nvws.aref.get.enter`.
        placement: The partition, stage and cluster.
        aref: The reference.
        views: The types of the buffers.
        slot: The stage and the phase; empty if they are not known yet.
    """
    count = 1 if slot else 0
    return placement.create(
        builder,
        cls,
        [aref, *slot],
        [*views, ttg.async_token],
        {"operandSegmentSizes": attributes.array_i32((1, count, count))},
    )


def async_ops(kinds: Iterable[str]) -> dict[str, Attribute]:
    """Build the property that lists the kinds of asynchronous operations."""
    return {"async_ops": ArrayAttr([nvws.AsyncOpAttr.of(kind) for kind in kinds])}


def kinds_of(op: nvws.ArefPutExitOp | nvws.ArefGetExitOp) -> list[str]:
    """List the kinds of asynchronous operations that are complete before a signal."""
    return [kind.text for kind in op.async_ops if isinstance(kind, nvws.AsyncOpAttr)]


def common_block(ops: Iterable[Operation]) -> Block:
    """Find the innermost block that contains operations or what they are in."""
    first, *rest = ops
    block = first.parent
    while block is not None and any(ancestor_in_block(op, block) is None for op in rest):
        parent = block.parent_op()
        block = None if parent is None else parent.parent
    assert block is not None
    return block


def first_in_block(ops: Iterable[Operation], block: Block) -> Operation:
    """Find the first operation of a block that is or contains one of several operations."""
    return _extreme(ops, block, first=True)


def last_in_block(ops: Iterable[Operation], block: Block) -> Operation:
    """Find the last operation of a block that is or contains one of several operations."""
    return _extreme(ops, block, first=False)


def _extreme(ops: Iterable[Operation], block: Block, *, first: bool) -> Operation:
    best: Operation | None = None
    for op in ops:
        ancestor = ancestor_in_block(op, block)
        if ancestor is None:
            continue
        if best is None or (ancestor is not best and ancestor.is_before_in_block(best) is first):
            best = ancestor
    assert best is not None
    return best
