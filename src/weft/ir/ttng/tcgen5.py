"""MMA of Blackwell's tensor cores (PTX tcgen05): the accumulator is in tensor memory.

Operands are in shared or tensor memory; one thread issues the instruction for the CTA.

    %t = ttng.tc_gen5_mma %a, %b, %d[%dep], %useD, %pred …                synchronous
    ttng.tc_gen5_mma %a, %b, %d, %useD, %pred, %bar[%p] {is_async} …      arrives on %bar
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import UnitAttr
from xdsl.irdl import (
    AttrSizedOperandSegments,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from weft.ir import types
from weft.ir.constraints import enum_prop
from weft.ir.enums import ScaleDotElemType
from weft.ir.operation import Infer, Op, fixed, operation
from weft.ir.ttg.memory import check_mutable, memdesc_type
from weft.ir.ttg.types import AsyncTokenType
from weft.ir.ttng.assembly import BarriersDirective, TokenDirective
from weft.ir.ttng.barrier import check_barrier
from weft.ir.ttng.tensor_memory import check_tensor_memory
from weft.ir.ttng.wgmma import check_mma_shapes

__all__ = ["OPERATIONS", "TCGen5CommitOp", "TCGen5MMAOp", "TCGen5MMAScaledOp"]

_PREDICATES: Infer = {
    "useD": fixed(types.i1),
    "pred": fixed(types.i1),
    "barrier_preds": fixed(types.i1),
}
_CUSTOM = {
    "Token": TokenDirective("acc_dep", "token"),
    "BarriersAndPreds": BarriersDirective("barriers", "barrier_preds"),
}


def _check_barriers(op: TCGen5MMAOp | TCGen5MMAScaledOp) -> None:
    if len(op.barriers) != len(op.barrier_preds):
        raise VerifyException(
            f"must have a predicate per barrier, but got {len(op.barriers)} barriers and "
            f"{len(op.barrier_preds)} predicates"
        )
    if op.barriers and op.is_async is None:
        raise VerifyException("synchronous MMA must not have barriers")
    for barrier in op.barriers:
        check_barrier(op, barrier)


@operation
class TCGen5MMAOp(Op):
    """d = a · b, plus d if `useD` is true; no effect if `pred` is false.

    a: M×K, b: K×N, d: M×N. With `two_ctas` two CTAs multiply together.

    `%t = ttng.tc_gen5_mma %a, %b, %d[%dep], %useD, %pred : !ttg.memdesc<…>, !ttg.memdesc<…>,
    !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>`
    """

    name = "ttng.tc_gen5_mma"
    a = operand_def()
    b = operand_def()
    d = operand_def()
    acc_dep = opt_operand_def(AsyncTokenType)
    useD = operand_def()
    pred = operand_def()
    barriers = var_operand_def()
    barrier_preds = var_operand_def()
    is_async = opt_prop_def(UnitAttr)
    two_ctas = opt_prop_def(UnitAttr)
    multicast = opt_prop_def(UnitAttr)
    token = opt_result_def(AsyncTokenType)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    CUSTOM: ClassVar = _CUSTOM
    FORMAT: ClassVar[str] = (
        "$a `,` $b `,` $d `` custom<Token> `,` $useD `,` $pred `` custom<BarriersAndPreds> "
        "attr-dict `:` type($a) `,` type($b) `,` type($d) (`,` type($barriers)^)?"
    )
    INFER: ClassVar[Infer] = _PREDICATES

    def verify_(self) -> None:
        accumulator = check_tensor_memory(self, self.d)
        check_mutable(accumulator)
        check_mma_shapes(self.a.type, self.b.type, accumulator)
        _check_barriers(self)


@operation
class TCGen5MMAScaledOp(Op):
    """d = (a × scales of a) · (b × scales of b), plus d if `useD` is true.

    `%t = ttng.tc_gen5_mma_scaled %a, %b, %d[%dep], %sa, %sb, %useD, %pred lhs = e4m3 rhs = e2m1 :
    !ttg.memdesc<…>, …` (a, b, d, and both scales)
    """

    name = "ttng.tc_gen5_mma_scaled"
    a = operand_def()
    b = operand_def()
    d = operand_def()
    acc_dep = opt_operand_def(AsyncTokenType)
    a_scale = operand_def()
    b_scale = operand_def()
    useD = operand_def()
    pred = operand_def()
    barriers = var_operand_def()
    barrier_preds = var_operand_def()
    a_type = enum_prop(ScaleDotElemType)
    b_type = enum_prop(ScaleDotElemType)
    is_async = opt_prop_def(UnitAttr)
    two_ctas = opt_prop_def(UnitAttr)
    multicast = opt_prop_def(UnitAttr)
    token = opt_result_def(AsyncTokenType)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    CUSTOM: ClassVar = _CUSTOM
    FORMAT: ClassVar[str] = (
        "$a `,` $b `,` $d `` custom<Token> `,` $a_scale `,` $b_scale `,` $useD `,` $pred "
        "`lhs` `=` $a_type `rhs` `=` $b_type `` custom<BarriersAndPreds> attr-dict `:` type($a) "
        "`,` type($b) `,` type($d) `,` type($a_scale) `,` type($b_scale) (`,` type($barriers)^)?"
    )
    INFER: ClassVar[Infer] = _PREDICATES

    def verify_(self) -> None:
        check_mutable(check_tensor_memory(self, self.d))
        for value in (self.a, self.b, self.a_scale, self.b_scale):
            memdesc_type(self, value)
        _check_barriers(self)


@operation
class TCGen5CommitOp(Op):
    """Arrive on an mbarrier when all MMAs issued so far are complete.

    `descs` are the buffers that they read.

    `ttng.tc_gen5_commit %b, %p descs %a : !ttg.memdesc<1xi64, …>, !ttg.memdesc<…>`
    """

    name = "ttng.tc_gen5_commit"
    barrier = operand_def()
    pred = opt_operand_def()
    descs = var_operand_def()
    traits = traits_def(MemoryWriteEffect())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    FORMAT: ClassVar[str] = (
        "$barrier (`,` $pred^)? (`descs` $descs^)? attr-dict `:` type($barrier) "
        "(`,` type($descs)^)?"
    )
    INFER: ClassVar[Infer] = {"pred": fixed(types.i1)}

    def verify_(self) -> None:
        check_barrier(self, self.barrier)


OPERATIONS = (TCGen5MMAOp, TCGen5MMAScaledOp, TCGen5CommitOp)
