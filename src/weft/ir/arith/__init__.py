"""The arith dialect: integer, floating-point and conversion operations on scalars and tensors.

Operands and results are scalars, or tensors of one shape and encoding. weft defines the dialect
itself because xDSL's gives a comparison of tensors a scalar result and rejects tensors in most
conversions.

integer        arith.addi, arith.divsi, arith.shli, arith.minsi, …
float          arith.addf, arith.maxnumf, arith.negf, …
conversion     arith.extf, arith.trunci, arith.sitofp, arith.bitcast, …
compare        arith.cmpi, arith.cmpf, arith.select, arith.constant
folds          constant folding of all of them
"""

from __future__ import annotations

from xdsl.ir import Dialect

from weft.ir.arith.compare import *  # noqa: F403
from weft.ir.arith.compare import OPERATIONS as _COMPARE
from weft.ir.arith.conversion import *  # noqa: F403
from weft.ir.arith.conversion import OPERATIONS as _CONVERSION
from weft.ir.arith.float import *  # noqa: F403
from weft.ir.arith.float import OPERATIONS as _FLOAT
from weft.ir.arith.integer import *  # noqa: F403
from weft.ir.arith.integer import OPERATIONS as _INTEGER

Arith = Dialect("arith", [*_INTEGER, *_FLOAT, *_CONVERSION, *_COMPARE])
