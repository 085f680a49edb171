"""Plan tt.histogram: counters in shared memory, one atomic increment per element.

1024 elements of 4 warps, 64 bins     1 store clears, 8 increments, 1 load, 2 barriers
"""

from __future__ import annotations

from collections.abc import Iterator

from weft.ir import tt, types
from weft.lowering_plans.instruction import Instruction, count_wavefronts
from weft.lowering_plans.registers import layout_of, representative_registers
from weft.targets import Target

__all__ = ["counters_per_load", "counting_ctas", "histogram_instructions"]

_WIDEST_COUNTERS = 4
_COUNTER_BITS = 32


def counters_per_load(op: tt.HistogramOp) -> int:
    """Count the counters that one load of the result reads."""
    return min(_WIDEST_COUNTERS, layout_of(op.result.type).num_consecutive())


def counting_ctas(op: tt.HistogramOp) -> int:
    """Compute the bits of the CTA rank in which CTAs with different elements differ."""
    layout = layout_of(op.src.type)
    return (layout.in_size("block") - 1) & ~layout.free_variable_masks().get("block", 0)


def histogram_instructions(
    op: tt.HistogramOp, target: Target, num_warps: int
) -> Iterator[Instruction]:
    """Yield the instructions of a histogram, with the barriers that it contains.

    The addresses of increments are data, so their wavefronts are those without conflicts.
    """
    bins, lanes = types.shape(op.result.type)[0], target.threads_per_warp
    memory, threads = target.shared_memory, lanes * num_warps
    clears = max(1, bins // threads)
    traffic = count_wavefronts(
        [
            [4 * n if n < bins else None for n in range(warp * lanes, (warp + 1) * lanes)]
            for warp in range(num_warps)
        ],
        _COUNTER_BITS,
        memory,
        "write",
    )
    yield Instruction(
        "shared store",
        _COUNTER_BITS,
        clears,
        traffic.warps,
        clears * traffic.wavefronts,
        clears * traffic.ideal,
    )
    layout = layout_of(op.src.type)
    free = layout.free_variable_masks()
    elements = len(set(representative_registers(layout)))
    warps = num_warps >> free.get("warp", 0).bit_count()
    yield Instruction("shared atomic", _COUNTER_BITS, elements, warps, certain=False)
    ctas = 1 << counting_ctas(op).bit_count()
    yield Instruction("barrier", 0, 1 if ctas > 1 else 2, num_warps)
    if ctas > 1:
        yield Instruction("cluster barrier", 0, 2, num_warps)
    yield _result_loads(op, target, num_warps, ctas)


def _result_loads(op: tt.HistogramOp, target: Target, num_warps: int, ctas: int) -> Instruction:
    """Count the loads of the result's counters."""
    result, together = layout_of(op.result.type), counters_per_load(op)
    starts = range(0, result.in_size("register"), together)
    table = result.table()[:, :, :, 0, 0]
    traffic = count_wavefronts(
        [[4 * int(place) for place in table[0, :, warp]] for warp in range(num_warps)],
        _COUNTER_BITS * together,
        target.shared_memory,
        "read",
    )
    count = len(starts) * ctas
    return Instruction(
        "cluster load" if ctas > 1 else "shared load",
        _COUNTER_BITS * together,
        count,
        num_warps,
        count * traffic.wavefronts,
        count * traffic.ideal,
    )
