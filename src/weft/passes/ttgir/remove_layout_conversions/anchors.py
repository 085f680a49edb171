"""Which operations insist on the layout that they have.

An access to memory is laid out to be coalesced, a product as its instruction wants it: those
layouts are worth keeping, and all others may follow them. Except where the tensor of an access
has fewer elements than there are threads: then several threads touch one element anyway, the
cache serves all but the first, and any layout will do.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from weft.ir import tt, ttng, types
from weft.ir.builtin import ModuleOp, Operation
from weft.ir.hardware import threads_per_warp, warps_around

__all__ = ["Anchors"]

_ALWAYS = frozenset(
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
_ACCESSES = (tt.LoadOp, tt.StoreOp)


@dataclass(frozen=True, slots=True)
class Anchors:
    """What counts as an anchor in one module, whose warps have `lanes` threads."""

    lanes: int

    @classmethod
    def of(cls, module: ModuleOp) -> Anchors:
        """Return the anchors of a module.

        Raises: PassError: it has no layouts yet.
        """
        return cls(threads_per_warp(module))

    def is_anchor(self, op: Operation) -> bool:
        """Tell whether the layouts of an operation's results are to be kept."""
        cls = type(op)
        if cls in _ALWAYS:
            return True
        if cls in _ACCESSES:
            return self.is_expensive(op)
        # Elements in free order may come in any layout, so that none follows from the operand's:
        # what comes after a reshape follows the layout that it has.
        return (cls is tt.GatherOp and "efficient_layout" in op.properties) or (
            cls is tt.ReshapeOp and "allow_reorder" in op.properties
        )

    def is_expensive(self, op: Operation) -> bool:
        """Tell whether a load or store touches at least one element per thread."""
        pointers = op.operands[0].type
        if not types.is_tensor(pointers):
            return False
        elements = prod(types.shape(pointers))
        return elements > 1 and elements >= warps_around(op) * self.lanes

    def can_be_repeated(self, op: Operation) -> bool:
        """Tell whether an operation may be done a second time, in another layout."""
        cls = type(op)
        if cls in _ACCESSES:
            return not self.is_expensive(op)
        if cls in _ONCE:
            return False
        return not (cls in _EFFICIENT and "efficient_layout" in op.properties)


_ONCE = frozenset({tt.AtomicCASOp, tt.AtomicRMWOp, tt.DotOp})
_EFFICIENT = frozenset({tt.GatherOp, tt.ReshapeOp})
