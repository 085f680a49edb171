"""The definition of operations: defaults, accessors, names."""

from __future__ import annotations

from typing import ClassVar

import pytest
from xdsl.dialects.builtin import i32
from xdsl.ir import Attribute
from xdsl.irdl import (
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import Pure

from weft.ir.operation import Op, operand_names, operation, result_names
from weft.ir.tt import GetProgramIdOp, LoadOp


@operation
class ProbeOp(Op):
    """An operation of this test."""

    name = "test.probe"
    one = operand_def()
    other = opt_operand_def()
    width = prop_def(Attribute, default_value=i32)
    hint = opt_prop_def(Attribute)
    result = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$one attr-dict"


@operation
class OptionalsOp(Op):
    """An operation with two optional operands and a variadic result."""

    name = "test.optionals"
    one = operand_def()
    optionals = var_operand_def()
    first = result_def()
    rest = var_result_def()
    OPTIONALS: ClassVar[tuple[str, ...]] = ("mask", "other")
    RESULT_NAMES: ClassVar[tuple[str, ...]] = ("first", "rest")


def value():
    return GetProgramIdOp.create(properties={}, result_types=[i32]).results[0]


@pytest.mark.parametrize("how", ["create", "build"])
def test_a_new_operation_has_defaults_and_accessors(how):
    operand = value()
    if how == "create":
        op = ProbeOp.create(operands=[operand], result_types=[i32])
    else:
        op = ProbeOp(operands=[operand, None], result_types=[i32])
    assert ProbeOp.has_trait(Pure)
    assert op.properties == {"width": i32}
    assert op.one is operand
    assert op.other is None
    assert op.hint is None
    assert op.result is op.results[0]
    op.verify()


def test_a_default_does_not_replace_what_is_set():
    op = ProbeOp.create(
        operands=[value()], result_types=[i32], properties={"width": i32, "hint": i32}
    )
    assert op.properties == {"width": i32, "hint": i32}
    assert ProbeOp.DEFAULTS == {"width": i32}


def test_names_and_arities():
    assert operand_names(ProbeOp) == (("one", "one"), ("other", "optional"))
    assert operand_names(OptionalsOp) == (
        ("one", "one"),
        ("mask", "optional"),
        ("other", "optional"),
    )
    assert result_names(OptionalsOp) == (("first", "one"), ("rest", "many"))


@pytest.mark.parametrize(("count", "sizes"), [(1, (1, 0, 0)), (2, (1, 1, 0)), (3, (1, 1, 1))])
def test_the_generic_form_has_the_sizes_of_optional_operands(count, sizes):
    op = OptionalsOp.create(operands=[value()] * count, result_types=[i32])
    shown = op.generic_properties["operandSegmentSizes"]
    assert tuple(shown.get_values()) == sizes  # pyright: ignore[reportAttributeAccessIssue]
    assert (op.operand_or_none(1) is None) == (count < 2)
    assert "operandSegmentSizes" not in op.properties


@pytest.mark.parametrize("count", [1, 2, 4])
def test_result_groups(count):
    op = OptionalsOp.create(operands=[value()], result_types=[i32] * count)
    assert op.result_groups() == [1, count - 1]


def test_whether_an_operation_has_a_custom_form():
    assert OptionalsOp.create(operands=[value()], result_types=[i32]).generic_only
    assert not ProbeOp.create(operands=[value()], result_types=[i32]).generic_only
    assert operand_names(LoadOp)[0] == ("ptr", "one")


def test_an_operation_has_a_name():
    class Nameless(Op):
        """Has none."""

    with pytest.raises(TypeError, match="Nameless has no name"):
        operation(Nameless)
