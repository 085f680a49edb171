"""Barriers, warp ids and predication of ttg."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from xdsl.dialects.builtin import UnitAttr
from xdsl.irdl import (
    operand_def,
    opt_prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import (
    IsTerminator,
    MemoryReadEffect,
    MemoryWriteEffect,
    NoMemoryEffect,
    Pure,
)
from xdsl.utils.exceptions import VerifyException

from weft.ir import attributes, types
from weft.ir.constraints import i32_prop
from weft.ir.op_traits import AllTypesMatch, HasParent
from weft.ir.operation import Infer, Op, fixed, operation, same
from weft.ir.type_constraints import ANY_INTEGER_OR_INDEX, I1, I32

if TYPE_CHECKING:
    from xdsl.parser import Parser
    from xdsl.printer import Printer

_MEMORY_KINDS = ("local", "global_read", "global_write", "tensor_read", "tensor_write")
_ALL = (1 << len(_MEMORY_KINDS)) - 1


@operation
class BarrierOp(Op):
    """Synchronize the threads of the CTA (or partition) and their accesses to the named memories.

    `ttg.barrier local`, `ttg.barrier local|global_read`, `ttg.barrier all`
    """

    name = "ttg.barrier"
    addrSpace = i32_prop()
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def verify_(self) -> None:
        bits = self.addrSpace.value.data
        if not 0 <= bits <= _ALL:
            raise VerifyException(
                f"Invalid attribute `addrSpace` in property conversion: {bits} : i32"
            )

    @classmethod
    def parse(cls, parser: Parser) -> BarrierOp:
        bits = 0
        while True:
            kind = parser.parse_identifier()
            if kind == "all":
                bits |= _ALL
            elif kind in _MEMORY_KINDS:
                bits |= 1 << _MEMORY_KINDS.index(kind)
            elif kind != "none":
                accepted = ", ".join(("none", "all", *_MEMORY_KINDS))
                parser.raise_error(f"unknown addrSpace '{kind}'; accepted: {accepted}")
            if parser.parse_optional_punctuation("|") is None:
                break
        space = attributes.integer(bits, types.i32)
        attrs = parser.parse_optional_attr_dict()
        return cls.create(properties={"addrSpace": space}, attributes=attrs)

    def print(self, printer: Printer) -> None:
        bits = self.addrSpace.value.data
        named = [kind for index, kind in enumerate(_MEMORY_KINDS) if bits >> index & 1]
        text = "all" if bits == _ALL else "|".join(named) or "none"
        printer.print_string(f" {text}")
        printer.print_op_attributes(self.attributes)


@operation
class WarpIdOp(Op):
    """The index of the warp in its CTA (or in its partition), uniform in the warp.

    `%w = ttg.warp_id`
    """

    name = "ttg.warp_id"
    omitUniformHint = opt_prop_def(UnitAttr)
    result = result_def(I32)
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "attr-dict"
    INFER: ClassVar[Infer] = {"result": fixed(types.i32)}


@operation
class PredicateStageOp(Op):
    """Compute whether a stage of a software-pipelined loop is active in this iteration.

    `%p = ttg.predicate_stage %i, %ub, %step maxStage 2 stage 1 : i32 -> i1`
    """

    name = "ttg.predicate_stage"
    iv = operand_def(ANY_INTEGER_OR_INDEX)
    ub = operand_def(ANY_INTEGER_OR_INDEX)
    step = operand_def(ANY_INTEGER_OR_INDEX)
    maxStage = i32_prop()
    stage = i32_prop()
    result = result_def(I1)
    traits = traits_def(Pure(), AllTypesMatch(("iv", "ub", "step")))
    FORMAT: ClassVar[str] = (
        "$iv `,` $ub `,` $step `maxStage` $maxStage `stage` $stage attr-dict `:` type($iv) `->` "
        "type($result)"
    )

    INFER: ClassVar[Infer] = {"ub": same("iv"), "step": same("iv")}


@operation
class MaskOp(Op):
    """Run a region if the predicate holds; otherwise the results are undefined.

    The software pipeliner resolves it after it simplified predicates. Until then its effects are
    unknown, as in Triton, so that no clean-up erases the operation.

    `%r = "ttg.mask"(%p) ({ … ttg.mask.return %x : i32 }) : (i1) -> i32`
    """

    name = "ttg.mask"
    pred = operand_def(I1)
    result = var_result_def()
    region = region_def("single_block")

    def verify_(self) -> None:
        last = self.region.block.last_op
        if not isinstance(last, MaskReturnOp):
            raise VerifyException("expects regions to end with 'ttg.mask.return'")
        if [value.type for value in last.operands] != [result.type for result in self.results]:
            raise VerifyException("types of the results must match those of 'ttg.mask.return'")


@operation
class MaskReturnOp(Op):
    """Return the results of a `ttg.mask` region.  `ttg.mask.return %x : i32`"""

    name = "ttg.mask.return"
    result = var_operand_def()
    traits = traits_def(IsTerminator(), NoMemoryEffect(), HasParent(("ttg.mask",)))
    FORMAT: ClassVar[str] = "$result attr-dict `:` type($result)"

    @property
    def generic_only(self) -> bool:
        """Whether it returns nothing: Triton cannot parse `ttg.mask.return :`, which it prints."""
        return not self.operands


OPERATIONS = (BarrierOp, WarpIdOp, PredicateStageOp, MaskOp, MaskReturnOp)

__all__ = [
    "OPERATIONS",
    "BarrierOp",
    "MaskOp",
    "MaskReturnOp",
    "PredicateStageOp",
    "WarpIdOp",
]
