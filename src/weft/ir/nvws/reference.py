"""Operations of nvws on asynchronous references: rings of buffers between groups of warps.

    %ring = nvws.aref.create %buffers …
    producer:  %b, %t = nvws.aref.put.enter %ring …  …write %b…  nvws.aref.put.exit %ring, %t [how]
    consumer:  %b, %t = nvws.aref.get.enter %ring …  …read %b…   nvws.aref.get.exit %ring, %t [how]

Stage and phase are left out until a pass assigns them.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    operand_def,
    opt_operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from weft.ir import types
from weft.ir.nvws.types import ArefType
from weft.ir.operation import Infer, Op, Types, fixed, operation
from weft.ir.ttg.memory import memdesc_of
from weft.ir.ttg.types import async_token

__all__ = [
    "OPERATIONS",
    "ArefBufferOp",
    "ArefCreateOp",
    "ArefGetEnterOp",
    "ArefGetExitOp",
    "ArefPutEnterOp",
    "ArefPutExitOp",
]


def _buffers(given: Types) -> list[Attribute]:
    reference = given["result"]
    if not isinstance(reference, ArefType):
        raise TypeError(f"an !nvws.aref expected, found {reference}")
    return list(reference.buffers.data)


_SLOT: Infer = {
    "stage": fixed(types.i32),
    "phase": fixed(types.i32),
    "token": fixed(async_token),
}


@operation
class ArefCreateOp(Op):
    """Make an asynchronous reference of rings of equal length.

    `%r = nvws.aref.create %a, %b : <[!ttg.memdesc<2x…>, !ttg.memdesc<2x…>]>`
    """

    name = "nvws.aref.create"
    buffers = var_operand_def()
    result = result_def(ArefType)
    traits = traits_def(Pure())
    BARE_TYPES: ClassVar = {"result": ArefType}
    FORMAT: ClassVar[str] = "$buffers attr-dict `:` bare-type($result)"
    INFER: ClassVar[Infer] = {"buffers": _buffers}

    def verify_(self) -> None:
        lengths = {memdesc_of(self, buffer).shape[0] for buffer in self.buffers}
        if len(lengths) > 1:
            raise VerifyException(f"{self.name}: rings of lengths {sorted(lengths)}: one expected")


@operation
class ArefPutEnterOp(Op):
    """Wait until the buffers of a stage are free to be written.

    `%b, %t = nvws.aref.put.enter %r[%stage, %phase] : <[…]> -> !ttg.memdesc<…>, !ttg.async.token`
    """

    name = "nvws.aref.put.enter"
    aref = operand_def()
    stage = opt_operand_def()
    phase = opt_operand_def()
    buffers = var_result_def()
    token = result_def()
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    RESULT_NAMES: ClassVar[tuple[str, ...]] = ("buffers", "token")
    BARE_TYPES: ClassVar = {"aref": ArefType}
    FORMAT: ClassVar[str] = (
        "$aref (`[` $stage^ `,` $phase `]`)? attr-dict `:` bare-type($aref) `->` type(results)"
    )
    INFER: ClassVar[Infer] = _SLOT


@operation
class ArefGetEnterOp(Op):
    """Wait until the buffers of a stage hold data.

    `%b, %t = nvws.aref.get.enter %r[%stage, %phase] : <[…]> -> !ttg.memdesc<…>, !ttg.async.token`
    """

    name = "nvws.aref.get.enter"
    aref = operand_def()
    stage = opt_operand_def()
    phase = opt_operand_def()
    buffers = var_result_def()
    token = result_def()
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    RESULT_NAMES: ClassVar[tuple[str, ...]] = ("buffers", "token")
    BARE_TYPES: ClassVar = {"aref": ArefType}
    FORMAT: ClassVar[str] = (
        "$aref (`[` $stage^ `,` $phase `]`)? attr-dict `:` bare-type($aref) `->` type(results)"
    )
    INFER: ClassVar[Infer] = _SLOT


@operation
class ArefPutExitOp(Op):
    """Say that the buffers of a stage hold data, once the named kinds of work are complete.

    `nvws.aref.put.exit %r[%stage], %t [#nvws.async_op<tma_load>] : <[…]>, !ttg.async.token`
    """

    name = "nvws.aref.put.exit"
    aref = operand_def()
    token = operand_def()
    optionals = var_operand_def()
    async_ops = prop_def(ArrayAttr)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    OPTIONALS: ClassVar[tuple[str, ...]] = ("stage",)
    BARE_TYPES: ClassVar = {"aref": ArefType}
    FORMAT: ClassVar[str] = (
        "$aref (`[` $stage^ `]`)? `,` $token $async_ops attr-dict `:` bare-type($aref) `,` "
        "type($token)"
    )
    INFER: ClassVar[Infer] = _SLOT

    @property
    def stage(self) -> SSAValue | None:
        return self.operand_or_none(2)


@operation
class ArefGetExitOp(Op):
    """Say that the buffers of a stage are free, once the named kinds of work are complete.

    `nvws.aref.get.exit %r[%stage], %t [#nvws.async_op<none>] : <[…]>, !ttg.async.token`
    """

    name = "nvws.aref.get.exit"
    aref = operand_def()
    token = operand_def()
    optionals = var_operand_def()
    async_ops = prop_def(ArrayAttr)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    OPTIONALS: ClassVar[tuple[str, ...]] = ("stage",)
    BARE_TYPES: ClassVar = {"aref": ArefType}
    FORMAT: ClassVar[str] = (
        "$aref (`[` $stage^ `]`)? `,` $token $async_ops attr-dict `:` bare-type($aref) `,` "
        "type($token)"
    )
    INFER: ClassVar[Infer] = _SLOT

    @property
    def stage(self) -> SSAValue | None:
        return self.operand_or_none(2)


@operation
class ArefBufferOp(Op):
    """The buffers of the stage that a token was given for.

    `%b:2 = nvws.aref.buffer %r[%stage], %t : <[…]>, !ttg.async.token -> !ttg.memdesc<…>, …`
    """

    name = "nvws.aref.buffer"
    aref = operand_def()
    token = operand_def()
    optionals = var_operand_def()
    buffers = var_result_def()
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    OPTIONALS: ClassVar[tuple[str, ...]] = ("stage",)
    BARE_TYPES: ClassVar = {"aref": ArefType}
    FORMAT: ClassVar[str] = (
        "$aref (`[` $stage^ `]`)? `,` $token attr-dict `:` bare-type($aref) `,` type($token) "
        "`->` type($buffers)"
    )
    INFER: ClassVar[Infer] = _SLOT

    @property
    def stage(self) -> SSAValue | None:
        return self.operand_or_none(2)


OPERATIONS = (
    ArefCreateOp,
    ArefPutEnterOp,
    ArefPutExitOp,
    ArefGetEnterOp,
    ArefGetExitOp,
    ArefBufferOp,
)
