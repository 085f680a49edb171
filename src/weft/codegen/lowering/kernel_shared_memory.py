"""The shared memory of a kernel: its own, and that of its callees.

shared_bytes(module)    98304, without lowering the kernel
"""

from __future__ import annotations

from collections.abc import Mapping

from weft.analysis.allocation import Allocation, allocate
from weft.analysis.buffer_size import buffer_bytes
from weft.analysis.tensor_memory import TensorMemory
from weft.codegen.hardware import Hardware, hardware_of
from weft.codegen.lowering.call import Frame, callees_first, frame_bytes
from weft.codegen.lowering.common.memdesc import buffer_alignment, memdesc_of
from weft.codegen.lowering.common.scratch import preferred_scratch_bytes, scratch_bytes
from weft.codegen.lowering.nvidia.tcgen05.allocation import (
    allocate_tensor_memory,
    reserve_address,
)
from weft.ir import tt
from weft.ir.builtin import ModuleOp, StringAttr
from weft.targets import target

__all__ = ["allocate_memory", "shared_bytes"]


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
    public = [op for op in module.body.block.ops if isinstance(op, tt.FuncOp) and op.is_public]
    chip = module.attributes.get("ttg.target")
    if len(public) != 1 or not isinstance(chip, StringAttr):
        return None
    hardware = hardware_of(target(chip.data))
    frames: dict[str, Frame] = {}
    for function in callees_first(module, public[0]):
        allocation, _ = allocate_memory(function, hardware, frames)
        frames[function.symbol] = Frame(allocation.size)
    return frames[public[0].symbol].shared_bytes
