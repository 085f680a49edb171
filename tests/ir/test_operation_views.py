"""Attributes of an operation by Triton's methods."""

from __future__ import annotations

from xdsl.dialects.builtin import SymbolRefAttr, UnregisteredOp

from weft.ir.operation_views import OperationView


def test_a_symbol_is_read_only_without_nested_references():
    operation = UnregisteredOp.with_name("test.call").create(
        attributes={"callee": SymbolRefAttr("f"), "nested": SymbolRefAttr("f", ["g"])}
    )
    view = OperationView(operation)
    assert view.get_flat_symbol_ref_attr("callee") == "f"
    assert view.get_flat_symbol_ref_attr("nested") is None
    assert view.get_flat_symbol_ref_attr("missing") is None
