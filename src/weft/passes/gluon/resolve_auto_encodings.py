"""Replace `#gluon.auto_encoding` by the layouts that follow from `gluon.set_auto_layout`.

Before:  %0 = tt.make_range … : tensor<64xi32, #gluon.auto_encoding>
         %1 = gluon.set_auto_layout %0 : tensor<64xi32, #gluon.auto_encoding> -> tensor<64xi32, #a>
After:   %0 = tt.make_range … : tensor<64xi32, #a>

The layout of a `gluon.set_auto_layout` spreads to what computes its operand and to what else uses
these values (`weft.passes.rewrite.infer_encodings`).

Requires that functions with such arguments or results are inlined. Preserves values.
Source: Triton 3.7.1, lib/Dialect/Gluon/Transforms/ResolveAutoEncodings.cpp.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.ir import gluon, tt, types
from weft.ir.builtin import ModuleOp, SSAValue
from weft.ir.rewriting import replace, walk
from weft.layouts import AutoEncoding, Encoding
from weft.passes.ledger import enabled, record_decision
from weft.passes.rewrite.infer_encodings import check_is_resolved, infer_encodings

__all__ = ["ResolveAutoEncodings"]


class ResolveAutoEncodings(Struct, frozen=True):
    """Infers the layouts of tensors with an auto layout."""

    name: ClassVar[str] = "gluon-resolve-auto-encodings"

    def run(self, module: ModuleOp) -> None:
        """Set the layouts in place, and remove `gluon.set_auto_layout`.

        Raises:
            PassError: Two layouts for one value, none for another, or a function that takes or
                returns tensors with an auto layout.
        """
        for function in module.ops:
            if isinstance(function, tt.FuncOp):
                self._infer(function)
        for op in tuple(walk(module)):
            if isinstance(op, gluon.SetAutoLayoutOp) and op.src.type == op.result.type:
                replace(op, [op.src])
        check_is_resolved(module, AutoEncoding)

    def _infer(self, function: tt.FuncOp) -> None:
        """Set the layouts of a function, and record the reason for each."""
        seeds = _seeds(function)
        values = infer_encodings(function, AutoEncoding, seeds)
        if not enabled():
            return
        sources = {value for value, _ in seeds}
        for value in values:
            reason = (
                "set by gl.set_auto_layout"
                if value in sources
                else "inferred from a layout that gl.set_auto_layout sets"
            )
            record_decision(self, value, str(types.encoding(value.type)), reason)


def _seeds(function: tt.FuncOp) -> list[tuple[SSAValue, Encoding]]:
    """List the values whose layouts are set."""
    seeds: list[tuple[SSAValue, Encoding]] = []
    for op in walk(function):
        if isinstance(op, gluon.SetAutoLayoutOp):
            encoding = types.encoding(op.result.type)
            if encoding is not None:
                seeds.append((op.src, encoding))
    return seeds
