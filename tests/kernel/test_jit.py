"""`weft.jit`: what it takes, and what it rejects."""

from __future__ import annotations

import pytest

import weft
import weft.language as tl
from weft.errors import SignatureError, UnsupportedError, WeftError
from weft.kernel.jit import JITFunction, KernelInterface, kernel_of


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


def test_do_not_specialize_of_an_unknown_parameter():
    with pytest.raises(SignatureError, match="names an unknown parameter"):

        @weft.jit(do_not_specialize=["m"])
        def kernel(x, n):
            pass


def test_a_number_is_not_a_kernel():
    with pytest.raises(UnsupportedError):
        weft.jit(3)


def test_calling_a_kernel_from_the_host_is_an_error():
    with pytest.raises(WeftError, match=r"kernel\[grid\]"):
        scale(1, 2, 3, 4)


def test_a_plain_function_is_not_a_kernel():
    def plain(x):
        pass

    with pytest.raises(UnsupportedError, match="plain is a plain Python function") as caught:
        kernel_of(plain)
    assert "@weft.jit" in str(caught.value)


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


def test_the_interface_cannot_run():
    with pytest.raises(NotImplementedError):
        KernelInterface()[(1,)]()
