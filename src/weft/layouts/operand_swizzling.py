"""Choose the swizzle of a buffer that a dot's operand is read from.

The lanes that are served together read the same columns of different rows. If a row is as wide as
all banks, these columns share banks. The swizzle gives each row another phase, by which its vectors
(`vec` elements, what a lane reads at once) are permuted; there are up to `maxPhase` phases, and if
several rows fit into one line of all banks, `perPhase` of them share a phase:

    elements in a line of all banks    banks * 32 bits / element bits
    perPhase    elements in a line / elements in a row, at least 1
    maxPhase    min(rows read together / perPhase, vectors in a row), at least 1

By hand, for the left operand of mfma 32x32 with kWidth = 4 on gfx942, 128x64 of 16 bits, row-major:
a line has 32 * 32 / 16 = 64 elements, so perPhase = 64 / 64 = 1; lanes read 16 rows together, and a
row has 64 / 4 = 16 vectors, so maxPhase = 16:

    #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 16, order = [1, 0]}>

If the inner dimension is not K, the lanes read along a row and need no swizzle. Source: measured
with Triton 3.7.1.
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
_LINE_BITS = 32 * _BANK_BITS  # one word of each of 32 banks
_WIDEST_READ = 128  # bits of one lane
_MFMA_ROWS = 16  # rows that lanes read together
_MFMA_TRANSPOSED_READS = 4  # the version whose chips have transposing reads of shared memory
_MFMA_BANKS = {4: 64}  # of versions that do not have 32
_MATRIX_ROWS = 8  # of one matrix of ldmatrix

_Swizzle = tuple[int, int, int]  # vec, perPhase, maxPhase
_NO_SWIZZLE: _Swizzle = (1, 1, 1)


def swizzled_operand_encoding(
    operand: DotOperandEncoding,
    shape: Sequence[int],
    order: Sequence[int],
    element_bits: int,
    *,
    source: Encoding | None = None,
    transposed: bool = False,
) -> SwizzledSharedEncoding:
    """Compute the encoding of a buffer that a dot's operand is read from.

    Args:
        operand: the encoding that the operand is read in.
        shape: the shape of the operand.
        order: the buffer's dimensions, fastest first.
        element_bits: the bits of an element in the buffer.
        source: the encoding whose part of a cluster the buffer holds; the operand's by default.
        transposed: whether the buffer holds the operand transposed.

    Raises:
        LayoutError: operands of this kind are not read from a swizzled buffer.
    """
    parent = operand.parent
    buffer_source = source if source is not None else operand
    dims = tuple(order)
    if isinstance(parent, AmdMfmaEncoding):
        swizzle = _mfma(parent, operand, shape, dims, element_bits, transposed)
    elif isinstance(parent, AmdWmmaEncoding):
        swizzle = _wmma(parent, operand, shape, dims, element_bits)
    elif isinstance(parent, NvidiaMmaEncoding):
        if parent.version_major not in (2, 3):
            raise LayoutError(
                "operands of this instruction are not read from a swizzled buffer",
                found=str(parent),
                accepted=["versionMajor = 2", "versionMajor = 3"],
            )
        row = shape_per_cta(buffer_source, tuple(shape))[dims[0]]
        swizzle = _nvidia(operand, row, dims, element_bits, transposed)
    else:
        assert isinstance(parent, BlockedEncoding), "the parent of an operand is a dot's result"
        swizzle = _NO_SWIZZLE
    return SwizzledSharedEncoding(*swizzle, dims, cga_bases(buffer_source))


def _phases(row: int, element_bits: int, banks: int, rows: int, vec: int) -> tuple[int, int]:
    """Return perPhase and maxPhase.

    Args:
        row: elements of a row.
        element_bits: the bits of an element.
        banks: the number of banks of shared memory.
        rows: the rows that lanes read together.
        vec: elements of a vector.
    """
    per_phase = max(1, banks * _BANK_BITS // element_bits // row)
    return per_phase, max(1, min(rows // per_phase, row // vec))


def _mfma(
    parent: AmdMfmaEncoding,
    operand: DotOperandEncoding,
    shape: Sequence[int],
    order: tuple[int, ...],
    bits: int,
    transposed: bool,
) -> _Swizzle:
    k = 1 if (operand.op_idx == 0) != transposed else 0
    reads_transposed = parent.version == _MFMA_TRANSPOSED_READS and bits in (8, 16)
    if order[0] != k and not reads_transposed:
        return _NO_SWIZZLE
    vec, banks = operand.k_width, _MFMA_BANKS.get(parent.version, 32)
    per_phase, max_phase = _phases(shape[order[0]], bits, banks, _MFMA_ROWS, vec)
    return vec, per_phase, 4 if parent.instr_shape[0] == 4 else max_phase


def _wmma(
    parent: AmdWmmaEncoding,
    operand: DotOperandEncoding,
    shape: Sequence[int],
    order: tuple[int, ...],
    bits: int,
) -> _Swizzle:
    k = 1 if operand.op_idx == 0 else 0
    if order[0] != k:
        return _NO_SWIZZLE
    vec = min(operand.k_width * bits, _WIDEST_READ) // bits
    per_phase, max_phase = _phases(shape[order[0]], bits, 32, parent.instr_shape[0], vec)
    return vec, per_phase, max_phase


def _nvidia(
    operand: DotOperandEncoding, row: int, order: tuple[int, ...], bits: int, transposed: bool
) -> _Swizzle:
    """Return the swizzle for ldmatrix, of matrices of 8 rows of 4 * kWidth elements along K."""
    k = len(order) - 1 if operand.op_idx == 0 else len(order) - 2
    per_phase = max(1, _LINE_BITS // (bits * row))
    vec, rows = 4 * operand.k_width, _MATRIX_ROWS
    if transposed == (order[0] == k):  # the matrix is read transposed
        vec, rows = rows, vec
    max_phase = max(1, min(rows, _LINE_BITS // (vec * bits)))
    return vec, per_phase, max(1, max_phase // per_phase)
