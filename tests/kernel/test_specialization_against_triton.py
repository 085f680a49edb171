"""Specialization and wrapped kernels, compared with Triton's wheel (`make oracle`)."""

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
from weft.kernel.kernel_interface import kernel_of
from weft.kernel.specialization import specialize

pytestmark = pytest.mark.oracle

KERNELS = ((ONE, True, True), (UNALIGNED, True, False), (PLAIN, False, True))


@pytest.fixture(scope="module")
def triton_specialize():
    """Triton's specialization: (type, constant or attributes)."""
    compiler = importlib.import_module("triton.compiler")
    targets = importlib.import_module("triton.backends.compiler")
    native = importlib.import_module("triton._C.libtriton").native_specialize_impl
    backend = compiler.make_backend(targets.GPUTarget("cuda", 90, 32))
    return lambda value, specialize, align: native(backend, value, False, specialize, align)


class Pointer:
    """A tensor for Triton."""

    def __init__(self, dtype, address):
        self.dtype, self.address = dtype, address

    def data_ptr(self):
        return self.address


def weft_specialize(kernel, value):
    """Specialize in the form of Triton's result."""
    signature: Signature = specialize(kernel, [value])
    type_name = signature.types[0]
    if type_name == "constexpr":
        return type_name, signature.constexprs[(0,)]
    return type_name, "D" if signature.attrs.get((0,)) == [(DIVISIBILITY, 16)] else ""


def assert_same(triton_specialize, value):
    for kernel, do_specialize, align in KERNELS:
        type_name, extra = triton_specialize(value, do_specialize, align)
        assert weft_specialize(kernel, value) == (
            type_name,
            extra if type_name == "constexpr" else extra or "",
        )


@settings(deadline=None)
@given(st.integers(-(2**63), 2**64 - 1) | st.sampled_from([0, 1, 16, 2**31, 2**63]))
def test_integers(triton_specialize, value):
    assert_same(triton_specialize, value)


@pytest.mark.parametrize("value", [True, False, 0.0, 1.0, float("inf"), None])
def test_other_scalars(triton_specialize, value):
    assert_same(triton_specialize, value)


@pytest.mark.parametrize("address", [0, 8, 16, 24, 1 << 40])
def test_pointers(triton_specialize, address):
    for name in SCALARS:
        assert_same(triton_specialize, Pointer(name, address))


def test_tuples(triton_specialize):
    value = (1, 16, None, (2.0, True))
    types, extras = triton_specialize(value, True, True)
    signature = specialize(ONE, [value])
    assert signature.types == (types,)
    assert [extras[0], extras[2]] == [signature.constexprs[0, n] for n in (0, 2)]


def test_a_kernel_of_triton():
    triton = importlib.import_module("triton")
    kernels = importlib.import_module("tests.kernel.triton_kernel")
    kernel = weft.jit(kernels.add)
    assert kernel.name == "add"
    assert [each.is_constexpr for each in kernel.parameters] == [False, False, False, True]
    assert kernel.parameters[2].do_not_specialize
    assert kernel_of(kernels.tuned).fn is kernels.tuned.fn.fn
    assert isinstance(kernels.add, triton.JITFunction)
