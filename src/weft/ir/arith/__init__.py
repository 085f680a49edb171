"""The arith dialect: integer, floating-point and conversion operations on scalars and tensors.

xDSL's own arith gives a comparison of tensors a scalar result and rejects tensors in most
conversions, so these definitions are weft's. Operands and results are scalars or tensors of
one shape and encoding.
"""

from __future__ import annotations

from xdsl.ir import Dialect

from weft.ir.arith.choice import *  # noqa: F403
from weft.ir.arith.choice import OPERATIONS as _CHOICE
from weft.ir.arith.conversion import *  # noqa: F403
from weft.ir.arith.conversion import OPERATIONS as _CONVERSION
from weft.ir.arith.float import *  # noqa: F403
from weft.ir.arith.float import OPERATIONS as _FLOAT
from weft.ir.arith.integer import *  # noqa: F403
from weft.ir.arith.integer import OPERATIONS as _INTEGER

Arith = Dialect("arith", [*_INTEGER, *_FLOAT, *_CONVERSION, *_CHOICE])
