"""Hoist conversions of loop-invariant dot operands (tritonamdgpu-hoist-layout-conversions).

Before:  %q = tt.load %p : #blocked
         scf.for … {
           %a = ttg.convert_layout %q : #blocked -> #dot_op
           … tt.dot %a, %k, %acc
After:   %q = tt.load %p : #blocked
         %a = ttg.convert_layout %q : #blocked -> #dot_op
         scf.for … {
           … tt.dot %a, %k, %acc

The operand then stays in registers during the loop, as the queries of attention do, instead of
being converted in each iteration. The conversion is placed directly after its source.

Needs: layouts. Keeps: values. Source: measured with Triton 3.7.1.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.ir import scf, ttg, types
from weft.ir.builtin import ModuleOp, Operation, OpResult
from weft.ir.rewriting import ancestors, walk
from weft.layouts import DotOperandEncoding
from weft.passes.ledger import enabled, record_decision

__all__ = ["HoistLayoutConversions"]


class HoistLayoutConversions(Struct, frozen=True):
    """Move conversions to dot operands out of loops that their source dominates."""

    name: ClassVar[str] = "tritonamdgpu-hoist-layout-conversions"

    def run(self, module: ModuleOp) -> None:
        """Move conversions in place."""
        for op in [op for op in walk(module) if type(op) is ttg.ConvertLayoutOp]:
            if isinstance(types.encoding(op.results[0].type), DotOperandEncoding):
                self._hoist(op)

    def _hoist(self, op: Operation) -> None:
        source = op.operands[0]
        loop = next(
            (ancestor for ancestor in ancestors(op) if isinstance(ancestor, scf.ForOp)), None
        )
        if loop is None or not isinstance(source, OpResult) or loop.is_ancestor(source.op):
            return
        op.detach()
        block = source.op.parent
        assert block is not None
        block.insert_op_after(op, source.op)
        if enabled():
            record_decision(
                self,
                op.results[0],
                f"before {loop.name}",
                "a loop-invariant operand is converted once, before the loop",
                facts=(("layout", str(types.encoding(op.results[0].type))),),
                anchor=source.op.name,
            )
