"""Layout anchors: the operations whose layout matters, and that the layouts of others follow.

A memory access has a coalesced layout and a dot the layout of its instruction. The exception is an
access with fewer elements than threads: several threads then access the same element anyway and the
cache serves all but the first, so any layout will do.
"""

from __future__ import annotations

from math import prod

from msgspec import Struct

from weft.ir import tt, ttng, types
from weft.ir.builtin import ModuleOp, Operation
from weft.ir.module_attributes import lookup_num_warps, lookup_threads_per_warp

__all__ = ["LayoutAnchors"]

_ANCHORS = frozenset(
    {
        tt.AtomicCASOp,
        tt.AtomicRMWOp,
        tt.DescriptorGatherOp,
        tt.DescriptorLoadOp,
        tt.DescriptorReduceOp,
        tt.DescriptorScatterOp,
        tt.DescriptorStoreOp,
        tt.DotOp,
        tt.DotScaledOp,
        ttng.TMEMLoadOp,
        ttng.WarpGroupDotOp,
    }
)
_LOADS_AND_STORES = (tt.LoadOp, tt.StoreOp)
_NEVER_DUPLICATED = frozenset({tt.AtomicCASOp, tt.AtomicRMWOp, tt.DotOp})
_WITH_EFFICIENT_LAYOUT = frozenset({tt.GatherOp, tt.ReshapeOp})


class LayoutAnchors(Struct, frozen=True):
    """Decides which operations of a module are anchors.

    Attributes:
        threads_per_warp: The threads of a warp on the module's target.
    """

    threads_per_warp: int

    @classmethod
    def of(cls, module: ModuleOp) -> LayoutAnchors:
        """Create the anchors of a module.

        Raises:
            PassError: The module has no layouts.
        """
        return cls(lookup_threads_per_warp(module))

    def is_anchor(self, op: Operation) -> bool:
        """Check whether an operation keeps its layout and others follow it."""
        cls = type(op)
        if cls in _ANCHORS:
            return True
        if cls in _LOADS_AND_STORES:
            return self.is_expensive_access(op)
        # No layout of the result follows from the operand of a reshape that may reorder elements,
        # so the layout that it has propagates from here.
        return (cls is tt.GatherOp and "efficient_layout" in op.properties) or (
            cls is tt.ReshapeOp and "allow_reorder" in op.properties
        )

    def is_expensive_access(self, op: Operation) -> bool:
        """Check whether a load or store accesses at least one element per thread."""
        pointers = op.operands[0].type
        if not types.is_tensor(pointers):
            return False
        elements = prod(types.shape(pointers))
        return elements > 1 and elements >= lookup_num_warps(op) * self.threads_per_warp

    def can_rematerialize(self, op: Operation) -> bool:
        """Check whether an operation may be duplicated in another layout."""
        cls = type(op)
        if cls in _LOADS_AND_STORES:
            return not self.is_expensive_access(op)
        if cls in _NEVER_DUPLICATED:
            return False
        return not (cls in _WITH_EFFICIENT_LAYOUT and "efficient_layout" in op.properties)
