"""List the explicit accesses to shared memory, with their wavefronts and bank conflicts.

The accesses of a conversion through shared memory are part of its entry in conversions.py.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from weft.errors import LayoutError
from weft.explain.labels import Labels, loop_depth, shape_text
from weft.explain.model import SharedAccess
from weft.ir import ttg, types
from weft.ir.rewriting import walk
from weft.layouts.bank_conflicts import bank_report
from weft.layouts.shared_memory import SharedMemory

__all__ = ["find_shared_accesses"]


def find_shared_accesses(
    module: ModuleOp, labels: Labels, memory: SharedMemory | None
) -> Iterator[SharedAccess]:
    """Yield every local_load, local_store and initialized local_alloc of a module.

    Args:
        module: The module.
        labels: Its names.
        memory: The shared memory of the target; without it, nothing is counted.
    """
    if memory is None:
        return
    for op in walk(module):
        operands = _access_operands(op)
        if operands is not None:
            access = _shared_access(op, *operands, labels, memory)
            if access is not None:
                yield access


def _access_operands(op: Operation) -> tuple[SSAValue, SSAValue, str] | None:
    """Find the tensor, the buffer and the kind of an access."""
    if isinstance(op, ttg.LocalLoadOp):
        return op.results[0], op.src, "read"
    if isinstance(op, ttg.LocalStoreOp):
        return op.src, op.dst, "write"
    if isinstance(op, ttg.LocalAllocOp) and op.operands:
        return op.operands[0], op.results[0], "write"
    return None


def _shared_access(
    op: Operation,
    tensor: SSAValue,
    buffer: SSAValue,
    kind: str,
    labels: Labels,
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
        return None  # not in banks (tensor memory), or a width with unknown phases
    return SharedAccess(
        op=op.name,
        location=labels.line(op),
        type=shape_text(tensor.type),
        kind=kind,
        layout=labels.layout(tensor.type),
        memory=labels.layout_names(shared),
        loop_depth=loop_depth(op),
        bits=report.bits,
        accesses=report.accesses,
        wavefronts=report.wavefronts,
        conflicts=report.conflicts,
    )
