"""Format strings and the directives that they become."""

from __future__ import annotations

import pytest
from xdsl.irdl import (
    AttrSizedOperandSegments,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    var_operand_def,
)

from weft.ir import types
from weft.ir.assembly_format.attribute_directives import (
    AttrDictDirective,
    AttributeVariable,
    FlagsVariable,
    UnitAttributeVariable,
)
from weft.ir.assembly_format.directive import (
    FormatDirective,
    LiteralDirective,
    OIListDirective,
    OptionalGroup,
    WhitespaceDirective,
)
from weft.ir.assembly_format.format_parser import FormatParser
from weft.ir.assembly_format.spec import FormatSpec
from weft.ir.assembly_format.type_directives import (
    BareTypeDirective,
    FunctionalTypeDirective,
    TypeDirective,
)
from weft.ir.assembly_format.variables import OperandVariable, RegionVariable
from weft.ir.bit_enums import flags_prop
from weft.ir.builtin import Attribute, UnitAttr
from weft.ir.constraints import i32_prop
from weft.ir.operation import Op, operand_names, operation, result_names
from weft.ir.types import PointerType


@operation
class FormatOp(Op):
    """An operation of this test."""

    name = "test.format"
    values = var_operand_def()
    mask = opt_operand_def()
    axis = i32_prop(0)
    flags = flags_prop("overflow")
    wide = opt_prop_def(UnitAttr)
    any_property = prop_def(Attribute, default_value=types.i32)
    result = result_def()
    body = region_def()
    irdl_options = (AttrSizedOperandSegments(as_property=True),)


def parse(text: str) -> tuple[FormatDirective, ...]:
    spec = FormatSpec(
        cls=FormatOp,
        format=text,
        definition=FormatOp.get_irdl_definition(),
        operands=operand_names(FormatOp),
        results=result_names(FormatOp),
        infer={},
        bare_types={"mask": PointerType},
        custom={"Blank": WhitespaceDirective()},
        defaults=FormatOp.DEFAULTS,
    )
    return FormatParser(spec).parse()


def test_variables() -> None:
    values, mask, axis, flags, wide, body = parse("$values $mask $axis $flags $wide $body")
    assert values == OperandVariable("values", "many")
    assert mask == OperandVariable("mask", "optional")
    assert isinstance(axis, AttributeVariable)
    assert axis.default == FormatOp.DEFAULTS["axis"]
    assert flags == FlagsVariable("flags", "overflow", False)
    assert wide == UnitAttributeVariable("wide")
    assert body == RegionVariable("body")


def test_literals_and_types() -> None:
    directives = parse("`,` `` type($values) bare-type($mask) type(operands) custom<Blank>")
    assert directives == (
        LiteralDirective(","),
        WhitespaceDirective(),
        TypeDirective("values", "many"),
        BareTypeDirective("mask", PointerType),
        TypeDirective("operands", "many"),
        WhitespaceDirective(),
    )
    assert parse("functional-type($values, results)") == (FunctionalTypeDirective("values"),)
    assert parse("functional-type(operands, results)") == (FunctionalTypeDirective("operands"),)


def test_optional_groups_and_lists() -> None:
    (group,) = parse("(`mask` `=` $mask^)?")
    assert isinstance(group, OptionalGroup)
    assert group.directives[0] == LiteralDirective("mask")
    assert group.anchor is group.directives[2]
    (clauses,) = parse("oilist(`axis` `=` $axis | `wide` $wide)")
    assert isinstance(clauses, OIListDirective)
    assert [len(clause) for clause in clauses.clauses] == [3, 2]
    assert clauses.bound_properties() == {"axis", "wide"}


def test_the_dictionary_omits_the_properties_of_other_directives() -> None:
    _, dictionary = parse("(`axis` $axis^)? attr-dict")
    assert isinstance(dictionary, AttrDictDirective)
    assert not dictionary.with_keyword
    assert dictionary.elided == {"axis", "operandSegmentSizes", "resultSegmentSizes"}
    assert dictionary.defaults == FormatOp.DEFAULTS
    (dictionary,) = parse("attr-dict-with-keyword")
    assert isinstance(dictionary, AttrDictDirective)
    assert dictionary.with_keyword


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("$values ; attr-dict", "malformed assembly format"),
        ("(`mask` $mask)?", "an optional group has no anchor"),
        ("(`mask` $mask^", r"expected \)\? in the assembly format, found $"),
        ("type $values", r"expected \( in the assembly format, found \$values"),
        ("functional-type($values $mask)", r"expected , in the assembly format"),
        (")?", r"unexpected \)\? in the assembly format"),
    ],
)
def test_malformed_formats(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"test.format: .*{message}"):
        parse(text)
