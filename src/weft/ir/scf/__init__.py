"""The scf dialect: structured control flow, as in MLIR.

yield_op              scf.yield
for_op                scf.for
while_op              scf.while, scf.condition
if_op                 scf.if
execute_region_op     scf.execute_region
assembly              syntax that these operations share
"""

from __future__ import annotations

from xdsl.ir import Dialect

from weft.ir.scf.execute_region_op import ExecuteRegionOp
from weft.ir.scf.for_op import ForOp
from weft.ir.scf.if_op import IfOp
from weft.ir.scf.while_op import ConditionOp, WhileOp
from weft.ir.scf.yield_op import YieldOp

__all__ = ["ConditionOp", "ExecuteRegionOp", "ForOp", "IfOp", "Scf", "WhileOp", "YieldOp"]

Scf = Dialect("scf", [YieldOp, ConditionOp, ForOp, IfOp, WhileOp, ExecuteRegionOp])
