"""Find the optimum of a kernel's layouts, and which of its layouts are kept.

    recording = record_passes(kernel, "cuda:90", …)      the layouts that are reported on
    layouts="heuristic"                                  what Triton's heuristics cost
    layouts="optimal"                                    which layouts its last pass keeps, and why

Each of the three is a separate compile, unless the first is the same. The last one solves the
problem a second time: the pass runs before operations are cleaned up for the last time, and what is
reported is what the compiler does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from weft.compiler.signature import Signature
from weft.decisions import Decision, collecting
from weft.explain.inventory import launch_attributes
from weft.explain.layout_optimum import find_optimum
from weft.explain.optimum_model import KeptLayouts, LayoutOptimum
from weft.explain.recorded_passes import Recording, record_passes
from weft.ir.builtin import ModuleOp
from weft.ir.rewriting import clone
from weft.optimum.assign_layouts import AssignLayouts

__all__ = ["optimum_of_kernel", "optimum_of_module"]


def optimum_of_kernel(
    kernel: object,
    recording: Recording,
    *,
    stop_after: str = "final",
    signature: str | Mapping[str, object] | Signature | None = None,
    constexprs: Mapping[Any, object] | None = None,
    options: Mapping[str, object] | None = None,
) -> LayoutOptimum:
    """Find the optimum of a kernel that was compiled, which is not changed.

    Args:
        kernel: As of `record_passes`, which `recording` is from, as are the other arguments.
        recording: The compile that is reported on.
        stop_after: The stage that it ends with.
        signature: As of `weft.compile`.
        constexprs: As of `weft.compile`.
        options: Compile options.

    Raises:
        WeftError: highspy is not installed, or the target has no costs.
    """

    def compile_with(layouts: str) -> Recording:
        if recording.options.layouts == layouts:
            return recording
        return record_passes(
            kernel,
            recording.chip.name,
            stop_after=stop_after,
            signature=signature,
            constexprs=constexprs,
            options={**(options or {}), "layouts": layouts},
        )

    heuristics = compile_with("heuristic").module
    choice = None
    # Layouts are chosen at the end of the last stage, and those of Gluon are their author's.
    if stop_after == "final" and not recording.is_gluon:
        choice = _kept(compile_with("optimal").decisions)
    return find_optimum(recording.module, heuristics, choice)


def optimum_of_module(module: ModuleOp) -> LayoutOptimum:
    """Find the optimum of TTGIR whose passes weft did not run, as if it were final.

    Raises:
        WeftError: highspy is not installed, or the target has no costs.
    """
    copy = clone(module, {})
    assert isinstance(copy, ModuleOp)
    with collecting() as decisions:
        AssignLayouts(launch_attributes(module).target).run(copy)
    return find_optimum(module, None, _kept(decisions))


def _kept(decisions: Sequence[Decision]) -> KeptLayouts:
    """Read what the pass of `layouts="optimal"` decided."""
    (decision,) = [each for each in decisions if each.stage == AssignLayouts.name]
    return KeptLayouts(decision.choice, decision.reason, decision.facts)
