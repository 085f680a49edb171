"""Let a program's `import triton` find weft.

    with as_triton():
        runpy.run_path("script.py")              # import triton.language as tl  →  weft.language

Every module of Triton's that weft has one for is that one; any other is not found, with a word on
what there is. Programs that ask `except ImportError` get what they expect.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from typing_extensions import override

from weft.errors import did_you_mean

__all__ = ["as_triton"]

_ROOT = "triton"
_PACKAGE = "weft.compat"
_MODULES = {
    "triton": _PACKAGE,
    **{
        f"triton.{name}": f"{_PACKAGE}.{name}"
        for name in (
            "backends",
            "backends.compiler",
            "compiler",
            "profiler",
            "profiler.viewer",
            "runtime",
            "runtime.autotuner",
            "runtime.driver",
            "runtime.jit",
            "tools",
            "tools.mxfp",
            "tools.tensor_descriptor",
        )
    },
    "triton.compiler.compiler": f"{_PACKAGE}.compiler",
    "triton.compiler.errors": "weft.errors",
    "triton.knobs": "weft.knobs",
    "triton.language": "weft.language",
    "triton.language.core": "weft.language",
    **{
        f"triton.language.{name}": f"weft.language.{name}"
        for name in (
            "extra",
            "extra.cuda",
            "extra.cuda.libdevice",
            "extra.hip",
            "extra.hip.libdevice",
            "extra.libdevice",
            "math",
            "random",
            "standard",
            "target_info",
        )
    },
    "triton.runtime.errors": "weft.errors",
    "triton.testing": "weft.testing",
}


class _Alias(Loader):
    """Give the module of weft's; what importing does to a module's spec is undone."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.spec: ModuleSpec | None = None

    @override
    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = importlib.import_module(self.name)
        self.spec = module.__spec__
        return module

    @override
    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self.spec


class _Finder(MetaPathFinder):
    """Find Triton's modules among weft's."""

    @override
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] != _ROOT:
            return None
        found = _MODULES.get(fullname)
        if found is None:
            guess = did_you_mean(fullname, _MODULES)
            raise ModuleNotFoundError(
                f"weft has no module for {fullname}; it has {', '.join(sorted(_MODULES))}"
                + (f" ({guess})" if guess else ""),
                name=fullname,
            )
        return ModuleSpec(fullname, _Alias(found), is_package=True)


@contextmanager
def as_triton() -> Iterator[None]:
    """Let `import triton` mean weft while the block runs; Triton's own modules come back after."""
    hidden: dict[str, Any] = {
        name: sys.modules.pop(name) for name in tuple(sys.modules) if _is_tritons(name)
    }
    finder = _Finder()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in tuple(sys.modules):
            if _is_tritons(name):
                del sys.modules[name]
        sys.modules.update(hidden)


def _is_tritons(name: str) -> bool:
    return name.partition(".")[0] == _ROOT
