"""Kernel functions: parameters, source and free names."""

from __future__ import annotations

import inspect

import pytest

import weft.language as tl
from weft.errors import CompilationError, UnsupportedError
from weft.language.kernel_function import KernelFunction, is_foreign, kernel_function

STEP = tl.constexpr(2)
COUNT: int = 3


@kernel_function
def kernel(x, n: tl.int32, N: tl.constexpr, mode: "tl.constexpr" = "add", k=1):  # noqa: UP037  # pyright: ignore[reportArgumentType]
    """Add."""
    return x + n * STEP


def test_parameters():
    names = [parameter.name for parameter in kernel.parameters]
    assert names == list(kernel.parameter_names) == ["x", "n", "N", "mode", "k"]
    assert [p.is_constexpr for p in kernel.parameters] == [False, False, True, True, False]
    assert [p.has_default for p in kernel.parameters] == [False, False, False, True, True]
    empty = inspect.Parameter.empty
    assert [p.default is empty for p in kernel.parameters] == [True, True, True, False, False]
    assert kernel.parameters[3].default == "add"
    assert kernel.parameters[3].annotation == "'tl.constexpr'"


def test_identity_and_source():
    assert kernel.name == "kernel"
    assert kernel.qualified_name == f"{__name__}.kernel"
    assert kernel.file == __file__
    assert kernel.__doc__ == "Add."
    source = kernel.source
    assert source.line == kernel.first_line
    assert source.text.startswith("@kernel_function\ndef kernel(")
    assert source.text.rstrip().endswith("return x + n * STEP")
    assert not source.is_indented
    assert repr(kernel) == f"KernelFunction({__name__}.kernel)"


def test_free_names_are_looked_up_at_each_request():
    assert kernel.resolve("STEP") is STEP
    assert kernel.resolve("len") is len
    assert kernel.global_annotation("COUNT") == "int"
    assert kernel.global_annotation("STEP") is None
    assert not kernel.is_closure_name("STEP")
    assert {"STEP", "len"} <= set(kernel.known_names())
    with pytest.raises(KeyError):
        kernel.resolve("no_such_name")


def test_closure_is_looked_up_first():
    STEP = 5

    @kernel_function
    def inner(x):
        return x * STEP + later

    assert inner.resolve("STEP") == 5
    assert inner.is_closure_name("STEP")
    with pytest.raises(KeyError):
        inner.resolve("later")
    later = 7
    assert inner.resolve("later") == 7


def test_parameters_without_specialization():
    def function(a, b, c):
        return a

    kernel_fn = KernelFunction(
        function, noinline=True, do_not_specialize=["a", 2], do_not_specialize_on_alignment=["b"]
    )
    assert kernel_fn.noinline
    assert [p.do_not_specialize for p in kernel_fn.parameters] == [True, False, True]
    assert [p.do_not_specialize_on_alignment for p in kernel_fn.parameters] == [False, True, False]


def test_call_from_python_is_an_error():
    with pytest.raises(CompilationError, match="cannot call the kernel function kernel outside"):
        kernel(1, 2)


def test_other_objects_are_refused():
    with pytest.raises(UnsupportedError, match="defined with def"):
        KernelFunction(print)  # type: ignore[arg-type]
    with pytest.raises(UnsupportedError, match="not a kernel function"):
        KernelFunction.of(print)


class _TritonFunction:
    """A stand-in for Triton's JITFunction, recognized by the module of its class."""

    __module__ = "triton.runtime.jit"

    def __init__(self, fn, **attributes):
        self.fn = fn
        self.__dict__.update(attributes)


def test_triton_function_is_recognized_by_its_class():
    def function(a, b):
        return a

    def name_of(specialization):
        return f"named_{specialization}"

    foreign = _TritonFunction(function, noinline=True, do_not_specialize=["b"], _repr=name_of)
    tuner = _TritonFunction(foreign)
    assert is_foreign(foreign)
    assert not is_foreign(kernel)
    kernel_fn = KernelFunction.of(tuner)
    assert kernel_fn is KernelFunction.of(foreign)
    assert kernel_fn.noinline
    assert kernel_fn.naming is name_of
    assert kernel_fn.parameters[1].do_not_specialize
    assert KernelFunction.of(kernel) is kernel
