"""ub.poison in the forms that Triton reads."""

import pytest

from weft.ir.text import parse_module, print_module
from weft.ir.types import i32
from weft.ir.ub import PoisonAttr, PoisonOp


@pytest.mark.parametrize(
    "form",
    [
        "ub.poison : i32",
        "ub.poison <#ub.poison> : i32",
        '"ub.poison"() <{value = #ub.poison}> : () -> i32',
        '"ub.poison"() : () -> i32',
        '"ub.poison"() <{}> : () -> i32',
        '"ub.poison"() {value = #ub.poison} : () -> i32',
        "ub.poison {value = #ub.poison} : i32",
    ],
)
def test_the_text_omits_the_attribute_of_a_poison_value(form: str):
    module = parse_module(f"tt.func @f() {{\n  %0 = {form}\n  tt.return\n}}\n")
    assert "%0 = ub.poison : i32\n" in print_module(module)
    (poison,) = (op for op in module.walk() if isinstance(op, PoisonOp))
    assert poison.properties == {"value": PoisonAttr()}


def test_every_constructor_sets_the_attribute():
    ops = PoisonOp.create(result_types=[i32]), PoisonOp.build(result_types=[i32])
    assert all(op.properties == {"value": PoisonAttr()} for op in (*ops, ops[0].clone()))


def test_the_generic_form_has_the_attribute():
    module = parse_module(
        "tt.func @f() {\n  %0 = ub.poison {a.b = 1 : i32} : i32\n  tt.return\n}\n"
    )
    text = '"ub.poison"() <{value = #ub.poison}> {a.b = 1 : i32} : () -> i32'
    assert text in print_module(module, generic=True)
