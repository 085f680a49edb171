"""The passes between final TTGIR and LLVM IR.

    final TTGIR, as users see it and as Triton's ─► a copy ─► passes below ─► weft.codegen.lower

Their result is no stage of a compile: `asm["ttgir"]` and the comparison with Triton have the module
before them.
"""

from __future__ import annotations

from weft.ir import attributes, ttg, types
from weft.ir.builtin import ModuleOp
from weft.ir.rewriting import clone, walk
from weft.passes import Pass

__all__ = ["prepare_for_codegen"]


def prepare_for_codegen(module: ModuleOp, maxnreg: int | None = None) -> ModuleOp:
    """Run the passes that a module needs on a copy of it.

    Args:
        module: Final TTGIR.
        maxnreg: The launch option: registers per thread that the kernel may use.

    Returns:
        The copy, or the module itself if it needs no pass.
    """
    passes = _passes(module)
    if not passes:
        return module
    copy = clone(module, {})
    assert isinstance(copy, ModuleOp)
    if maxnreg is not None:  # tritongpu-allocate-warp-groups divides no more registers
        copy.attributes["ttg.maxnreg"] = attributes.integer(maxnreg, types.i32)
    for each in passes:
        each.run(copy)
    return copy


def _passes(module: ModuleOp) -> tuple[Pass, ...]:
    """List the passes that a module needs, in order; others are not even imported."""
    passes: list[Pass] = []
    if "hip:" in str(module.attributes.get("ttg.target")):
        from weft.passes.amd.convert_warp_pipeline import ConvertWarpPipeline, pipelined_loops

        # Code generation knows no clusters: they are inlined, with barriers between them.
        if pipelined_loops(module):
            passes.append(ConvertWarpPipeline())
    else:
        from weft.passes.nvidia.share_pointer_offsets import (
            SharePointerOffsets,
            has_copies_in_loops,
        )

        # Triton has no such pass (docs/decisions/021).
        if has_copies_in_loops(module):
            passes.append(SharePointerOffsets())
    if any(isinstance(op, ttg.WarpSpecializeOp) for op in walk(module)):
        from weft.passes.ttgir.allocate_warp_groups import AllocateWarpGroups

        passes.append(AllocateWarpGroups())
    return tuple(passes)
