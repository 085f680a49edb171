"""Remove the tokens of operations on tensor memory (triton-nvidia-gpu-remove-tmem-tokens).

Before:  %m, %t = ttng.tmem_alloc                After:  %p = ub.poison : !ttg.async.token
         %u = ttng.tc_gen5_mma %a, %b, %m[%t]            %m = ttng.tmem_alloc
         %d, %v = ttng.tmem_load %m[%u]                  ttng.tc_gen5_mma %a, %b, %m[]
                                                         %d = ttng.tmem_load %m[]

Tokens order the operations on a buffer while loops are pipelined. Afterwards the program order
does. Canonicalization removes the placeholder and the iter_args that carry it.

Source: Triton, RemoveTMEMTokens.cpp.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.ir import tt, ttg, ttng, ub
from weft.ir.builtin import ModuleOp, Operation, SSAValue
from weft.ir.rewriting import Builder, walk_inner_first
from weft.passes.pipelining.blackwell.mma_v5 import MMAS
from weft.passes.rewrite.operands import erase_result, set_operand

__all__ = ["RemoveTmemTokens"]


class RemoveTmemTokens(Struct, frozen=True):
    """Removes the tokens of a module."""

    name: ClassVar[str] = "triton-nvidia-gpu-remove-tmem-tokens"

    def run(self, module: ModuleOp) -> None:
        """Replace all tokens of tensor memory by a placeholder."""
        for function in module.ops:
            if not isinstance(function, tt.FuncOp) or function.body.blocks.first is None:
                continue
            builder = Builder(function.location).at_start(function.body.blocks.first)
            placeholder = builder.value(ub.PoisonOp, (), ttg.async_token)
            for op in list(walk_inner_first(function)):
                _remove_token(op, placeholder)


def _remove_token(op: Operation, placeholder: SSAValue) -> None:
    if isinstance(op, MMAS):
        set_operand(op, "acc_dep", None)
    elif isinstance(op, ttng.TMEMLoadOp | ttng.TMEMStoreOp):
        set_operand(op, "dep", None)
    elif not isinstance(op, ttng.TMEMAllocOp):
        return
    if op.token is not None:
        erase_result(op, op.token.index, placeholder)
