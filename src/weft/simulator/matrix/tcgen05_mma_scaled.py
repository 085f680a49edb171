"""tcgen05.mma with block scales, which are in tensor memory.

The scale of row r is in row r % 32, column r / 32, in the byte that the instruction descriptor
selects, and is replicated in rows r % 32 + 32, + 64 and + 96. In a pair of blocks, each block holds
the scales of its rows of A and of all columns of B.
Source: PTX ISA 9.0, tcgen05.mma, block scaling.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np

from weft.errors import CodegenError
from weft.simulator.block import Block, Step
from weft.simulator.matrix.tcgen05_descriptor import (
    A_SCALE_BYTE,
    B_SCALE_BYTE,
    E8M0_SCALES,
    SCALED_M,
    decode_shape,
    read_field,
)
from weft.simulator.matrix.tcgen05_issue import (
    cta_pair,
    find_issuer,
    integer_argument,
    record_tile_read,
    warp_of,
)
from weft.simulator.matrix.tcgen05_operands import (
    K_BYTES,
    accumulate,
    accumulator_words,
    read_b,
    read_operand,
)
from weft.simulator.matrix.tensor_memory import tensor_memory_of
from weft.simulator.matrix.tensor_memory_state import TensorMemory
from weft.simulator.registry import Call, assembly

__all__: list[str] = []


@assembly(
    r"@\$0 tcgen05\.mma\.cta_group::(?P<group>[12])\.kind::(?P<kind>\w+)\.block_scale"
    r"\.scale_vec::(?P<count>\d)X \[\$1\], \$2, \$3, \$4, \[\$5\], \[\$6\], \$7;"
)
def _mma_scaled(call: Call) -> Step:
    """Compile tcgen05.mma with block scales."""
    kind, count = call.match["kind"], int(call.match["count"])
    is_dense = kind != "mxf8f6f4"

    def step(block: Block) -> None:
        thread = find_issuer(block, call)
        if thread is None:
            return
        block.count("mma", threads=np.arange(block.threads) == thread)
        d, a, b, descriptor, a_scales, b_scales, accumulates = (
            integer_argument(block, call, n, thread) for n in range(1, 8)
        )
        pair = cta_pair(block, call, thread)
        shape = decode_shape(descriptor, kind, read_field(descriptor, SCALED_M) * 128, len(pair))
        words = accumulator_words(d, shape.m, shape.n, len(pair))
        for each, issuer in pair:
            warp = warp_of(block, issuer)
            tensor_memory_of(each).check_issue(*words, warp, writes=True)
            record_tile_read(each, issuer, a, shape.m, K_BYTES, mn_major=shape.a_mn_major)
            record_tile_read(each, issuer, b, shape.n_per_block, K_BYTES, mn_major=shape.b_mn_major)
        is_e8m0 = bool(read_field(descriptor, E8M0_SCALES))

        def scales(each: Block, address: int, rows: int, byte: int, depth: int) -> np.ndarray:
            """Read the scale of every element [row, k]."""
            values = _read_scales(
                tensor_memory_of(each), address, rows, byte, count, is_e8m0=is_e8m0
            )
            return np.repeat(values, depth // count, axis=1)

        def execute() -> None:
            right = read_b(pair, b, shape, is_dense=is_dense)
            a_byte, b_byte = (
                read_field(descriptor, A_SCALE_BYTE),
                read_field(descriptor, B_SCALE_BYTE),
            )
            for each, _ in pair:
                left = read_operand(
                    each, a, shape.m, shape.a_type, mn_major=shape.a_mn_major, is_dense=is_dense
                ).astype(np.float64)
                left = left * scales(each, a_scales, shape.m, a_byte, left.shape[1])
                scaled_right = right * scales(each, b_scales, shape.n, b_byte, right.shape[1])
                accumulate(
                    tensor_memory_of(each),
                    words,
                    left @ scaled_right.T,
                    np.dtype(np.float32),
                    accumulates=bool(accumulates),
                )

        tensor_memory_of(block).issue(execute)

    return step


def _read_scales(
    memory: TensorMemory, address: int, rows: int, byte: int, count: int, *, is_e8m0: bool
) -> np.ndarray:
    """Read scales [row, scale along k].

    Args:
        memory: Tensor memory.
        address: Address of the scales.
        rows: Rows that have scales.
        byte: First byte of the words that holds them.
        count: Scales of a row.
        is_e8m0: Whether they are e8m0, else e4m3.

    Raises:
        CodegenError: The four replicas differ.
    """
    row = np.arange(rows)
    base, columns = address >> 16, (address & 0xFFFF) + row // 32
    replicas = [memory.read(base + row % 32 + 32 * part, columns) for part in range(4)]
    if any((replica != replicas[0]).any() for replica in replicas):
        raise CodegenError("the four replicas of the scales in tensor memory differ")
    words = np.ascontiguousarray(replicas[0]).view(np.uint8).reshape(rows, 4)
    raw = words[:, byte : byte + count]
    if is_e8m0:
        return np.exp2(raw.astype(np.float64) - 127)
    return np.ascontiguousarray(raw).view(ml_dtypes.float8_e4m3fn).astype(np.float64)
