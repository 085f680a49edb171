"""Tile kernels in Python, compiled to Triton's IR and machine code, and run on any device.

    import weft
    import weft.language as tl

    @weft.jit
    def add(x, y, out, n, BLOCK: tl.constexpr):
        ...

    add[(weft.cdiv(n, 1024),)](x, y, out, n, BLOCK=1024)         # runs on numpy arrays
    weft.compile(add, signature="*fp32:16, *fp32:16, *fp32:16, i32, 1024", target="hip:gfx942")

Every name is imported on first access, so `import weft` is fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.lazy_attributes import lazy_getattr, object_references
from weft.version import __version__

if TYPE_CHECKING:
    from weft import errors, knobs, language, layouts, targets
    from weft.autotuner.config import Config
    from weft.autotuner.decorator import autotune
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

_MODULES = ("errors", "knobs", "language", "layouts", "targets", "testing")

__getattr__ = lazy_getattr(
    __name__,
    object_references(
        {
            "weft.autotuner.decorator": "autotune",
            "weft.autotuner.config": "Config",
            "weft.autotuner.heuristics": "heuristics",
            "weft.autotuner.search_space": "search_space",
            "weft.compiler.signature": "Signature",
            "weft.errors": "WeftError",
            "weft.kernel.compile": "compile",
            "weft.kernel.compiled_kernel": "CompiledKernel",
            "weft.kernel.jit": "JITFunction jit",
            "weft.launch.global_scratch": "set_allocator",
            "weft.launch.grid": "cdiv next_power_of_2",
            "weft.launch.tensor_descriptor": "TensorDescriptor",
        }
    )
    | {name: f"weft.{name}" for name in _MODULES},
)


def __dir__() -> list[str]:
    """List the public names, imported or not."""
    return sorted(__all__)
