"""Asynchronous copies of amdg by threads, and transposing loads of packed fp4.

%t = amdg.async_copy_local_to_global %b, %p …    issue a copy
%w = amdg.async_wait %t {num_inst = 0 : i32}     wait for it
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.ir import SSAValue
from xdsl.irdl import (
    operand_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from weft.ir import types
from weft.ir.constraints import enum_prop, i32_prop, opt_i32_prop
from weft.ir.enums import CacheModifier, EvictionPolicy
from weft.ir.op_traits import TypesMatchWith, same_shape_i1
from weft.ir.operation import Infer, Op, fixed, operation, same_shape
from weft.ir.ttg.async_copy import TokenWait, check_pointee
from weft.ir.ttg.memory import memdesc_type
from weft.ir.ttg.types import (
    ASYNC_TOKEN,
    MEMDESC,
    SharedMemoryAttr,
    async_token,
)
from weft.ir.type_constraints import (
    POINTER_TENSOR,
    TENSOR,
    TypeConstraint,
)
from weft.layouts import DotOperandEncoding, SwizzledSharedEncoding

__all__ = [
    "OPERATIONS",
    "AsyncCopyLocalToGlobalOp",
    "AsyncWaitOp",
    "LocalLoadPackedTransposedOp",
    "MemoryCounterWaitOp",
]

_MASK = TypeConstraint(
    "tensor of 1-bit signless integer values",
    lambda type_: types.is_tensor(type_) and type_.element_type == types.i1,
)


@operation
class AsyncWaitOp(TokenWait):
    """Wait until at most `num_inst` instructions of asynchronous copies are pending.

    `%w = amdg.async_wait %t {num_inst = 2 : i32}`
    """

    name = "amdg.async_wait"
    num_inst = i32_prop()


@operation
class MemoryCounterWaitOp(Op):
    """Wait until at most so many loads, stores and LDS operations are pending.

    `amdg.memory_counter_wait load(1) store(2) ds(0)`
    """

    name = "amdg.memory_counter_wait"
    load = opt_i32_prop()
    store = opt_i32_prop()
    ds = opt_i32_prop()
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    FORMAT: ClassVar[str] = (
        "oilist(`load` `(` $load `)` | `store` `(` $store `)` | `ds` `(` $ds `)`) attr-dict"
    )


@operation
class AsyncCopyLocalToGlobalOp(Op):
    """Issue an asynchronous copy of a buffer to pointers.

    `%t = amdg.async_copy_local_to_global %b, %p mask %m : !ttg.memdesc<…> ->
    tensor<64x!tt.ptr<f16>, #blocked>`
    """

    name = "amdg.async_copy_local_to_global"
    src = operand_def(MEMDESC)
    dst = operand_def(POINTER_TENSOR)
    optionals = var_operand_def(_MASK)
    cache = enum_prop(CacheModifier, CacheModifier.NONE)
    evict = enum_prop(EvictionPolicy, EvictionPolicy.NORMAL)
    contiguity = i32_prop(1)
    token = result_def(ASYNC_TOKEN)
    traits = traits_def(
        MemoryReadEffect(),
        MemoryWriteEffect(),
        TypesMatchWith("infer mask type from dst type", "dst", "mask", same_shape_i1),
    )
    OPTIONALS: ClassVar[tuple[str, ...]] = ("mask",)
    FORMAT: ClassVar[str] = (
        "$src `,` $dst (`mask` $mask^)? oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` "
        "$evict) attr-dict `:` type($src) `->` type($dst)"
    )

    INFER: ClassVar[Infer] = {"mask": same_shape("dst", types.i1), "token": fixed(async_token)}

    @property
    def mask(self) -> SSAValue | None:
        return self.operand_or_none(2)

    def verify_(self) -> None:
        memory = memdesc_type(self, self.src)
        if not isinstance(memory.memory_space, SharedMemoryAttr):
            raise VerifyException("source must be in shared memory")
        check_pointee(self.dst.type, memory)


@operation
class LocalLoadPackedTransposedOp(Op):
    """Load packed fp4 from a buffer and transpose it, so that another dimension is packed.

    One size doubles and the other halves. (The name is spelled as in Triton.)

    `%t = amdg.local_load_packed_tranposed %b : !ttg.memdesc<64x128xi8, …> ->
    tensor<128x64xi8, #dot>`
    """

    name = "amdg.local_load_packed_tranposed"
    src = operand_def(MEMDESC)
    optionals = var_operand_def(ASYNC_TOKEN)
    result = result_def(TENSOR)
    traits = traits_def(MemoryReadEffect())
    OPTIONALS: ClassVar[tuple[str, ...]] = ("token",)
    FORMAT: ClassVar[str] = "$src (`token` $token^)? attr-dict `:` type($src) `->` type($result)"
    INFER: ClassVar[Infer] = {"token": fixed(async_token)}

    @property
    def token(self) -> SSAValue | None:
        return self.operand_or_none(1)

    def verify_(self) -> None:
        memory = memdesc_type(self, self.src)
        dot, shared = types.encoding(self.result.type), memory.encoding
        if not isinstance(dot, DotOperandEncoding):
            raise VerifyException("only works with DotOperandEncodingAttr dst encoding")
        if not isinstance(shared, SwizzledSharedEncoding):
            raise VerifyException("only works with SwizzledSharedEncodingAttr src encoding")
        batch = int(len(memory.shape) == 3)
        # The packed dimension, along K, is the fast one.
        order = (0, 1) if dot.op_idx == 0 else (1, 0)
        orders = (order, (*(dim + 1 for dim in order), 0)) if batch else (order,)
        if shared.order not in orders:
            raise VerifyException("Order of dimensions don't match expected")
        expected = list(types.shape(self.result.type))
        if len(expected) == len(memory.shape):
            expected[order[1] + batch] *= 2
            expected[order[0] + batch] //= 2
        if memory.shape != tuple(expected):
            raise VerifyException("Input and output dimensions don't match after packing changes")


OPERATIONS = (
    AsyncWaitOp,
    MemoryCounterWaitOp,
    AsyncCopyLocalToGlobalOp,
    LocalLoadPackedTransposedOp,
)
