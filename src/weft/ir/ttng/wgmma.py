"""Operations of ttng that multiply with Hopper's warp groups: four warps at a time.

%d = ttng.warp_group_dot %a, %b, %c {isAsync = true} …     issue
%r = ttng.warp_group_dot_wait %d {pendings = 0 : i32} …    the result may be read from here on
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
from weft.ir.ttg.memory import memdesc_of
from weft.ir.ttg.types import MemDescType

__all__ = ["OPERATIONS", "WarpGroupDotOp", "WarpGroupDotWaitOp", "check_product"]


def _shape(type_: Attribute) -> tuple[int, ...]:
    return type_.shape if isinstance(type_, MemDescType) else types.shape(type_)


def check_product(op: Op, a: Attribute, b: Attribute, d: Attribute) -> None:
    """Require shapes M×K, K×N and M×N.

    Raises: VerifyException: they do not fit.
    """
    left, right, product = _shape(a), _shape(b), _shape(d)
    fits = len(left) == len(right) == len(product) == 2 and left[1] == right[0]
    if not (fits and product == (left[0], right[1])):
        raise VerifyException(f"{op.name}: {a} times {b} does not give {d}")


@operation
class WarpGroupDotOp(Op, MemoryEffectOpInterface):
    """d = a · b + c; a is in registers or shared memory, b in shared memory.

    Where `useC` is given and false, c counts as zero.

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
        memdesc_of(self, self.b)
        check_product(self, self.a.type, self.b.type, self.d.type)

    def memory_effects(self) -> Effect:
        """Read the buffers among the operands that can change."""
        buffers = [operand.type for operand in (self.a, self.b)]
        mutable = any(isinstance(t, MemDescType) and t.is_mutable for t in buffers)
        return Effect.READ if mutable else Effect.NONE


@operation
class WarpGroupDotWaitOp(Op):
    """Wait until at most `pendings` products are under way; the inputs stay in use until then.

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
            raise VerifyException(f"{self.name}: at least one input expected")
        if [v.type for v in self.operands] != [r.type for r in self.results]:
            raise VerifyException(f"{self.name}: the results differ from the inputs in type")


OPERATIONS = (WarpGroupDotOp, WarpGroupDotWaitOp)
