"""Attributes that are read by IRDL when somebody asks."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import IntegerType, StringAttr, i32
from xdsl.ir import ParametrizedAttribute
from xdsl.irdl import ParamAttrDef, irdl_attr_definition
from xdsl.utils.exceptions import PyRDLAttrDefinitionError, VerifyException

from weft.ir.definitions import attribute_class, read_later


def declare(annotation):
    class Probe(ParametrizedAttribute):
        """Only of this test."""

        name = "test.probe"

    Probe.__annotations__ = {"width": annotation}
    return irdl_attr_definition(Probe)


def test_a_definition_is_read_when_it_is_asked_for():
    with read_later():
        probe = declare(IntegerType)
    definition = probe.get_irdl_definition()
    assert "parameters" not in vars(definition)
    assert probe(i32).width is i32
    assert [name for name, _ in definition.parameters] == ["width"]
    assert definition.name == "test.probe"
    assert definition.parameters == ParamAttrDef.from_pyrdl(probe).parameters


def test_parameters_are_checked_as_ever():
    with read_later():
        probe = declare(IntegerType)
    with pytest.raises(VerifyException, match="should be of base attribute integer_type"):
        probe(StringAttr("no number"))
    with pytest.raises(AttributeError, match="no_such_field"):
        _ = probe.get_irdl_definition().no_such_field


def test_outside_of_the_block_attributes_are_read_at_once():
    with read_later():
        declare(int)
    with pytest.raises(PyRDLAttrDefinitionError, match="Invalid field type"):
        declare(float)
    assert "parameters" in vars(declare(IntegerType).get_irdl_definition())


def test_what_cannot_be_read_is_told_when_it_is_asked_for():
    with read_later():
        probe = declare(float)
    with pytest.raises(PyRDLAttrDefinitionError, match="Invalid field type"):
        _ = probe.get_irdl_definition().parameters


def test_weft_s_own_attributes_are_read_when_they_are_asked_for():
    probe = attribute_class(type("Probe", (ParametrizedAttribute,), {"name": "test.own"}))
    assert "parameters" not in vars(probe.get_irdl_definition())
    assert probe().name == "test.own"
