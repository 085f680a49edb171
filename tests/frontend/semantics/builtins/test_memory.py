"""tl.load and tl.store of pointers: their operations, and errors."""

from __future__ import annotations

import pytest

import weft.language as tl
from tests.frontend.semantics.bench import emitted, error_of

LAST = [
    (("*fp16[8]",), tl.load, (), {}, "tt.load %arg0 : tensor<8x!tt.ptr<f16>>"),
    (
        ("*fp16",),
        tl.load,
        (),
        {"cache_modifier": ".cg", "eviction_policy": "evict_first", "volatile": True},
        "tt.load %arg0 cacheModifier = cg evictionPolicy = evict_first "
        "{isVolatile = true} : !tt.ptr<f16>",
    ),
    (("*fp32[8]", "fp32[8]"), tl.store, (), {}, "tt.store %arg0, %arg1 : tensor<8x!tt.ptr<f32>>"),
]


@pytest.mark.parametrize(
    ("types", "function", "args", "kwargs", "last"), LAST, ids=[row[4][:40] for row in LAST]
)
def test_last_operation(types, function, args, kwargs, last):
    assert emitted(types, function, *args, **kwargs)[-1] == last


def test_mask_and_other_of_a_load():
    assert emitted(("*fp16[8, 4]", "i1[4]"), tl.load, 0.0)[-3:] == [
        "arith.constant dense<0.000000e+00> : tensor<8x4xf32>",
        "arith.truncf %cst_0 : tensor<8x4xf32> to tensor<8x4xf16>",
        "tt.load %arg0, %1, %2 : tensor<8x4x!tt.ptr<f16>>",
    ]


def test_int1_is_a_byte_in_memory():
    names = [line.split()[0] for line in emitted(("*i1[8]",), tl.load)]
    assert names[:2] == ["tt.bitcast", "tt.load"]
    assert names[-1] == "arith.cmpi"
    names = [line.split()[0] for line in emitted(("*i1[8]", "i1[8]"), tl.store)]
    assert names == ["tt.bitcast", "arith.extui", "tt.store"]


ERRORS = [
    (("i32",), tl.load, (), {}, ("Unsupported ptr type int32[] in `tl.load`", "found: int32[]")),
    (("*fp32",), tl.load, (), {"other": 0.0}, ("`other` cannot be provided without `mask`",)),
    (
        ("*fp32", "i1[8]"),
        tl.load,
        (),
        {},
        ("mask argument cannot be block type if pointer argument", "int1[8]"),
    ),
    (
        ("*fp32[8]", "i32[8]"),
        tl.load,
        (),
        {},
        ("mask must have boolean scalar type", "compare: x != 0"),
    ),
    (
        ("*fp32",),
        tl.load,
        (),
        {"cache_modifier": ".cx"},
        ("cache modifier .cx not supported", '".cg"'),
    ),
    (("*fp32",), tl.load, (), {"eviction_policy": "x"}, ("eviction policy x not supported",)),
    (
        ("*fp32",),
        tl.load,
        (),
        {"boundary_check": (0,)},
        ("`padding_option` or `boundary_check` argument is not", "use mask"),
    ),
    (("*kfp32", "fp32"), tl.store, (), {}, ("Cannot store to a constant pointer",)),
    (
        ("*fp32[8]", "fp32[8, 8]"),
        tl.store,
        (),
        {},
        ("Expected pointer argument to have shape (8, 8) but got",),
    ),
    (
        ("*fp32", "fp32[8]"),
        tl.store,
        (),
        {},
        ("value argument cannot be block type if pointer argument",),
    ),
    (
        ("*fp32", "fp32"),
        tl.store,
        (),
        {"cache_modifier": ".ca"},
        ("cache modifier .ca not supported",),
    ),
    (
        ("*fp32", "fp32"),
        tl.store,
        (),
        {"boundary_check": (0,)},
        ("`padding_option` or `boundary_check` argument is not",),
    ),
]


@pytest.mark.parametrize(
    ("types", "function", "args", "kwargs", "fragments"),
    ERRORS,
    ids=[f"{row[1].__name__}-{row[4][0][:30]}" for row in ERRORS],
)
def test_error(types, function, args, kwargs, fragments):
    message = error_of(types, function, *args, **kwargs)
    assert all(fragment in message for fragment in fragments)
