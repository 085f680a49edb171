"""The functions of tl.extra.libdevice: their operations, and errors."""

from __future__ import annotations

import pytest

import weft.language as tl
from tests.frontend.semantics.bench import emitted, error_of
from tests.frontend.semantics.facts import GFX942
from weft.errors import UnsupportedError
from weft.frontend.options import FrontendOptions

LAST = [
    (
        ("fp32",),
        tl.extra.libdevice.tanh,
        (),
        {},
        'tt.extern_elementwise %arg0 {libname = "", libpath = "", pure = true, '
        'symbol = "__nv_tanhf"} : (f32) -> f32',
    ),
]


@pytest.mark.parametrize(
    ("types", "function", "args", "kwargs", "last"), LAST, ids=[row[4][:40] for row in LAST]
)
def test_last_operation(types, function, args, kwargs, last):
    assert emitted(types, function, *args, **kwargs)[-1] == last


def test_math_library_of_the_target():
    assert "__ocml_pow_f32" in emitted(("fp32", "fp32"), tl.extra.libdevice.pow, options=GFX942)[0]
    lines = emitted(("fp32",), tl.extra.cuda.libdevice.isnan, options=GFX942)
    assert "__nv_isnanf" in lines[0]
    assert lines[-1].startswith("arith.cmpi ne")


def test_function_missing_in_the_math_library():
    with pytest.raises(UnsupportedError, match="the math library of hip has no function cbrt"):
        emitted(("fp32",), tl.extra.libdevice.cbrt, options=GFX942)


def test_the_cpu_device_has_the_functions_of_both_libraries():
    text = emitted(("fp32",), tl.extra.libdevice.cbrt, options=FrontendOptions(backend="cpu"))
    assert "__nv_cbrtf" in str(text)


ERRORS = [
    (
        ("fp16",),
        tl.extra.libdevice.tanh,
        (),
        {},
        ("input arg type does not match. Expect one of", "fp32, fp64"),
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
