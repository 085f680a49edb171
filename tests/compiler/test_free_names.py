"""The free names of kernels and host functions, and the functions that they reach."""

from __future__ import annotations

import math

import weft
import weft.language as tl
from weft.compiler.free_names import free_names, is_constant, is_fixed, reachable_functions

LIMIT = 3


def plain(n):
    return sorted(m + LIMIT for m in range(n))


@tl.constexpr_function
def constant(n):
    return plain(n) and math.sqrt(n)


@weft.jit
def kernel(x):
    tl.store(x, constant(4))


def test_reachable_functions():
    assert list(reachable_functions(kernel)) == [kernel, constant, plain]
    assert list(reachable_functions(constant)) == [constant, plain]


def test_functions_of_the_language_are_not_reached():
    @weft.jit
    def of_the_language(x):
        tl.store(x, tl.cdiv(4, 2) + tl.sum(tl.zeros((4,), tl.int32)))

    assert list(reachable_functions(of_the_language)) == [of_the_language]


def test_free_names_of_nested_code():
    assert "LIMIT" in {each.name for each in free_names(plain)}, "of the generator expression"


def test_names_of_closures():
    width = tl.constexpr(8)

    @tl.constexpr_function
    def twice():
        return width * 2

    (reference,) = (each for each in free_names(twice) if each.name == "width")
    assert reference.look_up("width") is reference.value is width


def test_constants():
    constants = (1, 0.5, "a", True, tl.constexpr(2), tl.float16, (1, (tl.int8, "b")))
    assert all(map(is_constant, constants))
    assert not any(map(is_constant, (None, [1], (1, plain), math, kernel)))


def test_what_is_never_rebound():
    assert all(map(is_fixed, (tl, weft, len, float)))
    assert not any(map(is_fixed, (math, plain, kernel)))
