"""The amdg dialect: what only AMD's chips have, one file per family.

buffer     loads, stores and atomics through buffer instructions
registers  parts and transposes of tensors in registers, conversions of small floats
copies     asynchronous copies, the tensor data mover, transposing reads
program    barriers, hints to the scheduler, masked access
"""

from __future__ import annotations

from xdsl.ir import Dialect

from weft.ir.amdg.buffer import *  # noqa: F403
from weft.ir.amdg.buffer import OPERATIONS as _BUFFER
from weft.ir.amdg.copies import *  # noqa: F403
from weft.ir.amdg.copies import OPERATIONS as _COPIES
from weft.ir.amdg.program import *  # noqa: F403
from weft.ir.amdg.program import OPERATIONS as _PROGRAM
from weft.ir.amdg.registers import *  # noqa: F403
from weft.ir.amdg.registers import OPERATIONS as _REGISTERS
from weft.ir.amdg.types import *  # noqa: F403
from weft.ir.amdg.types import SchedHintVariantAttr

Amdg = Dialect("amdg", [*_BUFFER, *_REGISTERS, *_COPIES, *_PROGRAM], [SchedHintVariantAttr])
