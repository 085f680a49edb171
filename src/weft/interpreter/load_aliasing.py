"""Whether the result of a load may alias memory, so that no copy is needed.

It may if nothing writes to memory before the last use of the result, and of everything that may be
a view of it:

    %x = tt.load %p               aliases memory: last used by the addition, before the store
    %y = arith.addf %x, %x
    tt.store %p, %y

    %x = tt.load %p               a copy: the store comes before the last use
    tt.store %p, %y
    %z = arith.addf %x, %x
"""

from __future__ import annotations

from xdsl.ir import Block, Operation

from weft.ir import arith, tt, ttg

# Operations whose result may be a view of an operand, or the operand itself.
_VIEWS: frozenset[type[Operation]] = frozenset(
    {
        arith.BitcastOp,
        arith.SelectOp,
        tt.BitcastOp,
        tt.BroadcastOp,
        tt.ExpandDimsOp,
        tt.FpToFpOp,
        tt.ReshapeOp,
        tt.SplatOp,
        tt.SplitOp,
        tt.TransOp,
        tt.UnsplatOp,
        ttg.ConvertLayoutOp,
    }
)
_WRITES: frozenset[type[Operation]] = frozenset(
    {
        tt.StoreOp,
        tt.AtomicRMWOp,
        tt.AtomicCASOp,
        tt.DescriptorStoreOp,
        tt.DescriptorReduceOp,
        tt.DescriptorScatterOp,
        tt.CallOp,
    }
)


def may_alias_memory(load: Operation) -> bool:
    """Check whether the result of a load may be a view of memory."""
    block = load.parent_block()
    readers = _readers(load, block) if block is not None else None
    if not readers:
        return False
    remaining = len(readers)
    op = load.next_op
    while op is not None and remaining:
        if type(op) in _WRITES or op.regions:
            return False
        remaining -= op in readers
        op = op.next_op
    return not remaining


def _readers(load: Operation, block: Block) -> set[Operation] | None:
    """Collect all operations that read the result of a load or a view of it; None if unknown."""
    readers: set[Operation] = set()
    worklist = [load]
    while worklist:
        for result in worklist.pop().results:
            for use in result.uses:
                reader = use.operation
                if reader.parent_block() is not block or reader is block.last_op:
                    return None
                if reader not in readers:
                    readers.add(reader)
                    if type(reader) in _VIEWS:
                        worklist.append(reader)
    return readers
