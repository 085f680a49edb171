"""The enums of the IR: a keyword in the custom form, an integer attribute in storage.

`tt.load %p cacheModifier = cg` is `"tt.load"(%p) <{cache = 3 : i32, …}>` in the generic form. The
numbers are those of Triton 3.7.1.
"""

from __future__ import annotations

from enum import IntEnum
from functools import cache
from typing import Self

from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.ir import Attribute

from weft.errors import VerifyError, did_you_mean

_I32, _I64 = IntegerType(32), IntegerType(64)


class KeywordEnum(IntEnum):
    """Base class of the enums: each member has a number and a keyword."""

    keyword: str

    def __new__(cls, number: int, keyword: str) -> Self:
        member = int.__new__(cls, number)
        member._value_ = number
        member.keyword = keyword
        return member

    def __str__(self) -> str:
        return self.keyword

    def attr(self) -> IntegerAttr:
        """Get the integer attribute of this member, the same object each time."""
        return _attribute(type(self), int(self))

    @classmethod
    def of(cls, attribute: Attribute | None) -> Self:
        """Get the member that a property stores.

        Raises:
            VerifyError: The property is no integer, or a number without a member.
        """
        if isinstance(attribute, IntegerAttr):
            try:
                # An Enum's call looks a number up; the checker compares it with `__new__`.
                return cls(attribute.value.data)  # pyright: ignore[reportCallIssue]
            except ValueError:
                pass
        accepted = [f"{int(m)} ({m})" for m in cls]
        raise VerifyError(
            f"expected {cls.__name__} to be one of: {', '.join(accepted)}", found=attribute
        )

    @classmethod
    def from_keyword(cls, keyword: str) -> Self:
        """Get the member with a keyword.

        Raises:
            VerifyError: No member has it.
        """
        member = _keywords(cls).get(keyword)
        if member is None:
            raise VerifyError(
                f"expected {cls.__name__} to be one of: {', '.join(_keywords(cls))}",
                found=keyword,
                hint=did_you_mean(keyword, _keywords(cls)),
            )
        return member  # pyright: ignore[reportReturnType] `_keywords` lists members of `cls`


@cache
def _keywords(cls: type[KeywordEnum]) -> dict[str, KeywordEnum]:
    return {member.keyword: member for member in cls}


_WIDE: set[str] = {"CmpIPredicate", "CmpFPredicate"}  # MLIR stores these two as i64


@cache
def _attribute(cls: type[KeywordEnum], number: int) -> IntegerAttr:
    return IntegerAttr(number, _I64 if cls.__name__ in _WIDE else _I32)


class CmpIPredicate(KeywordEnum):
    """Integer comparison."""

    EQ = 0, "eq"
    NE = 1, "ne"
    SLT = 2, "slt"
    SLE = 3, "sle"
    SGT = 4, "sgt"
    SGE = 5, "sge"
    ULT = 6, "ult"
    ULE = 7, "ule"
    UGT = 8, "ugt"
    UGE = 9, "uge"


class CmpFPredicate(KeywordEnum):
    """Floating-point comparison: ordered (o…) is false on NaN, unordered (u…) is true."""

    FALSE = 0, "false"
    OEQ = 1, "oeq"
    OGT = 2, "ogt"
    OGE = 3, "oge"
    OLT = 4, "olt"
    OLE = 5, "ole"
    ONE = 6, "one"
    ORD = 7, "ord"
    UEQ = 8, "ueq"
    UGT = 9, "ugt"
    UGE = 10, "uge"
    ULT = 11, "ult"
    ULE = 12, "ule"
    UNE = 13, "une"
    UNO = 14, "uno"
    TRUE = 15, "true"


class ProgramDim(KeywordEnum):
    """Axis of the launch grid."""

    X = 0, "x"
    Y = 1, "y"
    Z = 2, "z"


class CacheModifier(KeywordEnum):
    """Cache behaviour of a load or store."""

    NONE = 1, "none"
    CA = 2, "ca"
    CG = 3, "cg"
    WB = 4, "wb"
    CS = 5, "cs"
    WT = 6, "wt"
    CV = 7, "cv"


class EvictionPolicy(KeywordEnum):
    """Eviction priority in the cache."""

    NORMAL = 1, "evict_normal"
    EVICT_FIRST = 2, "evict_first"
    EVICT_LAST = 3, "evict_last"


class PaddingOption(KeywordEnum):
    """Value of the elements of a tile that are outside the tensor."""

    ZERO = 1, "zero"
    NAN = 2, "nan"


class TokenLoadType(KeywordEnum):
    """The kind of load that fills the buffers of a channel."""

    NONE = 0, "none"
    ASYNC_LOAD = 1, "asyncLoadOp"
    TMA_LOAD = 2, "tmaLoadOp"
    LOCAL_STORE = 3, "localStoreOp"
    TMEM_LOAD = 4, "TmemLoadOp"


class RMWOp(KeywordEnum):
    """Operation of an atomic read-modify-write."""

    AND = 1, "and"
    OR = 2, "or"
    XOR = 3, "xor"
    ADD = 4, "add"
    FADD = 5, "fadd"
    MAX = 6, "max"
    MIN = 7, "min"
    UMAX = 8, "umax"
    UMIN = 9, "umin"
    XCHG = 10, "exch"


class MemSemantic(KeywordEnum):
    """Memory order of an atomic."""

    RELAXED = 1, "relaxed"
    ACQUIRE = 2, "acquire"
    RELEASE = 3, "release"
    ACQUIRE_RELEASE = 4, "acq_rel"


class MemSyncScope(KeywordEnum):
    """Threads that an atomic synchronizes with."""

    GPU = 1, "gpu"
    CTA = 2, "cta"
    SYSTEM = 3, "sys"


class RoundingMode(KeywordEnum):
    """Rounding of `tt.fp_to_fp` to a narrower type."""

    RTZ = 0, "rtz"
    RTNE = 1, "rtne"


class ArithRoundingMode(KeywordEnum):
    """Rounding of `arith.truncf`."""

    TO_NEAREST_EVEN = 0, "to_nearest_even"
    DOWNWARD = 1, "downward"
    UPWARD = 2, "upward"
    TOWARD_ZERO = 3, "toward_zero"
    TO_NEAREST_AWAY = 4, "to_nearest_away"


class PropagateNan(KeywordEnum):
    """Whether a clamp returns NaN for a NaN input."""

    NONE = 0, "none"
    ALL = 0xFFFF, "all"


class InputPrecision(KeywordEnum):
    """Precision of the f32 operands of a dot."""

    TF32 = 0, "tf32"
    TF32X3 = 1, "tf32x3"
    IEEE = 2, "ieee"
    BF16X3 = 3, "bf16x3"
    BF16X6 = 4, "bf16x6"


class ScaleDotElemType(KeywordEnum):
    """Element type of a scaled dot's operand."""

    E4M3 = 0, "e4m3"
    E5M2 = 1, "e5m2"
    E2M3 = 2, "e2m3"
    E3M2 = 3, "e3m2"
    E2M1 = 4, "e2m1"
    BF16 = 5, "bf16"
    FP16 = 6, "fp16"


class DescriptorReduceKind(KeywordEnum):
    """Reduction that a descriptor store performs in memory."""

    ADD = 1, "add"
    MIN = 2, "min"
    MAX = 3, "max"
    INC = 4, "inc"
    DEC = 5, "dec"
    AND = 6, "and"
    OR = 7, "or"
    XOR = 8, "xor"
