"""Decomposed scaled dots: element types, scales and NaN, and dots that stay."""

from __future__ import annotations

import pytest

from tests.passes.amd.dot_modules import scaled_dot_module
from weft.ir import tt
from weft.ir.builtin import Operation
from weft.ir.text import parse_module, print_module
from weft.ir.verifier import verify
from weft.passes.rewrite.decompose_scaled import decompose_scaled, scale_factor
from weft.passes.rewrite.rewriter import Rewriter


def decomposed(formats: tuple[str, str], **options) -> tuple[bool, str]:
    """Decompose a scaled dot; return whether it was, and the module."""
    module = parse_module(scaled_dot_module("gfx942", (64, 64, 128), formats, **options))
    dot = next(op for op in module.walk() if isinstance(op, tt.DotScaledOp))
    is_decomposed = decompose_scaled(dot, Rewriter(module.body))
    verify(module)
    return is_decomposed, print_module(module)


def test_fp8_operands_are_scaled_in_16_bits():
    is_decomposed, text = decomposed(("e4m3", "bf16"), scales=(True, False))
    assert is_decomposed
    assert "tt.dot_scaled" not in text
    assert "tt.fp_to_fp" in text
    assert text.count("arith.mulf") == 1
    # An e8m0 scale is the exponent of a bf16, 7 bits from the right.
    assert "arith.constant 7 : i16" in text
    assert text.count("arith.select") == 1


def test_fp4_operands_are_unpacked():
    is_decomposed, text = decomposed(("e2m1", "e2m1"))
    assert is_decomposed
    assert text.count("ttg.fp4_to_fp") == 2
    assert text.count("arith.mulf") == 2


def test_fast_math_ignores_nan_scales():
    _, text = decomposed(("e4m3", "e5m2"), fast_math=True)
    assert "arith.select" not in text
    assert text.count("arith.mulf") == 2


def test_without_scales_operands_are_only_converted():
    _, text = decomposed(("e4m3", "e5m2"), scales=(False, False))
    assert "arith.mulf" not in text
    assert text.count("tt.fp_to_fp") == 2


@pytest.mark.parametrize("options", [{"left_by_k": False}, {"right_by_k": False}])
def test_operands_packed_along_m_or_n_stay(options):
    is_decomposed, text = decomposed(("e2m1", "e2m1"), **options)
    assert not is_decomposed
    assert "tt.dot_scaled" in text


def test_a_scale_applies_to_32_elements():
    module = parse_module(scaled_dot_module("gfx942", (64, 64, 128), ("e4m3", "e4m3")))
    dot: Operation = next(op for op in module.walk() if isinstance(op, tt.DotScaledOp))
    assert isinstance(dot, tt.DotScaledOp)
    assert scale_factor(dot) == 32
