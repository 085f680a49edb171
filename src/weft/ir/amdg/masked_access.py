"""Masked vector loads and stores of amdg, which the AMD back end of Triton creates before LLVM."""

from __future__ import annotations

from typing import ClassVar

from xdsl.ir import SSAValue
from xdsl.irdl import operand_def, result_def, traits_def, var_operand_def
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect

from weft.ir.constraints import bool_prop, enum_prop
from weft.ir.enums import CacheModifier
from weft.ir.llvm import LLVM_TYPE, PointerType
from weft.ir.operation import Op, operation
from weft.ir.type_constraints import I1, I16, TypeConstraint

__all__ = ["OPERATIONS", "MaskedLoadOp", "MaskedStoreOp"]


_POINTER = TypeConstraint("LLVM pointer type", lambda type_: isinstance(type_, PointerType))


@operation
class MaskedLoadOp(Op):
    """Load a vector if the mask is true, else return `falseVal`.

    `multicastMask` selects the CTAs of the cluster that receive the data as well.

    `%v = amdg.masked_load %p, %m, %f cacheModifier = cg forceNoAlias true : (!llvm.ptr, i1,
    vector<8xf16>) -> vector<8xf16>`
    """

    name = "amdg.masked_load"
    ptr = operand_def(_POINTER)
    mask = operand_def(I1)
    falseVal = operand_def(LLVM_TYPE)
    optionals = var_operand_def(I16)
    cache = enum_prop(CacheModifier, CacheModifier.NONE)
    forceNoAlias = bool_prop(False)
    result = result_def(LLVM_TYPE)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    OPTIONALS: ClassVar[tuple[str, ...]] = ("multicastMask",)
    FORMAT: ClassVar[str] = (
        "$ptr `,` $mask `,` $falseVal (`,` $multicastMask^)? oilist(`cacheModifier` `=` $cache | "
        "`forceNoAlias` $forceNoAlias) attr-dict `:` functional-type(operands, results)"
    )

    @property
    def multicastMask(self) -> SSAValue | None:
        return self.operand_or_none(3)


@operation
class MaskedStoreOp(Op):
    """Store a vector if the mask is true.

    `amdg.masked_store %p, %v, %m cacheModifier = cg : !llvm.ptr, vector<8xf16>, i1`
    """

    name = "amdg.masked_store"
    ptr = operand_def(_POINTER)
    value = operand_def(LLVM_TYPE)
    mask = operand_def(I1)
    cache = enum_prop(CacheModifier, CacheModifier.NONE)
    forceNoAlias = bool_prop(False)
    traits = traits_def(MemoryWriteEffect())
    FORMAT: ClassVar[str] = (
        "$ptr `,` $value `,` $mask oilist(`cacheModifier` `=` $cache | `forceNoAlias` "
        "$forceNoAlias) attr-dict `:` type(operands)"
    )


OPERATIONS = (MaskedLoadOp, MaskedStoreOp)
