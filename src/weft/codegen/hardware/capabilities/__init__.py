"""What code generation asks of a chip: one protocol per capability."""

from __future__ import annotations

from weft.codegen.hardware.capabilities.arithmetic import Arithmetic
from weft.codegen.hardware.capabilities.async_copy import AsyncCopy
from weft.codegen.hardware.capabilities.conversion import Conversion
from weft.codegen.hardware.capabilities.lanes import Lanes
from weft.codegen.hardware.capabilities.memory import Memory
from weft.codegen.hardware.capabilities.messages import Messages
from weft.codegen.hardware.capabilities.module_format import ModuleFormat
from weft.codegen.hardware.capabilities.program import Program
from weft.codegen.hardware.capabilities.synchronization import Synchronization

__all__ = [
    "Arithmetic",
    "AsyncCopy",
    "Conversion",
    "Lanes",
    "Memory",
    "Messages",
    "ModuleFormat",
    "Program",
    "Synchronization",
]
