"""Count the bank conflicts of plain loads from a buffer in shared memory, as Triton does.

An access moves vectors of consecutive offsets. 32 banks of 4 bytes are one segment of the buffer:

    offset = segment * banks * vector + bank * vector + element

Two lanes conflict if their vectors are in the same banks of different segments. The lanes' vectors
and those of the segments span two subspaces; each common dimension doubles the accesses.
"""

from __future__ import annotations

from weft.layouts.column_action import remove_broadcast
from weft.layouts.gf2 import rank
from weft.layouts.linear_layout import LinearLayout
from weft.layouts.vectorization import largest_vectorisation

__all__ = ["memdesc_bank_conflicts"]

_BANKS, _BANK_BITS = 32, 32


def memdesc_bank_conflicts(registers: LinearLayout, memory: LinearLayout, bits: int) -> int:
    """Count the additional accesses to shared memory of a wavefront.

    Triton's name is bankConflictsMemDesc.

    Args:
        registers: a layout from register, lane, warp and block.
        memory: a layout from offset and block, of the same shape.
        bits: the bits of an element.
    """
    threads = remove_broadcast(registers).apply(registers)
    vector, _ = largest_vectorisation(threads.invert_and_compose(memory), bits)
    size = memory.in_size("offset")
    banks = min(_BANKS * _BANK_BITS // (vector * bits), size)
    flat = memory.transpose_outs([name for name, _ in registers.outs]).flatten_outs()
    segments = flat.images("offset")[(banks * vector).bit_length() - 1 :]
    # A vector of more than 4 bytes is moved by a part of the lanes at a time.
    parts = max(vector * bits // _BANK_BITS, 1).bit_length() - 1
    lanes = threads.flatten_outs().images("lane")
    lanes = lanes[: len(lanes) - parts]
    common = rank(segments) + rank(lanes) - rank((*segments, *lanes))
    return (1 << common) - 1
