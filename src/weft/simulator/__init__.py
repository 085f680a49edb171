"""Stand in for a GPU: run the LLVM IR that code generation printed, every lane of a block.

The text that is run is the very text that LLVM compiles; what is modelled beside it is what the
chips do between lanes: shuffles, barriers, shared memory.
"""

from __future__ import annotations

from weft.simulator.async_copy.tensormap import TensorMap
from weft.simulator.launch import Report, run

__all__ = ["Report", "TensorMap", "run"]
