"""The edits that a finding proposes, the most specific first.

conversion    operand orders on its lines, num_warps, stages, block sizes
memory        promises about arguments, hints, num_warps, block sizes
shared        block sizes, num_warps
dot           precision, block sizes
"""

from __future__ import annotations

from collections.abc import Iterator

from weft.compiler.options import CompileOptions, options_for
from weft.explain.advice.edits import (
    block_size_edits,
    divisibility_edits,
    equal_to_one_edits,
    option_edit,
)
from weft.explain.advice.model import Edit
from weft.explain.advice.ttir_edits import hint_edits, operand_order_edits, precision_edits
from weft.explain.advice.workbench import Workbench
from weft.explain.model import Access, Conversion, Finding
from weft.ir.builtin import ModuleOp

__all__ = ["propose_edits"]

_FEWEST_WARPS, _MOST_WARPS = 4, 16
_STAGES = (2, 3)


def propose_edits(finding: Finding, bench: Workbench, ttir: ModuleOp) -> Iterator[Edit]:
    """Yield the edits that may remove the cost of a finding.

    Args:
        finding: The finding.
        bench: The compiles of the kernel.
        ttir: The TTIR of the kernel as it is.
    """
    options = options_for(bench.chip, bench.variant.options)
    warps = [option_edit("num_warps", each) for each in _near(options.num_warps)]
    blocks = block_size_edits(bench.source, bench.variant)
    lines = _lines(finding)
    if finding.about == "conversion":
        yield from operand_order_edits(ttir, lines)
        yield from _stage_edits(options)
        yield from warps
        yield from blocks
    elif finding.about == "memory":
        limit = finding.entry.limit if isinstance(finding.entry, Access) else ""
        if limit in _ARGUMENT_LIMITS:
            yield from divisibility_edits(bench.variant)
            yield from hint_edits(ttir, lines)
        if limit in _STRIDE_LIMITS:
            yield from equal_to_one_edits(bench.variant)
        yield from warps
        yield from blocks
    elif finding.about == "shared":
        yield from blocks
        yield from warps
    elif finding.about == "dot":
        yield from precision_edits(ttir, lines, bench.chip.allowed_dot_input_precisions)
        yield from blocks


_ARGUMENT_LIMITS = ("divisibility", "contiguity", "mask")
_STRIDE_LIMITS = ("order", "contiguity", "widest")


def _near(num_warps: int) -> Iterator[int]:
    """Yield the numbers of warps beside the one that is, the nearest first.

    Fewer than four would leave a scheduler of an SM, or a SIMD of a CU, without a warp of the
    program, which the counted cost does not show.
    """
    numbers = (num_warps * 2, num_warps // 2, num_warps * 4, num_warps // 4)
    return (each for each in numbers if _FEWEST_WARPS <= each <= _MOST_WARPS)


def _stage_edits(options: CompileOptions) -> Iterator[Edit]:
    """Yield stages that pipeline loops, for a kernel that has one stage."""
    if options.num_stages <= 1:
        for stages in _STAGES:
            yield option_edit("num_stages", stages)


def _lines(finding: Finding) -> tuple[int, ...]:
    """List the lines of a finding, and of the operations that need its layouts."""
    locations = [finding.location]
    if isinstance(finding.entry, Conversion):
        locations += [each.location for each in finding.entry.anchors if each]
    return tuple(dict.fromkeys(each.line for each in locations if each is not None))
