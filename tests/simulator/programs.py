"""Run small kernels, written as LLVM IR text, on arrays.

of_each_thread("add i32 %x, %y", x, y)      one instruction for every thread of a block
run_text(body, [array], threads=64)         a body with %p0, %p1 … and the thread's number %i
"""

from __future__ import annotations

from collections.abc import Sequence

import ml_dtypes
import numpy as np

from weft.simulator import Report
from weft.simulator import run as simulate

__all__ = ["TYPES", "of_each_thread", "run_text"]

TYPES: dict[np.dtype, str] = {
    np.dtype(kind): name
    for kind, name in {
        np.int8: "i8",
        np.int16: "i16",
        np.int32: "i32",
        np.int64: "i64",
        np.float16: "half",
        ml_dtypes.bfloat16: "bfloat",
        np.float32: "float",
        np.float64: "double",
    }.items()
}


def run_text(
    body: str,
    arrays: Sequence[np.ndarray],
    *,
    threads: int = 32,
    lanes: int = 32,
    shared_bytes: int = 0,
    grid: tuple[int, ...] = (1,),
    chip: str = "",
) -> Report:
    """Run a kernel body, which starts in the entry block, on arrays.

    Args:
        body: The lines.
        arrays: The arguments %p0, %p1, …
        threads: Threads of a block.
        lanes: Threads of a warp.
        shared_bytes: Shared memory of a block.
        grid: Number of programs along each axis.
        chip: LLVM's name of an AMD processor, "" for NVIDIA.
    """
    arguments = ", ".join(f"ptr addrspace(1) %p{n}" for n in range(len(arrays)))
    text = (
        "@shared = external addrspace(3) global [0 x i8], align 1024\n"
        f'define ptx_kernel void @k({arguments}) "nvvm.reqntid"="{threads}" "target-cpu"="{chip}"'
        " {\n"
        "entry:\n  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
        f"{body}\n}}\n"
    )
    return simulate(
        text, grid=grid, arguments=list(arrays), warp_size=lanes, shared_bytes=shared_bytes
    )


def of_each_thread(instruction: str, *operands: np.ndarray, result: str = "") -> np.ndarray:
    """Run an instruction on %x, %y and %z, and return the result of every thread.

    Args:
        instruction: The instruction.
        operands: A number per thread each, all of one length.
        result: LLVM type of the result, by default that of %x; an i1 is returned as 0 or 1.
    """
    threads = len(operands[0])
    kind = result or TYPES[operands[0].dtype]
    stored = "i8" if kind == "i1" else kind
    dtype = next(dtype for dtype, name in TYPES.items() if name == stored)
    lines = []
    for n, (name, operand) in enumerate(zip("xyz", operands, strict=False)):
        type_ = TYPES[operand.dtype]
        lines += [
            f"  %a{name} = getelementptr {type_}, ptr addrspace(1) %p{n}, i32 %i",
            f"  %{name} = load {type_}, ptr addrspace(1) %a{name}, align 1",
        ]
    lines.append(f"  %values = {instruction}")
    last = "%values"
    if kind == "i1":
        lines.append("  %wide = zext i1 %values to i8")
        last = "%wide"
    lines += [
        f"  %to = getelementptr {stored}, ptr addrspace(1) %p{len(operands)}, i32 %i",
        f"  store {stored} {last}, ptr addrspace(1) %to, align 1",
        "  ret void",
    ]
    values = np.zeros(threads, dtype)
    run_text("\n".join(lines), [*operands, values], threads=threads)
    return values
