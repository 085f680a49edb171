"""Give masked accesses layouts in which a thread holds no more elements than one mask bit covers.

Before:  %m = arith.cmpi slt, %r, %n            nothing is known of %n: each element has its own bit
         %x = tt.load %p, %m : #blocked         sizePerThread = [4]: 4 loads, of 16 sectors each
After:   %x = tt.load %p, %m : #blocked1        sizePerThread = [1]: 4 loads, of 4 sectors each

Coalescing gives a thread as many elements as one instruction can move by what is known of the
addresses. The mask may then split the access, and single elements of a warp are far apart. This
pass replaces the layout of such an access in the whole function by one with fewer elements of a
thread along the fastest dimension, the lanes beside each other.

The counted cost never rises. The cost of a function is the sum of the costs of its operations
(`weft.optimum.costs`, by the plans of code generation). A replacement that is not legal, or whose
sum is not smaller, is undone; so each one that stays makes the sum smaller, and the passes that
follow only remove operations.

`layouts="refined"` adds it to the end of the pipelines. Triton has no such pass.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.ir import tt
from weft.ir.builtin import ModuleOp
from weft.optimum.assignment import function_cost
from weft.optimum.costs import OperationCosts
from weft.optimum.narrowing import narrow_masked_accesses
from weft.targets import target

__all__ = ["NarrowMaskedAccesses"]


class NarrowMaskedAccesses(Struct, frozen=True):
    """Narrow the layouts of accesses that their masks split (weft-narrow-masked-accesses)."""

    name: ClassVar[str] = "weft-narrow-masked-accesses"

    def run(self, module: ModuleOp) -> None:
        """Change layouts in place."""
        chip = target(str(getattr(module.attributes.get("ttg.target"), "data", "")))
        costs = OperationCosts.of(module, chip)
        for function in [op for op in module.body.block.ops if isinstance(op, tt.FuncOp)]:
            narrow_masked_accesses(function, costs, function_cost)
