"""The passes over TTIR, which has no layouts yet."""

from __future__ import annotations

from weft.passes import Pass
from weft.passes.common.canonicalize import Canonicalize
from weft.passes.common.cse import Cse
from weft.passes.common.inline import Inline
from weft.passes.common.licm import Licm
from weft.passes.common.symbol_dce import SymbolDce
from weft.passes.ttir.combine import Combine
from weft.passes.ttir.loop_unroll import LoopUnroll
from weft.passes.ttir.reorder_broadcast import ReorderBroadcast
from weft.passes.ttir.rewrite_tensor_descriptor_to_pointer import RewriteTensorDescriptorToPointer
from weft.passes.ttir.rewrite_tensor_pointer import RewriteTensorPointer

__all__ = ["PASSES", "passes"]


def passes(*, tensor_descriptors: bool, hoist: bool) -> tuple[Pass, ...]:
    """List the passes over TTIR.

    Args:
        tensor_descriptors: Whether the target accesses memory through descriptors in hardware.
        hoist: Whether to hoist loop-invariant operations, loads included.
    """
    return (
        Inline(),  # first: later passes look at one function at a time
        RewriteTensorPointer(),
        *(() if tensor_descriptors else (RewriteTensorDescriptorToPointer(),)),
        Canonicalize(),  # the two rewrites generate verbose IR
        Combine(),
        # After Combine, which matches sums of products by their broadcasts.
        ReorderBroadcast(),
        Cse(),  # the rewrites above duplicate splats
        *((Licm(),) if hoist else ()),  # after Cse, so that each invariant moves once
        SymbolDce(),
        LoopUnroll(),  # last: every other pass is cheaper on a rolled loop
    )


PASSES: tuple[Pass, ...] = passes(tensor_descriptors=True, hoist=False)
"""The passes for the CPU device, whose interpreter executes descriptors."""
