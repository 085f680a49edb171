"""Count what a launch executes: instructions by kind, width and source line, sectors, wavefronts.

    report = run_module(llvm, grid=(4,), arguments=[x, y, 1000], counted_for=target("cuda:90"))
    report.counters.total("global load").sectors
    report.counters.by_line()[31]                # {("global load", 128): Count(…), …}

A request is an instruction that a warp executes with at least one lane taking part. The kinds are
those of `weft.lowering_plans.instruction`, so that the counts can be held against its predictions.
Spills, and what LLVM merges, splits or removes, are not seen here: the simulator runs LLVM IR.

By hand, 32 lanes that load 4 bytes each at neighbouring addresses: 1 request, 128 bytes, so 4
sectors. The same at a distance of 128 bytes: 32 sectors, of which 4 would hold the bytes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from weft.errors import LayoutError
from weft.layouts.shared_memory import SharedMemory
from weft.simulator.llvm_ir.parser import Instruction

__all__ = ["Count", "Counters", "LineCount"]

_SECTOR_BYTES = 32
_WIDEST_BYTES = 16  # of one access of a lane; LLVM splits wider ones


@dataclass(frozen=True, slots=True)
class Count:
    """What instructions of one kind and width did.

    Attributes:
        text: The instructions in the text of the kernel.
        requests: Their executions, by all warps.
        wavefronts: Their passes over the banks of shared memory.
        conflicts: The passes that bank conflicts add.
        sectors: The 32-byte sectors of global memory that they touch.
        ideal_sectors: The sectors that would hold the accessed bytes without gaps.
        global_requests: The requests with a lane that accesses global memory. An asynchronous copy
            that only fills zeros is a request, but none of these.
    """

    text: int = 0
    requests: int = 0
    wavefronts: int = 0
    conflicts: int = 0
    sectors: int = 0
    ideal_sectors: int = 0
    global_requests: int = 0

    def __add__(self, other: Count) -> Count:
        return Count(
            self.text + other.text,
            self.requests + other.requests,
            self.wavefronts + other.wavefronts,
            self.conflicts + other.conflicts,
            self.sectors + other.sectors,
            self.ideal_sectors + other.ideal_sectors,
            self.global_requests + other.global_requests,
        )


@dataclass(frozen=True, slots=True)
class LineCount:
    """The count of one line, kind and width.

    Attributes:
        file: The file, "" if unknown.
        line: The line, 0 if unknown.
        kind: The kind: "shared load".
        bits: The bits that a lane moves; 0 for barriers, tile copies and MMA.
        count: The count.
    """

    file: str
    line: int
    kind: str
    bits: int
    count: Count


@dataclass(slots=True)
class Counters:
    """The counts of a launch.

    Attributes:
        memory: The shared memory of the chip: its banks and phases.
        instructions: The instructions of the kernel, by their numbers.
        counts: (number of the instruction, kind, bits) → what it did.
    """

    memory: SharedMemory
    instructions: list[Instruction] = field(default_factory=list)
    counts: dict[tuple[int, str, int], Count] = field(default_factory=dict)

    def lines(self) -> tuple[LineCount, ...]:
        """List the counts by line, kind and width, in the order of lines."""
        table: dict[tuple[str, int, str, int], Count] = {}
        for (step, kind, bits), count in self.counts.items():
            location = self.instructions[step].location
            file, line = ("", 0) if location is None else (location.file, location.line)
            key = file, line, kind, bits
            table[key] = table.get(key, Count()) + count
        return tuple(LineCount(*key, count) for key, count in sorted(table.items()))

    def by_line(self) -> dict[int, dict[tuple[str, int], Count]]:
        """Add up the counts of each line, by kind and width; line 0 is unknown."""
        table: dict[int, dict[tuple[str, int], Count]] = {}
        for each in self.lines():
            counts = table.setdefault(each.line, {})
            key = each.kind, each.bits
            counts[key] = counts.get(key, Count()) + each.count
        return table

    def total(self, kind: str, bits: int | None = None) -> Count:
        """Add up the counts of a kind, of one width or of all."""
        result = Count()
        for each in self.lines():
            if each.kind == kind and bits in (None, each.bits):
                result += each.count
        return result

    def add(self, step: int, kind: str, bits: int, count: Count) -> None:
        """Add an execution of an instruction.

        Args:
            step: The number of the instruction.
            kind: Its kind.
            bits: The bits that a lane moves.
            count: What it did; `text` is 0.
        """
        key = step, kind, bits
        old = self.counts.get(key)
        self.counts[key] = Count(1) + count if old is None else old + count

    def shared_count(self, rows: np.ndarray, lanes: np.ndarray, size: int, kind: str) -> Count:
        """Count the wavefronts of an access to shared memory.

        Args:
            rows: Address per warp and lane.
            lanes: The lanes that take part.
            size: Bytes per lane.
            kind: "read" or "write".
        """
        wavefronts = ideal = 0
        for offset, piece in _pieces(size):
            passes = self._passes(rows + offset, lanes, piece, kind)
            wavefronts, ideal = wavefronts + passes[0], ideal + passes[1]
        return Count(0, _requests(lanes), wavefronts, wavefronts - ideal)

    def _passes(self, rows: np.ndarray, lanes: np.ndarray, size: int, kind: str) -> tuple[int, int]:
        """Count the passes of accesses of one instruction each, and those without conflicts."""
        try:
            banks = self.memory.phase(8 * size, kind).banks
        except LayoutError:  # no instruction has this width
            return 0, 0
        width = self.memory.bank_bytes
        passes = ideal = 0
        unused = [None] * (self.memory.lanes - rows.shape[1])
        for warp, active in zip(rows, lanes, strict=True):
            addresses = [
                address if is_active else None
                for address, is_active in zip(warp.tolist(), active.tolist(), strict=True)
            ]
            for phase in self.memory.phases_of(addresses + unused, 8 * size, kind):
                members = [lane for lane in phase if lane < len(active) and active[lane]]
                if not members:
                    continue
                ideal += 1
                starts = warp[members]
                words = np.unique(
                    np.concatenate([(starts + n) // width for n in range(0, size, width)])
                )
                passes += int(np.bincount(words % banks).max())
        return passes, ideal


def global_count(rows: np.ndarray, lanes: np.ndarray, size: int) -> Count:
    """Count the sectors of an access to global memory; arguments as of `shared_count`."""
    sectors = ideal = 0
    for warp, active in zip(rows, lanes, strict=True):
        starts = np.unique(warp[active])
        if starts.size:
            ends = starts + size - 1
            touched = np.concatenate(
                [starts // _SECTOR_BYTES, ends // _SECTOR_BYTES]
                if size <= _SECTOR_BYTES
                else [(starts + n) // _SECTOR_BYTES for n in range(size)]
            )
            sectors += len(np.unique(touched))
            ideal += -(-len(starts) * size // _SECTOR_BYTES)
    requests = _requests(lanes)
    return Count(0, requests, 0, 0, sectors, ideal, requests)


def _requests(lanes: np.ndarray) -> int:
    """Count the warps with a lane that takes part."""
    return int(lanes.any(axis=1).sum())


def _pieces(size: int) -> Iterable[tuple[int, int]]:
    """Split an access as LLVM does: (offset, bytes) of powers of two up to 16 bytes."""
    offset = 0
    while offset < size:
        piece = min(_WIDEST_BYTES, 1 << ((size - offset).bit_length() - 1))
        yield offset, piece
        offset += piece
