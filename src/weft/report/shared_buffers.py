"""The shared memory of a kernel over its operations: which buffer lies where, and when.

bytes │ %b ───────────────┐
 8192 ├───────────────────┤  scratch of tt.reduce
    0 │ %a ──────┐        │  ┌──┐
      └──────────┴────────┴──┴──┴───▶ operations
"""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from weft.analysis.hazards import barriers
from weft.codegen.hardware import hardware_of
from weft.codegen.lowering.kernel_shared_memory import allocate_memory
from weft.compiler.codegen_passes import prepare_for_codegen
from weft.explain.labels import Labels
from weft.explain.source_lines import kernel_line
from weft.ir import gpu, scf, tt, ttg
from weft.ir.builtin import ModuleOp
from weft.ir.rewriting import walk
from weft.report.model import Buffer, Place, SharedMemory
from weft.report.texts import PlaceTable
from weft.targets import Target

__all__ = ["shared_memory"]

_BARRIERS = (ttg.BarrierOp, gpu.BarrierOp)
_LOOPS = (scf.ForOp, scf.WhileOp)


def shared_memory(module: ModuleOp, chip: Target, table: PlaceTable) -> SharedMemory | None:
    """List the buffers of a kernel's function as code generation allocates them.

    Args:
        module: Final TTGIR.
        chip: The target.
        table: Numbers the lines of the kernel.

    Returns:
        The buffers; None if the module has several functions.

    Raises:
        CodegenError: An operation cannot be lowered.
    """
    prepared = prepare_for_codegen(module)
    functions = [op for op in prepared.body.block.ops if isinstance(op, tt.FuncOp)]
    if len(functions) != 1:
        return None
    (function,) = functions
    hardware = hardware_of(chip)
    allocation, columns = allocate_memory(function, hardware, {})
    operations = [op for op in walk(function) if op is not function]
    number = {op: position for position, op in enumerate(operations, start=1)}
    labels = Labels(prepared)

    def place(owner: SSAValue | Operation) -> int:
        op = owner if isinstance(owner, Operation) else owner.owner
        location = kernel_line(op) if isinstance(op, Operation) else None
        return table.number(location and Place(location.file, location.line))

    ranges = {**allocation.buffers, **allocation.scratch}
    buffers = [
        Buffer(
            name=owner.name if isinstance(owner, Operation) else labels.value(owner),
            place=place(owner),
            start=ranges[owner].start,
            size=ranges[owner].size,
            first=live.first,
            last=min(live.last, len(operations)),
        )
        for owner, live in allocation.live_ranges.items()
        if ranges[owner].size
    ]
    inserted = barriers(function, allocation, columns).before
    return SharedMemory(
        size=allocation.size,
        limit=chip.lds_bytes,
        operations=len(operations),
        buffers=tuple(sorted(buffers, key=lambda each: (each.start, each.first))),
        barriers=tuple(
            number[op] for op in operations if isinstance(op, _BARRIERS) or op in inserted
        ),
        loops=tuple(_operations_of(op, number) for op in operations if isinstance(op, _LOOPS)),
        op_places=tuple(place(op) for op in operations),
    )


def _operations_of(loop: Operation, number: dict[Operation, int]) -> tuple[int, int]:
    """Find the first and the last operation of a loop."""
    inside = [number[op] for op in loop.walk()]
    return min(inside), max(inside)
