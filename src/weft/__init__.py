"""The public door of weft: tile kernels in Python, compiled to Triton's IR and run anywhere.

    import weft
    import weft.language as tl

    @weft.jit
    def add(x, y, out, n, BLOCK: tl.constexpr):
        ...

    add[(weft.cdiv(n, 1024),)](x, y, out, n, BLOCK=1024)         # runs on numpy arrays
    weft.compile(add, signature="*fp32:16, *fp32:16, *fp32:16, i32, 1024", target="hip:gfx942")

Every name is loaded when it is first asked for, so that `import weft` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from weft import errors, knobs, language, layouts, targets
    from weft.autotuner.autotuner import autotune
    from weft.autotuner.config import Config
    from weft.autotuner.heuristics import heuristics
    from weft.autotuner.search_space import search_space
    from weft.compiler.signature import Signature
    from weft.errors import WeftError
    from weft.kernel.compile import compile
    from weft.kernel.compiled_kernel import CompiledKernel
    from weft.kernel.jit import JITFunction, jit
    from weft.launch.global_scratch import set_allocator
    from weft.launch.grid import cdiv, next_power_of_2
    from weft.launch.tensor_descriptor import TensorDescriptor

__version__ = "0.1.0"

__all__ = [
    "CompiledKernel",
    "Config",
    "JITFunction",
    "Signature",
    "TensorDescriptor",
    "WeftError",
    "__version__",
    "autotune",
    "cdiv",
    "compile",
    "errors",
    "heuristics",
    "jit",
    "knobs",
    "language",
    "layouts",
    "next_power_of_2",
    "search_space",
    "set_allocator",
    "targets",
]

_HOMES = {
    "CompiledKernel": "weft.kernel.compiled_kernel",
    "Config": "weft.autotuner.config",
    "JITFunction": "weft.kernel.jit",
    "Signature": "weft.compiler.signature",
    "TensorDescriptor": "weft.launch.tensor_descriptor",
    "WeftError": "weft.errors",
    "autotune": "weft.autotuner.autotuner",
    "cdiv": "weft.launch.grid",
    "compile": "weft.kernel.compile",
    "heuristics": "weft.autotuner.heuristics",
    "jit": "weft.kernel.jit",
    "next_power_of_2": "weft.launch.grid",
    "search_space": "weft.autotuner.search_space",
    "set_allocator": "weft.launch.global_scratch",
}
_MODULES = frozenset({"errors", "knobs", "language", "layouts", "targets", "testing"})


def __getattr__(name: str) -> object:
    """Load a public name on first use (PEP 562) and keep it, so the second use is free."""
    if name in _MODULES:
        return importlib.import_module(f"weft.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'weft' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return sorted(__all__)
