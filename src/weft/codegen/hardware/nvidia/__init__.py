"""NVIDIA chips, by capability."""

from __future__ import annotations

from weft.codegen.hardware.chip import Hardware
from weft.codegen.hardware.nvidia.arithmetic import NvidiaArithmetic
from weft.codegen.hardware.nvidia.async_copy import NvidiaAsyncCopy
from weft.codegen.hardware.nvidia.conversion import NvidiaConversion
from weft.codegen.hardware.nvidia.lanes import NvidiaLanes
from weft.codegen.hardware.nvidia.memory import NvidiaMemory
from weft.codegen.hardware.nvidia.messages import NvidiaMessages
from weft.codegen.hardware.nvidia.module_format import NvidiaModuleFormat
from weft.codegen.hardware.nvidia.program import NvidiaProgram
from weft.codegen.hardware.nvidia.synchronization import NvidiaSynchronization
from weft.targets import Target

__all__ = ["hardware"]


def hardware(target: Target) -> Hardware:
    """Get the capabilities of an NVIDIA chip."""
    return Hardware(
        target,
        NvidiaModuleFormat(target),
        NvidiaProgram(),
        NvidiaLanes(target),
        NvidiaMemory(target),
        NvidiaAsyncCopy(),
        NvidiaSynchronization(),
        NvidiaConversion(),
        NvidiaArithmetic(),
        NvidiaMessages(),
    )
