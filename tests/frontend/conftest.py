"""Lower small kernels, and read the errors of those that cannot be lowered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from weft.errors import WeftError
from weft.frontend.lowering import lower
from weft.frontend.options import FrontendOptions
from weft.ir.text import print_module
from weft.ir.verifier import verify

TYPES = {"p": "*i32", "q": "*fp32", "n": "i32", "m": "i32", "x": "fp32"}
"""The type of a parameter by its name, in the kernels of these tests."""


def lower_kernel(kernel: Any, **given: Any) -> Any:
    """Return the verified module of a kernel whose parameters are named as in TYPES.

    given: constants by name, and `types` or `attributes` where a test needs others.
    """
    types = dict(given.pop("types", TYPES))
    attributes = given.pop("attributes", {})
    names = kernel.parameter_names if hasattr(kernel, "parameter_names") else kernel.arg_names
    signature = {name: "constexpr" if name in given else types[name] for name in names}
    module = lower(kernel, signature, given, attributes, FrontendOptions(backend="cuda"))
    verify(module)
    return module


@pytest.fixture
def lowered() -> Callable[..., str]:
    """Give a function: kernel, constants → text of its module."""
    return lambda kernel, **given: print_module(lower_kernel(kernel, **given))


@pytest.fixture
def operations() -> Callable[..., list[str]]:
    """Give a function: kernel, constants → names of its operations but constants, in order."""

    def run(kernel: Any, **given: Any) -> list[str]:
        module = lower_kernel(kernel, **given)
        names = [op.name for op in module.walk()]
        return [name for name in names if name not in ("builtin.module", "arith.constant")]

    return run


@pytest.fixture
def refused() -> Callable[..., str]:
    """Give a function: kernel, constants → text of the error it ends in."""

    def run(kernel: Any, **given: Any) -> str:
        with pytest.raises(WeftError) as caught:
            lower_kernel(kernel, **given)
        return str(caught.value)

    return run
