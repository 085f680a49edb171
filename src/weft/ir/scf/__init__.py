"""The scf dialect: loops and conditionals whose bodies are regions.

yields       how a region ends            conditional  scf.while
counted      scf.for                      regions      scf.if, scf.execute_region
"""

from __future__ import annotations

from xdsl.ir import Dialect

from weft.ir.scf.conditional import ConditionOp, WhileOp
from weft.ir.scf.counted import ForOp
from weft.ir.scf.regions import ExecuteRegionOp, IfOp
from weft.ir.scf.yields import YieldOp

__all__ = ["ConditionOp", "ExecuteRegionOp", "ForOp", "IfOp", "Scf", "WhileOp", "YieldOp"]

Scf = Dialect("scf", [YieldOp, ConditionOp, ForOp, IfOp, WhileOp, ExecuteRegionOp])
