"""The amdg dialect: what only AMD's chips have, one file per family.

buffer     loads, stores and atomics through buffer instructions
registers  parts and transposes of tensors in registers, conversions of small floats
copies     asynchronous copies, the tensor data mover, transposing reads
program    barriers, hints to the scheduler, masked access
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.lazy_attributes import lazy_getattr, object_references

if TYPE_CHECKING:
    from weft.ir.amdg.buffer import *  # noqa: F403
    from weft.ir.amdg.copies import *  # noqa: F403
    from weft.ir.amdg.program import *  # noqa: F403
    from weft.ir.amdg.registers import *  # noqa: F403
    from weft.ir.amdg.types import *  # noqa: F403

HOMES = object_references(
    {
        "weft.ir.amdg.buffer": (
            "BufferAtomicCASOp BufferAtomicRMWOp BufferLoadOp BufferLoadToLocalOp BufferStoreOp"
        ),
        "weft.ir.amdg.copies": (
            "AsyncCopyLocalToGlobalOp AsyncTDMCopyGlobalToLocalOp AsyncTDMCopyLocalToGlobalOp "
            "AsyncTDMGatherOp AsyncTDMIntrinsicWaitOp AsyncTDMScatterOp AsyncTDMWaitOp "
            "AsyncWaitOp LocalLoadPackedTransposedOp MemoryCounterWaitOp TDMPrefetchOp"
        ),
        "weft.ir.amdg.program": (
            "ArriveBarrierOp AsyncCopyMbarrierArriveOp ClusterBarrierArriveOp "
            "ClusterBarrierWaitOp CondBarrierOp InitBarrierOp InstructionSchedHintOp "
            "MaskedLoadOp MaskedStoreOp WaitBarrierOp"
        ),
        "weft.ir.amdg.registers": (
            "ConcatOp ExtractSliceOp InThreadTransposeOp ScaledUpcastFp4Op ScaledUpcastFp8Op "
            "UpcastMXFPOp"
        ),
        "weft.ir.amdg.types": "SchedHintVariantAttr",
    }
)
"""Where a name is: most kernels need little of this, and the tables of passes name some of it."""

__getattr__ = lazy_getattr(__name__, HOMES)
