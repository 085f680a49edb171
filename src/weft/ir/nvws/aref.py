"""Operations of nvws on asynchronous references, multi-buffered memory between partitions.

    %r = nvws.aref.create %buffers …
    producer:  %b, %t = nvws.aref.put.enter %r …    write %b    nvws.aref.put.exit %r, %t [kinds]
    consumer:  %b, %t = nvws.aref.get.enter %r …    read %b     nvws.aref.get.exit %r, %t [kinds]

Stage and phase are absent until a pass assigns them.
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
from weft.ir.operation import Infer, Op, ParsedTypes, fixed, operation
from weft.ir.ttg.memory import memdesc_type
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


def _buffer_types(known: ParsedTypes) -> list[Attribute]:
    reference = known["result"]
    if not isinstance(reference, ArefType):
        raise TypeError(f"'result' must be !nvws.aref, but got '{reference}'")
    return list(reference.buffers.data)


_SLOT: Infer = {
    "stage": fixed(types.i32),
    "phase": fixed(types.i32),
    "token": fixed(async_token),
}


@operation
class ArefCreateOp(Op):
    """Create an asynchronous reference to buffers with the same number of stages.

    `%r = nvws.aref.create %a, %b : <[!ttg.memdesc<2x…>, !ttg.memdesc<2x…>]>`
    """

    name = "nvws.aref.create"
    buffers = var_operand_def()
    result = result_def(ArefType)
    traits = traits_def(Pure())
    BARE_TYPES: ClassVar = {"result": ArefType}
    FORMAT: ClassVar[str] = "$buffers attr-dict `:` bare-type($result)"
    INFER: ClassVar[Infer] = {"buffers": _buffer_types}

    def verify_(self) -> None:
        stages = {memdesc_type(self, buffer).shape[0] for buffer in self.buffers}
        if len(stages) > 1:
            raise VerifyException("Leading dims of sliced aref inputs don't match")


class _ArefEnter(Op):
    """The start of an access to the buffers of a stage."""

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


class _ArefExit(Op):
    """The end of an access to the buffers of a stage."""

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
class ArefPutEnterOp(_ArefEnter):
    """Wait until the buffers of a stage can be written; return them and a token.

    `%b, %t = nvws.aref.put.enter %r[%stage, %phase] : <[…]> -> !ttg.memdesc<…>, !ttg.async.token`
    """

    name = "nvws.aref.put.enter"


@operation
class ArefGetEnterOp(_ArefEnter):
    """Wait until the buffers of a stage hold data; return them and a token.

    `%b, %t = nvws.aref.get.enter %r[%stage, %phase] : <[…]> -> !ttg.memdesc<…>, !ttg.async.token`
    """

    name = "nvws.aref.get.enter"


@operation
class ArefPutExitOp(_ArefExit):
    """Signal that the buffers of a stage hold data, when the named async operations are complete.

    `nvws.aref.put.exit %r[%stage], %t [#nvws.async_op<tma_load>] : <[…]>, !ttg.async.token`
    """

    name = "nvws.aref.put.exit"


@operation
class ArefGetExitOp(_ArefExit):
    """Signal that the buffers of a stage are free, when the named async operations are complete.

    `nvws.aref.get.exit %r[%stage], %t [#nvws.async_op<none>] : <[…]>, !ttg.async.token`
    """

    name = "nvws.aref.get.exit"


@operation
class ArefBufferOp(Op):
    """Get the buffers of the stage that a token belongs to.

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
