"""Operations of nvws on asynchronous references, multi-buffered memory between partitions.

    %r = nvws.aref.create %buffers …
    producer:  %b, %t = nvws.aref.put.enter %r …    write %b    nvws.aref.put.exit %r, %t [kinds]
    consumer:  %b, %t = nvws.aref.get.enter %r …    read %b     nvws.aref.get.exit %r, %t [kinds]

Stage and phase are absent until a pass assigns them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from typing_extensions import TypeVar
from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AttrConstraint,
    AttrSizedOperandSegments,
    IntConstraint,
    VerificationContext,
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
from weft.ir.nvws.types import AREF, ArefType, AsyncOpAttr
from weft.ir.operation import Infer, Op, ParsedTypes, fixed, operation
from weft.ir.ttg.memory import LocalDeallocOp, memdesc_type
from weft.ir.ttg.types import ASYNC_TOKEN, MEMDESC, MemDescType, async_token
from weft.ir.type_constraints import I32
from weft.layouts import TensorMemoryScalesEncoding

__all__ = [
    "OPERATIONS",
    "ArefBufferOp",
    "ArefCreateOp",
    "ArefGetEnterOp",
    "ArefGetExitOp",
    "ArefPutEnterOp",
    "ArefPutExitOp",
]


class _AsyncOperations(AttrConstraint[ArrayAttr[Attribute]]):
    """Accept arrays of kinds of asynchronous operations."""

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        kinds = attr.data if isinstance(attr, ArrayAttr) else None
        if kinds is None or not all(isinstance(kind, AsyncOpAttr) for kind in kinds):
            raise VerifyException("failed to satisfy constraint: array of async op attributes")

    def mapping_type_vars(
        self, type_var_mapping: Mapping[TypeVar, AttrConstraint | IntConstraint]
    ) -> AttrConstraint[ArrayAttr[Attribute]]:
        return self


def _reads_contents(user: Operation) -> bool:
    """Check whether a user of a buffer accesses it without the reference."""
    return not isinstance(user, ArefCreateOp | LocalDeallocOp)


def _check_slices(reference: Attribute, buffers: Sequence[SSAValue]) -> None:
    """Require one view of each buffer of a reference: of one stage, or of all scales.

    Raises:
        VerifyException: The number of views, or their types, differ.
    """
    assert isinstance(reference, ArefType)
    wholes = reference.buffers.data
    if len(wholes) != len(buffers):
        raise VerifyException("Aref has different number of arguments than enter")
    for whole, view in zip(wholes, (buffer.type for buffer in buffers), strict=True):
        if not isinstance(whole, MemDescType):
            raise VerifyException("Slicing not Implemented for this type")
        assert isinstance(view, MemDescType)
        # Scales have one stage, which has no dimension.
        is_scales = isinstance(whole.encoding, TensorMemoryScalesEncoding)
        suffix = " for TensorMemoryScalesEncodingAttr" if is_scales else ""
        expected = whole.shape if is_scales else whole.shape[1:]
        if whole.element_type != view.element_type or len(expected) != len(view.shape):
            raise VerifyException(f"Ranks don't match{suffix}")
        if expected != view.shape:
            raise VerifyException(f"Dimensions don't match{suffix}")


def _buffer_types(known: ParsedTypes) -> list[Attribute]:
    return list(_references(known["result"]))


def _references(reference: Attribute | None) -> Sequence[Attribute]:
    """Get the types of the buffers of an asynchronous reference."""
    if not isinstance(reference, ArefType):
        raise TypeError(f"'result' must be !nvws.aref, but got '{reference}'")
    return reference.buffers.data


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
    buffers = var_operand_def(MEMDESC)
    result = result_def(AREF)
    traits = traits_def(Pure())
    BARE_TYPES: ClassVar = {"result": ArefType}
    FORMAT: ClassVar[str] = "$buffers attr-dict `:` bare-type($result)"
    INFER: ClassVar[Infer] = {"buffers": _buffer_types}

    def verify_(self) -> None:
        if [buffer.type for buffer in self.buffers] != list(_references(self.result.type)):
            raise VerifyException("failed to verify that input types match Aref output type")
        for buffer in self.buffers:
            if any(_reads_contents(use.operation) for use in buffer.uses):
                raise VerifyException(
                    "Aref buffer is used elsewhere, Aref cannot guarantee async safety"
                )
        stages = {memdesc_type(self, buffer).shape[0] for buffer in self.buffers}
        if len(stages) > 1:
            raise VerifyException("Leading dims of sliced aref inputs don't match.")


class _ArefEnter(Op):
    """The start of an access to the buffers of a stage."""

    aref = operand_def(AREF)
    stage = opt_operand_def(I32)
    phase = opt_operand_def(I32)
    buffers = var_result_def(MEMDESC)
    token = result_def(ASYNC_TOKEN)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    RESULT_NAMES: ClassVar[tuple[str, ...]] = ("buffers", "token")
    BARE_TYPES: ClassVar = {"aref": ArefType}
    FORMAT: ClassVar[str] = (
        "$aref (`[` $stage^ `,` $phase `]`)? attr-dict `:` bare-type($aref) `->` type(results)"
    )
    INFER: ClassVar[Infer] = _SLOT

    def verify_(self) -> None:
        _check_slices(self.aref.type, self.buffers)


class _ArefExit(Op):
    """The end of an access to the buffers of a stage."""

    aref = operand_def(AREF)
    token = operand_def(ASYNC_TOKEN)
    optionals = var_operand_def(I32)
    async_ops = prop_def(_AsyncOperations())
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
    aref = operand_def(AREF)
    token = operand_def(ASYNC_TOKEN)
    optionals = var_operand_def(I32)
    buffers = var_result_def(MEMDESC)
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
