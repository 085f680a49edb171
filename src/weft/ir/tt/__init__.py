"""The tt dialect: Triton's tile operations, on scalars and tensors with or without layouts.

function      functions, calls and returns
program       program ids, print and assert
shape         make_range, splat, broadcast, reshape, trans, join, split, cat, …
memory        pointers, loads, stores, atomics, block pointers
arithmetic    casts, clamp, precise math, external functions, inline assembly
reduction     reduce, scan, map_elementwise, gather, histogram
dot           dot, dot_scaled
descriptor    tensor descriptors
folds         folds of these operations
"""

from __future__ import annotations

from xdsl.ir import Dialect

from weft.ir.tt.arithmetic import *  # noqa: F403
from weft.ir.tt.arithmetic import OPERATIONS as _ARITHMETIC
from weft.ir.tt.descriptor import *  # noqa: F403
from weft.ir.tt.descriptor import OPERATIONS as _DESCRIPTOR
from weft.ir.tt.dot import *  # noqa: F403
from weft.ir.tt.dot import OPERATIONS as _DOT
from weft.ir.tt.function import *  # noqa: F403
from weft.ir.tt.function import OPERATIONS as _FUNCTION
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
    [
        *(*_FUNCTION, *_PROGRAM, *_SHAPE, *_MEMORY),
        *(*_ARITHMETIC, *_REDUCTION, *_DOT, *_DESCRIPTOR),
    ],
    [PointerType, TensorDescType],
)
