"""Where an operand of a dot stands in shared memory, so that reading it meets no bank conflict.

    operand_buffer(dot_op<{opIdx = 0, parent = mfma 32x32, kWidth = 4}>, (128, 64), (1, 0), 16)
        → swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 16, order = [1, 0]}>

Lanes of one phase read the same columns of different rows. Rows as wide as all banks would meet in
the same banks, so each row's vectors (`vec` elements, what a lane reads at once) are exchanged by
another phase, up to `maxPhase` of them; where several rows fit the banks, `perPhase` share one.

    elements in one turn of the banks:  banks · 32 bits / element bits
    perPhase = elements in a turn / row length,  at least 1
    maxPhase = min(rows read together / perPhase, vectors in a row),  at least 1

Where the inner dimension is not K, lanes of a phase read along a row, which needs no exchange.
Source: measured on Triton 3.7.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from weft.errors import LayoutError
from weft.layouts.clusters import cluster_vectors, share_of_block
from weft.layouts.encodings import (
    AmdMfmaEncoding,
    AmdWmmaEncoding,
    BlockedEncoding,
    DotOperandEncoding,
    Encoding,
    NvidiaMmaEncoding,
    SwizzledSharedEncoding,
)
from weft.layouts.linear import LinearLayout
from weft.layouts.register_order import dimension_order

__all__ = ["memory_order", "needs_shared_memory", "operand_buffer"]

_BANK_BITS = 32
_TURN_BITS = 32 * _BANK_BITS  # one word of each of 32 banks
_WIDEST_READ = 128  # bits of one lane
_MFMA_ROWS = 16  # rows that the lanes of a phase read together
_MFMA_TRANSPOSED_READS = 4  # the version whose chips read transposed from shared memory
_MFMA_BANKS = {4: 64}  # of versions with more than 32 banks
_NVIDIA_ROWS = 8  # rows of one matrix that ldmatrix reads


@lru_cache(maxsize=16384)
def memory_order(encoding: Encoding, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the order of dimensions in which a tensor of this layout is best laid in memory.

    The order of a thread's elements; that of the lanes where a thread holds one element along
    the dimension that the lanes run through first.
    """
    layout = encoding.linear(shape)
    order, lanes = dimension_order(layout), dimension_order(layout, "lane")
    if order == lanes:
        return order
    held = sum(bool(layout.unpack(image)[lanes[0]]) for image in layout.images("register"))
    return order if held else lanes


@lru_cache(maxsize=16384)
def needs_shared_memory(source: Encoding, target: Encoding, shape: tuple[int, ...]) -> bool:
    """Tell whether a conversion is one that Triton sends through shared memory.

    It does not if every lane finds its elements in its own registers, or every warp in its own
    lanes where at most one bit of the register number changes places with a bit of the lane.
    """
    moves = target.linear(shape).invert_and_compose(source.linear(shape))
    left = moves
    for name in ("block", "warp", "lane", "register"):
        rest = left.quotient([name])
        if rest is None:
            break
        left = rest
    dims = tuple(name for name, _ in left.outs)
    if dims in ((), ("register",)):
        return False
    if dims != ("register", "lane"):
        return True
    return max(_crossing(left, "register", "lane"), _crossing(left, "lane", "register")) > 1


def _crossing(moves: LinearLayout, inside: str, outside: str) -> int:
    """Return how many bits of one in-dimension of the target are bits of another at the source."""
    part = moves.sublayout([inside], [outside])
    return sum(image != 0 for image in part.images(inside))


def operand_buffer(
    operand: DotOperandEncoding,
    shape: Sequence[int],
    order: Sequence[int],
    element_bits: int,
    *,
    source: Encoding | None = None,
    transposed: bool = False,
) -> SwizzledSharedEncoding:
    """Return the encoding of a buffer that a dot's operand is read from.

    Args: shape: of the operand.  order: of the buffer's dimensions, fastest first.
          element_bits: of an element in the buffer.
          source: the layout whose share of a cluster the buffer has; the operand's by default.
          transposed: whether the buffer holds the operand transposed.
    Raises: LayoutError: the parent has no operands in shared memory that are known.
    """
    parent = operand.parent
    share = source if source is not None else operand
    blocks = cluster_vectors(share)
    fixed = tuple(order)
    if isinstance(parent, AmdMfmaEncoding):
        numbers = _mfma(parent, operand, shape, fixed, element_bits, transposed)
    elif isinstance(parent, AmdWmmaEncoding):
        numbers = _wmma(parent, operand, shape, fixed, element_bits)
    elif isinstance(parent, NvidiaMmaEncoding):
        if parent.version_major not in (2, 3):
            raise LayoutError(
                "operands of this instruction do not come through a swizzled buffer",
                found=str(parent),
                accepted=["versionMajor = 2", "versionMajor = 3"],
            )
        row = share_of_block(share, tuple(shape))[fixed[0]]
        numbers = _nvidia(operand, row, fixed, element_bits, transposed)
    elif isinstance(parent, BlockedEncoding):
        numbers = (1, 1, 1)
    else:
        raise LayoutError("the layout of a dot's operand expected", found=str(operand))
    return SwizzledSharedEncoding(*numbers, fixed, blocks)


def _phases(row: int, element_bits: int, banks: int, rows: int, vector: int) -> tuple[int, int]:
    """Return perPhase and maxPhase for rows of so many elements."""
    per_phase = max(1, banks * _BANK_BITS // element_bits // row)
    return per_phase, max(1, min(rows // per_phase, row // vector))


def _mfma(
    parent: AmdMfmaEncoding,
    operand: DotOperandEncoding,
    shape: Sequence[int],
    order: tuple[int, ...],
    bits: int,
    transposed: bool,
) -> tuple[int, int, int]:
    inner = 1 if (operand.op_idx == 0) != transposed else 0
    reads_transposed = parent.version == _MFMA_TRANSPOSED_READS and bits in (8, 16)
    if order[0] != inner and not reads_transposed:
        return 1, 1, 1
    vector, banks = operand.k_width, _MFMA_BANKS.get(parent.version, 32)
    per_phase, max_phase = _phases(shape[order[0]], bits, banks, _MFMA_ROWS, vector)
    return vector, per_phase, 4 if parent.instr_shape[0] == 4 else max_phase


def _wmma(
    parent: AmdWmmaEncoding,
    operand: DotOperandEncoding,
    shape: Sequence[int],
    order: tuple[int, ...],
    bits: int,
) -> tuple[int, int, int]:
    if order[0] != (1 if operand.op_idx == 0 else 0):
        return 1, 1, 1
    vector = min(operand.k_width * bits, _WIDEST_READ) // bits
    per_phase, max_phase = _phases(shape[order[0]], bits, 32, parent.instr_shape[0], vector)
    return vector, per_phase, max_phase


def _nvidia(
    operand: DotOperandEncoding, row: int, order: tuple[int, ...], bits: int, transposed: bool
) -> tuple[int, int, int]:
    per_phase = max(1, _TURN_BITS // (bits * row))
    along_k = order[0] == (len(order) - 1 if operand.op_idx == 0 else len(order) - 2)
    vector, rows = 4 * operand.k_width, _NVIDIA_ROWS
    if transposed == along_k:
        vector, rows = rows, vector
    max_phase = max(1, min(rows, _TURN_BITS // (vector * bits)))
    return vector, per_phase, max(1, max_phase // per_phase)
