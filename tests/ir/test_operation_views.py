"""Attributes of an operation by Triton's methods."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, SymbolRefAttr, UnregisteredOp, i32

from weft.ir.operation_views import OperationView


def test_a_symbol_is_read_only_without_nested_references():
    operation = UnregisteredOp.with_name("test.call").create(
        attributes={"callee": SymbolRefAttr("f"), "nested": SymbolRefAttr("f", ["g"])}
    )
    view = OperationView(operation)
    assert view.get_flat_symbol_ref_attr("callee") == "f"
    assert view.get_flat_symbol_ref_attr("nested") is None
    assert view.get_flat_symbol_ref_attr("missing") is None


def test_an_attribute_that_is_zero():
    operation = UnregisteredOp.with_name("test.range").create(
        properties={"start": IntegerAttr(0, i32)}, attributes={"end": IntegerAttr(0, i32)}
    )
    view = OperationView(operation)
    assert view.get_int_attr("start") == 0
    assert view.get_bool_attr("end") is False
    assert view.get_int_attr("missing") is None
