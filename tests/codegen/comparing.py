"""Compare memory after the interpreter runs a kernel's TTIR and the simulator its LLVM IR."""

from __future__ import annotations

import numpy as np

from weft.codegen import lower
from weft.interpreter import run as interpret
from weft.ir import tt
from weft.ir.builtin import ModuleOp
from weft.ir.text import parse_module
from weft.kernel.compiled_kernel import CompiledKernel
from weft.simulator import Report
from weft.simulator import run as simulate
from weft.testing.pass_equivalence import random_argument

ELEMENTS = 1 << 16
GRID = (3, 2)


def kernel_of(module: ModuleOp) -> tt.FuncOp:
    """Return the module's public function."""
    (actual,) = (op for op in module.body.block.ops if isinstance(op, tt.FuncOp) and op.is_public)
    return actual


def arguments_for(kernel: tt.FuncOp, seed: int) -> list[object]:
    """Return random arguments; a number that is said to be divisible by 16 is."""
    random = np.random.default_rng(seed)
    arguments = []
    for index, type_ in enumerate(kernel.function_type.inputs.data):
        value = random_argument(type_, ELEMENTS, random)
        if "tt.divisibility" in kernel.argument_attributes(index) and isinstance(value, int):
            value = (value % 4 + 1) * 16
        arguments.append(value)
    return arguments


def require_same(compiled: CompiledKernel, *, tolerance: float = 1e-5, seed: int = 0) -> Report:
    """Require that a kernel's LLVM IR leaves the memory that the interpreter of its TTIR leaves."""
    return require_meaning(
        compiled.module("ttir"), compiled.module("ttgir"), tolerance=tolerance, seed=seed
    )


def require_text(
    text: str, *, tolerance: float = 1e-5, seed: int = 0, grid: tuple[int, ...] = GRID
) -> Report:
    """Require that TTGIR, given as text, computes what the interpreter makes of it."""
    module = parse_module(text)
    return require_meaning(module, module, tolerance=tolerance, seed=seed, grid=grid)


def require_meaning(
    module: ModuleOp,
    lowered: ModuleOp,
    *,
    tolerance: float = 1e-5,
    seed: int = 0,
    grid: tuple[int, ...] = GRID,
) -> Report:
    """Require that a module's LLVM IR does what the interpreter makes of another module.

    Args: grid: of programs; few are enough of a kernel whose programs all do the same.
    """
    kernel = kernel_of(module)
    llvm = lower(lowered)
    expected, actual = (arguments_for(kernel, seed) for _ in range(2))
    interpret(module, kernel.symbol, grid, expected)
    report = simulate(
        llvm.text,
        grid=grid,
        arguments=actual,
        warp_size=llvm.target.threads_per_warp,
        shared_bytes=llvm.shared_bytes,
        scratch_bytes=llvm.global_scratch_bytes,
    )
    for index, (a, b) in enumerate(zip(expected, actual, strict=True)):
        if isinstance(a, np.ndarray):
            wide = [np.asarray(each).astype(np.float64) for each in (a, b)]
            np.testing.assert_allclose(
                wide[1], wide[0], tolerance, tolerance, err_msg=f"argument {index}"
            )
    return report
