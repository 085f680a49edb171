"""Find the chain from loads of global memory, through a buffer, to a dot's operand.

    %x = tt.load %p                                  what is loaded,
    %b = ttg.local_alloc     ttg.local_store %x, %v  written to a buffer, whole or a view of it,
    %v = ttg.memdesc_index %b[%i]                    and read as an operand: loops may carry the
    %o = ttg.local_load %v   : … -> #ttg.dot_op      buffer and its views

The whole net of operations on the buffer is followed from the read on, back to its allocation and
forward to every other use. Anything unknown in it ends the search.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from weft.ir import tt, ttg, types
from weft.ir.builtin import Operation, SSAValue
from weft.layouts import BlockedEncoding
from weft.passes.amd.in_thread_transpose.carried import definitions, readers

__all__ = ["Chain", "chain_of"]

_VIEWS = (ttg.MemDescIndexOp, ttg.LocalAllocOp)


@dataclass(slots=True)
class Chain:
    """The loads, the operations that write to the buffer, and all values that are the buffer."""

    loads: dict[tt.LoadOp, None] = field(default_factory=dict)
    writes: dict[Operation, SSAValue | None] = field(default_factory=dict)
    buffers: dict[SSAValue, None] = field(default_factory=dict)


def chain_of(read: ttg.LocalLoadOp, k_dim: int) -> Chain | None:
    """Return the chain that ends in a read, None where it is another or does not need turning.

    Args: k_dim: the dimension of the operand that the dot sums over. A tile that was loaded
    along it is as it should be.
    """
    chain = _net(read)
    if chain is None or not chain.writes:
        return None
    for written in chain.writes.values():
        if written is None:
            continue
        encoding = types.encoding(written.type)
        if not isinstance(encoding, BlockedEncoding) or encoding.order[0] == k_dim:
            return None
        made = definitions(written, set())
        if made is None:
            return None
        for value in reversed(made):
            if isinstance(value.owner, tt.LoadOp):
                chain.loads[value.owner] = None
    kinds = {load.result.type for load in chain.loads}
    return chain if len(kinds) == 1 else None


def _net(read: Operation) -> Chain | None:
    """Return what is connected to a read through its buffer."""
    chain = Chain()
    seen: set[Operation] = set()
    back: set[SSAValue] = set()
    forth: set[SSAValue] = set()
    todo = [read]
    while todo:
        op = todo.pop()
        if op in seen:
            continue
        seen.add(op)
        ends = _ends(op)
        if ends is None:
            return None
        source, result = ends
        if isinstance(op, ttg.LocalAllocOp):
            chain.writes[op] = op.operands[0] if op.operands else None
        elif isinstance(op, ttg.LocalStoreOp):
            chain.writes[op] = op.src
        if source is not None:
            made = definitions(source, back)
            if made is None:
                return None
            chain.buffers |= dict.fromkeys(made)
            todo += [value.owner for value in made if isinstance(value.owner, _VIEWS)]
        if result is not None:
            read_by = readers(result, forth)
            if read_by is None:
                return None
            chain.buffers |= dict.fromkeys(read_by.carriers)
            todo += read_by.ops
    return chain


def _ends(op: Operation) -> tuple[SSAValue | None, SSAValue | None] | None:
    """Return the buffer that an operation uses and the one that it gives; None if it is unknown."""
    if isinstance(op, ttg.LocalAllocOp):
        return None, op.results[0]
    if isinstance(op, ttg.LocalStoreOp):
        return op.dst, None
    if isinstance(op, ttg.MemDescIndexOp):
        return op.src, op.results[0]
    if isinstance(op, ttg.LocalLoadOp | ttg.LocalDeallocOp):
        return op.src, None
    return None
