"""The ttng dialect, whole: what reads and prints text must know all of it."""

from __future__ import annotations

from xdsl.ir import Dialect

from weft.ir.ttng.barrier import OPERATIONS as _BARRIER
from weft.ir.ttng.tcgen5 import OPERATIONS as _TCGEN5
from weft.ir.ttng.tensor_memory import OPERATIONS as _TENSOR_MEMORY
from weft.ir.ttng.tma import OPERATIONS as _TMA
from weft.ir.ttng.types import ReduceModifierAttr, TensorDescIm2ColType, TensorMemoryAttr
from weft.ir.ttng.wgmma import OPERATIONS as _WGMMA

__all__ = ["Ttng"]

Ttng = Dialect(
    "ttng",
    [*_BARRIER, *_TMA, *_WGMMA, *_TENSOR_MEMORY, *_TCGEN5],
    [TensorMemoryAttr, TensorDescIm2ColType, ReduceModifierAttr],
)
