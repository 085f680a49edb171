"""The pipeline for Gluon kernels: the author chose the layouts, so few passes are left.

Source: Triton 3.7.1, gluon_to_ttgir of third_party/nvidia/backend/compiler.py and of
third_party/amd/backend/compiler.py.
"""

from __future__ import annotations

from weft.passes import Pass
from weft.passes.amd.warp_pipeline import WarpPipeline
from weft.passes.common.loop_aware_cse import LoopAwareCse
from weft.passes.common.sccp import Sccp
from weft.passes.gluon.canonicalize import Canonicalize
from weft.passes.gluon.infer_coalesced_encodings import InferCoalescedEncodings
from weft.passes.gluon.inline import Inline
from weft.passes.gluon.resolve_auto_encodings import ResolveAutoEncodings
from weft.passes.nvidia.tma_lowering import TmaLowering
from weft.passes.ttgir.allocate_warp_groups import AllocateWarpGroups
from weft.passes.ttgir.combine_tensor_select_and_if import CombineTensorSelectAndIf
from weft.pipelines.stage import Stage
from weft.targets import Target

__all__ = ["stages"]

_CLEAN_UP: tuple[Pass, ...] = (Sccp(), LoopAwareCse(), Canonicalize(), CombineTensorSelectAndIf())


def stages(target: Target) -> tuple[Stage, ...]:
    """List the only stage of a Gluon kernel."""
    return (Stage("gluon", _PASSES[target.backend]),)


_PASSES: dict[str, tuple[Pass, ...]] = {
    "cpu": (Inline(), InferCoalescedEncodings(), ResolveAutoEncodings(), *_CLEAN_UP),
    "cuda": (
        Inline(),  # first: later passes look at one function at a time
        InferCoalescedEncodings(),
        ResolveAutoEncodings(),
        TmaLowering(),
        Canonicalize(),
        *_CLEAN_UP,
    ),
    "hip": (
        Inline(),
        ResolveAutoEncodings(),
        *_CLEAN_UP,
        WarpPipeline(),
        AllocateWarpGroups(),
    ),
}
