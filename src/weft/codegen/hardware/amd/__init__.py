"""AMD chips, by capability."""

from __future__ import annotations

from weft.codegen.hardware.amd.arithmetic import AmdArithmetic
from weft.codegen.hardware.amd.async_copy import AmdAsyncCopy
from weft.codegen.hardware.amd.conversion import AmdConversion
from weft.codegen.hardware.amd.lanes import AmdLanes
from weft.codegen.hardware.amd.memory import AmdMemory
from weft.codegen.hardware.amd.messages import AmdMessages
from weft.codegen.hardware.amd.module_format import AmdModuleFormat
from weft.codegen.hardware.amd.program import AmdProgram
from weft.codegen.hardware.amd.synchronization import AmdSynchronization
from weft.codegen.hardware.chip import Hardware
from weft.targets import Target

__all__ = ["hardware"]


def hardware(target: Target) -> Hardware:
    """Get the capabilities of an AMD chip."""
    return Hardware(
        target,
        AmdModuleFormat(target),
        AmdProgram(target),
        AmdLanes(target),
        AmdMemory(target),
        AmdAsyncCopy(target),
        AmdSynchronization(target),
        AmdConversion(),
        AmdArithmetic(),
        AmdMessages(target),
    )
