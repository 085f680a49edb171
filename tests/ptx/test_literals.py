"""Literals of PTX."""

from __future__ import annotations

import pytest

from weft.ptx.literals import parse_literal


@pytest.mark.parametrize(
    ("text", "type_", "bits"),
    [
        ("12", "u32", 12),
        ("0x7F", "b8", 0x7F),
        ("-1", "s16", 0xFFFF),
        ("0f3F800000", "f32", 0x3F800000),
        ("0f3F800000", "f64", 0x3FF0000000000000),
        ("1.5", "f32", 0x3FC00000),
        ("7U", "u32", 7),
    ],
)
def test_literals(text, type_, bits):
    assert parse_literal(text, type_).tolist() == [bits]
