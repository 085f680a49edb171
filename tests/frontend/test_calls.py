# ruff: noqa: F841 - kernels that bind names for the binding's sake
"""Calls of Python's built-in functions, constexpr functions and unsupported functions."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

import weft
import weft.language as tl
from weft import gluon as gl
from weft.frontend import python_builtins
from weft.language.kernel_function import kernel_function


@kernel_function
def python_functions(p, n, m):
    tl.static_assert(len((n, m)) == 2 and len("abc") == 3 and len(tl.arange(0, 8)) == 8)
    tl.static_assert(min(3, 4) + max((1, 2)) + abs(-1) + int(3.5) == 9)
    tl.static_assert(float("inf") > 3 and bool(1) and str(3) == "3")
    tl.static_assert(isinstance(n, tl.tensor) and not isinstance(n, tl.constexpr))
    tl.static_assert(isinstance(3, (tl.constexpr, int)) and isinstance((n,), tuple))
    tl.static_assert(isinstance(n.dtype, tl.dtype))  # pyright: ignore[reportAttributeAccessIssue]
    tl.static_assert(getattr(tl, "float32") == tl.float32)  # noqa: B009
    tl.static_assert(getattr(tl, "nothing", None) is None)
    tl.static_assert(hasattr(tl, "load") and not hasattr(tl, "nothing"))
    tl.static_assert(len(tuple([n, m])) + len(list(())) == 2)
    tl.static_assert(math.sqrt(64) == 8 and "relu".startswith("re"))
    tl.static_assert(tl.float32.is_floating() and tl.constexpr(3) == 3)
    tl.static_assert(tl.pointer_type(tl.int32) == p.dtype)


def test_python_functions_on_constants(operations):
    assert operations(python_functions) == ["tt.func", "tt.make_range", "tt.return"]


@kernel_function
def extremes(p, n, m):
    tl.store(p, min(n, m) + max(n, m, 3) + abs(n))


def test_min_max_abs_on_values(operations):
    names = operations(extremes)
    assert names.count("arith.minsi") == 1
    assert names.count("arith.maxsi") == 2
    assert "math.absi" in names


@kernel_function
def prints(p, n):
    print("n", n)


def test_print_is_device_print(operations):
    assert operations(prints)[1] == "tt.print"


@tl.constexpr_function
def half(n):
    if n < 0:
        raise ValueError("negative")
    return n // 2


@kernel_function
def calls_constexpr_function(p, N: tl.constexpr):
    tl.store(p + tl.arange(0, half(N)), 0)


def test_constexpr_function_runs_at_compile_time(lowered, refused):
    assert "tensor<16xi32>" in lowered(calls_constexpr_function, N=32)
    error = refused(calls_constexpr_function, N=-2)
    assert "half raised ValueError: negative" in error


@tl.constexpr
def narrower(element, signed):
    return tl.core.get_int_dtype(element.primitive_bitwidth // 2, signed)


@kernel_function
def calls_constexpr_of_a_function(p, N: tl.constexpr):
    element: tl.constexpr = narrower(p.dtype.element_ty, signed=False)
    tl.store(p + tl.arange(0, N), tl.arange(0, N).to(element).to(tl.int32))


def test_a_function_in_a_constexpr_runs_at_compile_time(lowered):
    assert "arith.extui" in lowered(calls_constexpr_of_a_function, N=32)


@kernel_function
def calls_host_functions(p, n, N: tl.constexpr):
    BLOCK: tl.constexpr = weft.next_power_of_2(N)
    tl.store(p + tl.arange(0, BLOCK) + n * weft.cdiv(N, BLOCK), 0)


@kernel_function
def tiles_of_a_value(p, n):
    tl.store(p, weft.cdiv(n, 32))


def test_host_functions_run_at_compile_time(lowered, refused):
    assert weft.cdiv(33, 32) == weft.next_power_of_2(2) == 2
    assert "tensor<64xi32>" in lowered(calls_host_functions, N=33)
    assert "weft.cdiv runs at compile time and requires constant" in refused(tiles_of_a_value)


@dataclasses.dataclass(frozen=True)
class Tile:
    rows: int

    def half(self, parts=2):
        return self.rows // parts

    @classmethod
    def depth(cls):
        return 7


@kernel_function
def calls_methods(p, n, tile: tl.constexpr, layout: tl.constexpr):
    SIZE: tl.constexpr = tile.half() + tile.half(parts=4) * 2  # pyright: ignore[reportAttributeAccessIssue]
    tl.static_print(layout.format_tensor_view([SIZE]))  # pyright: ignore[reportAttributeAccessIssue]
    tl.store(p + tl.arange(0, SIZE), tile.depth())  # pyright: ignore[reportAttributeAccessIssue]


@kernel_function
def calls_a_method_on_a_value(p, n, tile: tl.constexpr):
    tl.store(p, tile.half(n))  # pyright: ignore[reportAttributeAccessIssue]


def test_methods_of_python_objects_run_at_compile_time(lowered, refused, capsys):
    layout = gl.BlockedLayout([1], [32], [1], [0])
    text = lowered(calls_methods, tile=Tile(32), layout=layout)
    assert "tensor<32xi32>" in text
    assert "dense<7>" in text
    assert "T31:0" in capsys.readouterr().out
    assert "tile.half runs at compile time" in refused(calls_a_method_on_a_value, tile=Tile(32))


@kernel_function
def half_of_value(p, n):
    tl.store(p, half(n))


@kernel_function
def calls_numpy(p, n):
    tl.store(p, np.sum(n))


def plain(n):
    return n


@kernel_function
def calls_plain(p, n):
    tl.store(p, plain(n))


def doubled(value, *, _semantic=None):
    return tl.constexpr(value.value * 2)


# The mark of tl.core.builtin, as torch.compile sets it on its functions.
setattr(doubled, "__triton_builtin__", True)  # noqa: B010


@kernel_function
def calls_plain_functions(p, N: tl.constexpr):
    kind = tl.core._unwrap_if_constexpr(tl.uint32)  # pyright: ignore
    tl.static_assert(kind.primitive_bitwidth == 32)
    tl.static_assert(tl.core._unwrap_if_constexpr(N) == 8)  # pyright: ignore
    tl.static_assert(doubled(N) == 16)


def test_plain_functions_of_the_language_and_marked_ones_are_called(operations):
    assert operations(calls_plain_functions, N=8) == ["tt.func", "tt.return"]


@kernel_function
def calls_type(p, n):
    tl.store(p, tl.float32(n))  # pyright: ignore[reportCallIssue]


@kernel_function
def calls_number(p, n):
    three: tl.constexpr = 3
    tl.store(p, three(n))


@kernel_function
def float_of_value(p, n):
    tl.store(p, float(n))


@kernel_function
def float_of_text(p):
    tl.store(p, float("a"))


@kernel_function
def length_of_scalar(p, n):
    tl.store(p, len(n))


@kernel_function
def instance_of_value(p, n):
    tl.store(p, isinstance(n, 3))  # pyright: ignore[reportArgumentType]


@kernel_function
def too_many(p, n):
    tl.store(p, len(n, n))  # pyright: ignore[reportCallIssue]


@kernel_function
def by_name(p):
    tl.store(p, int(x=3))  # pyright: ignore[reportCallIssue]


@kernel_function
def attribute_by_number(p):
    tl.store(p, getattr(tl, 3))  # pyright: ignore[reportArgumentType]


@kernel_function
def range_as_value(p):
    x = range(3)


@kernel_function
def tl_range_as_value(p):
    x = tl.range(3)


@kernel_function
def constexpr_of_two(p):
    x = tl.constexpr(1, 2)  # pyright: ignore[reportCallIssue]


def test_unsupported_calls(refused):
    error = refused(calls_numpy)
    assert "Unsupported function referenced: np.sum" in error
    assert "found: numpy.sum" in error
    assert "functions of weft.language" in error
    assert "see tl.sum" in error
    assert "decorate it with weft.jit" in refused(calls_plain)
    assert "half runs at compile time and requires constant" in refused(half_of_value)
    assert "convert with x.to(tl.float32)" in refused(calls_type)
    assert "Unsupported function referenced: three" in refused(calls_number)
    assert "float() requires compile-time constants" in refused(float_of_value)
    assert "could not convert string to float" in refused(float_of_text)
    assert "int32[] has no len()" in refused(length_of_scalar)
    assert "isinstance() arg 2 must be a type" in refused(instance_of_value)
    assert "len expected 1 arguments, got 2" in refused(too_many)
    assert "int() takes no keyword arguments" in refused(by_name)
    assert "attribute name must be string" in refused(attribute_by_number)
    assert "range can only be the iterator of a for loop" in refused(range_as_value)
    assert "tl.range can only be the iterator of a for loop" in refused(tl_range_as_value)
    assert "tl.constexpr requires one argument" in refused(constexpr_of_two)


@kernel_function
def asserts(p, N: tl.constexpr):
    tl.static_assert(N == 5, f"N is {N}")
    tl.static_assert(cond=N > 2)


@kernel_function
def asserts_value(p, n):
    tl.static_assert(n > 3)


def test_static_assert(operations, refused):
    assert operations(asserts, N=5) == ["tt.func", "tt.return"]
    error = refused(asserts, N=4)
    assert "static assertion failed: N is 4" in error
    assert "found: N == 5" in error
    assert "assertion condition could not be determined at" in refused(asserts_value)


def test_names_of_python_s_functions():
    functions = {getattr(function, "__name__", "") for function in python_builtins._HANDLERS}
    assert functions | {"print"} == python_builtins.NAMES


@kernel_function
def dots(p, PRECISION: tl.constexpr):
    i = tl.arange(0, 32)
    pointers = p + i[:, None] * 32 + i[None, :]
    block = tl.load(pointers).to(tl.float32)
    by_default = tl.dot(block, block)
    explicit = tl.dot(block, block, allow_tf32=PRECISION)
    tl.store(pointers, (by_default + explicit).to(tl.int32))


@pytest.mark.parametrize(("value", "count"), [(None, 1), (False, 1), (True, 2)])
def test_allow_tf32_of_none_is_false_as_in_triton(lowered, value, count):
    assert lowered(dots, PRECISION=value).count("inputPrecision = tf32") == count
