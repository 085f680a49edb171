"""Assign offsets in global scratch memory (tritongpu-global-scratch-memory-allocation).

Before:  module {
           tt.func public @kernel() {
             %a = ttg.global_scratch_alloc {alignment = 8, nbytes = 100}
             %b = ttg.global_scratch_alloc {alignment = 128, nbytes = 128}
After:   module attributes {ttg.global_scratch_memory_alignment = 128,
                            ttg.global_scratch_memory_size = 256} {
           tt.func public @kernel() attributes {… the same …} {
             %a = … {ttg.global_scratch_memory_offset = 0}
             %b = … {ttg.global_scratch_memory_offset = 128}

Each CTA has this memory for itself. A call needs the memory of its callee. Memory is not used
twice. Only allocations of the default backend count. Code generation computes the same offsets.
Source: Triton, GlobalScratchMemoryAllocation.cpp.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from msgspec import Struct

from weft.analysis.dataflow.call_graph import callees_first, functions_of
from weft.errors import PassError
from weft.ir import attributes, locations, tt, ttg, types
from weft.ir.attributes import number
from weft.ir.builtin import ModuleOp, Operation, StringAttr
from weft.ir.interfaces import CallOpInterface
from weft.ir.rewriting import walk

__all__ = ["GlobalScratchMemoryAllocation"]

_PREFIX = "ttg.global_scratch_memory_"
_BACKEND = "default"


class _Request(Struct, frozen=True):
    """Memory that an operation or a function needs.

    Attributes:
        size: The number of bytes.
        alignment: What divides the offset, in bytes.
    """

    size: int
    alignment: int


class GlobalScratchMemoryAllocation(Struct, frozen=True):
    """Assigns offsets to the global scratch memory of functions, callees first."""

    name: ClassVar[str] = "tritongpu-global-scratch-memory-allocation"

    def run(self, module: ModuleOp) -> None:
        """Set the offsets of operations, and the sizes of functions and the module.

        Raises:
            PassError: The module has no public function, or several.
        """
        functions = functions_of(module)
        public = [function for function in functions if function.is_public]
        if len(public) != 1:
            raise PassError(
                "a module must have one public function",
                location=locations.position(module.location),
                found=[function.symbol for function in public],
            )
        sizes: dict[str, _Request] = {}
        for function in callees_first(functions):
            sizes[function.symbol] = _allocate(function, sizes)
        for op, size in (
            (module, sizes[public[0].symbol]),
            *((f, sizes[f.symbol]) for f in functions),
        ):
            _set(op, "size", size.size)
            _set(op, "alignment", size.alignment)


def _allocate(function: tt.FuncOp, sizes: Mapping[str, _Request]) -> _Request:
    """Set the offsets of the operations of a function; return what the function needs."""
    end, alignment = 0, 1
    for op in walk(function):
        request = _request(op, sizes)
        if request is not None and request.size:
            start = _round_up(end, request.alignment)
            _set(op, "offset", start)
            end = start + request.size
            alignment = max(alignment, request.alignment)
    return _Request(_round_up(end, alignment), alignment)


def _request(op: Operation, sizes: Mapping[str, _Request]) -> _Request | None:
    """Find what an operation needs: an allocation for itself, or a call for its callee."""
    if isinstance(op, CallOpInterface):
        return sizes.get(op.callee_name)
    if not isinstance(op, ttg.GlobalScratchAllocOp):
        return None
    backend = op.properties.get("backend") or op.attributes.get("backend")
    if isinstance(backend, StringAttr) and backend.data != _BACKEND:
        return None
    size, alignment = (int(number(op.properties[name]) or 0) for name in ("nbytes", "alignment"))
    return _Request(size, alignment)


def _set(op: Operation, name: str, value: int) -> None:
    op.attributes[_PREFIX + name] = attributes.integer(value, types.i32)


def _round_up(value: int, step: int) -> int:
    return -(-value // step) * step
