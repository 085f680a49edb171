"""tl.make_tensor_descriptor and the methods of a descriptor: their operations, and errors."""

from __future__ import annotations

import pytest

import weft.language as tl
from tests.frontend.semantics.bench import Bench, error_of
from weft.errors import TypeMismatchError, WeftError


def test_tensor_descriptor():
    bench = Bench("*i32", "i32")
    base, n = bench.args
    descriptor = bench.call(tl.make_tensor_descriptor, base, (n, 64), (64, 1), (16, 32))
    loaded = bench.call(bench.emitter.attribute(descriptor, "load"), (0, n))
    bench.call(bench.emitter.attribute(descriptor, "store"), (n, 0), loaded)
    bench.call(bench.emitter.attribute(descriptor, "atomic_xor"), (n, 0), loaded)
    assert bench.emitter.attribute(descriptor, "block_shape").items[1].value == 32
    assert bench.emitter.attribute(descriptor, "shape").items[0].type == tl.int32
    lines = bench.lines()
    assert any("tensor<16x32xsi32>" in line for line in lines)
    assert lines[-1].startswith("tt.descriptor_reduce xor")


ERRORS = [
    (
        ("i32",),
        tl.make_tensor_descriptor,
        ((8,), (1,), (8,)),
        {},
        ("expected `base` of tl.make_tensor_descriptor to be a",),
    ),
    (
        ("*fp16",),
        tl.make_tensor_descriptor,
        ((8,), (1,), (4,)),
        {},
        ("at least 16 bytes", "8 elements or more"),
    ),
    (
        ("*fp16",),
        tl.make_tensor_descriptor,
        ((8, 8), (1,), (8,)),
        {},
        ("expected shape of tl.make_tensor_descriptor to have 1",),
    ),
    (
        ("*fp16",),
        tl.make_tensor_descriptor,
        ((8,), (2,), (8,)),
        {},
        ("tensor descriptor last dim must be 1 but got 2 (int)",),
    ),
    (
        ("*i32",),
        tl.make_tensor_descriptor,
        ((8,), (1,), (8,), "nan"),
        {},
        ("Padding option `nan` is not supported for integer blocks",),
    ),
    (
        ("*i32",),
        tl.make_tensor_descriptor,
        ((8,), (1,), (8,), "x"),
        {},
        ("Padding option x not supported",),
    ),
    (
        ("*i8",),
        tl.make_tensor_descriptor,
        ((8,) * 6, (1,) * 6, (1,) * 5 + (16,)),
        {},
        ("expected 1 <= ndim <= 5 but got 6 dimensions",),
    ),
    (
        ("*fp16",),
        tl.make_tensor_descriptor,
        ((1.5,), (1,), (8,)),
        {},
        ("expected integer scalars in shape of",),
    ),
    (("i32",), tl.load_tensor_descriptor, ((0,),), {}, ("expected a tensor descriptor",)),
]


@pytest.mark.parametrize(
    ("types", "function", "args", "kwargs", "fragments"),
    ERRORS,
    ids=[f"{row[1].__name__}-{row[4][0][:30]}" for row in ERRORS],
)
def test_error(types, function, args, kwargs, fragments):
    message = error_of(types, function, *args, **kwargs)
    assert all(fragment in message for fragment in fragments)


METHOD_ERRORS = [
    ((16, 32), "load", ((0,),), (), "expected 2 offsets, but got 1"),
    ((16, 32), "store", ((0, 0),), ("i8[16, 16]",), "value shape((16, 16)) mismatch"),
    ((16, 32), "atomic_add", ((0, 0),), ("i8[16, 32]",), "Unsupported dtype int8 in atomic_add"),
    ((32,), "gather", (0, 0), (), "descriptor must be 2D, but got (32,)"),
    ((16, 32), "gather", (0, 0), (), "descriptor block must have 1 row, but got (16, 32)"),
    ((1, 32), "gather", (0, 0), (), "x offsets must be 1D of int32"),
]


@pytest.mark.parametrize(("block", "method", "args", "types", "message"), METHOD_ERRORS)
def test_error_of_a_method(block, method, args, types, message):
    bench = Bench("*i8", *types)
    base, *values = bench.args
    strides = (32, 1)[-len(block) :]
    descriptor = bench.call(tl.make_tensor_descriptor, base, block, strides, block)
    with pytest.raises(WeftError) as caught:
        bench.call(bench.emitter.attribute(descriptor, method), *args, *values)
    assert message in str(caught.value)


def test_gather_needs_eight_rows():
    bench = Bench("*i8", "i32[4]")
    base, rows = bench.args
    descriptor = bench.call(tl.make_tensor_descriptor, base, (64, 32), (32, 1), (1, 32))
    with pytest.raises(TypeMismatchError, match="must have at least 8 rows, but got 4"):
        bench.call(bench.emitter.attribute(descriptor, "gather"), rows, 0)
