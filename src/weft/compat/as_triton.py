"""Let a program's `import triton` find weft.

    with as_triton():
        runpy.run_path("script.py")              # import triton.language as tl  →  weft.language

Each module of Triton that weft has a counterpart of is that counterpart. Importing another one
raises ModuleNotFoundError, so that programs that catch ImportError take their other path.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

from typing_extensions import override

from weft.errors import did_you_mean

__all__ = ["as_triton"]

_ROOT = "triton"
_COMPAT = (
    "backends", "backends.compiler", "compiler", "profiler", "profiler.viewer", "runtime",
    "runtime.autotuner", "runtime.driver", "runtime.jit", "tools", "tools.mxfp",
    "tools.tensor_descriptor",
)  # fmt: skip
_LANGUAGE = (
    "language", "language.extra", "language.extra.cuda", "language.extra.cuda.libdevice",
    "language.extra.hip", "language.extra.hip.libdevice", "language.extra.libdevice",
    "language.math", "language.random", "language.standard", "language.target_info",
)  # fmt: skip
# Module of Triton → module of weft.
_MODULES = {
    _ROOT: "weft.compat",
    **{f"{_ROOT}.{name}": f"weft.compat.{name}" for name in _COMPAT},
    **{f"{_ROOT}.{name}": f"weft.{name}" for name in (*_LANGUAGE, "knobs", "testing")},
    "triton.compiler.compiler": "weft.compat.compiler",
    "triton.compiler.errors": "weft.compat.errors",
    "triton.language.core": "weft.language",
    "triton.runtime.errors": "weft.compat.errors",
}


class _AliasLoader(Loader):
    """Load a module under another name.

    The import system writes the alias's spec into the module; `exec_module` restores it.
    """

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


class _TritonFinder(MetaPathFinder):
    """Find the counterparts of Triton's modules."""

    @override
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] != _ROOT:
            return None
        name = _MODULES.get(fullname)
        if name is None:
            hint = did_you_mean(fullname, _MODULES)
            raise ModuleNotFoundError(
                f"weft has no counterpart of {fullname}; it has {', '.join(sorted(_MODULES))}"
                + (f" ({hint})" if hint else ""),
                name=fullname,
            )
        return ModuleSpec(fullname, _AliasLoader(name), is_package=True)


@contextmanager
def as_triton() -> Iterator[None]:
    """Let `import triton` find weft in the block, and afterwards Triton again."""
    hidden = {name: sys.modules.pop(name) for name in tuple(sys.modules) if _is_triton(name)}
    finder = _TritonFinder()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in tuple(sys.modules):
            if _is_triton(name):
                del sys.modules[name]
        sys.modules.update(hidden)


def _is_triton(name: str) -> bool:
    return name.partition(".")[0] == _ROOT
