"""Declarations: names, signatures and docstrings, also against Triton."""

from __future__ import annotations

import inspect

import pytest

import weft.language as tl
from weft.errors import CompilationError
from weft.language import tensor_descriptors
from weft.language.builtin import Builtin
from weft.language.extra.math_library import FUNCTIONS
from weft.language.kernel_function import KernelFunction
from weft.language.tensor_classes import tensor, tensor_descriptor

BUILTINS = [value for name in tl.__all__ if isinstance(value := getattr(tl, name), Builtin)]
# Names of triton.language that are not part of the language.
INTERNAL = {"slice", "tensor_descriptor_type", "semantic"}  # "semantic": after a compile


@pytest.mark.parametrize("builtin", BUILTINS, ids=repr)
def test_each_has_a_docstring(builtin):
    assert builtin.__doc__
    assert builtin.__doc__.strip().endswith(".")


def test_call_from_host_code():
    with pytest.raises(CompilationError) as caught:
        tl.load(1)
    assert "tl.load can only be called inside a kernel" in str(caught.value)
    assert "@triton.jit" in str(caught.value)


def test_unknown_function_names_near_ones():
    with pytest.raises(CompilationError) as caught:
        tl.lod  # noqa: B018 - the access is the test
    assert "unknown function tl.lod" in str(caught.value)
    assert "did you mean load" in str(caught.value)
    assert not hasattr(tl, "lod")


def test_unknown_math_library_function():
    with pytest.raises(CompilationError) as caught:
        tl.extra.libdevice.tahn  # noqa: B018 - the access is the test
    assert "unknown function tl.extra.libdevice.tahn" in str(caught.value)
    assert "tanh" in str(caught.value)
    assert "tanh" in dir(tl.extra.cuda.libdevice)


def test_values_cannot_be_created():
    with pytest.raises(CompilationError, match=r"only the compiler creates a tl.tensor"):
        tensor(None, tl.int32)
    with pytest.raises(CompilationError, match=r"only the compiler creates a tl.tensor_descriptor"):
        tensor_descriptor(None, (), (), tl.block_type(tl.int8, [1]))


def test_qualified_names():
    assert tl.load.qualified_name == "load"
    assert tl.exp.qualified_name == "math.exp"
    assert tl.extra.hip.libdevice.tanh.qualified_name == "extra.hip.libdevice.tanh"
    assert tensor_descriptors.METHODS["load"].qualified_name == "tensor_descriptor.load"


@pytest.mark.oracle
def test_every_name_of_triton_exists():
    theirs = pytest.importorskip("triton.language")
    names = {name for name in dir(theirs) if not name.startswith("_")} - INTERNAL
    assert {name for name in names if not hasattr(tl, name)} == set()
    from triton.language.extra import libdevice

    functions = {name for name in dir(libdevice) if inspect.isfunction(getattr(libdevice, name))}
    assert {name for name in functions if not name.startswith("_")} <= set(FUNCTIONS) | {"dispatch"}


@pytest.mark.oracle
@pytest.mark.parametrize("builtin", BUILTINS, ids=repr)
def test_signature_against_triton(builtin):
    theirs = pytest.importorskip("triton.language")
    function = getattr(theirs, builtin.__name__)
    expected = [
        (parameter.name, parameter.kind)
        for parameter in inspect.signature(function).parameters.values()
        if not parameter.name.startswith("_")
    ]
    actual = [(each.name, each.kind) for each in builtin.signature.parameters.values()]
    assert actual == expected


LATER_PARAMETERS = {"topk": ["descending"]}
"""Parameters of functions that Triton has after 3.7.1."""


@pytest.mark.oracle
def test_library_signatures_against_triton():
    theirs = pytest.importorskip("triton.language")
    for name in tl.__all__:
        ours = getattr(tl, name)
        if isinstance(ours, KernelFunction):
            names = list(inspect.signature(getattr(theirs, name).fn).parameters)
            names += LATER_PARAMETERS.get(name, [])
            assert [parameter.name for parameter in ours.parameters] == names, name
