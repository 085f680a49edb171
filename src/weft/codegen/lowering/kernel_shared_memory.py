"""The shared memory of a kernel: its own, and that of its callees.

shared_bytes(module)    98304, without lowering the kernel
plan_memory(module)     the barriers before operations, and their scratch memory
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.ir import Operation

from weft.analysis.allocation import Allocation, allocate
from weft.analysis.buffer_size import buffer_bytes
from weft.analysis.hazards import barriers
from weft.analysis.tensor_memory import TensorMemory
from weft.codegen.hardware import Hardware, hardware_of
from weft.codegen.lowering.call import Frame, callees_first, frame_bytes
from weft.codegen.lowering.common.scratch import preferred_scratch_bytes, scratch_bytes
from weft.codegen.lowering.nvidia.tcgen05.allocation import (
    allocate_tensor_memory,
    reserve_address,
)
from weft.ir import tt
from weft.ir.builtin import ModuleOp, StringAttr
from weft.lowering_plans.memdesc import buffer_alignment, memdesc_of
from weft.targets import target

__all__ = ["KernelMemory", "allocate_memory", "plan_memory", "shared_bytes"]


@dataclass(frozen=True, slots=True)
class KernelMemory:
    """The shared memory of a module's functions.

    Attributes:
        shared_bytes: Bytes of the kernel, its callees' included.
        barriers: Operations that a barrier of the CTA precedes.
        scratch: Bytes of the scratch memory of operations.
        allocates_columns: Whether the kernel allocates tensor memory.
    """

    shared_bytes: int
    barriers: frozenset[Operation]
    scratch: Mapping[Operation, int]
    allocates_columns: bool


def allocate_memory(
    function: tt.FuncOp, hardware: Hardware, frames: Mapping[str, Frame]
) -> tuple[Allocation, TensorMemory]:
    """Allocate the shared memory and the tensor memory of a function.

    Args:
        function: A function with a body.
        hardware: The chip.
        frames: The frames of its callees.
    """
    allocation = allocate(
        function,
        lambda value: buffer_bytes(memdesc_of(value)),
        lambda op: scratch_bytes(op, hardware.target) or frame_bytes(op, frames),
        buffer_alignment,
        lambda op: preferred_scratch_bytes(op, hardware.target),
    )
    columns = allocate_tensor_memory(function, hardware)
    return reserve_address(allocation, columns), columns


def shared_bytes(module: ModuleOp) -> int | None:
    """Compute the shared memory of the kernel of a TTGIR module, in bytes.

    Returns:
        The size; None if the module does not have one public function.

    Raises:
        CodegenError: An operation cannot be lowered.
        WeftError: An unknown target.
    """
    functions = _functions(module)
    if functions is None:
        return None
    hardware, order = functions
    frames: dict[str, Frame] = {}
    for function in order:
        allocation, _ = allocate_memory(function, hardware, frames)
        frames[function.symbol] = Frame(allocation.size)
    return frames[order[-1].symbol].shared_bytes


def plan_memory(module: ModuleOp) -> KernelMemory | None:
    """Place buffers and scratch memory, and find the barriers, as the lowering of a module does.

    Returns:
        None if the module does not have one public function.

    Raises:
        CodegenError: An operation cannot be lowered.
        WeftError: An unknown target.
    """
    functions = _functions(module)
    if functions is None:
        return None
    hardware, order = functions
    frames: dict[str, Frame] = {}
    before: set[Operation] = set()
    scratch: dict[Operation, int] = {}
    has_columns = False
    for function in order:
        allocation, columns = allocate_memory(function, hardware, frames)
        frames[function.symbol] = Frame(allocation.size)
        before |= barriers(function, allocation, columns).before
        scratch |= {op: place.size for op, place in allocation.scratch.items()}
        has_columns = bool(columns.columns)
    shared = frames[order[-1].symbol].shared_bytes
    return KernelMemory(shared, frozenset(before), scratch, has_columns)


def _functions(module: ModuleOp) -> tuple[Hardware, list[tt.FuncOp]] | None:
    """List the functions of a module, callees before callers, the kernel last."""
    public = [op for op in module.body.block.ops if isinstance(op, tt.FuncOp) and op.is_public]
    chip = module.attributes.get("ttg.target")
    if len(public) != 1 or not isinstance(chip, StringAttr):
        return None
    return hardware_of(target(chip.data)), list(callees_first(module, public[0]))
