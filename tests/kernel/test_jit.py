"""`weft.jit`: what it takes, and what it rejects."""

from __future__ import annotations

import numpy as np
import pytest

import weft
import weft.language as tl
from weft import knobs
from weft.errors import IgnoredOptionWarning, UnsupportedError, WeftError
from weft.kernel.jit import JITFunction
from weft.kernel.kernel_interface import kernel_of


@weft.jit
def scale(x, n, factor, BLOCK: tl.constexpr):
    pass


def test_options_of_the_decorator():
    @weft.jit(do_not_specialize=["n"], debug=True, noinline=True)
    def kernel(x, n):
        pass

    assert kernel.parameters[1].do_not_specialize
    assert kernel.debug
    assert kernel.noinline
    assert kernel.arg_names == ["x", "n"]
    assert weft.jit(kernel) is kernel


def test_do_not_specialize_of_an_unknown_parameter_has_no_effect():
    with pytest.warns(IgnoredOptionWarning, match="m in do_not_specialize has no effect"):

        @weft.jit(do_not_specialize=["m"])
        def kernel(x, n):
            pass

    assert kernel.do_not_specialize == []


def test_an_assigned_value_of_a_constexpr_counts():
    value, x = tl.constexpr(1), np.zeros(1, np.int32)

    @weft.jit
    def kernel(x):
        tl.store(x, value)

    kernel[(1,)](x)
    value.value = 2
    kernel[(1,)](x)
    assert x[0] == 2


def test_a_dictionary_as_an_option_of_a_launch(monkeypatch):
    @weft.jit
    def kernel(x):
        pass

    x = np.zeros(4, np.float32)
    libraries: list[object] = []
    monkeypatch.setattr(
        knobs.runtime,
        "jit_cache_hook",
        lambda *, compile, **call: libraries.append(compile["extern_libs"]),
    )
    first = kernel[(1,)](x, extern_libs={"mine": "mine.bc"})
    assert libraries == [(("mine", "mine.bc"),)]
    assert kernel[(1,)](x, extern_libs={"mine": "mine.bc"}) is first
    assert kernel[(1,)](x, extern_libs={"mine": "other.bc"}) is not first


def test_a_number_is_not_a_kernel():
    with pytest.raises(UnsupportedError):
        weft.jit(3)


def test_calling_a_kernel_from_the_host_is_an_error():
    with pytest.raises(WeftError, match=r"kernel\[grid\]"):
        scale(1, 2, 3, 4)


class _TritonJITFunction:
    """A class of the name and module of Triton's."""

    def __init__(self, fn, **settings):
        self.fn = fn
        vars(self).update(settings)


_TritonJITFunction.__module__ = "triton.runtime.jit"


def test_options_of_a_triton_kernel_are_kept():
    triton_kernel = _TritonJITFunction(scale.fn, noinline=True, do_not_specialize=[1])
    kernel = weft.jit(triton_kernel)
    assert isinstance(kernel, JITFunction)
    assert kernel.noinline
    assert kernel.parameters[1].do_not_specialize
    assert kernel_of(_TritonJITFunction(triton_kernel)).fn is scale.fn


OFFSET = tl.constexpr(3)


@weft.jit
def add_offset(x):
    return x + OFFSET


@weft.jit
def apply(out, FUNCTION: tl.constexpr):
    tl.store(out, FUNCTION(1))


def test_globals_and_source_of_a_function_argument_count(monkeypatch):
    out = np.zeros(1, np.int32)
    apply[(1,)](out, add_offset)
    assert out[0] == 4
    monkeypatch.setitem(globals(), "OFFSET", tl.constexpr(5))
    apply[(1,)](out, add_offset)
    assert out[0] == 6
    monkeypatch.setitem(add_offset.__dict__, "source", add_offset.source)
    add_offset._unsafe_update_src(add_offset.src.replace("x +", "10 * x +"))
    apply[(1,)](out, add_offset)
    assert out[0] == 15


@pytest.mark.parametrize(
    ("knob", "option", "decorator", "expected"),
    [
        (True, False, False, True),
        (False, False, True, False),
        (False, None, True, True),
        (False, True, False, True),
        (False, None, False, False),
    ],
)
def test_debug_by_knob_option_and_decorator(knob, option, decorator, expected):
    kernel = JITFunction(scale.fn, debug=decorator)  # pyright: ignore
    options = {} if option is None else {"debug": option}
    with knobs.runtime.scope():
        knobs.runtime.debug = knob
        loaded = kernel[(1,)](np.zeros(1), 1, 2, BLOCK=4, **options)
    assert loaded.metadata.options.debug is expected


def test_a_changed_debug_knob_compiles_again():
    kernel = weft.jit(scale.fn)
    arguments = (np.zeros(1), 1, 2, 4)
    assert not kernel[(1,)](*arguments).metadata.options.debug
    with knobs.runtime.scope():
        knobs.runtime.debug = True
        assert kernel[(1,)](*arguments).metadata.options.debug
