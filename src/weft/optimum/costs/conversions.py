"""The work of a layout conversion, from the plan that code generation carries out.

#blocked → #mma, 64x64xf16, 4 warps      shared: 16 + 16 wavefronts, 1 barrier
"""

from __future__ import annotations

from functools import lru_cache

from weft.errors import LayoutError
from weft.layouts import Encoding
from weft.layouts.linear_layout import LinearLayout
from weft.layouts.plans import conversion
from weft.lowering_plans.conversion import conversion_instructions
from weft.optimum.costs.plans import instruction_work
from weft.optimum.costs.work import NOTHING, Work
from weft.targets import Target

__all__ = ["conversion_arithmetic", "conversion_scratch", "conversion_work"]


def conversion_work(
    source: Encoding, target: Encoding, shape: tuple[int, ...], bits: int, chip: Target
) -> Work | None:
    """Count the work of a conversion, None if there is no plan.

    Args:
        source: The layout before.
        target: The layout after.
        shape: The shape of the tensor.
        bits: The bits of an element.
        chip: The chip.
    """
    counts = _counts(source, target, shape, bits, chip)
    return None if counts is None else counts[0]


def conversion_arithmetic(
    source: Encoding, target: Encoding, shape: tuple[int, ...], bits: int, chip: Target
) -> Work:
    """Count the selects of a conversion, which its plan's instructions leave out.

    Args:
        source: The layout before.
        target: The layout after.
        shape: The shape of the tensor.
        bits: The bits of an element.
        chip: The chip.
    """
    try:
        return _selects(source.linear(shape), target.linear(shape), bits, chip)
    except LayoutError:
        return NOTHING


def conversion_scratch(
    source: Encoding, target: Encoding, shape: tuple[int, ...], bits: int, chip: Target
) -> int:
    """Count the bytes of shared memory that a conversion needs; arguments as `conversion_work`."""
    counts = _counts(source, target, shape, bits, chip)
    return 0 if counts is None else counts[1]


def _counts(
    source: Encoding, target: Encoding, shape: tuple[int, ...], bits: int, chip: Target
) -> tuple[Work, int] | None:
    try:
        before, after = source.linear(shape), target.linear(shape)
        return _plan_counts(before, after, bits, chip)
    except LayoutError:
        return None


@lru_cache(maxsize=1 << 16)
def _plan_counts(
    source: LinearLayout, target: LinearLayout, bits: int, chip: Target
) -> tuple[Work, int]:
    if source is target:
        return NOTHING, 0
    plan = conversion(source, target, bits, chip.shared_memory)
    work = _selects(source, target, bits, chip)
    for instruction in conversion_instructions(plan, chip, source.in_size("warp")):
        work += instruction_work(instruction)
    return work, plan.cost.shared_bytes


def _selects(source: LinearLayout, target: LinearLayout, bits: int, chip: Target) -> Work:
    if source is target:
        return NOTHING
    cost = conversion(source, target, bits, chip.shared_memory).cost
    # Registers that only get another number are renamed.
    return Work(instructions=(cost.selects + cost.swaps) * source.in_size("warp"))
