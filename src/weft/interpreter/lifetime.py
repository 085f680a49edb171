"""Whether a loaded tile may stay a view of memory instead of becoming a copy.

It may where nothing writes to memory before the tile, and everything that may be a view of it,
was read for the last time:

    %x = tt.load %p               a view: read by the addition before the store
    %y = arith.addf %x, %x
    tt.store %p, %y

    %x = tt.load %p               a copy: the store comes first
    tt.store %p, %y
    %z = arith.addf %x, %x
"""

from __future__ import annotations

from xdsl.ir import Block, Operation

# Operations whose result may be a view of an operand, or the operand itself.
_VIEWS = frozenset(
    {
        "arith.bitcast",
        "arith.select",
        "tt.bitcast",
        "tt.broadcast",
        "tt.expand_dims",
        "tt.fp_to_fp",
        "tt.reshape",
        "tt.splat",
        "tt.split",
        "tt.trans",
        "tt.unsplat",
        "ttg.convert_layout",
    }
)
_WRITES = frozenset(
    {
        "tt.store",
        "tt.atomic_rmw",
        "tt.atomic_cas",
        "tt.descriptor_store",
        "tt.descriptor_reduce",
        "tt.descriptor_scatter",
        "tt.call",
    }
)


def may_stay_view(load: Operation) -> bool:
    """Tell whether the result of a load may be a view of memory."""
    block = load.parent_block()
    readers = _readers(load, block) if block is not None else None
    if not readers:
        return False
    left = len(readers)
    op = load.next_op
    while op is not None and left:
        if op.name in _WRITES or op.regions:
            return False
        left -= op in readers
        op = op.next_op
    return not left


def _readers(load: Operation, block: Block) -> set[Operation] | None:
    """Return all operations that read a load's memory; None where that is not known."""
    found: set[Operation] = set()
    pending = [load]
    while pending:
        for result in pending.pop().results:
            for use in result.uses:
                reader = use.operation
                if reader.parent_block() is not block or reader is block.last_op:
                    return None
                if reader not in found:
                    found.add(reader)
                    if reader.name in _VIEWS:
                        pending.append(reader)
    return found
