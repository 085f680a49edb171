"""The base of kernels, autotuners and heuristics, and the kernel inside of them."""

from __future__ import annotations

import pytest

from weft.errors import UnsupportedError
from weft.kernel.kernel_interface import KernelInterface, kernel_of


def test_a_plain_function_is_not_a_kernel():
    def plain(x):
        pass

    with pytest.raises(UnsupportedError, match="plain is a plain Python function") as caught:
        kernel_of(plain)
    assert "@weft.jit" in str(caught.value)


def test_the_interface_cannot_run():
    with pytest.raises(NotImplementedError):
        KernelInterface()[(1,)]()
