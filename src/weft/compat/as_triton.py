"""Let a program's `import triton` find weft.

    with as_triton():
        runpy.run_path("script.py")              # import triton.language as tl  →  weft.language

    install()                                    # for the rest of the process, and its children

Each module of Triton that weft has a counterpart of is that counterpart, and the package metadata
is that of Triton (`importlib.metadata.version("triton")`). Importing another module raises
ModuleNotFoundError, so that programs that catch ImportError take their other path.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import ContextDecorator
from importlib.abc import InspectLoader, Loader
from importlib.machinery import ModuleSpec
from importlib.metadata import Distribution, DistributionFinder
from importlib.util import find_spec
from pathlib import Path
from types import CodeType, ModuleType, TracebackType
from typing import cast

from typing_extensions import override

from weft.compat.modules import counterpart, instead_of, is_package, module_names
from weft.errors import ErrorForm, did_you_mean

__all__ = ["IMPORT_PATH", "VARIABLE", "as_triton", "install"]

_ROOT = "triton"
VARIABLE = "WEFT_AS_TRITON"
"""The environment variable: 1 lets `import triton` find weft."""
IMPORT_PATH = Path(__file__).parent / "import_path"
"""A folder for PYTHONPATH: its package `triton` calls `install`, and it has Triton's metadata."""


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

    def get_code(self, fullname: str) -> CodeType | None:
        """Get the code of the module, for `python -m`."""
        spec = find_spec(self.name)
        return cast("InspectLoader", spec.loader).get_code(self.name) if spec else None


class _TritonFinder(DistributionFinder):
    """Find the counterparts of Triton's modules, and Triton's metadata."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find the counterpart of a module of Triton.

        Raises:
            ModuleNotFoundError: weft has none.
        """
        if not _is_triton(fullname):
            return None
        name = counterpart(fullname)
        if name is None:
            raise _no_counterpart(fullname)
        module = find_spec(name)
        origin = module.origin if module else None  # the file that `python -m` names in sys.argv
        loader = _AliasLoader(name)
        return ModuleSpec(fullname, loader, origin=origin, is_package=is_package(fullname))

    @override
    def find_distributions(
        self, context: DistributionFinder.Context | None = None
    ) -> Iterable[Distribution]:
        """Find Triton's metadata, where it is asked for by name or with all others."""
        name = None if context is None else context.name
        if name is None or name.lower() == _ROOT:
            for folder in IMPORT_PATH.glob("*.dist-info"):
                yield Distribution.at(folder)


def _no_counterpart(name: str) -> ModuleNotFoundError:
    names, instead = module_names(), instead_of(name)
    hint = did_you_mean(name, names)
    others = f"it has {', '.join(sorted(names))}" + (f" ({hint})" if hint else "")
    return ModuleNotFoundError(f"weft has no counterpart of {name}; {instead or others}", name=name)


class as_triton(ContextDecorator):
    """A context in which `import triton` finds weft; afterwards it finds Triton again.

    Attributes:
        in_children: Whether the Python processes that the block starts find weft, too.
    """

    def __init__(self, in_children: bool = False) -> None:
        self.in_children = in_children
        self._finder = _TritonFinder()
        self._hidden: dict[str, ModuleType] = {}
        self._form = False
        self._variables: dict[str, str | None] = {}

    def __enter__(self) -> None:
        self._hidden = _remove_triton()
        sys.meta_path.insert(0, self._finder)
        self._form, ErrorForm.is_triton = ErrorForm.is_triton, True
        if self.in_children:
            paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
            others = [path for path in paths if path and path != str(IMPORT_PATH)]
            self._variables = {name: os.environ.get(name) for name in (VARIABLE, "PYTHONPATH")}
            os.environ |= {
                VARIABLE: "1",
                "PYTHONPATH": os.pathsep.join([str(IMPORT_PATH), *others]),
            }

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        # The context may be left at interpreter exit, when Python has cleared its modules.
        if sys.meta_path is None or self._finder not in sys.meta_path:
            return
        sys.meta_path.remove(self._finder)
        ErrorForm.is_triton = self._form
        _remove_triton()
        sys.modules.update(self._hidden)
        for name, value in self._variables.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def install() -> None:
    """Let `import triton` find weft in this process and in the Python processes that it starts."""
    if not any(isinstance(finder, _TritonFinder) for finder in sys.meta_path):
        as_triton(in_children=True).__enter__()


def _remove_triton() -> dict[str, ModuleType]:
    return {name: sys.modules.pop(name) for name in tuple(sys.modules) if _is_triton(name)}


def _is_triton(name: str) -> bool:
    return name.partition(".")[0] == _ROOT
