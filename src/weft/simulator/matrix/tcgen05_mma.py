"""tcgen05.mma, tcgen05.cp and tcgen05.commit: what one thread has the tensor cores do.

A product's description says its types and sides (see the fields below). Row r of a tile of 128 rows
lies in row r of tensor memory, of 64 rows in r % 16 + 32 · (r / 16), behind the row of the address.
A scale of row r stands in row r % 32, four times, column r / 32, in the byte that the description
says. For a pair of blocks the first issues: each has its rows of A and D and half of the columns of
B, at the same addresses, and the scales of its rows and of all columns.
Source: PTX ISA 9.0, tcgen05.mma, instruction descriptor, block scaling, tcgen05.cp.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np

from weft.errors import CodegenError
from weft.simulator.block import Block, Step
from weft.simulator.matrix.fp4 import numbers_of
from weft.simulator.matrix.fragments import as_tf32
from weft.simulator.matrix.shared_tiles import tile, tile_bytes
from weft.simulator.matrix.tensor_memory import tensor_of
from weft.simulator.matrix.tensor_memory_state import Tensor
from weft.simulator.registry import Call, assembly
from weft.simulator.synchronization.races import ELSEWHERE

__all__ = ["claim", "columns_at", "issuer", "operand_of", "working_for"]

_BYTES = 32  # of a row of A that an instruction reads
_FOUR_BITS = "e2m1"
_HALF = 64  # rows
_TYPES: dict[str, dict[int, str]] = {
    "f16": {0: "f16", 1: "bf16"},
    "tf32": {2: "tf32"},
    "f8f6f4": {0: "e4m3", 1: "e5m2", 5: _FOUR_BITS},
    "mxf8f6f4": {0: "e4m3", 1: "e5m2", 5: _FOUR_BITS},
    "mxf4": {1: _FOUR_BITS},
    "mxf4nvf4": {1: _FOUR_BITS},
}
_NUMPY = {
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "tf32": np.dtype(np.float32),
    "e4m3": np.dtype(ml_dtypes.float8_e4m3fn),
    "e5m2": np.dtype(ml_dtypes.float8_e5m2),
}
_TOTALS = {0: np.dtype(np.float16), 1: np.dtype(np.float32)}


def _bits(word: int, low: int, count: int) -> int:
    return word >> low & ((1 << count) - 1)


def _type(kind: str, number: int) -> str:
    """Return the type of an operand that a description numbers.

    Raises: CodegenError: the kind of product has none of that number.
    """
    types = _TYPES.get(kind, {})
    if number not in types:
        raise CodegenError(
            f"the simulator has no such type of tcgen05.mma.kind::{kind}",
            found=number,
            accepted=list(types),
        )
    return types[number]


def _spread(raw: np.ndarray) -> np.ndarray:
    """Return the numbers of four bits that lie in the first 8 of each 16 bytes."""
    return numbers_of(raw.reshape(*raw.shape[:-1], -1, 16)[..., :8]).reshape(raw.shape)


def _operand(
    block: Block, descriptor: int, rows: int, type_: str, *, turned: bool, dense: bool
) -> np.ndarray:
    """Return [row, k] of an operand in shared memory.

    Args: dense: whether two numbers of four bits share a byte, with none between.
    """
    if type_ != _FOUR_BITS:
        kind = _NUMPY[type_]
        found = tile(block.shared, descriptor, rows, _BYTES // kind.itemsize, kind, turned=turned)
        return as_tf32(found) if type_ == "tf32" else found
    raw = tile(block.shared, descriptor, rows, _BYTES, np.dtype(np.uint8), turned=turned)
    if dense:
        return numbers_of(raw)
    return _spread(raw.T).T if turned else _spread(raw)


def claim(
    block: Block, thread: int, descriptor: int, rows: int, width: int, *, turned: bool
) -> None:
    """Note that a thread has rows read, of so many bytes along k, or of so many elements of k.

    Args: thread: of the block, or of the one before it, which issues for both.
    Raises: CodegenError: another thread wrote some of them, with no barrier between.
    """
    if block.shared.races is not None:
        size = 1 if not turned else max(1, _BYTES // width)
        places = tile_bytes(descriptor, rows, width, size, turned=turned).reshape(-1, size)
        first = block.cluster[block.rank - 1].shared.races if thread == ELSEWHERE else None
        reader = None if first is None else first.meetings
        block.shared.races.read_by_engine(places, thread, reader)


def _rows(address: int, rows: int) -> np.ndarray:
    """Return the rows of tensor memory that hold the rows of a tile."""
    row = np.arange(rows)
    return (address >> 16) + (row if rows == 128 else row % 16 + 32 * (row // 16))


def _places(address: int, m: int, n: int, blocks: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and columns of tensor memory where a block has a tile of m x n.

    Of 64 rows in each of a pair, the right half lies below the left one.
    """
    if blocks == 1 or m != _HALF:
        return _rows(address, m)[:, None], columns_at(address, n)[None]
    row, column = np.arange(m)[:, None], np.arange(n)[None]
    below = column // (n // 2)
    return (address >> 16) + row + _HALF * below, (address & 0xFFFF) + column % (n // 2) + 0 * row


def columns_at(address: int, count: int) -> np.ndarray:
    """Return so many columns of tensor memory from an address on."""
    return (address & 0xFFFF) + np.arange(count)


def issuer(block: Block, call: Call) -> int | None:
    """Return the thread that issues, None if there is none.

    Raises: CodegenError: several.
    """
    holds = np.broadcast_to(block.get(call.arguments[0]), block.threads) & block.mask
    threads = np.flatnonzero(holds)
    if len(threads) > 1:
        raise CodegenError("a matrix instruction is issued by one thread", found=len(threads))
    return int(threads[0]) if len(threads) else None


def working_for(block: Block, call: Call, thread: int) -> list[tuple[Block, int]]:
    """Return the blocks that an instruction works for, each with the thread that issues it there.

    Raises: CodegenError: the second of a pair of blocks issues it, or there is no pair; others of
            the kernel name another group.
    """
    tensor_of(block).require_group(call.match["group"])
    if call.match["group"] == "1":
        return [(block, thread)]
    if block.rank & 1 or len(block.cluster) < 2:
        raise CodegenError(
            "the first of a pair of blocks issues for both", found=f"block {block.rank}"
        )
    other = block.cluster[block.rank | 1]
    if other.ended:
        raise CodegenError(f"block {other.rank} has ended, and its pair multiplies")
    return [(block, thread), (other, ELSEWHERE)]


def operand_of(block: Block, call: Call, position: int, thread: int) -> int:
    """Return what a thread gives an instruction as its operand of a number."""
    value = np.broadcast_to(block.get(call.arguments[position]), block.threads)[thread]
    return int(value)


@assembly(
    r"@\$0 tcgen05\.mma\.cta_group::(?P<group>[12])\.kind::(?P<kind>\w+) "
    r"\[\$1\], (?P<tensor>\[?)\$2\]?, \$3, \$4, \$5;"
)
def _product(call: Call) -> Step:
    kind, in_tensor_memory = call.match["kind"], bool(call.match["tensor"])

    def step(block: Block) -> None:
        thread = issuer(block, call)
        if thread is None:
            return
        d, a, b, what, adds = (operand_of(block, call, n, thread) for n in range(1, 6))
        group = working_for(block, call, thread)
        m, n = _bits(what, 24, 5) * 16 // len(group), _bits(what, 17, 6) * 8
        share = n // len(group)
        first, second = (_type(kind, _bits(what, low, 3)) for low in (7, 10))
        place = _places(d, m, n, len(group))
        depth = _BYTES // _NUMPY[first].itemsize
        of_a = _rows(a, m)[:, None], columns_at(a, _BYTES // 4)[None]
        turns = [bool(_bits(what, flag, 1)) for flag in (15, 16)]
        for one, who in group:
            tensor, warp = tensor_of(one), _warp(block, who)
            tensor.claim(*place, warp, writes=True)
            if in_tensor_memory:
                tensor.claim(*of_a, warp, writes=False)
            else:
                claim(one, who, a, m, depth if turns[0] else _BYTES, turned=turns[0])
            claim(one, who, b, share, depth if turns[1] else _BYTES, turned=turns[1])

        def left(one: Block) -> np.ndarray:
            if not in_tensor_memory:
                return _operand(one, a, m, first, turned=turns[0], dense=False)
            raw = np.ascontiguousarray(tensor_of(one).read(*of_a))
            found = raw.view(_NUMPY[first]).reshape(m, depth)
            return as_tf32(found) if first == "tf32" else found

        def work() -> None:
            right = np.concatenate(
                [_operand(one, b, share, second, turned=turns[1], dense=False) for one, _ in group]
            ).astype(np.float64)
            total = _TOTALS[_bits(what, 4, 2)]
            for one, _ in group:
                product = left(one).astype(np.float64) @ right.T
                _add(tensor_of(one), place, product, total, adds=bool(adds))

        tensor_of(block).issue(work)

    return step


def _warp(block: Block, thread: int) -> int:
    return ELSEWHERE if thread == ELSEWHERE else thread // block.lanes


def _add(
    tensor: Tensor,
    place: tuple[np.ndarray, np.ndarray],
    product: np.ndarray,
    kind: np.dtype,
    *,
    adds: bool,
) -> None:
    """Add to accumulators, or replace them; one of 16 bits is the lower half of a word."""
    held = np.ascontiguousarray(tensor.read(*place))
    if kind.itemsize == 2:
        old = held.view(np.float16)[:, ::2].astype(np.float64)
        new = (product + (old if adds else 0)).astype(np.float16)
        tensor.write(*place, new.view(np.uint16).astype(np.uint32))
        return
    old = held.view(np.float32).astype(np.float64)
    new = (product + (old if adds else 0)).astype(np.float32)
    tensor.write(*place, new.view(np.uint32))


@assembly(
    r"@\$0 tcgen05\.mma\.cta_group::(?P<group>[12])\.kind::(?P<kind>\w+)\.block_scale"
    r"\.scale_vec::(?P<count>\d)X \[\$1\], \$2, \$3, \$4, \[\$5\], \[\$6\], \$7;"
)
def _scaled(call: Call) -> Step:
    kind, count = call.match["kind"], int(call.match["count"])

    def step(block: Block) -> None:
        thread = issuer(block, call)
        if thread is None:
            return
        d, a, b, what, of_a, of_b, adds = (operand_of(block, call, n, thread) for n in range(1, 8))
        group = working_for(block, call, thread)
        m, n = _bits(what, 27, 2) * 128 // len(group), _bits(what, 17, 6) * 8
        share = n // len(group)
        first, second = (_type(kind, _bits(what, low, 3)) for low in (7, 10))
        place = _places(d, m, n, len(group))
        turns = [bool(_bits(what, flag, 1)) for flag in (15, 16)]
        for one, who in group:
            tensor_of(one).claim(*place, _warp(block, who), writes=True)
            for descriptor, rows, turned in ((a, m, turns[0]), (b, share, turns[1])):
                claim(one, who, descriptor, rows, _BYTES, turned=turned)
        powers = bool(_bits(what, 23, 1))
        dense = kind != "mxf8f6f4"

        def factors(one: Block, address: int, rows: int, at: int, width: int) -> np.ndarray:
            byte = _bits(what, at, 2)
            found = _scales(tensor_of(one), address, rows, byte, count, powers=powers)
            return np.repeat(found, width // count, axis=1)

        def work() -> None:
            right = np.concatenate(
                [_operand(one, b, share, second, turned=turns[1], dense=dense) for one, _ in group]
            ).astype(np.float64)
            for one, _ in group:
                left = _operand(one, a, m, first, turned=turns[0], dense=dense).astype(np.float64)
                scaled = left * factors(one, of_a, m, 29, left.shape[1])
                others = right * factors(one, of_b, n, 4, right.shape[1])
                _add(tensor_of(one), place, scaled @ others.T, _TOTALS[1], adds=bool(adds))

        tensor_of(block).issue(work)

    return step


def _scales(
    tensor: Tensor, address: int, rows: int, byte: int, count: int, *, powers: bool
) -> np.ndarray:
    """Return [row, group of k] of scales.

    Raises: CodegenError: the four copies differ.
    """
    row = np.arange(rows)
    base, columns = address >> 16, (address & 0xFFFF) + row // 32
    copies = [tensor.read(base + row % 32 + 32 * part, columns) for part in range(4)]
    if any((copy != copies[0]).any() for copy in copies):
        raise CodegenError("scales are held four times, and two of them differ")
    raw = np.ascontiguousarray(copies[0]).view(np.uint8).reshape(rows, 4)[:, byte : byte + count]
    if powers:
        return np.exp2(raw.astype(np.float64) - 127)
    return np.ascontiguousarray(raw).view(ml_dtypes.float8_e4m3fn).astype(np.float64)
