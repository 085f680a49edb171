"""Split pointers into a base and an offset (`tritonamdgpu-canonicalize-pointers`).

Before:  %0 = tt.splat %a                         After:  %0 = tt.splat %n
         %1 = tt.splat %n                                 %1 = arith.addi %0, %range
         %2 = arith.addi %1, %range                       %2 = tt.splat %a
         %3 = tt.addptr %0, %2                            %3 = tt.addptr %2, %1
         %4 = tt.addptr %3, %more                         …
         tt.load %4

Buffer instructions want one scalar base and 32 bits of offset per element. So every pointer is
followed from the argument that it comes from, as a pair, through arithmetic, loops, conditionals
and branches; where memory is touched, `splat base + offset` is made from the pair.

Takes part: arguments with `tt.pointer_range` (their arrays lie within 2 GiB), and with
`enable_large_tensor_ptr_canon` all others, too, in 64 bits. A function with `ub.poison` in it is
left alone. Drops what is dead.
One file each: which values are pairs (`pairs`), what is known of one (`pair`), the arithmetic of
offsets (`offsets`), what elements share of one (`splitting`), additions (`advance`), what carries
pairs (`control_flow`), and the walk (`rewrite`).

Keeps: which addresses are read and written. Source: measured on Triton 3.7.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from weft.ir import tt
from weft.ir.builtin import ModuleOp, Operation
from weft.ir.interfaces import is_trivially_dead
from weft.ir.rewriting import walk
from weft.ir.ub import PoisonOp
from weft.passes.amd.canonicalize_pointers.rewrite import rewrite_pointers
from weft.passes.ledger import record_remaining_layouts, snapshot_layouts

__all__ = ["CanonicalizePointers"]


@dataclass(frozen=True, slots=True)
class CanonicalizePointers:
    """Post: what touches memory through an argument reads `addptr (splat base), offset`."""

    enable_large_tensor_ptr_canon: bool = False

    name: ClassVar[str] = "tritonamdgpu-canonicalize-pointers"

    def run(self, module: ModuleOp) -> None:
        """Rewrite the pointers of every function in place."""
        before = snapshot_layouts(module)
        for function in module.body.block.ops:
            if isinstance(function, tt.FuncOp) and not _has_poison(function):
                rewrite_pointers(function, self.enable_large_tensor_ptr_canon)
                _drop_dead(function)
        why = "offsets are laid out as the pointers that they are part of"
        record_remaining_layouts(self, module, before, why)


def _has_poison(function: tt.FuncOp) -> bool:
    return any(isinstance(op, PoisonOp) for op in walk(function))


def _drop_dead(op: Operation) -> None:
    """Drop dead operations, from the last to the first, inner ones before those around them."""
    for region in reversed(op.regions):
        for block in reversed(tuple(region.blocks)):
            for inner in reversed(tuple(block.ops)):
                _drop_dead(inner)
                if is_trivially_dead(inner):
                    inner.detach()
                    inner.erase()
