"""List what reductions, scans, conversions and atomics move through shared memory.

    tt.reduce of 4 warps      1 store of 32 bits by each warp, 1 load of 128 bits by each warp

The instructions are those of the plans that code generation carries out. The scratch memory has no
layout in the IR, so the entries name it "scratch".
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from weft.analysis.axis_info import axis_info
from weft.errors import CodegenError, LayoutError
from weft.explain.inventory import launch_attributes
from weft.explain.labels import Labels, loop_depth, shape_text
from weft.explain.model import SharedAccess
from weft.ir import amdg, tt, ttg
from weft.ir.rewriting import walk
from weft.lowering_plans.instruction import Instruction
from weft.lowering_plans.operations import PlanContext, operation_instructions
from weft.targets import target

__all__ = ["SCRATCH", "find_scratch_accesses"]

SCRATCH = "scratch"
_OPERATIONS = (
    amdg.BufferAtomicCASOp,
    amdg.BufferAtomicRMWOp,
    amdg.InThreadTransposeOp,
    amdg.UpcastMXFPOp,
    tt.AtomicCASOp,
    tt.AtomicRMWOp,
    tt.GatherOp,
    tt.HistogramOp,
    tt.ReduceOp,
    tt.ScanOp,
    ttg.ConvertLayoutOp,
)
_KINDS = {
    "shared load": "read",
    "matrix load": "read",
    "cluster load": "read",
    "shared store": "write",
    "matrix store": "write",
    "shared atomic": "update",
}


def find_scratch_accesses(module: ModuleOp, labels: Labels) -> Iterator[SharedAccess]:
    """Yield the accesses to scratch memory, by operation and width.

    Args:
        module: The module; its target has shared memory.
        labels: Its names.
    """
    chip = target(launch_attributes(module).target)
    context = PlanContext(chip, axis_info(module))
    for op in walk(module):
        if not isinstance(op, _OPERATIONS):
            continue
        try:
            instructions = operation_instructions(op, context)
        except (CodegenError, LayoutError):
            continue  # code generation refuses it
        for each in instructions:
            if each.kind in _KINDS:
                yield _access(op, each, labels)


def _access(op: Operation, instruction: Instruction, labels: Labels) -> SharedAccess:
    # Atomic updates have pointers first; the other operations have the tensor.
    tensor = op.results[0] if isinstance(op, tt.AtomicRMWOp | tt.AtomicCASOp) else op.operands[0]
    return SharedAccess(
        op=op.name,
        location=labels.line(op),
        type=shape_text(tensor.type),
        kind=_KINDS[instruction.kind],
        layout=labels.layout(tensor.type),
        memory=SCRATCH,
        loop_depth=loop_depth(op),
        bits=instruction.bits,
        accesses=instruction.requests,
        wavefronts=instruction.wavefronts,
        conflicts=instruction.conflicts,
    )
