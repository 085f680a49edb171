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
    from weft.errors import WeftError
    from weft.runtime.arithmetic import cdiv, next_power_of_2
    from weft.runtime.autotuner import Config, autotune
    from weft.runtime.compile import CompiledKernel, compile
    from weft.runtime.heuristic import heuristics
    from weft.runtime.jit import JITFunction, jit
    from weft.runtime.scratch import set_allocator
    from weft.runtime.search_space import search_space
    from weft.runtime.signature import Signature
    from weft.runtime.tensor_descriptor import TensorDescriptor

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

# Those below __all__ are what scripts for Triton look for at its door.
_HOMES = {
    "CompilationError": "weft.errors",
    "CompiledKernel": "weft.runtime.compile",
    "Config": "weft.runtime.autotuner",
    "InterpreterError": "weft.errors",
    "JITFunction": "weft.runtime.jit",
    "KernelInterface": "weft.runtime.jit",
    "MockTensor": "weft.runtime.reinterpreting",
    "OutOfResources": "weft.errors",
    "Signature": "weft.runtime.signature",
    "TensorDescriptor": "weft.runtime.tensor_descriptor",
    "TensorWrapper": "weft.runtime.reinterpreting",
    "TritonError": "weft.errors",
    "WeftError": "weft.errors",
    "autotune": "weft.runtime.autotuner",
    "cdiv": "weft.runtime.arithmetic",
    "compile": "weft.runtime.compile",
    "constexpr_function": "weft.language",
    "heuristics": "weft.runtime.heuristic",
    "jit": "weft.runtime.jit",
    "next_power_of_2": "weft.runtime.arithmetic",
    "reinterpret": "weft.runtime.reinterpreting",
    "search_space": "weft.runtime.search_space",
    "set_allocator": "weft.runtime.scratch",
}
_MODULES = {"compiler": "weft.runtime.compile"}  # of Triton's
_ROOMS = frozenset(
    {"errors", "knobs", "language", "layouts", "runtime", "targets", "testing", "tools"}
)


def __getattr__(name: str) -> object:
    """Load a public name on first use (PEP 562) and keep it, so the second use is free."""
    is_module = name in _ROOMS or name in _MODULES
    home = _MODULES.get(name, f"weft.{name}") if is_module else _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'weft' has no attribute {name!r}")
    module = importlib.import_module(home)
    if is_module:
        return module
    value = getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return sorted(__all__)
