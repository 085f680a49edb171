"""List the explicit accesses to shared memory, with their wavefronts and bank conflicts.

Instructions are those of the plan that code generation carries out: ldmatrix where it reads an
operand by ldmatrix. The accesses of a conversion through shared memory are part of its entry in
conversions.py.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from weft.errors import CodegenError, LayoutError
from weft.explain.inventory import launch_attributes
from weft.explain.labels import Labels, loop_depth, shape_text
from weft.explain.model import SharedAccess
from weft.ir import ttg, types
from weft.ir.rewriting import walk
from weft.layouts import PaddedSharedEncoding
from weft.layouts.shared_memory import SharedMemory
from weft.lowering_plans.conversion import access_instruction
from weft.lowering_plans.shared_access import plan_local_access
from weft.targets import Target, target

__all__ = ["access_operands", "find_shared_accesses"]


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
    chip = target(launch_attributes(module).target)
    for op in walk(module):
        operands = access_operands(op)
        if operands is not None:
            access = _shared_access(op, *operands, labels, chip)
            if access is not None:
                yield access


def access_operands(op: Operation) -> tuple[SSAValue, SSAValue, str] | None:
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
    chip: Target,
) -> SharedAccess | None:
    view = buffer.type
    if types.encoding(tensor.type) is None or not isinstance(view, ttg.MemDescType):
        return None
    if view.encoding is None:
        return None
    bits = 8 * types.storage_bytes(tensor.type)
    try:
        plan = plan_local_access(tensor.type, view, kind, chip)
        padding = view.encoding if isinstance(view.encoding, PaddedSharedEncoding) else None
        instruction = access_instruction(plan, bits, chip.shared_memory, chip, padding)
    except (CodegenError, LayoutError):
        return None  # not in banks (tensor memory), or a width with unknown phases
    return SharedAccess(
        op=op.name,
        location=labels.line(op),
        type=shape_text(tensor.type),
        kind=kind,
        layout=labels.layout(tensor.type),
        memory=labels.layout_names(view.encoding),
        loop_depth=loop_depth(op),
        bits=instruction.bits,
        accesses=instruction.requests,
        wavefronts=instruction.wavefronts,
        conflicts=instruction.conflicts,
    )
