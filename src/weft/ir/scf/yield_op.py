"""`scf.yield`, the terminator of most regions of scf."""

from __future__ import annotations

from typing import ClassVar

from xdsl.irdl import traits_def, var_operand_def
from xdsl.traits import IsTerminator, Pure

from weft.ir.interfaces import RegionBranchTerminatorOpInterface
from weft.ir.op_traits import HasParent
from weft.ir.operation import Op, operation

__all__ = ["YieldOp"]


_PARENTS = ("scf.execute_region", "scf.for", "scf.if", "scf.while")


@operation
class YieldOp(Op, RegionBranchTerminatorOpInterface):
    """Leave a region and forward the operands to the successor that the parent defines.

    In `scf.if` and `scf.execute_region` they are the results; in `scf.for` the results or the
    `iter_args` of the next iteration; in `scf.while` the arguments of the before region.

    Example:
        scf.yield %x, %n : f32, i32
    """

    name = "scf.yield"
    arguments = var_operand_def()
    traits = traits_def(IsTerminator(), Pure(), HasParent(_PARENTS))
    FORMAT: ClassVar[str] = "attr-dict ($arguments^ `:` type($arguments))?"
