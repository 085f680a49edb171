"""tcgen05.mma without block scales; A is in shared memory or in tensor memory.

The instruction is checked when it is issued, and executes later, in order, when a wait needs it.
Source: PTX ISA 9.0, tcgen05.mma.
"""

from __future__ import annotations

import numpy as np

from weft.simulator.block import Block, Step
from weft.simulator.matrix.fragments import to_tf32
from weft.simulator.matrix.tcgen05_descriptor import D_TYPE, M, decode_shape, read_field
from weft.simulator.matrix.tcgen05_issue import (
    cta_pair,
    find_issuer,
    integer_argument,
    record_tile_read,
    warp_of,
)
from weft.simulator.matrix.tcgen05_operands import (
    K_BYTES,
    NUMPY_TYPES,
    accumulate,
    accumulator_words,
    read_b,
    read_operand,
    tmem_columns,
    tmem_rows,
)
from weft.simulator.matrix.tensor_memory import tensor_memory_of
from weft.simulator.registry import Call, assembly

__all__: list[str] = []

_ACCUMULATORS = {0: np.dtype(np.float16), 1: np.dtype(np.float32)}


@assembly(
    r"@\$0 tcgen05\.mma\.cta_group::(?P<group>[12])\.kind::(?P<kind>\w+) "
    r"\[\$1\], (?P<tensor>\[?)\$2\]?, \$3, \$4, \$5;"
)
def _mma(call: Call) -> Step:
    """Compile tcgen05.mma; A may be in tensor memory."""
    kind, a_in_tmem = call.match["kind"], bool(call.match["tensor"])

    def step(block: Block) -> None:
        thread = find_issuer(block, call)
        if thread is None:
            return
        block.count("mma", threads=np.arange(block.threads) == thread)
        d, a, b, descriptor, accumulates = (
            integer_argument(block, call, n, thread) for n in range(1, 6)
        )
        pair = cta_pair(block, call, thread)
        shape = decode_shape(descriptor, kind, read_field(descriptor, M) * 16, len(pair))
        words = accumulator_words(d, shape.m, shape.n, len(pair))
        depth = K_BYTES // NUMPY_TYPES[shape.a_type].itemsize
        a_words = tmem_rows(a, shape.m)[:, None], tmem_columns(a, K_BYTES // 4)[None]
        a_width = depth if shape.a_mn_major else K_BYTES
        b_width = depth if shape.b_mn_major else K_BYTES
        for each, issuer in pair:
            memory, warp = tensor_memory_of(each), warp_of(block, issuer)
            memory.check_issue(*words, warp, writes=True)
            if a_in_tmem:
                memory.check_issue(*a_words, warp, writes=False)
            else:
                record_tile_read(each, issuer, a, shape.m, a_width, mn_major=shape.a_mn_major)
            record_tile_read(each, issuer, b, shape.n_per_block, b_width, mn_major=shape.b_mn_major)

        def read_a(each: Block) -> np.ndarray:
            if not a_in_tmem:
                return read_operand(
                    each, a, shape.m, shape.a_type, mn_major=shape.a_mn_major, is_dense=False
                )
            raw = np.ascontiguousarray(tensor_memory_of(each).read(*a_words))
            values = raw.view(NUMPY_TYPES[shape.a_type]).reshape(shape.m, depth)
            return to_tf32(values) if shape.a_type == "tf32" else values

        def execute() -> None:
            right = read_b(pair, b, shape, is_dense=False)
            dtype = _ACCUMULATORS[read_field(descriptor, D_TYPE)]
            for each, _ in pair:
                product = read_a(each).astype(np.float64) @ right.T
                accumulate(
                    tensor_memory_of(each), words, product, dtype, accumulates=bool(accumulates)
                )

        tensor_memory_of(block).issue(execute)

    return step
