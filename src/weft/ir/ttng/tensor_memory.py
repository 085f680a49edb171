"""Operations of ttng on tensor memory, where Blackwell's tensor cores keep accumulators.

    %m, %t0 = ttng.tmem_alloc : () -> (!ttg.memdesc<…, #tmem, #ttng.tensor_memory, …>, token)
    %t1 = ttng.tmem_store %x, %m[%t0], %p …
    %y, %t2 = ttng.tmem_load %m[%t1] …

Each token stands for the state of the buffer after an operation; until they are removed, they
order the operations on it.
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
from weft.ir.ttg.memory import allocation_effects, check_mutable, check_same_data, memdesc_of
from weft.ir.ttg.types import AsyncTokenType, MemDescType
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
    """Return the type of a value that must be a buffer in tensor memory.

    Raises: VerifyException: it is not.
    """
    memory = memdesc_of(op, value)
    if not isinstance(memory.memory_space, TensorMemoryAttr):
        raise VerifyException(f"{op.name}: a buffer in #ttng.tensor_memory expected, not {memory}")
    return memory


@operation
class TMEMAllocOp(Op, MemoryEffectOpInterface):
    """Reserve a buffer in tensor memory, filled from a tensor where one is given.

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
        if self.src is not None:
            check_same_data(self, memory, self.src.type)
        elif not memory.is_mutable:
            raise VerifyException(f"{self.name}: {memory} is immutable and has no initial value")

    def memory_effects(self) -> Effect:
        placed = "tensor_memory_col_offset" in self.attributes
        return allocation_effects(self, self.src, placed=placed)


@operation
class TMEMLoadOp(Op):
    """Read a buffer into a tensor; with `redOp`, also reduce each row to one number.

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
    CUSTOM: ClassVar = {"Token": ("weft.ir.ttng.token:Token", "dep", "token")}
    FORMAT: ClassVar[str] = (
        "$src `` custom<Token> attr-dict `:` type($src) `->` type($result) (`,` type($red)^)?"
    )

    @property
    def dep(self) -> SSAValue | None:
        return self.operand_or_none(1)

    def verify_(self) -> None:
        memory = check_tensor_memory(self, self.src)
        check_same_data(self, memory, self.results[0].type)
        if (self.redOp is None) != (self.red is None):
            raise VerifyException(f"{self.name}: redOp and a reduced result go together")
        if self.redOp is None and (self.abs is not None or self.NaN is not None):
            raise VerifyException(f"{self.name}: abs and NaN need redOp")


@operation
class TMEMStoreOp(Op):
    """Write a tensor into a buffer, where `pred` holds.

    `%t = ttng.tmem_store %x, %m[%dep], %p : tensor<128x64xf32, #linear> -> !ttg.memdesc<…>`
    """

    name = "ttng.tmem_store"
    dst = operand_def()
    dep = opt_operand_def(AsyncTokenType)
    src = operand_def()
    pred = operand_def()
    token = opt_result_def(AsyncTokenType)
    traits = traits_def(MemoryWriteEffect())
    CUSTOM: ClassVar = {"Token": ("weft.ir.ttng.token:Token", "dep", "token")}
    FORMAT: ClassVar[str] = (
        "$src `,` $dst `` custom<Token> `,` $pred attr-dict `:` type($src) `->` type($dst)"
    )
    INFER: ClassVar[Infer] = {"pred": fixed(types.i1)}

    def verify_(self) -> None:
        memory = check_tensor_memory(self, self.dst)
        check_mutable(self, memory)
        check_same_data(self, memory, self.src.type)


@operation
class TMEMSubSliceOp(Op):
    """Look at columns of a buffer, from column N on.

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
                f"{self.name}: columns {first} to {first + after.shape[-1] - 1} are not all "
                f"in {before}"
            )


@operation
class TMEMCopyOp(Op):
    """Start copying a buffer from shared to tensor memory; a barrier may count its end.

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
        memdesc_of(self, self.src)
        check_mutable(self, check_tensor_memory(self, self.dst))


OPERATIONS = (TMEMAllocOp, TMEMLoadOp, TMEMStoreOp, TMEMSubSliceOp, TMEMCopyOp)
