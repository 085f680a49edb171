"""What each operation costs in given layouts: the interface between layouts and the optimum.

    costs = OperationCosts.of(module)
    costs.operation(op, operand_layouts, result_layouts)       # quarter cycles, or None
    costs.conversion(shape, element, source, target)

Every number comes from a function from (operation, layouts) to `Work`; another source of counts
replaces one of these functions, and `Prices` stays.
"""

from __future__ import annotations

from weft.optimum.costs.operations import FunctionCost, OperationCosts
from weft.optimum.costs.prices import Prices, prices_of
from weft.optimum.costs.work import Work

__all__ = ["FunctionCost", "OperationCosts", "Prices", "Work", "prices_of"]
