"""Find the chain from global loads through a shared-memory buffer to a dot operand.

    %x = tt.load %p                                  loaded,
    %b = ttg.local_alloc     ttg.local_store %x, %v  stored to a buffer or a view of it,
    %v = ttg.memdesc_index %b[%i]                    and loaded as an operand; loops may forward
    %o = ttg.local_load %v   : … -> #ttg.dot_op      the buffer and its views

All operations on the buffer are followed from the local load, back to the allocation and forward to
every other use. An unknown operation ends the search.
"""

from __future__ import annotations

from msgspec import Struct, field

from weft.ir import tt, ttg, types
from weft.ir.builtin import Operation, SSAValue
from weft.layouts import BlockedEncoding
from weft.passes.amd.in_thread_transpose.use_def import definitions, users

__all__ = ["Chain", "chain_of"]

_VIEWS = (ttg.MemDescIndexOp, ttg.LocalAllocOp)


class Chain(Struct):
    """A chain to a dot operand.

    Attributes:
        loads: the global loads.
        writes: operations that write the buffer, with the stored value; None if uninitialized.
        buffers: the values that are the buffer or a view of it.
    """

    loads: dict[tt.LoadOp, None] = field(default_factory=dict)
    writes: dict[Operation, SSAValue | None] = field(default_factory=dict)
    buffers: dict[SSAValue, None] = field(default_factory=dict)


def chain_of(read: ttg.LocalLoadOp, k_dim: int) -> Chain | None:
    """Find the chain that ends in a local load.

    Args:
        read: the local load of a dot operand.
        k_dim: the dimension of the operand that the dot reduces.
    Returns: the chain; None if it is unsupported or its tile is loaded along K already.
    """
    chain = _connected(read)
    if chain is None or not chain.writes:
        return None
    for stored in chain.writes.values():
        if stored is None:
            continue
        encoding = types.encoding(stored.type)
        if not isinstance(encoding, BlockedEncoding) or encoding.order[0] == k_dim:
            return None
        new_value = definitions(stored, set())
        if new_value is None:
            return None
        for value in reversed(new_value):
            if isinstance(value.owner, tt.LoadOp):
                chain.loads[value.owner] = None
    kinds = {load.result.type for load in chain.loads}
    return chain if len(kinds) == 1 else None


def _connected(read: Operation) -> Chain | None:
    """Collect the operations that are connected to a local load through its buffer."""
    chain = Chain()
    visited: set[Operation] = set()
    visited_sources: set[SSAValue] = set()
    visited_users: set[SSAValue] = set()
    worklist = [read]
    while worklist:
        op = worklist.pop()
        if op in visited:
            continue
        visited.add(op)
        ends = _ends(op)
        if ends is None:
            return None
        source, result = ends
        if isinstance(op, ttg.LocalAllocOp):
            chain.writes[op] = op.operands[0] if op.operands else None
        elif isinstance(op, ttg.LocalStoreOp):
            chain.writes[op] = op.src
        if source is not None:
            new_value = definitions(source, visited_sources)
            if new_value is None:
                return None
            chain.buffers |= dict.fromkeys(new_value)
            worklist += [value.owner for value in new_value if isinstance(value.owner, _VIEWS)]
        if result is not None:
            users_of_result = users(result, visited_users)
            if users_of_result is None:
                return None
            chain.buffers |= dict.fromkeys(users_of_result.carriers)
            worklist += users_of_result.ops
    return chain


def _ends(op: Operation) -> tuple[SSAValue | None, SSAValue | None] | None:
    """Return the buffer operand and the buffer result of an operation; None if it is unknown."""
    if isinstance(op, ttg.LocalAllocOp):
        return None, op.results[0]
    if isinstance(op, ttg.LocalStoreOp):
        return op.dst, None
    if isinstance(op, ttg.MemDescIndexOp):
        return op.src, op.results[0]
    if isinstance(op, ttg.LocalLoadOp | ttg.LocalDeallocOp):
        return op.src, None
    return None
