"""Find the swizzle or the padding with which a tile passes shared memory fastest.

Every candidate is measured by `bank_report` over the whole tile, so that the answer is a proof
for the candidates that were tried, and `is_ideal` for all that there could be.

    use = Use(rows, "write"), Use(columns, "read")
    best_swizzle(use, (32, 32), 32, target("sm_90").shared_memory).encoding
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from weft.errors import LayoutError
from weft.layouts.bank_conflicts import BankReport, bank_report
from weft.layouts.encodings import Encoding, PaddedSharedEncoding, SwizzledSharedEncoding
from weft.layouts.linear import LinearLayout
from weft.layouts.shared_memory import SharedMemory

__all__ = ["SearchResult", "Use", "best_padding", "best_swizzle"]


@dataclass(frozen=True, slots=True)
class Use:
    """Say that a tile is read or written by a layout of registers."""

    registers: LinearLayout
    kind: str


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Hold the best of a search.

    Fields: encoding: of shared memory.  reports: one per use.  tried: number of candidates.
    """

    encoding: Encoding
    reports: tuple[BankReport, ...]
    tried: int

    @property
    def wavefronts(self) -> int:
        """Return the passes of all uses together."""
        return sum(report.wavefronts for report in self.reports)

    @property
    def is_ideal(self) -> bool:
        """Return whether no access conflicts."""
        return all(report.conflicts == 0 for report in self.reports)


def best_swizzle(
    uses: Sequence[Use],
    shape: Sequence[int],
    element_bits: int,
    memory: SharedMemory,
    order: Sequence[int] | None = None,
) -> SearchResult:
    """Return the #ttg.swizzled_shared with the fewest passes, the plainest of equals.

    Args: uses: how the tile is written and read.  shape: of two dimensions.
    order: the dimensions, fastest first; the last one by default.
    """
    fast = tuple(order) if order is not None else tuple(reversed(range(len(shape))))
    if len(shape) != 2 or sorted(fast) != [0, 1]:
        raise LayoutError(
            "a swizzle is searched for a tile of 2 dimensions", found="x".join(map(str, shape))
        )
    columns, rows = shape[fast[0]], shape[fast[1]]
    candidates = [SwizzledSharedEncoding(1, 1, 1, fast)]
    for phases, vec in itertools.product(_powers(2, columns), _powers(1, columns)):
        for per_phase in _powers(1, rows):
            if vec * phases <= columns and per_phase * phases <= rows:
                candidates.append(SwizzledSharedEncoding(vec, per_phase, phases, fast))
    return _best(candidates, uses, shape, element_bits, memory)


def best_padding(
    uses: Sequence[Use],
    shape: Sequence[int],
    element_bits: int,
    memory: SharedMemory,
    order: Sequence[int] | None = None,
) -> SearchResult:
    """Return the #ttg.padded_shared with the fewest passes, of equals the one of least memory.

    Args: as of `best_swizzle`; one padding of up to 16 bytes is tried after each interval of up
    to eight rows.
    """
    fast = tuple(order) if order is not None else tuple(reversed(range(len(shape))))
    row = shape[fast[0]]
    least = max(1, 128 // element_bits)
    candidates = [
        PaddedSharedEncoding.with_identity([interval], [padding], shape, fast)
        for interval in _powers(max(row, least), 8 * max(row, least))
        for padding in _powers(max(1, 32 // element_bits), least)
    ]
    candidates.sort(key=lambda candidate: candidate.allocated)
    return _best(candidates, uses, shape, element_bits, memory)


def _powers(least: int, most: int) -> list[int]:
    out = []
    while least <= most:
        out.append(least)
        least *= 2
    return out


def _best(
    candidates: Iterable[Encoding],
    uses: Sequence[Use],
    shape: Sequence[int],
    element_bits: int,
    memory: SharedMemory,
) -> SearchResult:
    if not uses:
        raise LayoutError("a search needs at least one use of the tile")
    best: SearchResult | None = None
    tried = 0
    for candidate in candidates:
        tried += 1
        reports = tuple(
            bank_report(use.registers, candidate, shape, element_bits, memory, use.kind)
            for use in uses
        )
        found = SearchResult(candidate, reports, tried)
        if best is None or found.wavefronts < best.wavefronts:
            best = found
    assert best is not None
    return dataclasses.replace(best, tried=tried)
