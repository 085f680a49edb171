"""Specialisation and wrapped kernels against Triton's wheel (`make oracle`)."""

from __future__ import annotations

import importlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from tests.kernel.test_specialization import ONE, PLAIN, UNALIGNED
from weft.compiler.signature import Signature
from weft.compiler.signature_types import DIVISIBILITY
from weft.compiler.type_names import SCALARS
from weft.kernel.jit import kernel_of
from weft.kernel.specialization import specialise

pytestmark = pytest.mark.oracle

KERNELS = ((ONE, True, True), (UNALIGNED, True, False), (PLAIN, False, True))


@pytest.fixture(scope="module")
def theirs():
    """Triton's own answer: (type, what it is specialised on)."""
    compiler = importlib.import_module("triton.compiler")
    targets = importlib.import_module("triton.backends.compiler")
    native = importlib.import_module("triton._C.libtriton").native_specialize_impl
    backend = compiler.make_backend(targets.GPUTarget("cuda", 90, 32))
    return lambda value, specialize, align: native(backend, value, False, specialize, align)


class Pointer:
    """What Triton takes for a tensor."""

    def __init__(self, dtype, address):
        self.dtype, self.address = dtype, address

    def data_ptr(self):
        return self.address


def ours(kernel, value):
    """Return our answer in Triton's form."""
    signature: Signature = specialise(kernel, [value])
    kind = signature.types[0]
    if kind == "constexpr":
        return kind, signature.constexprs[(0,)]
    return kind, "D" if signature.attrs.get((0,)) == [(DIVISIBILITY, 16)] else ""


def same(theirs, value):
    for kernel, specialize, align in KERNELS:
        kind, extra = theirs(value, specialize, align)
        assert ours(kernel, value) == (kind, extra if kind == "constexpr" else extra or "")


@settings(deadline=None)
@given(st.integers(-(2**63), 2**64 - 1) | st.sampled_from([0, 1, 16, 2**31, 2**63]))
def test_integers(theirs, value):
    same(theirs, value)


@pytest.mark.parametrize("value", [True, False, 0.0, 1.0, float("inf"), None])
def test_other_scalars(theirs, value):
    same(theirs, value)


@pytest.mark.parametrize("address", [0, 8, 16, 24, 1 << 40])
def test_pointers(theirs, address):
    for name in SCALARS:
        same(theirs, Pointer(name, address))


def test_tuples(theirs):
    value = (1, 16, None, (2.0, True))
    kinds, extras = theirs(value, True, True)
    signature = specialise(ONE, [value])
    assert signature.types == (kinds,)
    assert [extras[0], extras[2]] == [signature.constexprs[0, at] for at in (0, 2)]


def test_a_kernel_of_triton():
    triton = importlib.import_module("triton")
    example = importlib.import_module("tests.kernel.triton_kernel")
    kernel = weft.jit(example.add)
    assert kernel.name == "add"
    assert [each.is_constexpr for each in kernel.parameters] == [False, False, False, True]
    assert kernel.parameters[2].do_not_specialize
    assert kernel_of(example.tuned).fn is example.tuned.fn.fn
    assert isinstance(example.add, triton.JITFunction)
