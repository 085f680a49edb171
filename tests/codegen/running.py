"""Run TTGIR in the interpreter, and its LLVM IR in the simulator, on the same arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tests.codegen.comparing import kernel_of
from weft.codegen import lower
from weft.interpreter import run as interpret
from weft.ir.builtin import ModuleOp
from weft.simulator import run as simulate

__all__ = ["interpreted", "simulated"]


def interpreted(
    module: ModuleOp, arguments: Sequence[np.ndarray], grid: tuple[int, ...] = (1,)
) -> list[np.ndarray]:
    """Run a module's kernel on the interpreter, and return the arrays after it."""
    changed = [array.copy() for array in arguments]
    interpret(module, kernel_of(module).symbol, grid, list(changed))
    return changed


def simulated(
    module: ModuleOp, arguments: Sequence[np.ndarray], grid: tuple[int, ...] = (1,)
) -> list[np.ndarray]:
    """Run the module's LLVM IR on the simulator, and return the arrays after it."""
    changed = [array.copy() for array in arguments]
    llvm = lower(module)
    with np.errstate(all="ignore"):
        simulate(
            llvm.text,
            grid=grid,
            arguments=changed,
            warp_size=llvm.target.threads_per_warp,
            shared_bytes=llvm.shared_bytes,
        )
    return changed
