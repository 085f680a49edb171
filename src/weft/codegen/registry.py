"""The table from operation name to how it is lowered.

Each file of `families` fills the table for one family of operations:

    @lowers("tt.splat")
    def _splat(low: Lowering, op: Operation) -> None:
        (source,) = low[op.operands[0]]
        low.define(op.results[0], [source] * low.count(op.results[0]))
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

from xdsl.ir import Operation

from weft.errors import CodegenError, did_you_mean
from weft.ir import locations

if TYPE_CHECKING:
    from weft.codegen.lowering import Lowering

__all__ = ["FAMILIES", "load_families", "lowering_of", "lowers"]

Lower: TypeAlias = "Callable[[Lowering, Operation], None]"

FAMILIES = (
    "assertion",
    "async_copy",
    "async_store",
    "atomics",
    "buffer",
    "buffer_atomics",
    "call",
    "conversion",
    "direct_copy",
    "convert_layout",
    "control",
    "dot",
    "dot_scaled",
    "dot_tensor_memory",
    "dot_wgmma",
    "elementwise",
    "extern",
    "gather",
    "histogram",
    "inline_assembly",
    "lds_barrier",
    "local",
    "map_elementwise",
    "math",
    "mbarrier",
    "memory",
    "microscaling",
    "printing",
    "packed_load",
    "program",
    "reduce",
    "scan",
    "shape",
    "slices",
    "synchronize",
    "tensor_mover",
    "tensor_mover_rows",
    "tensor_mover_prefetch",
    "tensor_copy",
    "tensor_memory",
    "tensormap",
    "tma",
    "warp_specialize",
)

_ROWS: dict[str, Lower] = {}


def lowers(*names: str) -> Callable[[Lower], Lower]:
    """Register a function as the lowering of operations."""

    def add(function: Lower) -> Lower:
        for name in names:
            if name in _ROWS:
                raise ValueError(f"{name} has two lowerings")
            _ROWS[name] = function
        return function

    return add


@cache
def load_families() -> None:
    """Fill the table."""
    for family in FAMILIES:
        importlib.import_module(f"weft.codegen.families.{family}")


def lowering_of(op: Operation) -> Lower:
    """Return how an operation is lowered.

    Raises: CodegenError: nothing lowers it, with its name and place.
    """
    load_families()
    row = _ROWS.get(op.name)
    if row is None:
        raise CodegenError(
            f"{op.name} cannot be lowered to LLVM IR",
            location=locations.position(op.location),
            found=op.name,
            hint=did_you_mean(op.name, _ROWS),
        )
    return row
