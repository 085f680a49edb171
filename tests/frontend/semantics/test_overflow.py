"""Integer overflow with sanitize_overflow: the assertion, and a launch that fails."""

from __future__ import annotations

import numpy as np
import pytest

import weft
import weft.language as tl
from weft.errors import LaunchError
from weft.interpreter import run


@weft.jit
def sums(out, a, b, wide):
    tl.store(out, a + b)
    tl.store(out + 1, tl.add(a, b, sanitize_overflow=False))
    tl.store(out + 2, wide * wide)


@weft.jit
def negative(out, a):
    tl.store(out, -a)


def asserted(kernel, signature, **options):
    compiled = weft.compile(kernel, signature=signature, target="cuda:90", **options)
    ttir = compiled.module("ttir")
    return ttir, compiled.asm["ttir"].count("tt.assert")


@pytest.mark.parametrize("kind", ["i8", "u8", "i16", "i32", "u32"])
def test_overflow_is_checked(kind):
    signature = {"out": f"*{kind}", "a": kind, "b": kind, "wide": "i64"}
    ttir, count = asserted(sums, signature, debug=True)
    assert count == 1
    limits = np.iinfo({"i": "int", "u": "uint"}[kind[0]] + kind[1:])
    out = np.zeros(3, limits.dtype)
    greatest = int(limits.max)
    run(ttir, "sums", (1,), [out, greatest - 1, 1, 3])
    assert out.tolist() == [greatest, greatest, 9]
    with pytest.raises(LaunchError, match=f"int{kind[1:]} overflow detected for operation add"):
        run(ttir, "sums", (1,), [out, greatest, 1, 3])


def test_negation_of_the_minimum_overflows():
    ttir, _ = asserted(negative, {"out": "*i32", "a": "i32"}, debug=True)
    with pytest.raises(LaunchError, match="int32 overflow detected for operation sub"):
        run(ttir, "negative", (1,), [np.zeros(1, np.int32), -(1 << 31)])


@pytest.mark.parametrize("options", [{}, {"debug": True, "sanitize_overflow": False}])
def test_overflow_is_not_checked_by_default(options):
    signature = {"out": "*i32", "a": "i32", "b": "i32", "wide": "i64"}
    assert asserted(sums, signature, **options)[1] == 0
