"""Asynchronous copies from global to shared memory (PTX cp.async), in commit groups.

%t = ttg.async_copy_global_to_local %p, %b …     issue a copy
%g = ttg.async_commit_group tokens %t            commit the copies issued so far as one group
%w = ttg.async_wait %g {num = 1 : i32}           wait until at most one group is pending
%v = ttg.local_load %b token %w …                read the data of the completed groups
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.ir import Attribute
from xdsl.irdl import (
    AttrSizedOperandSegments,
    operand_def,
    opt_operand_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from weft.ir import types
from weft.ir.constraints import bool_prop, enum_prop, i32_prop
from weft.ir.enums import CacheModifier, EvictionPolicy
from weft.ir.op_traits import TypesMatchWith, pointee_type, same_shape_i1
from weft.ir.operation import Infer, Op, fixed, operation, pointee, same_shape
from weft.ir.ttg.memory import check_mutable, memdesc_type
from weft.ir.ttg.types import ASYNC_TOKEN, MEMDESC, MemDescType, async_token
from weft.ir.type_constraints import ANY_TYPE, I1_TENSOR, POINTER_TENSOR


def check_pointee(pointers: Attribute, memory: MemDescType) -> None:
    """Require pointers to the elements of a buffer.

    Raises:
        VerifyException: The pointers are to another type.
    """
    scalar = types.element(pointers)
    if not types.is_pointer(scalar) or scalar.pointee != memory.element_type:
        raise VerifyException(
            f"expected pointers to elements of type {memory.element_type}, but got '{pointers}'"
        )


class TokenWait(Op):
    """A wait for asynchronous operations: those of the tokens, or all if there are none."""

    asyncToken = var_operand_def(ASYNC_TOKEN)
    retToken = result_def(ASYNC_TOKEN)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    FORMAT: ClassVar[str] = "($asyncToken^)? attr-dict"
    INFER: ClassVar[Infer] = {"asyncToken": fixed(async_token), "retToken": fixed(async_token)}


@operation
class AsyncCopyGlobalToLocalOp(Op):
    """Issue an asynchronous copy from pointers into a buffer in shared memory.

    Masked lanes write `other`, or zero. `contiguity` is how many neighbouring elements one thread
    may copy at once.

    `%t = ttg.async_copy_global_to_local %p, %b mask %m other %o cacheModifier = cg :
    tensor<64x!tt.ptr<f16>, #blocked> -> <64xf16, #shared, #smem, mutable>`
    """

    name = "ttg.async_copy_global_to_local"
    src = operand_def(POINTER_TENSOR)
    result = operand_def(MEMDESC)
    mask = opt_operand_def(I1_TENSOR)
    other = opt_operand_def(ANY_TYPE)
    cache = enum_prop(CacheModifier, CacheModifier.NONE)
    evict = enum_prop(EvictionPolicy, EvictionPolicy.NORMAL)
    isVolatile = bool_prop(False)
    contiguity = i32_prop(1)
    token = result_def(ASYNC_TOKEN)
    traits = traits_def(
        MemoryReadEffect(),
        MemoryWriteEffect(),
        TypesMatchWith("infer mask type from src type", "src", "mask", same_shape_i1),
        TypesMatchWith("infer other type from src type", "src", "other", pointee_type),
    )
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    FORMAT: ClassVar[str] = (
        "$src `,` $result (`mask` $mask^)? (`other` $other^)? oilist(`cacheModifier` `=` $cache "
        "| `evictionPolicy` `=` $evict) attr-dict `:` type($src) `->` bare-type($result)"
    )
    BARE_TYPES: ClassVar = {"result": MemDescType}
    INFER: ClassVar[Infer] = {
        "mask": same_shape("src", types.i1),
        "other": pointee("src"),
        "token": fixed(async_token),
    }

    def verify_(self) -> None:
        memory = memdesc_type(self, self.result)
        check_mutable(memory)
        check_pointee(self.src.type, memory)
        if types.shape(self.src.type) != memory.shape:
            raise VerifyException(
                f"source shape {list(types.shape(self.src.type))} must match destination shape "
                f"{list(memory.shape)}"
            )


@operation
class AsyncCommitGroupOp(Op):
    """Commit the copies issued so far as one group.

    `%g = ttg.async_commit_group tokens %a, %b`
    """

    name = "ttg.async_commit_group"
    inputTokens = var_operand_def(ASYNC_TOKEN)
    asyncToken = result_def(ASYNC_TOKEN)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    FORMAT: ClassVar[str] = "(`tokens` $inputTokens^)? attr-dict"
    INFER: ClassVar[Infer] = {"inputTokens": fixed(async_token), "asyncToken": fixed(async_token)}


@operation
class AsyncWaitOp(TokenWait):
    """Wait until at most `num` commit groups are pending.

    `%w = ttg.async_wait %g {num = 1 : i32}`
    """

    name = "ttg.async_wait"
    num = i32_prop()


OPERATIONS = (AsyncCopyGlobalToLocalOp, AsyncCommitGroupOp, AsyncWaitOp)

__all__ = [
    "OPERATIONS",
    "AsyncCommitGroupOp",
    "AsyncCopyGlobalToLocalOp",
    "AsyncWaitOp",
    "TokenWait",
    "check_pointee",
]
