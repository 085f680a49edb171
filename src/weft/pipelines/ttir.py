"""The passes over TTIR, which has no layouts yet."""

from __future__ import annotations

from weft.passes import Pass
from weft.passes.ttir.canonicalize import Canonicalize
from weft.passes.ttir.combine import Combine
from weft.passes.ttir.cse import Cse
from weft.passes.ttir.inline import Inline
from weft.passes.ttir.licm import Licm
from weft.passes.ttir.loop_unroll import LoopUnroll
from weft.passes.ttir.reorder_broadcast import ReorderBroadcast
from weft.passes.ttir.rewrite_tensor_descriptor_to_pointer import RewriteTensorDescriptorToPointer
from weft.passes.ttir.rewrite_tensor_pointer import RewriteTensorPointer
from weft.passes.ttir.symbol_dce import SymbolDce

__all__ = ["PASSES", "passes"]


def passes(*, tensor_descriptors: bool, hoist: bool) -> tuple[Pass, ...]:
    """Return the passes.

    Args: tensor_descriptors: whether the chip copies tiles by descriptor in hardware.
          hoist: whether to move loop-invariant operations, loads too, in front of loops.
    """
    return (
        Inline(),  # first: every later pass looks at one function at a time
        RewriteTensorPointer(),
        *(() if tensor_descriptors else (RewriteTensorDescriptorToPointer(),)),
        Canonicalize(),  # what the two rewrites left is verbose
        Combine(),
        ReorderBroadcast(),  # after combine, which recognises sums of products by their broadcasts
        Cse(),  # the rewrites above make the same splats again and again
        *((Licm(),) if hoist else ()),  # after cse, so that each invariant moves once
        SymbolDce(),
        LoopUnroll(),  # last: everything before is cheaper on a rolled loop
    )


PASSES: tuple[Pass, ...] = passes(tensor_descriptors=True, hoist=False)
"""The list for the embedded CPU device, whose interpreter runs descriptors as they are."""
