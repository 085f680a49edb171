"""Rules on the types of operands and results."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from xdsl.utils.exceptions import VerifyException

from weft.ir import arith, type_rules, types
from weft.ir.builtin import Attribute, Block
from weft.layouts import parse

BLOCKED = parse(
    "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>"
)
PLAIN = types.tensor((8,), types.i32)
ENCODED = types.tensor((8,), types.i32, BLOCKED)
LONGER = types.tensor((16,), types.i32)
FLOATS = types.tensor((8,), types.f32)


@pytest.mark.parametrize(
    ("rule", "accepted", "rejected", "what"),
    [
        (type_rules.require_same_type, PLAIN, ENCODED, "type"),
        (type_rules.require_same_type, PLAIN, FLOATS, "type"),
        (type_rules.require_same_shape, FLOATS, LONGER, "shape"),
        (type_rules.require_same_encoding, FLOATS, ENCODED, "encoding"),
        (type_rules.require_same_element_type, LONGER, FLOATS, "element type"),
    ],
)
def test_rules_on_several_types(
    rule: Callable[..., None], accepted: Attribute, rejected: Attribute, what: str
) -> None:
    rule(PLAIN, accepted, PLAIN)
    message = f"requires the same {what} for all operands and results"
    with pytest.raises(VerifyException, match=message):
        rule(PLAIN, PLAIN, rejected)


def test_floats_and_integers() -> None:
    type_rules.require_float("operand #0", FLOATS)
    type_rules.require_integer("operand #0", PLAIN)
    type_rules.require_integer("operand #0", types.index)
    message = "operand #0 must be floating-point-like, but got 'i32'"
    with pytest.raises(VerifyException, match=message):
        type_rules.require_float("operand #0", types.i32)
    message = "result #0 must be signless-integer-like, but got 'f32'"
    with pytest.raises(VerifyException, match=message):
        type_rules.require_integer("result #0", types.f32)
    with pytest.raises(VerifyException, match="must be an index, but got"):
        type_rules.require_integer("result #0", types.f32, "an index")


def test_names_of_values() -> None:
    block = Block(arg_types=[types.i32, types.i32])
    op = arith.AddIOp.create(operands=list(block.args), result_types=[types.i32])
    names = [type_rules.operand_name(op, value) for value in (*op.operands, *op.results)]
    assert names == ["operand #0", "operand #1", "result #0"]
