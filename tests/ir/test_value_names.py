"""Names of values after variables, which xDSL may refuse."""

from __future__ import annotations

import pytest

from weft.ir.builtin import Block, IntegerType
from weft.ir.value_names import set_name_hint


@pytest.mark.parametrize(
    ("variable", "name"),
    [
        ("acc", "acc"),
        ("acc_1", "acc"),
        ("_0", None),
        ("_0_1", None),
        ("acc_1_2", "acc"),
        ("β", None),
        ("_", "_"),
    ],
)
def test_variable_names(variable, name):
    value = Block(arg_types=[IntegerType(32)]).args[0]
    set_name_hint(value, variable)
    assert value.name_hint == name


def test_value_without_a_name_is_replaced():
    block = Block(arg_types=[IntegerType(32)] * 2)
    set_name_hint(block.args[0], "_0")
    block.args[0].replace_all_uses_with(block.args[1])
    assert block.args[1].name_hint is None
