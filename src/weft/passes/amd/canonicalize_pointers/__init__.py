"""Rewrite pointers as a scalar base and an offset (tritonamdgpu-canonicalize-pointers).

Before:  %0 = tt.splat %a                         After:  %0 = tt.splat %n
         %1 = tt.splat %n                                 %1 = arith.addi %0, %range
         %2 = arith.addi %1, %range                       %2 = tt.splat %a
         %3 = tt.addptr %0, %2                            %3 = tt.addptr %2, %1
         %4 = tt.addptr %3, %more                         …
         tt.load %4

Buffer instructions need one scalar base and a 32-bit offset per element. Each pointer is tracked
from its function argument as a fat pointer (base, offset) through arithmetic, loops, conditionals
and branches. At a memory access, `tt.addptr (tt.splat base), offset` is created from it.

Arguments with `tt.pointer_range` take part: their arrays are within 2 GiB. With
`enable_large_tensor_ptr_canon` all other pointer arguments take part too, with 64-bit offsets. A
function that contains `ub.poison` is not changed. Dead operations are erased.

    candidates        which values become fat pointers
    fat_pointer       a base, an offset, and their properties
    offsets           arithmetic on offsets
    uniform_offsets   the part of an offset that all elements share
    addptr            tt.addptr on a fat pointer
    control_flow      loops, conditionals and branches
    rewrite           the walk over a function

Keeps: the addresses of all accesses. Source: measured with Triton 3.7.1.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.ir import tt
from weft.ir.builtin import ModuleOp, Operation
from weft.ir.interfaces import is_trivially_dead
from weft.ir.rewriting import walk
from weft.ir.ub import PoisonOp
from weft.passes.amd.canonicalize_pointers.rewrite import rewrite_pointers
from weft.passes.diagnostics import emit_remark
from weft.passes.ledger import record_remaining_layouts, snapshot_layouts

__all__ = ["CanonicalizePointers"]


class CanonicalizePointers(Struct, frozen=True):
    """Rewrite accesses through pointer arguments to `tt.addptr (tt.splat base), offset`.

    Attributes:
        enable_large_tensor_ptr_canon: include arguments whose array may exceed 2 GiB.
    """

    enable_large_tensor_ptr_canon: bool = False

    name: ClassVar[str] = "tritonamdgpu-canonicalize-pointers"

    def run(self, module: ModuleOp) -> None:
        """Rewrite the pointers of every function in place."""
        before = snapshot_layouts(module)
        for function in module.body.block.ops:
            if not isinstance(function, tt.FuncOp):
                continue
            poison = next((op for op in walk(function) if isinstance(op, PoisonOp)), None)
            if poison is not None:
                emit_remark(poison.location, "skipping canonicalize-pointers due to ub.poison")
            else:
                rewrite_pointers(function, self.enable_large_tensor_ptr_canon)
                _erase_dead(function)
        reason = "an offset has the layout of its pointer"
        record_remaining_layouts(self, module, before, reason)


def _erase_dead(op: Operation) -> None:
    """Erase dead operations in post-order, last first."""
    for region in reversed(op.regions):
        for block in reversed(tuple(region.blocks)):
            for inner in reversed(tuple(block.ops)):
                _erase_dead(inner)
                if is_trivially_dead(inner):
                    inner.detach()
                    inner.erase()
