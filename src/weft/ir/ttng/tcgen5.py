"""MMA of Blackwell's tensor cores (PTX tcgen05): the accumulator is in tensor memory.

Operands are in shared or tensor memory; one thread issues the instruction for the CTA.

    %t = ttng.tc_gen5_mma %a, %b, %d[%dep], %useD, %pred …                synchronous
    ttng.tc_gen5_mma %a, %b, %d, %useD, %pred, %bar[%p] {is_async} …      arrives on %bar
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Attribute
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
from weft.ir.tt.dot import require_dot_shapes
from weft.ir.ttg.memory import memdesc_type
from weft.ir.ttg.types import ASYNC_TOKEN, MEMDESC, MemDescType
from weft.ir.ttng.assembly import BarriersDirective, TokenDirective
from weft.ir.ttng.wgmma import check_mma_shapes
from weft.ir.type_constraints import I1
from weft.layouts import (
    Encoding,
    NvmmaSharedEncoding,
    SharedLinearEncoding,
    TensorMemoryEncoding,
)

__all__ = ["OPERATIONS", "TCGen5CommitOp", "TCGen5MMAOp", "TCGen5MMAScaledOp"]

_ROW_16 = 4  # the basis of row 16 of tensor memory
_WORD_BITS = 32
_MOST_COLUMNS = 256  # of an instruction
_BLOCK_M_SCALED = 128
_MOST_DESCRIPTORS = 2

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


def _check_interleaving(op: TCGen5MMAOp | TCGen5MMAScaledOp) -> None:
    """Refuse blocks of 64 rows that fill the rows of one another, of both a and d."""
    if _is_interleaved(memdesc_type(op, op.a)) and _is_interleaved(memdesc_type(op, op.d)):
        raise VerifyException("does not support blockM=64 with interleaved blocks in TMEM layout")


def _is_interleaved(memory: MemDescType) -> bool:
    encoding = memory.encoding
    if not isinstance(encoding, TensorMemoryEncoding) or encoding.block_m != 64:
        return False
    return any(encoding.linear(memory.shape[-2:]).bases["row"][_ROW_16])


# The kind of instruction, and the accumulators it has, by the element of an operand.
_KINDS: dict[Attribute, tuple[str, tuple[Attribute, ...]]] = {
    types.f32: ("tf32", (types.f32,)),
    types.f16: ("f16", (types.f16, types.f32)),
    types.bf16: ("f16", (types.f32,)),
    types.f8E4M3FN: ("f8f6f4", (types.f16, types.f32)),
    types.f8E5M2: ("f8f6f4", (types.f16, types.f32)),
    types.i8: ("f8f6f4", (types.f16, types.f32)),  # holds fp4
}


def _check_element_types(op: TCGen5MMAOp | TCGen5MMAScaledOp) -> None:
    """Require elements that one kind of tcgen05.mma multiplies and accumulates."""
    a, b, d = (memdesc_type(op, value).element_type for value in (op.a, op.b, op.d))
    for side, element in (("LHS", a), ("RHS", b)):
        if element not in _KINDS:
            raise VerifyException(f"unsupported {side} operand dtype: '{element}'")
    (kind_a, accumulators), (kind_b, others) = _KINDS[a], _KINDS[b]
    if kind_a != kind_b:
        raise VerifyException(
            f"LHS and RHS operand dtypes kinds don't match: LHS kind is {kind_a} but RHS kind is "
            f"{kind_b}"
        )
    if d not in accumulators or d not in others:
        accepted = ", ".join(f"'{element}'" for element in accumulators)
        raise VerifyException(
            f"unsupported accumulator dtype for operand types '{a}' and '{b}', accumulator dtype "
            f"is '{d}' but must be one of [{accepted}]"
        )


def _check_layouts(op: TCGen5MMAOp) -> TensorMemoryEncoding:
    """Require operands in shared or tensor memory and blocks of at most 256 columns.

    Returns:
        The encoding of the accumulator.
    """
    a, b = memdesc_type(op, op.a).encoding, memdesc_type(op, op.b).encoding
    result = memdesc_type(op, op.d)
    if not isinstance(a, NvmmaSharedEncoding | SharedLinearEncoding | TensorMemoryEncoding):
        raise VerifyException("LHS operand must have a NVMMAShared or TensorMemory encoding")
    if not isinstance(b, NvmmaSharedEncoding | SharedLinearEncoding):
        raise VerifyException("RHS operand must have a NVMMAShared encoding")
    encoding = result.encoding
    if not isinstance(encoding, TensorMemoryEncoding):
        raise VerifyException("Return operand must have a TensorMemory encoding")
    if isinstance(a, TensorMemoryEncoding) and a.col_stride != 1:
        raise VerifyException("The col stride of the LHS operand must be 1")
    bits = types.bit_width(result.element_type)
    if encoding.col_stride != _WORD_BITS // bits:
        raise VerifyException(
            f"The col stride of the return operand must be 32 / {bits} but got "
            f"{encoding.col_stride}"
        )
    if encoding.block_n > _MOST_COLUMNS:
        raise VerifyException(
            "The block size of the return operand must be less than or equal to 256"
        )
    return encoding


def _cta_split(encoding: Encoding | None) -> tuple[int, int]:
    """Count the CTAs of a cluster that share the rows and the columns of an operand."""
    if isinstance(encoding, TensorMemoryEncoding):
        return encoding.cta_split_m, encoding.cta_split_n
    if isinstance(encoding, SharedLinearEncoding):
        bases = encoding.block
    elif isinstance(encoding, NvmmaSharedEncoding):
        bases = encoding.cga_layout
    else:
        bases = ()
    rows, columns = (1 << sum(bool(vector[dim]) for vector in bases) for dim in (-2, -1))
    return rows, columns


def _check_split(op: TCGen5MMAOp, result: TensorMemoryEncoding) -> None:
    """Require operands that the CTAs share as the accumulator."""
    encoding = memdesc_type(op, op.a).encoding
    a, b = _cta_split(encoding), _cta_split(memdesc_type(op, op.b).encoding)
    for side, parts in (("LHS", a[1]), ("RHS", b[0])):
        if parts != 1:
            raise VerifyException(f"{side} CTASplit along K should be 1, but got {parts}")
    if op.two_ctas is None:
        return
    rows, columns = _cta_split(result)
    if memdesc_type(op, op.d).shape[1] // columns > _MOST_COLUMNS:
        raise VerifyException(
            "We don't allow to emit more than one mma instruction along N. Reduce the block or "
            "increase the number of warps or CTAs along N"
        )
    if a[0] != rows:
        raise VerifyException(
            "twoCTA mode expects the LHS split along M to match the result split along M. "
            f"Expected {rows} but got {a[0]}"
        )
    if b[1] != 2 * columns:
        raise VerifyException(
            "twoCTA mode expects the RHS split along N to be twice the result split along N. "
            f"Expected {2 * columns} but got {b[1]}"
        )
    for name, tmem in (("returned value", result), ("LHS operand", encoding)):
        if isinstance(tmem, TensorMemoryEncoding) and not tmem.two_ctas:
            raise VerifyException(
                f"The {name}'s encoding must have twoCTA=true to be used in a twoCTA matmul"
            )


@operation
class TCGen5MMAOp(Op):
    """d = a · b, plus d if `useD` is true; no effect if `pred` is false.

    a: M×K, b: K×N, d: M×N. With `two_ctas` two CTAs multiply together.

    `%t = ttng.tc_gen5_mma %a, %b, %d[%dep], %useD, %pred : !ttg.memdesc<…>, !ttg.memdesc<…>,
    !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>`
    """

    name = "ttng.tc_gen5_mma"
    a = operand_def(MEMDESC)
    b = operand_def(MEMDESC)
    d = operand_def(MEMDESC)
    acc_dep = opt_operand_def(ASYNC_TOKEN)
    useD = operand_def(I1)
    pred = operand_def(I1)
    barriers = var_operand_def(MEMDESC)
    barrier_preds = var_operand_def(I1)
    is_async = opt_prop_def(UnitAttr)
    two_ctas = opt_prop_def(UnitAttr)
    multicast = opt_prop_def(UnitAttr)
    token = opt_result_def(ASYNC_TOKEN)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    CUSTOM: ClassVar = _CUSTOM
    FORMAT: ClassVar[str] = (
        "$a `,` $b `,` $d `` custom<Token> `,` $useD `,` $pred `` custom<BarriersAndPreds> "
        "attr-dict `:` type($a) `,` type($b) `,` type($d) (`,` type($barriers)^)?"
    )
    INFER: ClassVar[Infer] = _PREDICATES

    def verify_(self) -> None:
        check_mma_shapes(self.a.type, self.b.type, self.d.type)
        _check_interleaving(self)
        _check_barriers(self)
        if self.is_async is None and self.barriers:
            raise VerifyException("The op is synchronous but a barrier is present.")
        _check_element_types(self)
        _check_split(self, _check_layouts(self))


@operation
class TCGen5MMAScaledOp(Op):
    """d = (a × scales of a) · (b × scales of b), plus d if `useD` is true.

    `%t = ttng.tc_gen5_mma_scaled %a, %b, %d[%dep], %sa, %sb, %useD, %pred lhs = e4m3 rhs = e2m1 :
    !ttg.memdesc<…>, …` (a, b, d, and both scales)
    """

    name = "ttng.tc_gen5_mma_scaled"
    a = operand_def(MEMDESC)
    b = operand_def(MEMDESC)
    d = operand_def(MEMDESC)
    acc_dep = opt_operand_def(ASYNC_TOKEN)
    a_scale = operand_def(MEMDESC)
    b_scale = operand_def(MEMDESC)
    useD = operand_def(I1)
    pred = operand_def(I1)
    barriers = var_operand_def(MEMDESC)
    barrier_preds = var_operand_def(I1)
    a_type = enum_prop(ScaleDotElemType)
    b_type = enum_prop(ScaleDotElemType)
    is_async = opt_prop_def(UnitAttr)
    two_ctas = opt_prop_def(UnitAttr)
    multicast = opt_prop_def(UnitAttr)
    token = opt_result_def(ASYNC_TOKEN)
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
        require_dot_shapes(*self.logical_shapes(), memdesc_type(self, self.d).shape)
        _check_interleaving(self)
        _check_barriers(self)
        _check_element_types(self)
        encoding = memdesc_type(self, self.d).encoding
        if not isinstance(encoding, TensorMemoryEncoding):
            raise VerifyException("expected accumulator layout to be a TensorMemoryLayout")
        if encoding.block_m != _BLOCK_M_SCALED:
            raise VerifyException("only supports instruction shape blockM=128")

    def logical_shapes(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Compute the shapes of a and b in elements: a byte of fp4 holds two along one dimension.

        It is the dimension that is contiguous in shared memory.
        """
        shapes: list[tuple[int, ...]] = []
        for value, kind, inner in ((self.a, self.a_type, -1), (self.b, self.b_type, -2)):
            memory = memdesc_type(self, value)
            shape = list(memory.shape)
            encoding = memory.encoding
            k_is_inner = not isinstance(encoding, NvmmaSharedEncoding) or encoding.transposed == (
                inner == -2
            )
            if ScaleDotElemType.of(kind) is ScaleDotElemType.E2M1 and len(shape) > 1:
                shape[inner if k_is_inner else -3 - inner] *= 2
            shapes.append(tuple(shape))
        a, b = shapes
        return a, b


@operation
class TCGen5CommitOp(Op):
    """Arrive on an mbarrier when all MMAs issued so far are complete.

    `descs` are the buffers that they read.

    `ttng.tc_gen5_commit %b, %p descs %a : !ttg.memdesc<1xi64, …>, !ttg.memdesc<…>`
    """

    name = "ttng.tc_gen5_commit"
    barrier = operand_def(MEMDESC)
    pred = opt_operand_def(I1)
    descs = var_operand_def(MEMDESC)
    traits = traits_def(MemoryWriteEffect())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    FORMAT: ClassVar[str] = (
        "$barrier (`,` $pred^)? (`descs` $descs^)? attr-dict `:` type($barrier) "
        "(`,` type($descs)^)?"
    )
    INFER: ClassVar[Infer] = {"pred": fixed(types.i1)}

    def verify_(self) -> None:
        if len(self.descs) > _MOST_DESCRIPTORS:
            raise VerifyException(f"expected 0, 1, or 2 descriptors, got {len(self.descs)}")


OPERATIONS = (TCGen5MMAOp, TCGen5MMAScaledOp, TCGen5CommitOp)
