"""Search the swizzle or the padding with the fewest bank conflicts.

Every candidate is measured by `bank_report` over the whole tile, so the result is the best of the
candidates, and `is_ideal` says whether any layout could be better.

    uses = Use(rows, "write"), Use(columns, "read")
    best_swizzle(uses, (32, 32), 32, target("sm_90").shared_memory).encoding
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

from msgspec import Struct, structs

from weft.errors import LayoutError
from weft.layouts.bank_conflicts import BankReport, bank_report
from weft.layouts.encodings import Encoding, PaddedSharedEncoding, SwizzledSharedEncoding
from weft.layouts.linear_layout import LinearLayout
from weft.layouts.shared_memory import SharedMemory

__all__ = ["SearchResult", "Use", "best_padding", "best_swizzle"]


class Use(Struct, frozen=True):
    """An access to a tile in shared memory.

    Attributes:
        registers: the layout that the tile is read to or written from.
        kind: "read" or "write".
    """

    registers: LinearLayout
    kind: str


class SearchResult(Struct, frozen=True):
    """The best candidate of a search.

    Attributes:
        encoding: the encoding of shared memory.
        reports: one per use.
        tried: the number of candidates.
    """

    encoding: Encoding
    reports: tuple[BankReport, ...]
    tried: int

    @property
    def wavefronts(self) -> int:
        """The passes over the banks of all uses together."""
        return sum(report.wavefronts for report in self.reports)

    @property
    def is_ideal(self) -> bool:
        """Whether no access conflicts."""
        return all(report.conflicts == 0 for report in self.reports)


def best_swizzle(
    uses: Sequence[Use],
    shape: Sequence[int],
    element_bits: int,
    memory: SharedMemory,
    order: Sequence[int] | None = None,
) -> SearchResult:
    """Find the #ttg.swizzled_shared with the fewest passes, of equal ones the simplest.

    Args:
        uses: how the tile is written and read.
        shape: the shape of the tile, two dimensions.
        element_bits: the bits of an element.
        memory: the shared memory of the chip.
        order: the dimensions, fastest first; the last one first by default.
    """
    dims = tuple(order) if order is not None else tuple(reversed(range(len(shape))))
    if len(shape) != 2 or sorted(dims) != [0, 1]:
        raise LayoutError(
            "a swizzle is searched for a tile of 2 dimensions", found="x".join(map(str, shape))
        )
    columns, rows = shape[dims[0]], shape[dims[1]]
    candidates = [SwizzledSharedEncoding(1, 1, 1, dims)]
    for phases, vec in itertools.product(_powers_of_two(2, columns), _powers_of_two(1, columns)):
        for per_phase in _powers_of_two(1, rows):
            if vec * phases <= columns and per_phase * phases <= rows:
                candidates.append(SwizzledSharedEncoding(vec, per_phase, phases, dims))
    return _best(candidates, uses, shape, element_bits, memory)


def best_padding(
    uses: Sequence[Use],
    shape: Sequence[int],
    element_bits: int,
    memory: SharedMemory,
    order: Sequence[int] | None = None,
) -> SearchResult:
    """Find the #ttg.padded_shared with the fewest passes, of equal ones that of least memory.

    Candidates have one padding of 4 to 16 bytes after each interval of one to eight rows.

    Args:
        uses: how the tile is written and read.
        shape: the shape of the tile.
        element_bits: the bits of an element.
        memory: the shared memory of the chip.
        order: the dimensions, fastest first; the last one first by default.
    """
    dims = tuple(order) if order is not None else tuple(reversed(range(len(shape))))
    vector = max(1, 128 // element_bits)  # elements in 16 bytes
    row = max(shape[dims[0]], vector)
    candidates = [
        PaddedSharedEncoding.with_identity([interval], [padding], shape, dims)
        for interval in _powers_of_two(row, 8 * row)
        for padding in _powers_of_two(max(1, 32 // element_bits), vector)
    ]
    candidates.sort(key=lambda candidate: candidate.allocated)
    return _best(candidates, uses, shape, element_bits, memory)


def _powers_of_two(least: int, most: int) -> list[int]:
    """List `least`, 2 * least … up to `most`."""
    powers: list[int] = []
    while least <= most:
        powers.append(least)
        least *= 2
    return powers


def _best(
    candidates: Iterable[Encoding],
    uses: Sequence[Use],
    shape: Sequence[int],
    element_bits: int,
    memory: SharedMemory,
) -> SearchResult:
    """Measure the candidates and return the first with the fewest passes."""
    if not uses:
        raise LayoutError("a search needs at least one use of the tile")
    results = [
        SearchResult(
            candidate,
            tuple(
                bank_report(use.registers, candidate, shape, element_bits, memory, use.kind)
                for use in uses
            ),
            0,
        )
        for candidate in candidates
    ]
    best = min(results, key=lambda result: result.wavefronts)
    return structs.replace(best, tried=len(results))
