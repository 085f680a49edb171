"""Where an operand of a dot stands in shared memory, so that reading it meets no bank conflict.

    operand dot_op<{opIdx = 0, parent = mfma 32x32, kWidth = 4}>, 128x64, order (1, 0), 16 bits
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

from weft.errors import LayoutError
from weft.layouts.cga import cga_bases, shape_per_cta
from weft.layouts.encodings import (
    AmdMfmaEncoding,
    AmdWmmaEncoding,
    BlockedEncoding,
    DotOperandEncoding,
    Encoding,
    NvidiaMmaEncoding,
    SwizzledSharedEncoding,
)

__all__ = ["swizzled_operand_encoding"]

_BANK_BITS = 32
_TURN_BITS = 32 * _BANK_BITS  # one word of each of 32 banks
_WIDEST_READ = 128  # bits of one lane
_MFMA_ROWS = 16  # rows that the lanes of a phase read together
_MFMA_TRANSPOSED_READS = 4  # the version whose chips read transposed from shared memory
_MFMA_BANKS = {4: 64}  # of versions with more than 32 banks
_NVIDIA_ROWS = 8  # rows of one matrix that ldmatrix reads


def swizzled_operand_encoding(
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
    blocks = cga_bases(share)
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
        row = shape_per_cta(share, tuple(shape))[fixed[0]]
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
