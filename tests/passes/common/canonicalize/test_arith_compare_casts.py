"""Float comparisons of cast integers and the integer comparisons that replace them agree."""

from __future__ import annotations

import math
import operator

import numpy as np
import pytest

from weft.ir import arith
from weft.ir.attributes import number
from weft.ir.constants import constant_attribute
from weft.ir.enums import CmpIPredicate
from weft.ir.text import parse_module
from weft.passes import parse_pipeline, run_pipeline

RELATIONS = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}
CONSTANTS = (0.0, 0.5, -0.5, 1.0, -1.0, 5.5, -5.5, 127.0, 127.5, 128.0, -128.0, -128.5, 255.0)
CONSTANTS += (255.5, 256.0, 300.0, -300.0, 2047.0, 2048.0, 2049.0, 4096.0, 32768.0, -32768.0)
CONSTANTS += (65504.0, -65504.0, math.inf, -math.inf)


def canonicalized(
    width: int, cast: str, predicate: str, constant: float
) -> arith.CmpIOp | bool | None:
    """Canonicalize a comparison; return the new comparison or constant, None if unchanged."""
    bits = np.float16(constant).view(np.uint16)
    module = parse_module(
        f"tt.func @f(%i: i{width}) -> i1 {{\n"
        f"  %c = arith.constant 0x{int(bits):04X} : f16\n"
        f"  %x = arith.{cast} %i : i{width} to f16\n"
        f"  %r = arith.cmpf {predicate}, %x, %c : f16\n"
        "  tt.return %r : i1\n}"
    )
    run_pipeline(parse_pipeline("canonicalize"), module, verify=True)
    function = module.body.block.first_op
    assert function is not None
    op = function.regions[0].block.last_op
    assert op is not None
    result = op.operands[0]
    attribute = constant_attribute(result)
    if attribute is not None:
        return bool(number(attribute))
    return result.owner if isinstance(result.owner, arith.CmpIOp) else None


def compare(op: arith.CmpIOp, values: np.ndarray) -> np.ndarray:
    """Evaluate an integer comparison with a constant."""
    keyword = CmpIPredicate.of(op.properties["predicate"]).keyword
    constant = number(constant_attribute(op.operands[1]))
    assert constant is not None
    bound = int(constant)
    if values.min() >= 0:
        bound %= int(values.max()) + 1
    assert keyword in ("eq", "ne") or (keyword[0] == "s") == (values.min() < 0)
    return RELATIONS[keyword[-2:]](values, bound)


@pytest.mark.parametrize("predicate", [f"{nan}{name}" for nan in "ou" for name in RELATIONS])
@pytest.mark.parametrize("cast", ["sitofp", "uitofp"])
@pytest.mark.parametrize("width", [8, 16])
def test_every_integer_compares_alike(width, cast, predicate):
    low = -(1 << (width - 1)) if cast == "sitofp" else 0
    values = np.arange(low, low + (1 << width))
    with np.errstate(over="ignore"):
        floats = values.astype(np.float16)
    unchanged = 0
    for constant in CONSTANTS:
        expected = RELATIONS[predicate[1:]](floats, np.float16(constant))
        result = canonicalized(width, cast, predicate, constant)
        if result is None:
            unchanged += 1
        elif isinstance(result, bool):
            assert (expected == result).all(), constant
        else:
            assert (compare(result, values) == expected).all(), constant
    # All integers of 8 bits are exact in f16. Of 16 bits, those from 2048 on are rounded.
    assert (unchanged == 0) == (width == 8)


@pytest.mark.parametrize(("predicate", "result"), [("ord", True), ("uno", False)])
def test_a_cast_integer_is_not_nan(predicate, result):
    assert canonicalized(8, "sitofp", predicate, 1.0) is result


@pytest.mark.parametrize("predicate", ["oeq", "une", "ult"])
def test_comparisons_with_nan_stay(predicate):
    assert not isinstance(canonicalized(8, "sitofp", predicate, math.nan), arith.CmpIOp)
