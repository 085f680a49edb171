"""Accesses to shared memory that IR spells out: wavefronts and conflicts of banks.

The round trips of conversions are not among them; their passes stand with the conversion.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from weft.errors import LayoutError
from weft.explain.model import SharedAccess
from weft.explain.places import Places
from weft.ir import ttg, types
from weft.ir.rewriting import walk
from weft.layouts.bank_conflicts import bank_report
from weft.layouts.shared_memory import SharedMemory

__all__ = ["shared_accesses"]


def shared_accesses(
    module: ModuleOp, places: Places, memory: SharedMemory | None
) -> Iterator[SharedAccess]:
    """Yield every local_load, local_store and filled local_alloc of a module."""
    if memory is None:
        return
    for op in walk(module):
        for tensor, buffer, kind in _moves(op):
            found = _access(op, tensor, buffer, kind, places, memory)
            if found is not None:
                yield found


def _moves(op: Operation) -> Iterator[tuple[SSAValue, SSAValue, str]]:
    """Yield (tensor, buffer, kind) of an operation."""
    if isinstance(op, ttg.LocalLoadOp):
        yield op.results[0], op.src, "read"
    elif isinstance(op, ttg.LocalStoreOp):
        yield op.src, op.dst, "write"
    elif isinstance(op, ttg.LocalAllocOp) and op.operands:
        yield op.operands[0], op.results[0], "write"


def _access(
    op: Operation,
    tensor: SSAValue,
    buffer: SSAValue,
    kind: str,
    places: Places,
    memory: SharedMemory,
) -> SharedAccess | None:
    registers, shared = types.encoding(tensor.type), getattr(buffer.type, "encoding", None)
    shared = getattr(shared, "data", shared)
    if registers is None or shared is None:
        return None
    shape = types.shape(tensor.type)
    bits = types.bit_width(types.element(tensor.type))
    try:
        report = bank_report(registers.linear(shape), shared, shape, bits, memory, kind)
    except LayoutError:
        return None  # memory that is no row of banks, or phases that nobody has measured
    return SharedAccess(
        op=op.name,
        location=places.line(op),
        type=places.type(tensor.type),
        kind=kind,
        layout=places.layout(tensor.type),
        memory=places.layout_names(shared),
        loop_depth=places.depth(op),
        bits=report.bits,
        accesses=report.accesses,
        wavefronts=report.wavefronts,
        conflicts=report.conflicts,
    )
