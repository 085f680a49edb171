"""tcgen05.mma, tcgen05.cp and tcgen05.commit: what one thread has the tensor cores do.

A product's description says its types and sides (see the fields below). Row r of a tile of 128 rows
lies in row r of tensor memory, of 64 rows in r % 16 + 32 · (r / 16), behind the row of the address.
A scale of row r stands in row r % 32, four times, column r / 32, in the byte that the description
says.
Source: PTX ISA 9.0, tcgen05.mma, instruction descriptor, block scaling, tcgen05.cp.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np

from weft.errors import CodegenError
from weft.simulator.four_bits import numbers_of
from weft.simulator.matrix_cores import as_tf32
from weft.simulator.matrix_tiles import tile, tile_bytes
from weft.simulator.mbarriers import barrier_at
from weft.simulator.registry import Call, assembly
from weft.simulator.state import Block, Step
from weft.simulator.tensor_memory import Tensor, tensor_of

__all__: list[str] = []

_BYTES = 32  # of a row of A that an instruction reads
_FOUR_BITS = "e2m1"
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


def _claim(
    block: Block, thread: int, descriptor: int, rows: int, width: int, *, turned: bool
) -> None:
    """Note that a thread has rows read, of so many bytes along k, or of so many elements of k.

    Raises: CodegenError: another thread wrote some of them, with no barrier between.
    """
    if block.shared.races is not None:
        size = 1 if not turned else max(1, _BYTES // width)
        places = tile_bytes(descriptor, rows, width, size, turned=turned)
        block.shared.races.read_by_engine(places.reshape(-1, size), thread)


def _rows(address: int, rows: int) -> np.ndarray:
    """Return the rows of tensor memory that hold the rows of a tile."""
    row = np.arange(rows)
    return (address >> 16) + (row if rows == 128 else row % 16 + 32 * (row // 16))


def _columns(address: int, count: int) -> np.ndarray:
    return (address & 0xFFFF) + np.arange(count)


def _issuer(block: Block, call: Call) -> int | None:
    """Return the thread that issues, None if there is none.

    Raises: CodegenError: several.
    """
    holds = np.broadcast_to(block.get(call.arguments[0]), block.threads) & block.mask
    threads = np.flatnonzero(holds)
    if len(threads) > 1:
        raise CodegenError("a matrix instruction is issued by one thread", found=len(threads))
    return int(threads[0]) if len(threads) else None


def _of(block: Block, call: Call, position: int, thread: int) -> int:
    value = np.broadcast_to(block.get(call.arguments[position]), block.threads)[thread]
    return int(value)


@assembly(r"@\$0 tcgen05\.mma\.cta_group::1\.kind::(\w+) \[\$1\], (\[?)\$2\]?, \$3, \$4, \$5;")
def _product(call: Call) -> Step:
    kind, in_tensor_memory = call.match[1], bool(call.match[2])

    def step(block: Block) -> None:
        thread = _issuer(block, call)
        if thread is None:
            return
        d, a, b, what, adds = (_of(block, call, n, thread) for n in range(1, 6))
        tensor, warp = tensor_of(block), thread // block.lanes
        m, n = _bits(what, 24, 5) * 16, _bits(what, 17, 6) * 8
        first, second = (_type(kind, _bits(what, low, 3)) for low in (7, 10))
        place = _rows(d, m)[:, None], _columns(d, n)[None]
        tensor.claim(*place, warp, writes=True)
        depth = _BYTES // _NUMPY[first].itemsize
        of_a = _rows(a, m)[:, None], _columns(a, _BYTES // 4)[None]
        turns = [bool(_bits(what, flag, 1)) for flag in (15, 16)]
        if in_tensor_memory:
            tensor.claim(*of_a, warp, writes=False)
        else:
            _claim(block, thread, a, m, depth if turns[0] else _BYTES, turned=turns[0])
        _claim(block, thread, b, n, depth if turns[1] else _BYTES, turned=turns[1])

        def work() -> None:
            if in_tensor_memory:
                raw = np.ascontiguousarray(tensor.read(*of_a))
                left = raw.view(_NUMPY[first]).reshape(m, depth)
                left = as_tf32(left) if first == "tf32" else left
            else:
                left = _operand(block, a, m, first, turned=turns[0], dense=False)
            right = _operand(block, b, n, second, turned=turns[1], dense=False)
            product = left.astype(np.float64) @ right.astype(np.float64).T
            _add(tensor, place, product, _TOTALS[_bits(what, 4, 2)], adds=bool(adds))

        tensor.issue(work)

    return step


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
    r"@\$0 tcgen05\.mma\.cta_group::1\.kind::(\w+)\.block_scale\.scale_vec::(\d)X "
    r"\[\$1\], \$2, \$3, \$4, \[\$5\], \[\$6\], \$7;"
)
def _scaled(call: Call) -> Step:
    kind, count = call.match[1], int(call.match[2])

    def step(block: Block) -> None:
        thread = _issuer(block, call)
        if thread is None:
            return
        d, a, b, what, of_a, of_b, adds = (_of(block, call, n, thread) for n in range(1, 8))
        tensor, warp = tensor_of(block), thread // block.lanes
        m, n = _bits(what, 27, 2) * 128, _bits(what, 17, 6) * 8
        first, second = (_type(kind, _bits(what, low, 3)) for low in (7, 10))
        place = _rows(d, m)[:, None], _columns(d, n)[None]
        tensor.claim(*place, warp, writes=True)
        for descriptor, rows, flag in ((a, m, 15), (b, n, 16)):
            turned = bool(_bits(what, flag, 1))
            _claim(block, thread, descriptor, rows, _BYTES, turned=turned)
        powers = bool(_bits(what, 23, 1))
        dense = kind != "mxf8f6f4"

        def work() -> None:
            sides = []
            for descriptor, rows, type_, flag, scales, at in (
                (a, m, first, 15, of_a, 29),
                (b, n, second, 16, of_b, 4),
            ):
                turned = bool(_bits(what, flag, 1))
                values = _operand(block, descriptor, rows, type_, turned=turned, dense=dense)
                factors = _scales(tensor, scales, rows, _bits(what, at, 2), count, powers=powers)
                each = values.shape[1] // count
                sides.append(values.astype(np.float64) * np.repeat(factors, each, axis=1))
            _add(tensor, place, sides[0] @ sides[1].T, _TOTALS[1], adds=bool(adds))

        tensor.issue(work)

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


@assembly(r"@\$0 tcgen05\.cp\.cta_group::1\.(warpx4\.32x128b|128x256b) \[\$1\], \$2;")
def _copy(call: Call) -> Step:
    scales = call.match[1].startswith("warpx4")

    def step(block: Block) -> None:
        thread = _issuer(block, call)
        if thread is None:
            return
        target, source = _of(block, call, 1, thread), _of(block, call, 2, thread)
        tensor = tensor_of(block)
        rows, width = (32, 4) if scales else (128, 8)
        columns = _columns(target, width)[None]
        every = [(target >> 16) + 32 * part for part in range(4)] if scales else [target >> 16]
        places = [((first + np.arange(rows))[:, None], columns) for first in every]
        _claim(block, thread, source, rows, 4 * width, turned=False)
        for place in places:
            tensor.claim(*place, thread // block.lanes, writes=True)

        def work() -> None:
            words = tile(block.shared, source, rows, width, np.dtype(np.uint32), turned=False)
            for place in places:
                tensor.write(*place, words)

        tensor.issue(work)

    return step


@assembly(
    r"@\$0 tcgen05\.commit\.cta_group::1\.mbarrier::arrive::one\.shared::cluster\.b64 \[\$1\];"
)
def _commit(call: Call) -> Step:
    """Arrive once all that was issued before is done, which is when somebody waits for it."""

    def step(block: Block) -> None:
        thread = _issuer(block, call)
        if thread is None:
            return
        tensor, address = tensor_of(block), _of(block, call, 1, thread)
        barrier, races = barrier_at(block, address), block.shared.races
        first = thread // block.lanes * block.lanes
        warp = np.arange(first, first + block.lanes)

        def land() -> np.ndarray:
            tensor.finish(ticket)
            return np.ones(block.threads, bool)

        def arrive() -> None:
            if land in barrier.owed:
                barrier.owed.remove(land)
            if races is not None:
                races.told_of(warp)
            barrier.arrive(1)

        ticket = tensor.issue(arrive)
        barrier.owed.append(land)

    return step
