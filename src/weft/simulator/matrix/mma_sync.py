"""mma.sync, with and without block scales; operands and accumulators are in registers.

Source: PTX ISA 9.0, mma and mma with block scaling.
"""

from __future__ import annotations

import re

import numpy as np

from weft.errors import CodegenError
from weft.simulator.block import Block, Step
from weft.simulator.llvm_ir.types import Operand, dtype_of
from weft.simulator.matrix.fp4 import unpack_fp4
from weft.simulator.matrix.fragments import DTYPES, mma_shape, multiply, to_tf32
from weft.simulator.registry import Call, Operands, assembly

__all__: list[str] = []


def _stack(block: Block, operands: Operands) -> np.ndarray:
    """Read registers: [thread, register]."""
    registers = [block.per_thread(operand) for operand, _ in operands]
    return np.ascontiguousarray(np.stack(registers, axis=1))


@assembly(
    r"mma\.sync\.aligned\.m(8|16)n8k(\d+)\.row\.col(\.satfinite)?\.(\w+)\.(\w+)\.(\w+)\.(\w+)"
    r" ([{}$\d, ]+);"
)
def _mma(call: Call) -> Step:
    """Compile mma.sync.

    Raises:
        CodegenError: D and C have different types, or registers are in an unexpected order.
    """
    m, k, saturates, d_name, a_name, b_name, c_name, registers = call.match.groups()
    if d_name != c_name:
        raise CodegenError(
            "the simulator does not support mma.sync with different types of C and D",
            found=call.match[0],
        )
    a_dtype, b_dtype, c_dtype = DTYPES[a_name], DTYPES[b_name], DTYPES[c_name]
    shape = mma_shape(int(m), int(k), 8 * a_dtype.itemsize)
    register_bytes = max(4, a_dtype.itemsize)
    a_count = shape.a.shape[1] * a_dtype.itemsize // register_bytes
    b_count = shape.b.shape[1] * b_dtype.itemsize // register_bytes
    _check_register_order(registers, call.outputs, a_count + b_count)
    a_operands = call.operands[:a_count]
    b_operands = call.operands[a_count : a_count + b_count]
    c_operands = call.operands[a_count + b_count :]
    d_dtype = dtype_of(c_operands[0][1])

    def step(block: Block) -> None:
        a = _stack(block, a_operands).view(a_dtype)
        b = _stack(block, b_operands).view(b_dtype)
        if a_name == "tf32":
            a, b = to_tf32(a), to_tf32(b)
        c = _stack(block, c_operands).view(c_dtype)
        d = np.ascontiguousarray(multiply(shape, a, b, c, saturates=bool(saturates))).view(d_dtype)
        block.set_members(call.result, tuple(d[:, n] for n in range(d.shape[1])))

    return step


def _check_register_order(text: str, results: int, operands: int) -> None:
    """Check that registers are in the order D, A, B, C, with C tied to D.

    Raises:
        CodegenError: They are not.
    """
    numbers = [int(number) for number in re.findall(r"\d+", text)]
    if numbers != [*range(results + operands), *range(results)]:
        raise CodegenError(
            "the simulator does not support this register order of mma.sync", found=text
        )


@assembly(
    r"mma\.sync\.aligned\.m16n8k(\d+)\.row\.col\.kind::(\w+)\.block_scale\.scale_vec::(\d)X\.f32"
    r"\.(\w+)\.(\w+)\.f32\.(ue8m0|ue4m3) ([{}$\d, ]+), \$10, \{(\d), (\d)\}, \$11, \{(\d), (\d)\};"
)
def _mma_scaled(call: Call) -> Step:
    """Compile mma.sync with block scales.

    The scales of rows r and r + 8 of A are in lanes 4·r + 2·t and 4·r + 2·t + 1, those of column c
    of B in lane 4·c + t. Each pair in braces is the first byte of the scales in the register, and
    t.

    Raises:
        CodegenError: Registers are in an unexpected order.
    """
    k, _, scales_per_row, a_name, b_name, scale_name, registers = call.match.groups()[:7]
    a_byte, a_thread, b_byte, b_thread = (int(call.match[n]) for n in (8, 9, 10, 11))
    _check_register_order(registers, call.outputs, 6)
    depth, scale_count = int(k), int(scales_per_row)
    shape = mma_shape(16, depth, 4 if a_name == "e2m1" else 8)

    def values(block: Block, operands: Operands, name: str) -> np.ndarray:
        raw = _stack(block, operands).view(np.uint8)
        return unpack_fp4(raw) if name == "e2m1" else raw.view(DTYPES[name]).astype(np.float64)

    def scales(block: Block, register: Operand, byte: int) -> np.ndarray:
        """Read the scales of all lanes: [warp, lane, scale along k]."""
        words = np.ascontiguousarray(block.per_thread(register).astype(np.int32))
        raw = words.view(np.uint8).reshape(-1, 32, 4)[..., byte : byte + scale_count]
        if scale_name == "ue8m0":
            return np.exp2(raw.astype(np.float64) - 127)
        return np.ascontiguousarray(raw).view(DTYPES["e4m3"]).astype(np.float64)

    def step(block: Block) -> None:
        quad = 4 * np.arange(8)
        a_scales = scales(block, call.arguments[6], a_byte)
        a_scales = np.concatenate([a_scales[:, quad + 2 * a_thread + n] for n in range(2)], axis=1)
        b_scales = scales(block, call.arguments[7], b_byte)[:, quad + b_thread]
        run = depth // scale_count
        a = _scale(values(block, call.operands[:4], a_name), shape.a, a_scales, run)
        b = _scale(values(block, call.operands[4:6], b_name), shape.b, b_scales, run)
        d = multiply(shape, a, b, _stack(block, call.operands[8:]))
        block.set_members(call.result, tuple(d.T))

    return step


def _scale(values: np.ndarray, positions: np.ndarray, scales: np.ndarray, run: int) -> np.ndarray:
    """Multiply an operand's elements by their scales.

    Args:
        values: [thread, element].
        positions: [lane, element, (row, k)].
        scales: [warp, row, scale along k].
        run: Elements along k with one scale.
    """
    rows, blocks = positions[..., 0], positions[..., 1] // run
    return values * scales[:, rows, blocks].reshape(values.shape)
