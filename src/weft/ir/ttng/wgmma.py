"""MMA of Hopper's warp groups (PTX wgmma): four warps multiply together, asynchronously.

%d = ttng.warp_group_dot %a, %b, %c {isAsync = true} …     issue
%r = ttng.warp_group_dot_wait %d {pendings = 0 : i32} …    wait; the result can be read now
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import operand_def, result_def, traits_def, var_operand_def, var_result_def
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from weft.ir import types
from weft.ir.constraints import bool_prop, enum_prop, i32_prop
from weft.ir.enums import InputPrecision
from weft.ir.interfaces import Effect, MemoryEffectOpInterface
from weft.ir.module_attributes import lookup_num_warps
from weft.ir.op_traits import TypesMatchWith
from weft.ir.operation import Infer, Op, fixed, operation, same
from weft.ir.tt.dot import require_dot_shapes
from weft.ir.ttg.types import MEMDESC, TENSOR_OR_MEMDESC, MemDescType
from weft.ir.type_constraints import FP_INT_TENSOR, I1
from weft.layouts import (
    DotOperandEncoding,
    Encoding,
    NvidiaMmaEncoding,
    NvmmaSharedEncoding,
    SharedLinearEncoding,
)
from weft.layouts.cga import shape_per_cta

_HOPPER_VERSION = 3
_WARPS_PER_GROUP = 4
_PRECISE_ACCUMULATION = 32  # products that are summed up before they are added in f32
_REGISTER_BITS = 32

__all__ = ["OPERATIONS", "WarpGroupDotOp", "WarpGroupDotWaitOp", "check_mma_shapes"]


def _shape(type_: Attribute) -> tuple[int, ...]:
    return type_.shape if isinstance(type_, MemDescType) else types.shape(type_)


def check_mma_shapes(a: Attribute, b: Attribute, d: Attribute) -> None:
    """Require shapes M×K, K×N and M×N of tensors or buffers.

    Raises:
        VerifyException: They do not match.
    """
    require_dot_shapes(_shape(a), _shape(b), _shape(d))


_OPERAND_ENCODINGS = (NvmmaSharedEncoding, SharedLinearEncoding)
_FLOAT8 = (types.f8E4M3FN, types.f8E5M2)
_MMA_ELEMENTS = frozenset(
    (
        *_FLOAT8,
        types.f8E4M3FNUZ,
        types.f8E5M2FNUZ,
        types.f16,
        types.bf16,
        types.f32,
        types.f64,
        types.i8,
    )
)


def _element(type_: Attribute) -> Attribute:
    return type_.element_type if isinstance(type_, MemDescType) else types.element(type_)


def _encoding(type_: Attribute) -> Encoding | None:
    return type_.encoding if isinstance(type_, MemDescType) else types.encoding(type_)


def _check_layouts(op: WarpGroupDotOp) -> None:
    """Require an accumulator of wgmma, and operands in shared memory or a in registers."""
    result, a, b = types.encoding(op.d.type), _encoding(op.a.type), _encoding(op.b.type)
    if not isinstance(result, NvidiaMmaEncoding) or result.version_major != _HOPPER_VERSION:
        raise VerifyException("WGMMA result layout must be Hopper NVMMA")
    if not isinstance(a, (*_OPERAND_ENCODINGS, DotOperandEncoding)):
        raise VerifyException("WGMMA A operand must have NVMMA shared or dot layout")
    if not isinstance(b, _OPERAND_ENCODINGS):
        raise VerifyException("WGMMA B operand must have NVMMA shared layout")
    if isinstance(a, DotOperandEncoding) and not (
        a.op_idx == 0 and isinstance(a.parent, NvidiaMmaEncoding)
    ):
        raise VerifyException("unexpected operand layout for NvidiaMmaEncodingAttr v3")


def _check_result_shape(op: WarpGroupDotOp) -> None:
    """Require tiles of the instruction, and groups of four warps."""
    if lookup_num_warps(op) % _WARPS_PER_GROUP:
        raise VerifyException("WGMMA requires num_warps to be divisible by 4")
    encoding = types.encoding(op.d.type)
    assert encoding is not None
    shape = shape_per_cta(encoding, types.shape(op.d.type))
    if len(shape) != 2:
        raise VerifyException("WGMMA result shape must be 2D")
    for name, size, multiple in (("M", shape[0], 64), ("N", shape[1], 8)):
        if size % multiple:
            raise VerifyException(f"WGMMA result {name} dimension must be divisible by {multiple}")


def _check_element_types(op: WarpGroupDotOp) -> None:
    """Require elements that wgmma multiplies and accumulates."""
    elements = (_element(op.a.type), _element(op.b.type))
    if not _MMA_ELEMENTS.issuperset(elements):
        raise VerifyException("unsupported MMA version for the given operands")
    imprecise = op.maxNumImpreciseAcc.value.data < _PRECISE_ACCUMULATION
    if imprecise and elements[0] in _FLOAT8 and types.element(op.d.type) == types.f32:
        raise VerifyException(
            "Cannot use F32 as the accumulator element type when the max_num_imprecise_acc is "
            "less than 32"
        )
    encoding = types.encoding(op.a.type)
    if isinstance(encoding, DotOperandEncoding):
        k_width = _REGISTER_BITS // types.bit_width(elements[0])
        if encoding.k_width != k_width:
            raise VerifyException(
                f"in-register LHS operand must have a kWidth of {k_width} but got "
                f"{encoding.k_width}"
            )


@operation
class WarpGroupDotOp(Op, MemoryEffectOpInterface):
    """d = a · b + c, with a (M×K) in registers or shared memory and b (K×N) in shared memory.

    The accumulator c is zero if `useC` is false. With `isAsync`, `ttng.warp_group_dot_wait` must
    precede any use of the result.

    `%d = ttng.warp_group_dot %a, %b, %c, %u {inputPrecision = 0 : i32, isAsync = true} :
    !ttg.memdesc<…> * !ttg.memdesc<…> -> tensor<128x128xf32, #mma>`
    """

    name = "ttng.warp_group_dot"
    a = operand_def(TENSOR_OR_MEMDESC)
    b = operand_def(MEMDESC)
    c = operand_def(FP_INT_TENSOR)
    optionals = var_operand_def(I1)
    inputPrecision = enum_prop(InputPrecision, InputPrecision.IEEE)
    maxNumImpreciseAcc = i32_prop(0)
    isAsync = bool_prop(False)
    d = result_def(FP_INT_TENSOR)
    traits = traits_def(
        MemoryReadEffect(),
        TypesMatchWith("result's type matches accumulator's type", "d", "c"),
    )
    OPTIONALS: ClassVar[tuple[str, ...]] = ("useC",)
    FORMAT: ClassVar[str] = (
        "$a `,` $b `,` $c (`,` $useC^)? attr-dict `:` type($a) `*` type($b) `->` type($d)"
    )
    INFER: ClassVar[Infer] = {"c": same("d"), "useC": fixed(types.i1)}

    @property
    def useC(self) -> SSAValue | None:
        return self.operand_or_none(3)

    def verify_(self) -> None:
        check_mma_shapes(self.a.type, self.b.type, self.c.type)
        _check_layouts(self)
        _check_result_shape(self)
        _check_element_types(self)

    def memory_effects(self) -> Effect:
        """Read the buffers among the operands, unless they are immutable."""
        buffers = [operand.type for operand in (self.a, self.b)]
        mutable = any(isinstance(t, MemDescType) and t.is_mutable for t in buffers)
        return Effect.READ if mutable else Effect.NONE


@operation
class WarpGroupDotWaitOp(Op):
    """Wait until at most `pendings` asynchronous MMAs are pending; return the inputs.

    `%r:2 = ttng.warp_group_dot_wait %d, %a {pendings = 1 : i32} : tensor<…>, !ttg.memdesc<…>`
    """

    name = "ttng.warp_group_dot_wait"
    inputs = var_operand_def(TENSOR_OR_MEMDESC)
    pendings = i32_prop()
    outputs = var_result_def(TENSOR_OR_MEMDESC)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    FORMAT: ClassVar[str] = "$inputs attr-dict `:` type($inputs)"
    INFER: ClassVar[Infer] = {"outputs": same("inputs")}

    def verify_(self) -> None:
        if not self.operands:
            raise VerifyException("expected to be waiting on at least one dependency")
        if [v.type for v in self.operands] != [r.type for r in self.results]:
            raise VerifyException("failed to verify that all of {inputs, outputs} have same type")


OPERATIONS = (WarpGroupDotOp, WarpGroupDotWaitOp)
