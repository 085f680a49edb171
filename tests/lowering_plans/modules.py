"""Small TTGIR modules for the tests of lowering plans."""

from __future__ import annotations

from xdsl.ir import Operation

from weft.analysis.axis_info import axis_info
from weft.ir.rewriting import walk
from weft.ir.text import parse_module
from weft.lowering_plans.instruction import Instruction
from weft.lowering_plans.operations import PlanContext, operation_instructions
from weft.targets import target

__all__ = ["BLOCKED", "find", "instructions", "summary"]

BLOCKED = (
    "#ttg.blocked<{sizePerThread = [%s], threadsPerWarp = [%s], warpsPerCTA = [%s], order = [%s]}>"
)


def find(
    body: str, name: str, *, chip: str = "cuda:90", warps: int = 4, ctas: int = 1, aliases: str = ""
):
    """Parse the body of a function, and find its first operation of a name.

    Args:
        body: The function, `tt.func public @k(…) { … }`.
        name: Name of the operation.
        chip: The target.
        warps: Warps of a CTA.
        ctas: CTAs of a cluster.
        aliases: Lines before the module, such as `#a = #ttg.blocked<…>`.

    Returns:
        The operation and what its plan depends on.
    """
    lanes = target(chip).threads_per_warp
    module = parse_module(
        f'{aliases}\nmodule attributes {{"ttg.num-ctas" = {ctas} : i32,'
        f' "ttg.num-warps" = {warps} : i32, ttg.target = "{chip}",'
        f' "ttg.threads-per-warp" = {lanes} : i32}} {{\n{body}\n}}\n'
    )
    op: Operation = next(each for each in walk(module) if each.name == name)
    return op, PlanContext(target(chip), axis_info(module))


def instructions(body: str, name: str, **options) -> tuple[Instruction, ...]:
    """Plan the first operation of a name; arguments as of `find`."""
    return operation_instructions(*find(body, name, **options))


def summary(body: str, name: str, **options) -> list[tuple[str, int, int, int]]:
    """List kind, bits, count and warps of the instructions; arguments as of `find`."""
    return [
        (each.kind, each.bits, each.count, each.warps)
        for each in instructions(body, name, **options)
    ]
