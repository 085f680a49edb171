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
from weft.ir.operation import Infer, Op, fixed, operation, same
from weft.ir.tt.dot import require_dot_shapes
from weft.ir.ttg.memory import memdesc_type
from weft.ir.ttg.types import MemDescType

__all__ = ["OPERATIONS", "WarpGroupDotOp", "WarpGroupDotWaitOp", "check_mma_shapes"]


def _shape(type_: Attribute) -> tuple[int, ...]:
    return type_.shape if isinstance(type_, MemDescType) else types.shape(type_)


def check_mma_shapes(a: Attribute, b: Attribute, d: Attribute) -> None:
    """Require shapes M×K, K×N and M×N of tensors or buffers.

    Raises:
        VerifyException: They do not match.
    """
    require_dot_shapes(_shape(a), _shape(b), _shape(d))


@operation
class WarpGroupDotOp(Op, MemoryEffectOpInterface):
    """d = a · b + c, with a (M×K) in registers or shared memory and b (K×N) in shared memory.

    The accumulator c is zero if `useC` is false. With `isAsync`, `ttng.warp_group_dot_wait` must
    precede any use of the result.

    `%d = ttng.warp_group_dot %a, %b, %c, %u {inputPrecision = 0 : i32, isAsync = true} :
    !ttg.memdesc<…> * !ttg.memdesc<…> -> tensor<128x128xf32, #mma>`
    """

    name = "ttng.warp_group_dot"
    a = operand_def()
    b = operand_def()
    c = operand_def()
    optionals = var_operand_def()
    inputPrecision = enum_prop(InputPrecision, InputPrecision.IEEE)
    maxNumImpreciseAcc = i32_prop(0)
    isAsync = bool_prop(False)
    d = result_def()
    traits = traits_def(MemoryReadEffect())
    OPTIONALS: ClassVar[tuple[str, ...]] = ("useC",)
    FORMAT: ClassVar[str] = (
        "$a `,` $b `,` $c (`,` $useC^)? attr-dict `:` type($a) `*` type($b) `->` type($d)"
    )
    INFER: ClassVar[Infer] = {"c": same("d"), "useC": fixed(types.i1)}

    @property
    def useC(self) -> SSAValue | None:
        return self.operand_or_none(3)

    def verify_(self) -> None:
        memdesc_type(self, self.b)
        check_mma_shapes(self.a.type, self.b.type, self.d.type)

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
    inputs = var_operand_def()
    pendings = i32_prop()
    outputs = var_result_def()
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    FORMAT: ClassVar[str] = "$inputs attr-dict `:` type($inputs)"
    INFER: ClassVar[Infer] = {"outputs": same("inputs")}

    def verify_(self) -> None:
        if not self.operands:
            raise VerifyException("expected to be waiting on at least one dependency")
        if [v.type for v in self.operands] != [r.type for r in self.results]:
            raise VerifyException("failed to verify that all of {inputs, outputs} have same type")


OPERATIONS = (WarpGroupDotOp, WarpGroupDotWaitOp)
