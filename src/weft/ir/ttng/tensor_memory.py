"""Operations of ttng on tensor memory (TMEM), which holds accumulators of Blackwell's MMAs.

    %m, %t0 = ttng.tmem_alloc : () -> (!ttg.memdesc<…, #tmem, #ttng.tensor_memory, …>, token)
    %t1 = ttng.tmem_store %x, %m[%t0], %p …
    %y, %t2 = ttng.tmem_load %m[%t1] …

A token is the state of the buffer after an operation. The use-def chain of tokens orders the
operations on a buffer.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.ir import SSAValue
from xdsl.irdl import (
    AttrSizedResultSegments,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryAllocEffect, MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from weft.ir import types
from weft.ir.constraints import TypedInteger, i32_prop
from weft.ir.interfaces import Effect, MemoryEffectOpInterface
from weft.ir.operation import Infer, Op, fixed, operation
from weft.ir.ttg.memory import (
    allocation_effects,
    check_initialized,
    check_mutable,
    check_same_data,
    memdesc_type,
)
from weft.ir.ttg.types import AsyncTokenType, MemDescType
from weft.ir.ttng.assembly import TokenDirective
from weft.ir.ttng.types import ReduceModifierAttr, TensorMemoryAttr

__all__ = [
    "OPERATIONS",
    "TMEMAllocOp",
    "TMEMCopyOp",
    "TMEMLoadOp",
    "TMEMStoreOp",
    "TMEMSubSliceOp",
    "check_tensor_memory",
]


def check_tensor_memory(op: Op, value: SSAValue) -> MemDescType:
    """Get the type of an operand or result that must be a buffer in tensor memory.

    Raises:
        VerifyException: It is of another type.
    """
    memory = memdesc_type(op, value)
    if not isinstance(memory.memory_space, TensorMemoryAttr):
        raise VerifyException("should use tensor memory encoding")
    return memory


@operation
class TMEMAllocOp(Op, MemoryEffectOpInterface):
    """Allocate a buffer in tensor memory, with the elements of a tensor if there is one.

    `%m, %t = ttng.tmem_alloc %x : (tensor<…>) -> (!ttg.memdesc<…>, !ttg.async.token)`
    """

    name = "ttng.tmem_alloc"
    optionals = var_operand_def()
    result = result_def()
    token = opt_result_def(AsyncTokenType)
    traits = traits_def(MemoryAllocEffect())
    OPTIONALS: ClassVar[tuple[str, ...]] = ("src",)
    RESULT_NAMES: ClassVar[tuple[str, ...]] = ("result", "token")
    FORMAT: ClassVar[str] = "($src^)? attr-dict `:` functional-type(operands, results)"

    @property
    def src(self) -> SSAValue | None:
        return self.operand_or_none(0)

    def verify_(self) -> None:
        memory = check_tensor_memory(self, self.results[0])
        check_initialized(memory, self.src)
        if self.src is not None:
            check_same_data(self.src.type, memory)

    def memory_effects(self) -> Effect:
        placed = "tensor_memory_col_offset" in self.attributes
        return allocation_effects(self, self.src, placed=placed)


@operation
class TMEMLoadOp(Op):
    """Load a buffer into a tensor; with `redOp`, also reduce each row to one element.

    `abs` reduces absolute values; `NaN` propagates NaN.

    `%x, %t = ttng.tmem_load %m[%dep] : !ttg.memdesc<…> -> tensor<128x64xf32, #linear>`
    """

    name = "ttng.tmem_load"
    src = operand_def()
    optionals = var_operand_def()
    redOp = opt_prop_def(ReduceModifierAttr)
    abs = opt_prop_def(TypedInteger(types.i1))
    NaN = opt_prop_def(TypedInteger(types.i1))
    result = result_def()
    token = opt_result_def(AsyncTokenType)
    red = opt_result_def()
    traits = traits_def(MemoryReadEffect())
    irdl_options = (AttrSizedResultSegments(as_property=True),)
    OPTIONALS: ClassVar[tuple[str, ...]] = ("dep",)
    RESULT_NAMES: ClassVar[tuple[str, ...]] = ("result", "token", "red")
    CUSTOM: ClassVar = {"Token": TokenDirective("dep", "token")}
    FORMAT: ClassVar[str] = (
        "$src `` custom<Token> attr-dict `:` type($src) `->` type($result) (`,` type($red)^)?"
    )

    @property
    def dep(self) -> SSAValue | None:
        return self.operand_or_none(1)

    def verify_(self) -> None:
        memory = check_tensor_memory(self, self.src)
        check_same_data(memory, self.results[0].type)
        if (self.redOp is None) != (self.red is None):
            raise VerifyException("must have a `red` result if and only if `redOp` is set")
        if self.redOp is None and (self.abs is not None or self.NaN is not None):
            raise VerifyException("`abs` and `NaN` require `redOp`")


@operation
class TMEMStoreOp(Op):
    """Store a tensor into a buffer, if `pred` is true.

    `%t = ttng.tmem_store %x, %m[%dep], %p : tensor<128x64xf32, #linear> -> !ttg.memdesc<…>`
    """

    name = "ttng.tmem_store"
    dst = operand_def()
    dep = opt_operand_def(AsyncTokenType)
    src = operand_def()
    pred = operand_def()
    token = opt_result_def(AsyncTokenType)
    traits = traits_def(MemoryWriteEffect())
    CUSTOM: ClassVar = {"Token": TokenDirective("dep", "token")}
    FORMAT: ClassVar[str] = (
        "$src `,` $dst `` custom<Token> `,` $pred attr-dict `:` type($src) `->` type($dst)"
    )
    INFER: ClassVar[Infer] = {"pred": fixed(types.i1)}

    def verify_(self) -> None:
        memory = check_tensor_memory(self, self.dst)
        check_mutable(memory)
        check_same_data(self.src.type, memory)


@operation
class TMEMSubSliceOp(Op):
    """View of the columns of a buffer that start at column N.

    `%v = ttng.tmem_subslice %m {N = 64 : i32} : !ttg.memdesc<128x128xf32, …> ->
    !ttg.memdesc<128x64xf32, …, 128x128>`
    """

    name = "ttng.tmem_subslice"
    src = operand_def()
    N = i32_prop()
    result = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$src attr-dict `:` type($src) `->` type($result)"

    def verify_(self) -> None:
        before = check_tensor_memory(self, self.src)
        after = check_tensor_memory(self, self.result)
        first = self.N.value.data
        if not 0 <= first <= before.shape[-1] - after.shape[-1]:
            raise VerifyException(
                f"columns [{first}, {first + after.shape[-1]}) are out of bounds of the source"
            )


@operation
class TMEMCopyOp(Op):
    """Issue an asynchronous copy from shared to tensor memory, which arrives on the mbarrier.

    `ttng.tmem_copy %s, %m, %barrier : !ttg.memdesc<…>, !ttg.memdesc<…>, !ttg.memdesc<1xi64, …>`
    """

    name = "ttng.tmem_copy"
    src = operand_def()
    dst = operand_def()
    optionals = var_operand_def()
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    OPTIONALS: ClassVar[tuple[str, ...]] = ("barrier",)
    FORMAT: ClassVar[str] = "$src `,` $dst (`,` $barrier^)? attr-dict `:` type(operands)"

    @property
    def barrier(self) -> SSAValue | None:
        return self.operand_or_none(2)

    def verify_(self) -> None:
        memdesc_type(self, self.src)
        check_mutable(check_tensor_memory(self, self.dst))


OPERATIONS = (TMEMAllocOp, TMEMLoadOp, TMEMStoreOp, TMEMSubSliceOp, TMEMCopyOp)
