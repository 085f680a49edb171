"""The part of the llvm dialect that Triton's IR uses: `tl.assume` and loop annotations.

#loop_licm = #llvm.loop_licm<disable = true, versioningDisable = true>
#loop_annotation = #llvm.loop_annotation<licm = #loop_licm>
… scf.for … { … } {llvm.loop_annotation = #loop_annotation}
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, ClassVar, Self

from xdsl.dialects.builtin import (
    ArrayAttr,
    BoolAttr,
    DictionaryAttr,
    FixedBitwidthType,
    Float80Type,
    Float128Type,
    IndexType,
    IntAttr,
    VectorType,
)
from xdsl.ir import Attribute, Dialect, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition, operand_def, result_def, traits_def
from xdsl.traits import MemoryWriteEffect, Pure

from weft.ir import types
from weft.ir.attributes import boolean
from weft.ir.constraints import array_prop
from weft.ir.operation import Infer, Op, fixed, operation
from weft.ir.type_constraints import TypeConstraint, is_signless

if TYPE_CHECKING:
    from xdsl.parser import AttrParser
    from xdsl.printer import Printer

_FLOATS = (types.f16, types.bf16, types.f32, types.f64, Float80Type(), Float128Type())


def _is_compatible(type_: Attribute) -> bool:
    if isinstance(type_, VectorType):
        element = type_.element_type
        is_scalar = isinstance(element, IndexType | FixedBitwidthType | PointerType)
        return type_.get_num_dims() == 1 and is_scalar
    return is_signless(type_) or type_ in _FLOATS or isinstance(type_, PointerType | StructType)


LLVM_TYPE = TypeConstraint("LLVM dialect-compatible type", _is_compatible)


class _Struct(ParametrizedAttribute):
    """An attribute of named fields: `#llvm.loop_licm<disable = true>`."""

    fields: DictionaryAttr

    @classmethod
    def of(cls, fields: DictionaryAttr) -> Self:
        """Build the attribute from its fields."""
        return cls.new([fields])

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        def entry() -> tuple[str, Attribute]:
            key = parser.parse_identifier()
            parser.parse_punctuation("=")
            return key, parser.parse_attribute()

        entries = parser.parse_comma_separated_list(parser.Delimiter.ANGLE, entry)
        return [DictionaryAttr(dict(entries))]

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string("<")
        for index, (key, value) in enumerate(self.fields.data.items()):
            printer.print_string(f"{', ' if index else ''}{key} = ")
            printer.print_attribute(value)
        printer.print_string(">")


@irdl_attr_definition
class LoopLICMAttr(_Struct):
    """The options of loop-invariant code motion for a loop."""

    name = "llvm.loop_licm"


@irdl_attr_definition
class LoopAnnotationAttr(_Struct):
    """The options of loop optimizations, on a loop."""

    name = "llvm.loop_annotation"


ALIASES: dict[type[Attribute], str] = {
    LoopLICMAttr: "loop_licm",
    LoopAnnotationAttr: "loop_annotation",
}


@cache
def licm_disabled() -> LoopAnnotationAttr:
    """Build the loop annotation that disables loop-invariant code motion."""
    true = boolean(True)
    licm = LoopLICMAttr.of(DictionaryAttr({"disable": true, "versioningDisable": true}))
    return LoopAnnotationAttr.of(DictionaryAttr({"licm": licm}))


@operation
class AssumeOp(Op):
    """Assume that a condition is true.  `llvm.intr.assume %c : i1`"""

    name = "llvm.intr.assume"
    cond = operand_def(types.i1)
    op_bundle_sizes = array_prop(())
    traits = traits_def(MemoryWriteEffect())
    FORMAT: ClassVar[str] = "$cond `:` type($cond) attr-dict"
    INFER: ClassVar[Infer] = {"cond": fixed(types.i1)}


@operation
class UndefOp(Op):
    """A value of which nothing is known.  `%0 = llvm.mlir.undef : !llvm.struct<(i32, f32)>`"""

    name = "llvm.mlir.undef"
    res = result_def(LLVM_TYPE)
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "attr-dict `:` type($res)"


@irdl_attr_definition
class PointerType(ParametrizedAttribute, TypeAttribute):
    """An untyped pointer into an address space: `!llvm.ptr`, `!llvm.ptr<3>`."""

    name = "llvm.ptr"
    address_space: IntAttr

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        if parser.parse_optional_punctuation("<") is None:
            return [IntAttr(0)]
        space = parser.parse_integer()
        parser.parse_punctuation(">")
        return [IntAttr(space)]

    def print_parameters(self, printer: Printer) -> None:
        if self.address_space.data:
            printer.print_string(f"<{self.address_space.data}>")


@irdl_attr_definition
class StructType(ParametrizedAttribute, TypeAttribute):
    """A literal struct, in which a thread holds its elements of a tensor.

    `!llvm.struct<(i32, f32)>`, `!llvm.struct<packed (i8, i32)>`
    """

    name = "llvm.struct"
    elements: ArrayAttr[TypeAttribute]
    is_packed: BoolAttr

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            is_packed = parser.parse_optional_keyword("packed") is not None
            elements = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
        return [ArrayAttr(elements), boolean(is_packed)]

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string("<packed (" if self.is_packed.value.data else "<(")
        printer.print_list(self.elements, printer.print_attribute)
        printer.print_string(")>")


Llvm = Dialect(
    "llvm", [AssumeOp, UndefOp], [LoopLICMAttr, LoopAnnotationAttr, PointerType, StructType]
)
