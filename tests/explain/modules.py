"""Small TTGIR modules for the tests of reports."""

from __future__ import annotations

from typing import TypeVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from weft.ir.rewriting import walk
from weft.ir.text import parse_module

__all__ = ["module_of", "named", "operations", "required"]

_T = TypeVar("_T")

_ALIASES = """\
#row = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#column = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
#line = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#narrow = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#swizzled = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
"""  # noqa: E501


def module_of(body: str, arguments: str = "", target: str = "cuda:90") -> ModuleOp:
    """Parse a module with one kernel, 4 warps of 32 lanes, and aliases of layouts."""
    return parse_module(
        _ALIASES + 'module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, '
        f'ttg.target = "{target}", "ttg.threads-per-warp" = 32 : i32}} {{\n'
        f"  tt.func public @kernel({arguments}) {{\n{body}\n    tt.return\n  }}\n}}\n"
    )


def operations(module: ModuleOp, name: str) -> list[Operation]:
    """List the operations of a name."""
    return [op for op in walk(module) if op.name == name]


def named(module: ModuleOp, name: str) -> Operation:
    """Find the only operation of a name."""
    (op,) = operations(module, name)
    return op


def required(value: _T | None) -> _T:
    """Return a value that must not be None."""
    assert value is not None
    return value
