"""The cheapest layout assignment of a kernel, and the distance of a compiler from it.

    optimum = optimize(module, target("cuda:90"))
    optimum.current          # what the module's layouts cost
    optimum.cost             # the cheapest assignment that was found
    optimum.bound            # no assignment costs less: equal to `cost` if proven optimal

program        values and operations without layouts, duplicates and conversions removed
candidates     the layouts of each value: the module's, and all that can be inferred from anchors'
alternatives   the layouts of an operation's operands and results, with costs
costs          counts of instructions, wavefronts, sectors, …, and their prices
problem        the same as numbers
solver         the problem as an integer program, solved by HiGHS
rewriting      the assignment in the module
differences    the two assignments, operation by operation
narrowing      a rule that the optimum teaches: masks that split accesses
acceptance     whether an assignment that costs less is likely to take less time
assign_layouts the two as a pass
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.lazy_attributes import lazy_getattr, object_references

if TYPE_CHECKING:
    from weft.optimum.assign_layouts import AssignLayouts
    from weft.optimum.assignment import Optimum, module_cost, optimize
    from weft.optimum.rewriting import rewrite

__all__ = ["AssignLayouts", "Optimum", "module_cost", "optimize", "rewrite"]

__getattr__ = lazy_getattr(
    __name__,
    object_references(
        {
            "weft.optimum.assign_layouts": "AssignLayouts",
            "weft.optimum.assignment": "Optimum module_cost optimize",
            "weft.optimum.rewriting": "rewrite",
        }
    ),
)
