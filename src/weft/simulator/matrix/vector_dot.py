"""Dot instructions of AMD's vector ALU.

llvm.amdgcn.fdot2             <2 x half>, <2 x half>, float
llvm.amdgcn.fdot2.f32.bf16    <2 x bfloat>, <2 x bfloat>, float
llvm.amdgcn.sdot4             four signed bytes in each i32, i32

Products and sums of floats are exact until the result is rounded to f32.
"""

from __future__ import annotations

import numpy as np

from weft.simulator.block import Block, Step
from weft.simulator.llvm_ir.types import Operand
from weft.simulator.matrix.fragments import DTYPES
from weft.simulator.matrix.mfma import check_constants
from weft.simulator.registry import Call, intrinsic

__all__: list[str] = []


@intrinsic(r"llvm\.amdgcn\.(fdot2|sdot4)(?:\.f32\.(bf16))?")
def _compile(call: Call) -> Step:
    """Compile a dot instruction.

    Raises:
        CodegenError: It clamps its result, which the simulator does not support.
    """
    is_integer = call.match[1] == "sdot4"
    dtype = DTYPES["i8" if is_integer else call.match[2] or "f16"]
    exact, rounded = (np.int64, np.int32) if is_integer else (np.float64, np.float32)
    left, right, start, clamp = call.arguments
    check_constants(call, [clamp], [0])

    def elements(block: Block, operand: Operand) -> np.ndarray:
        """Read an operand: [thread, k], or one row for all threads."""
        value = np.ascontiguousarray(block.get(operand))
        return value.reshape(len(value), -1).view(dtype).astype(exact)

    def step(block: Block) -> None:
        c = block.get(start)
        products = (elements(block, left) * elements(block, right)).sum(axis=1)
        total = products + c.view(rounded).astype(exact)
        block.set(call.result, total.astype(rounded).view(c.dtype))

    return step
