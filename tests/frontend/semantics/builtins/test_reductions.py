"""tl.reduce, tl.associative_scan and tl.map_elementwise: their operations, and errors."""

from __future__ import annotations

import pytest

import weft.language as tl
from tests.frontend.semantics.bench import Bench, emitted, error_of
from weft.errors import CompilationError, TypeMismatchError
from weft.frontend.semantics.emitter import Emitter
from weft.frontend.semantics.values import TupleValue
from weft.language.kernel_function import kernel_function

BLOCK = "fp32[8]"


def combine(e, *values):
    """Add two tuples; the bench calls it with the emitter, as a kernel function."""
    half = len(values) // 2
    return TupleValue(tuple(e.binary("+", values[i], values[half + i]) for i in range(half)))


COMBINE = kernel_function(combine)


def test_reduction_and_scan():
    bench = Bench("fp32[8, 4]", "i32[8, 4]")
    both = bench.call(tl.reduce, bench.args, 1, COMBINE, keep_dims=True)
    assert [value.shape for value in both.items] == [(8, 1), (8, 1)]
    whole = bench.call(tl.reduce, bench.args[0], None, COMBINE)
    assert whole.type == tl.float32
    running = bench.call(tl.associative_scan, bench.args[0], -1, COMBINE, reverse=True)
    text = "\n".join(bench.lines(both, whole, running))
    assert '"tt.reduce"(%arg0, %arg1) <{axis = 1 : i32}>' in text
    assert "tt.reshape %arg0 allow_reorder : tensor<8x4xf32> -> tensor<32xf32>" in text
    assert "<{axis = 1 : i32, reverse = true}>" in text


def test_map_elementwise():
    bench = Bench("fp32[8]", "fp32")
    result = bench.call(tl.map_elementwise, COMBINE, *bench.args)
    assert result.type == tl.block_type(tl.float32, [8])
    assert any("tt.map_elementwise" in line for line in bench.lines(result))


def test_combine_function_changes_the_type():
    def widen(e, a, b):
        return e.cast(a, tl.float64)

    with pytest.raises(CompilationError) as caught:
        emitted((BLOCK,), tl.reduce, 0, kernel_function(widen))
    assert "the combine function of tl.reduce must return the types" in str(caught.value)
    assert "widen returns fp64" in str(caught.value)


def test_reduction_without_call_function():
    bench = Bench(BLOCK)
    fresh = Emitter(bench.emitter.builder, bench.emitter.options)
    with pytest.raises(CompilationError, match="cannot be called here"):
        fresh.call_function(COMBINE, [])


ERRORS = [
    (
        (BLOCK,),
        tl.reduce,
        (1, COMBINE),
        {},
        ("reduction axis must be < inputs rank (1)", "-1 to 0"),
    ),
    ((BLOCK,), tl.reduce, (0, 3), {}, ("tl.reduce requires a kernel function",)),
    (
        ("fp32",),
        tl.reduce,
        (0, COMBINE),
        {},
        ("reduction axis must be < inputs rank (0)", "a block"),
    ),
    ((), tl.map_elementwise, (3,), {}, ("tl.map_elementwise requires a kernel function",)),
    (
        (),
        tl.map_elementwise,
        (COMBINE, 3),
        {},
        ("map_elementwise must have at least 1 input tensor",),
    ),
    ((), tl.map_elementwise, (COMBINE, 3), {"pack": 0}, ("pack must be a positive integer",)),
]


@pytest.mark.parametrize(
    ("types", "function", "args", "kwargs", "fragments"),
    ERRORS,
    ids=[f"{row[1].__name__}-{row[4][0][:30]}" for row in ERRORS],
)
def test_error(types, function, args, kwargs, fragments):
    message = error_of(types, function, *args, **kwargs)
    assert all(fragment in message for fragment in fragments)


def test_blocks_of_a_reduction_have_one_shape():
    bench = Bench("fp32[8]", "fp32[4]")
    with pytest.raises(TypeMismatchError, match="all reduction inputs must have the same shape"):
        bench.call(tl.reduce, bench.args, 0, COMBINE)


def test_results_of_map_elementwise_are_a_multiple_of_pack():
    bench = Bench(BLOCK)
    with pytest.raises(CompilationError, match="must return `pack` elements of each result"):
        bench.call(tl.map_elementwise, COMBINE, *bench.args, pack=2)
