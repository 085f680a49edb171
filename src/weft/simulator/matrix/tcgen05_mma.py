"""tcgen05.mma, with and without block scales; one thread issues it.

The instruction descriptor holds the types and the shape (see the bit positions below). Row r of an
accumulator of 128 rows is in row r of tensor memory; of 64 rows in row r % 16 + 32 · (r / 16); each
relative to the row of its address. The scale of row r is in row r % 32, column r / 32, in the byte
that the descriptor selects, and is replicated in rows r % 32 + 32, + 64 and + 96.

With cta_group::2 the first block of a pair issues for both. Each block holds its rows of A and D
and half of the columns of B, at the same addresses, and the scales of its rows and of all columns.
Source: PTX ISA 9.0, tcgen05.mma, instruction descriptor, block scaling.
"""

from __future__ import annotations

from dataclasses import dataclass

import ml_dtypes
import numpy as np

from weft.errors import CodegenError
from weft.simulator.block import Block, Step
from weft.simulator.matrix.fp4 import unpack_fp4
from weft.simulator.matrix.fragments import to_tf32
from weft.simulator.matrix.shared_tiles import read_tile, tile_places
from weft.simulator.matrix.tensor_memory import tensor_memory_of
from weft.simulator.matrix.tensor_memory_state import TensorMemory
from weft.simulator.registry import Call, assembly
from weft.simulator.synchronization.races import OTHER_BLOCK

__all__ = [
    "cta_pair",
    "find_issuer",
    "integer_argument",
    "record_tile_read",
    "tmem_columns",
    "warp_of",
]

_K_BYTES = 32
"""Bytes of a row of A that an instruction reads."""
_FP4 = "e2m1"
_HALF = 64  # rows of an accumulator in each block of a pair
_TYPES: dict[str, dict[int, str]] = {
    "f16": {0: "f16", 1: "bf16"},
    "tf32": {2: "tf32"},
    "f8f6f4": {0: "e4m3", 1: "e5m2", 5: _FP4},
    "mxf8f6f4": {0: "e4m3", 1: "e5m2", 5: _FP4},
    "mxf4": {1: _FP4},
    "mxf4nvf4": {1: _FP4},
}
"""Kind of MMA → number in the instruction descriptor → element type."""
_NUMPY = {
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "tf32": np.dtype(np.float32),
    "e4m3": np.dtype(ml_dtypes.float8_e4m3fn),
    "e5m2": np.dtype(ml_dtypes.float8_e5m2),
}
_ACCUMULATORS = {0: np.dtype(np.float16), 1: np.dtype(np.float32)}

# Fields of the instruction descriptor: first bit and number of bits.
_D_TYPE, _A_TYPE, _B_TYPE = (4, 2), (7, 3), (10, 3)
_A_MAJOR, _B_MAJOR = (15, 1), (16, 1)
_N, _M = (17, 6), (24, 5)  # in units of 8 and 16
# The same with block scales.
_B_SCALE_BYTE, _E8M0_SCALES, _SCALED_M, _A_SCALE_BYTE = (4, 2), (23, 1), (27, 2), (29, 2)


def _field(descriptor: int, field: tuple[int, int]) -> int:
    bit, count = field
    return descriptor >> bit & ((1 << count) - 1)


@dataclass(frozen=True, slots=True)
class _Shape:
    """What an instruction descriptor says.

    Attributes:
        m: Rows of D in each block.
        n: Columns of D.
        n_per_block: Columns of B in each block.
        a_type: Element type of A.
        b_type: Element type of B.
        a_mn_major: Whether A's tile in shared memory is MN-major.
        b_mn_major: Whether B's is.
    """

    m: int
    n: int
    n_per_block: int
    a_type: str
    b_type: str
    a_mn_major: bool
    b_mn_major: bool


def _decode(descriptor: int, kind: str, m: int, blocks: int) -> _Shape:
    """Decode an instruction descriptor.

    Args:
        descriptor: The descriptor.
        kind: Kind of MMA, "f8f6f4".
        m: Rows of D in all blocks.
        blocks: Number of blocks that take part.
    """
    n = _field(descriptor, _N) * 8
    return _Shape(
        m // blocks,
        n,
        n // blocks,
        _element_type(kind, _field(descriptor, _A_TYPE)),
        _element_type(kind, _field(descriptor, _B_TYPE)),
        bool(_field(descriptor, _A_MAJOR)),
        bool(_field(descriptor, _B_MAJOR)),
    )


def _element_type(kind: str, number: int) -> str:
    """Find an operand's element type.

    Raises:
        CodegenError: The kind of MMA has none of that number.
    """
    types = _TYPES.get(kind, {})
    if number not in types:
        raise CodegenError(
            f"the simulator does not support this operand type of tcgen05.mma.kind::{kind}",
            found=number,
            accepted=list(types),
        )
    return types[number]


def _unpack_padded_fp4(raw: np.ndarray) -> np.ndarray:
    """Convert fp4 elements that occupy the first 8 of each 16 bytes."""
    return unpack_fp4(raw.reshape(*raw.shape[:-1], -1, 16)[..., :8]).reshape(raw.shape)


def _read_operand(
    block: Block, descriptor: int, rows: int, type_: str, *, mn_major: bool, is_dense: bool
) -> np.ndarray:
    """Read an operand [row, k] in shared memory.

    Args:
        block: The block.
        descriptor: Its matrix descriptor.
        rows: Rows of A, or columns of B.
        type_: Element type.
        mn_major: Whether the tile is MN-major.
        is_dense: Whether fp4 elements are packed without padding.
    """
    if type_ != _FP4:
        dtype = _NUMPY[type_]
        depth = _K_BYTES // dtype.itemsize
        values = read_tile(block.shared, descriptor, rows, depth, dtype, mn_major=mn_major)
        return to_tf32(values) if type_ == "tf32" else values
    raw = read_tile(block.shared, descriptor, rows, _K_BYTES, np.dtype(np.uint8), mn_major=mn_major)
    if is_dense:
        return unpack_fp4(raw)
    return _unpack_padded_fp4(raw.T).T if mn_major else _unpack_padded_fp4(raw)


def record_tile_read(
    block: Block, thread: int, descriptor: int, rows: int, width: int, *, mn_major: bool
) -> None:
    """Record that an instruction reads a tile in shared memory.

    Args:
        block: The block whose shared memory it is.
        thread: The thread that issues the instruction, OTHER_BLOCK if the first block of the pair
            issues it.
        descriptor: Matrix descriptor of the tile.
        rows: Rows of the tile.
        width: Bytes along k; of an MN-major tile, elements along k.
        mn_major: Whether the tile is MN-major.

    Raises:
        CodegenError: Another thread wrote bytes of the tile, with no barrier between.
    """
    if block.shared.races is not None:
        size = 1 if not mn_major else max(1, _K_BYTES // width)
        places = tile_places(descriptor, rows, width, size, mn_major=mn_major).reshape(-1, size)
        reader = None
        if thread == OTHER_BLOCK:
            issuer = block.cluster[block.rank - 1].shared.races
            reader = None if issuer is None else issuer.cluster
        block.shared.races.read_by_tensor_core(places, thread, reader)


def _tmem_rows(address: int, rows: int) -> np.ndarray:
    """Compute the rows of tensor memory that hold the rows of a tile."""
    row = np.arange(rows)
    return (address >> 16) + (row if rows == 128 else row % 16 + 32 * (row // 16))


def tmem_columns(address: int, count: int) -> np.ndarray:
    """Compute a number of columns of tensor memory from an address on."""
    return (address & 0xFFFF) + np.arange(count)


def _accumulator_words(address: int, m: int, n: int, blocks: int) -> tuple[np.ndarray, np.ndarray]:
    """Compute rows and columns of tensor memory that hold an accumulator of m x n in a block.

    Of 64 rows in each block of a pair, the right half of the columns is below the left half.
    """
    if blocks == 1 or m != _HALF:
        return _tmem_rows(address, m)[:, None], tmem_columns(address, n)[None]
    row, column = np.arange(m)[:, None], np.arange(n)[None]
    is_right = column // (n // 2)
    rows = (address >> 16) + row + _HALF * is_right
    return rows, (address & 0xFFFF) + column % (n // 2) + 0 * row


def find_issuer(block: Block, call: Call) -> int | None:
    """Find the thread that issues an instruction, None if there is none.

    Raises:
        CodegenError: There are several.
    """
    threads = np.flatnonzero(block.per_thread(call.arguments[0]) & block.active)
    if len(threads) > 1:
        raise CodegenError("a tcgen05 instruction must be issued by one thread", found=len(threads))
    return int(threads[0]) if len(threads) else None


def cta_pair(block: Block, call: Call, thread: int) -> list[tuple[Block, int]]:
    """List the blocks on which an instruction works, each with the thread that issues it there.

    Raises:
        CodegenError: The second block of a pair issues it, there is no pair, or the cta_group
            differs from that of other instructions.
    """
    tensor_memory_of(block).check_cta_group(call.match["group"])
    if call.match["group"] == "1":
        return [(block, thread)]
    if block.rank & 1 or len(block.cluster) < 2:
        raise CodegenError(
            "cta_group::2 instructions must be issued by the first block of a pair",
            found=f"block {block.rank}",
        )
    other = block.cluster[block.rank | 1]
    if other.finished:
        raise CodegenError(f"cta_group::2 instruction after block {other.rank} of the pair exited")
    return [(block, thread), (other, OTHER_BLOCK)]


def integer_argument(block: Block, call: Call, position: int, thread: int) -> int:
    """Read an argument of the thread that issues."""
    return int(block.per_thread(call.arguments[position])[thread])


def warp_of(block: Block, thread: int) -> int:
    """Compute the warp of a thread; OTHER_BLOCK stays as it is."""
    return OTHER_BLOCK if thread == OTHER_BLOCK else thread // block.warp_size


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
        d, a, b, descriptor, accumulates = (
            integer_argument(block, call, n, thread) for n in range(1, 6)
        )
        pair = cta_pair(block, call, thread)
        shape = _decode(descriptor, kind, _field(descriptor, _M) * 16, len(pair))
        words = _accumulator_words(d, shape.m, shape.n, len(pair))
        depth = _K_BYTES // _NUMPY[shape.a_type].itemsize
        a_words = _tmem_rows(a, shape.m)[:, None], tmem_columns(a, _K_BYTES // 4)[None]
        a_width = depth if shape.a_mn_major else _K_BYTES
        b_width = depth if shape.b_mn_major else _K_BYTES
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
                return _read_operand(
                    each, a, shape.m, shape.a_type, mn_major=shape.a_mn_major, is_dense=False
                )
            raw = np.ascontiguousarray(tensor_memory_of(each).read(*a_words))
            values = raw.view(_NUMPY[shape.a_type]).reshape(shape.m, depth)
            return to_tf32(values) if shape.a_type == "tf32" else values

        def execute() -> None:
            right = _read_b(pair, b, shape, is_dense=False)
            dtype = _ACCUMULATORS[_field(descriptor, _D_TYPE)]
            for each, _ in pair:
                product = read_a(each).astype(np.float64) @ right.T
                _accumulate(
                    tensor_memory_of(each), words, product, dtype, accumulates=bool(accumulates)
                )

        tensor_memory_of(block).issue(execute)

    return step


def _read_b(
    pair: list[tuple[Block, int]], descriptor: int, shape: _Shape, *, is_dense: bool
) -> np.ndarray:
    """Read B [column, k], of which each block holds a part of the columns."""
    parts = [
        _read_operand(
            each,
            descriptor,
            shape.n_per_block,
            shape.b_type,
            mn_major=shape.b_mn_major,
            is_dense=is_dense,
        )
        for each, _ in pair
    ]
    return np.concatenate(parts).astype(np.float64)


def _accumulate(
    memory: TensorMemory,
    words: tuple[np.ndarray, np.ndarray],
    product: np.ndarray,
    dtype: np.dtype,
    *,
    accumulates: bool,
) -> None:
    """Add a product to accumulators, or replace them; f16 uses the low half of each word."""
    raw = np.ascontiguousarray(memory.read(*words))
    if dtype.itemsize == 2:
        old = raw.view(np.float16)[:, ::2].astype(np.float64)
        new = (product + (old if accumulates else 0)).astype(np.float16)
        memory.write(*words, new.view(np.uint16).astype(np.uint32))
        return
    old = raw.view(np.float32).astype(np.float64)
    new = (product + (old if accumulates else 0)).astype(np.float32)
    memory.write(*words, new.view(np.uint32))


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
        d, a, b, descriptor, a_scales, b_scales, accumulates = (
            integer_argument(block, call, n, thread) for n in range(1, 8)
        )
        pair = cta_pair(block, call, thread)
        shape = _decode(descriptor, kind, _field(descriptor, _SCALED_M) * 128, len(pair))
        words = _accumulator_words(d, shape.m, shape.n, len(pair))
        for each, issuer in pair:
            warp = warp_of(block, issuer)
            tensor_memory_of(each).check_issue(*words, warp, writes=True)
            record_tile_read(each, issuer, a, shape.m, _K_BYTES, mn_major=shape.a_mn_major)
            record_tile_read(
                each, issuer, b, shape.n_per_block, _K_BYTES, mn_major=shape.b_mn_major
            )
        is_e8m0 = bool(_field(descriptor, _E8M0_SCALES))

        def scales(each: Block, address: int, rows: int, byte: int, depth: int) -> np.ndarray:
            """Read the scale of every element [row, k]."""
            values = _read_scales(
                tensor_memory_of(each), address, rows, byte, count, is_e8m0=is_e8m0
            )
            return np.repeat(values, depth // count, axis=1)

        def execute() -> None:
            right = _read_b(pair, b, shape, is_dense=is_dense)
            a_byte, b_byte = _field(descriptor, _A_SCALE_BYTE), _field(descriptor, _B_SCALE_BYTE)
            for each, _ in pair:
                left = _read_operand(
                    each, a, shape.m, shape.a_type, mn_major=shape.a_mn_major, is_dense=is_dense
                ).astype(np.float64)
                left = left * scales(each, a_scales, shape.m, a_byte, left.shape[1])
                scaled_right = right * scales(each, b_scales, shape.n, b_byte, right.shape[1])
                _accumulate(
                    tensor_memory_of(each),
                    words,
                    left @ scaled_right.T,
                    _ACCUMULATORS[1],
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
