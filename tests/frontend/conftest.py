"""Fixtures that lower small kernels, or return their errors."""

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
"""The types of parameters by name."""


def lower_kernel(kernel: Any, **constants: Any) -> Any:
    """Lower a kernel whose parameters are named as in TYPES, and verify the module.

    Args:
        kernel: The kernel.
        **constants: Constants by name; `types` or `attributes` replace the defaults.
    """
    types = dict(constants.pop("types", TYPES))
    attributes = constants.pop("attributes", {})
    names = kernel.parameter_names if hasattr(kernel, "parameter_names") else kernel.arg_names
    signature = {name: "constexpr" if name in constants else types[name] for name in names}
    module = lower(kernel, signature, constants, attributes, FrontendOptions(backend="cuda"))
    verify(module)
    return module


@pytest.fixture
def lowered() -> Callable[..., str]:
    """A function that returns the text of a kernel's module."""
    return lambda kernel, **constants: print_module(lower_kernel(kernel, **constants))


@pytest.fixture
def operations() -> Callable[..., list[str]]:
    """A function that lists the names of a kernel's operations, except constants, in order."""

    def run(kernel: Any, **constants: Any) -> list[str]:
        module = lower_kernel(kernel, **constants)
        names = [op.name for op in module.walk()]
        return [name for name in names if name not in ("builtin.module", "arith.constant")]

    return run


@pytest.fixture
def refused() -> Callable[..., str]:
    """A function that returns the text of the error of lowering a kernel."""

    def run(kernel: Any, **constants: Any) -> str:
        with pytest.raises(WeftError) as caught:
            lower_kernel(kernel, **constants)
        return str(caught.value)

    return run
