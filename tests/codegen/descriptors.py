"""Simulate kernels that take host tensor descriptors, and assemble kernels with ptxas."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from tests.codegen.comparing import kernel_of
from weft.codegen import LlvmModule, lower
from weft.codegen.backend.ptxas import Cubin, ptxas_for
from weft.codegen.lowering.nvidia.tma_host_descriptors import host_descriptors
from weft.compiler.machine_code import llvm_machine
from weft.ir.builtin import ModuleOp
from weft.kernel.compiled_kernel import CompiledKernel
from weft.simulator import Report, TensorMap
from weft.simulator import run as simulate

_ELEMENTS = {"u8": 0, "u16": 1, "u32": 2, "s32": 3, "u64": 4, "s64": 5, "f16": 6, "f32": 7}
_ELEMENTS |= {"f64": 9, "bf16": 10}
_MODES = {0: 0, 32: 1, 64: 2, 128: 3}


def expanded(module: ModuleOp, given: Sequence[object]) -> list[object]:
    """Return a kernel's arguments: an array for a descriptor is followed by sizes and strides."""
    described = host_descriptors(kernel_of(module))
    actual: list[object] = []
    for value in given:
        says = described.get(len(actual))
        if says is None:
            actual.append(value)
            continue
        assert isinstance(value, np.ndarray)
        strides = [step // value.itemsize for step in value.strides]
        actual.append(
            TensorMap(
                value,
                _ELEMENTS[says.element],
                says.box[::-1],
                value.shape[::-1],
                value.strides[-2::-1] if value.ndim > 1 else (),
                _MODES[says.row_bytes],
            )
        )
        actual += [*value.shape, *strides]
    return actual


def simulated(
    made: CompiledKernel | ModuleOp, grid: tuple[int, ...], given: Sequence[object]
) -> Report:
    """Run a kernel on the simulator; arrays become descriptors where it takes those."""
    module = made.module("ttgir") if isinstance(made, CompiledKernel) else made
    llvm = lower(module)
    return run_text(llvm, llvm.text, grid, expanded(module, given))


def run_text(
    llvm: LlvmModule, text: str, grid: tuple[int, ...], arguments: Sequence[object]
) -> Report:
    """Run a text in place of the module's own."""
    return simulate(
        text,
        grid=grid,
        arguments=arguments,
        warp_size=llvm.target.threads_per_warp,
        shared_bytes=llvm.shared_bytes,
        scratch_bytes=llvm.global_scratch_bytes,
    )


def assembles(made: CompiledKernel | ModuleOp) -> Cubin:
    """Require that ptxas takes a kernel's PTX, where there is one for its chip."""
    module = made.module("ttgir") if isinstance(made, CompiledKernel) else made
    llvm = lower(module)
    actual = ptxas_for(llvm.target.llvm_cpu)
    if actual is None:
        pytest.skip("no ptxas that knows the chip on this machine")
    return actual.assemble(llvm, llvm_machine().emit(llvm, "assembly"))
