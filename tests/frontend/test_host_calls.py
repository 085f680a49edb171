"""Aggregates and Python functions in kernels, run on the CPU device beside numpy."""

# pyright: basic, reportAttributeAccessIssue=false, reportOptionalMemberAccess=false
# pyright: reportOperatorIssue=false, reportFunctionMemberAccess=false
from __future__ import annotations

import numpy as np
import pytest

import weft
import weft.language as tl
from weft.compiler.fingerprint import fingerprint
from weft.errors import CompilationError


@tl.core.builtin
def twice(x, _semantic=None):
    return tl.add(x, _semantic.mul(x, 1), _semantic=_semantic)


@tl.core.aggregate
class Pair:
    first: tl.tensor
    second: tl.tensor
    factor: tl.constexpr

    def __init__(self, first, second, factor, _semantic=None):
        self.first = first
        self.second = _semantic.to_tensor(second)
        self.factor = tl.constexpr(factor)

    @weft.jit
    def step(self, amount):
        return Pair(self.first + amount, self.second, self.factor)

    @weft.jit
    def __add__(self, other):
        return self.first + other

    @tl.constexpr_function
    def doubled(self):
        return 2 * self.factor

    @tl.core.must_use_result
    @weft.jit
    def total(self):
        return self.first + self.second * self.factor

    @staticmethod
    def of(first):
        return Pair.__new__(Pair, first, first, 3, _semantic=None)

    def __getitem__(self, index, _semantic=None):
        return self.first if index == 0 else twice(self.second, _semantic=_semantic)


@tl.core.aggregate
class Outer:
    pair: Pair
    sizes: tl.tuple

    @weft.jit
    def __call__(self, x):
        return self.pair.total() + x * self.sizes[1]


@weft.jit
def kernel(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    pair = Pair(tl.load(x + i), 5, 3)
    for j in range(n):
        pair = pair.step(2.0)
        if j > 1:
            pair = pair.step(1.0)
    outer = Outer(pair, (i, 4))
    value = outer(twice(1.0)) + outer.pair[1] + outer.pair.doubled() + outer.sizes[0]
    tl.store(y + i, value + (pair + 1.0) * 0.5)


def test_aggregates_in_loops_branches_and_calls():
    x, y, i = np.arange(8, dtype=np.float32), np.zeros(8, np.float32), np.arange(8)
    kernel[(1,)](x, y, 4, B=8)
    first = x + 4 * 2 + 2 * 1
    np.testing.assert_array_equal(y, first + 15 + 2 * 4 + 10 + 6 + i + (first + 1) * 0.5)


def test_a_change_of_a_method_changes_the_kernel():
    def of(factor: str) -> str:
        namespace: dict = {"tl": tl, "weft": weft, "__name__": "made"}
        source = SOURCE.replace("FACTOR", factor)
        import linecache

        linecache.cache[f"<{factor}>"] = (len(source), None, source.splitlines(True), f"<{factor}>")
        exec(compile(source, f"<{factor}>", "exec"), namespace)
        return fingerprint(namespace["use"])

    assert of("2") != of("3")
    assert of("2") == of("2")


SOURCE = """
@tl.core.aggregate
class Scale:
    x: tl.tensor
    @weft.jit
    def apply(self):
        return self.x * FACTOR

@weft.jit
def use(x):
    tl.store(x, Scale(tl.load(x)).apply())
"""


def lower(function) -> str:
    return str(weft.compile(weft.jit(function), signature="", target="cuda:90").asm["ttir"])


def wrong_field():
    pair = Pair(tl.arange(0, 4), 1, 2)
    pair.thrid  # noqa: B018


def wrong_type():
    Pair(3, 1, 2)


def unused_result():
    pair = Pair(tl.arange(0, 4), 1, 2)
    pair.total()


def assigned_field():
    pair = Pair(tl.arange(0, 4), 1, 2)
    pair.first = 3


def missing_operator():
    _ = Pair(tl.arange(0, 4), 1, 2) * 2


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (wrong_field, "'Pair' object has no attribute 'thrid'"),
        (wrong_type, r"Expected .* for attribute 'first'"),
        (unused_result, "The result of pair.total is not being used"),
        (assigned_field, "Attribute assignment is not supported"),
        (missing_operator, "unsupported operand types for __mul__"),
    ],
)
def test_mistakes_are_located(function, message):
    with pytest.raises(CompilationError, match=message) as caught:
        lower(function)
    assert caught.value.location.line > function.__code__.co_firstlineno


@weft.jit
def depth(n: tl.constexpr):
    if n == 0:
        return 0
    return depth(n - 1) + 1


@weft.jit
def endless(n: tl.constexpr):
    return endless(n + 1) + 1


def test_a_function_calls_itself_with_other_constants():
    def counts(y):
        tl.store(y, depth(5))

    def does_not_end(y):
        tl.store(y, endless(0))

    y = np.zeros(1, np.int32)
    weft.jit(counts)[(1,)](y)
    assert y[0] == 5
    with pytest.raises(CompilationError, match="recursive call of endless"):
        weft.jit(does_not_end)[(1,)](y)


def test_a_constant_that_is_not_specialized_is_an_error():
    @weft.jit(do_not_specialize=["N"])
    def constant(N: tl.constexpr):
        pass

    with pytest.raises(CompilationError, match="N marked as constexpr and listed in do_not_spec"):
        constant[(1,)](5)


def scales(rows: tl.constexpr, columns: tl.constexpr):
    a = tl.full((32, 64), 0, tl.uint8)
    b = tl.full((64, 32), 0, tl.uint8)
    acc = tl.full((32, 32), 0.0, tl.float32)
    tl.dot_scaled(
        a, tl.full((rows, columns), 0, tl.uint8), "e5m2", b, tl.full((32, 2), 0, tl.uint8), "e5m2",
        acc,
    )  # fmt: skip


def test_shapes_of_scales():
    weft.compile(weft.jit(scales), signature="32, 2", target="cuda:100")
    with pytest.raises(CompilationError, match=r"lhs_scale must be a tensor of shape \[\.\.\., 32"):
        weft.compile(weft.jit(scales), signature="32, 4", target="cuda:100")
