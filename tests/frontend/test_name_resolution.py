# ruff: noqa: F841 - kernels that bind names for the binding's sake
"""Names, attributes and subscripts."""

from __future__ import annotations

import math
import sys
from collections import namedtuple
from types import ModuleType

import numpy as np

import weft.language as tl
from weft.language.kernel_function import kernel_function

FACTOR = tl.constexpr(4)
PLAIN = 4
ELEMENT = tl.float32
NOTHING = None
Pair = namedtuple("Pair", ["low", "high"])


@kernel_function
def reads_globals(p, n):
    tl.store(p, n.to(ELEMENT).to(tl.int32) * FACTOR)
    x: tl.constexpr = NOTHING
    y: tl.constexpr = math.pi
    tl.static_assert(x is None and y > 3)


def test_readable_globals(lowered):
    assert "arith.constant 4 : i32" in lowered(reads_globals)


def closure_kernel(value):
    factor = tl.constexpr(value)

    @kernel_function
    def scaled(p, n):
        tl.store(p, n * factor)

    return scaled


def test_closure_variable(lowered):
    assert "arith.constant 7 : i32" in lowered(closure_kernel(7))
    assert "arith.constant 9 : i32" in lowered(closure_kernel(9))


@kernel_function
def makes_named_tuple(p, n, m):
    pair = Pair(n, high=m)
    tl.store(p, pair.high - pair[0])


def test_named_tuple_fields(lowered):
    assert "arith.subi %arg2, %arg1" in lowered(makes_named_tuple)


@kernel_function
def slices(p, n, m):
    t = (n, m, 3)
    u = t[1:]
    tl.store(p, u[0] + u[-1] + [n, m][1])


def test_tuple_index_and_slice(operations):
    assert operations(slices).count("arith.addi") == 2


@kernel_function
def asks_types(p, q, n):
    bits: tl.constexpr = q.dtype.element_ty.primitive_bitwidth
    tl.static_assert(bits == 32)
    tl.static_assert(q.dtype.is_ptr())
    tl.static_assert(tl.arange(0, 8).shape[0] == 8)
    tl.static_assert(FACTOR.value == 4)


def test_type_predicates_are_constants(operations):
    assert operations(asks_types) == ["tt.func", "tt.make_range", "tt.return"]


@kernel_function
def comprehends(p, n, m):
    t = [k + 1 for k in (n, m)]
    tl.store(p, t[0] - t[1])


def test_list_comprehension_over_a_tuple(operations):
    assert operations(comprehends).count("arith.addi") == 2


@kernel_function
def plain_global(p):
    tl.store(p, PLAIN)


def test_global_variable_is_an_error(refused):
    error = refused(plain_global)
    assert "Cannot access global variable PLAIN from within @jit'ed" in error
    assert "found: PLAIN = 4 (int)" in error
    assert "PLAIN = tl.constexpr(...)" in error


@kernel_function
def misspelt(p, count):
    tl.store(p, cuont)  # noqa: F821  # pyright: ignore[reportUndefinedVariable]


@kernel_function
def unknown_function(p, n):
    tl.stor(p, n)  # pyright: ignore[reportCallIssue]


@kernel_function
def unknown_in_numpy(p, n):
    tl.store(p, np.nosuch)  # pyright: ignore[reportAttributeAccessIssue]


@kernel_function
def unknown_attribute(p, n):
    tl.store(p, n.dtype.bits)


@kernel_function
def unknown_field(p, n):
    tl.store(p, Pair(n, n).middle)  # pyright: ignore[reportAttributeAccessIssue]


@kernel_function
def missing_field(p, n):
    tl.store(p, Pair(n)[0])  # pyright: ignore[reportCallIssue]


def test_unknown_names_suggest_similar_ones(refused):
    error = refused(misspelt, types={"p": "*i32", "count": "i32"})
    assert "cuont is not defined" in error
    assert "did you mean count" in error
    error = refused(unknown_function)
    assert "unknown function tl.stor" in error
    assert "did you mean tl.store" in error
    assert "unknown function np.nosuch" in refused(unknown_in_numpy)
    assert "has no attribute bits" in refused(unknown_attribute)
    assert "tuple has no field middle" in refused(unknown_field)
    assert "missing 1 required positional argument" in refused(missing_field)


@kernel_function
def index_by_value(p, n, m):
    tl.store(p, (n, m)[n])


@kernel_function
def index_too_far(p, n, m):
    tl.store(p, (n, m)[2])  # pyright: ignore[reportGeneralTypeIssues]


@kernel_function
def index_by_text(p, n, m):
    t = (n, m)
    tl.store(p, t["a"])  # pyright: ignore[reportArgumentType, reportCallIssue]


@kernel_function
def index_module(p):
    tl.store(p, math[0])  # pyright: ignore[reportIndexIssue]


@kernel_function
def index_kernel(p):
    index_module[0](p)  # pyright: ignore[reportIndexIssue]


@kernel_function
def index_number(p):
    x: tl.constexpr = 3
    tl.store(p, x[0])


@kernel_function
def slice_by_value(p, n):
    t = (n, n)[n:]


def test_invalid_subscripts(refused):
    assert "tuple index must be a compile-time constant" in refused(index_by_value)
    assert "tuple index out of range for 2 members" in refused(index_too_far)
    assert "tuple index must be an integer" in refused(index_by_text)
    assert "<module 'math' from" in refused(index_module)
    assert "inside a kernel call it" in refused(index_kernel)
    assert "cannot index the constant: 'int' object is not" in refused(index_number)
    assert "slice bounds must be compile-time constants" in refused(slice_by_value)


@kernel_function
def uses_what_only_triton_has(p, N: tl.constexpr):
    depth: tl.constexpr = tl.standard._depth(N)  # pyright: ignore
    tl.store(p, depth)


def test_private_name_of_a_module_is_looked_up_in_triton(lowered, refused, monkeypatch):
    assert "unknown function tl.standard._depth" in refused(uses_what_only_triton_has, N=8)
    theirs = ModuleType("triton.language.standard")
    theirs._depth = tl.constexpr_function(lambda n: n.bit_length())  # pyright: ignore
    monkeypatch.setitem(sys.modules, theirs.__name__, theirs)
    assert "arith.constant 4 : i32" in lowered(uses_what_only_triton_has, N=8)


@kernel_function
def bits_of(q, p, SIGNED: tl.constexpr):
    x = tl.load(q)
    kind: tl.constexpr = tl.core.get_int_dtype(bitwidth=x.dtype.primitive_bitwidth, signed=SIGNED)
    tl.static_assert(kind == (tl.int32 if SIGNED else tl.uint32))
    tl.store(p, x.to(kind, bitcast=True))


def test_integer_type_of_a_width(lowered):
    for signed in (True, False):
        assert "tt.bitcast" in lowered(bits_of, SIGNED=signed)


@kernel_function
def bits_of_none(p):
    tl.store(p, tl.zeros((), tl.get_int_dtype(24, True)))


def test_invalid_integer_width(refused):
    assert "Unsupported bitwidth" in refused(bits_of_none)
