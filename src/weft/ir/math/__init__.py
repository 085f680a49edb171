"""The math dialect: elementary functions, on scalars or element by element on tensors."""

from __future__ import annotations

from xdsl.ir import Dialect

from weft.ir.math.ops import *  # noqa: F403
from weft.ir.math.ops import OPERATIONS

Math = Dialect("math", list(OPERATIONS))
