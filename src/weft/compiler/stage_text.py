"""The text of a stage whose output is IR, as `asm`, dumps and the cache have it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.errors import ErrorForm

if TYPE_CHECKING:
    from weft.ir.builtin import ModuleOp

__all__ = ["print_stage", "stage_form"]


def print_stage(module: ModuleOp) -> str:
    """Print the output of a stage with the names of variables.

    For programs for Triton it has source locations, as Triton's has: they read the names and lines
    of operations there, and a dump that is edited and read again keeps its lines.
    """
    from weft.ir.text import print_module  # xDSL, which a kernel from the cache does not load

    return print_module(module, locations=ErrorForm.is_triton, names=True)


def stage_form() -> str:
    """Identify the form of `print_stage` in the key of a cache."""
    return "locations" if ErrorForm.is_triton else ""
