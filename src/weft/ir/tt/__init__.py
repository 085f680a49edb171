"""The tt dialect: Triton's tile operations, one file per family.

program    the function, calls, the launch grid, print and assert
shape      make_range, splat, broadcast, reshape, trans, join, split, cat, …
memory     pointers, loads, stores, atomics, block pointers
arithmetic conversions, clamp, precise operations, external and inline functions
reduction  reduce, scan, map_elementwise, gather, histogram
dot        dot and dot_scaled
descriptor tensor descriptors
"""

from __future__ import annotations

from xdsl.ir import Dialect

from weft.ir.tt.arithmetic import *  # noqa: F403
from weft.ir.tt.arithmetic import OPERATIONS as _ARITHMETIC
from weft.ir.tt.descriptor import *  # noqa: F403
from weft.ir.tt.descriptor import OPERATIONS as _DESCRIPTOR
from weft.ir.tt.dot import *  # noqa: F403
from weft.ir.tt.dot import OPERATIONS as _DOT
from weft.ir.tt.memory import *  # noqa: F403
from weft.ir.tt.memory import OPERATIONS as _MEMORY
from weft.ir.tt.program import *  # noqa: F403
from weft.ir.tt.program import OPERATIONS as _PROGRAM
from weft.ir.tt.reduction import *  # noqa: F403
from weft.ir.tt.reduction import OPERATIONS as _REDUCTION
from weft.ir.tt.shape import *  # noqa: F403
from weft.ir.tt.shape import OPERATIONS as _SHAPE
from weft.ir.types import PointerType, TensorDescType

Tt = Dialect(
    "tt",
    [*_PROGRAM, *_SHAPE, *_MEMORY, *_ARITHMETIC, *_REDUCTION, *_DOT, *_DESCRIPTOR],
    [PointerType, TensorDescType],
)
