"""Read multiprocessor.toml: what the blocks on one of NVIDIA's multiprocessors share.

    sm = multiprocessor("cuda:90")
    sm.resident_blocks(registers=128, warps=8, shared_bytes=98304)
    # {"registers": 2, "shared memory": 2, "warps": 8, "blocks": 32}

By hand, 128 registers and 8 warps: a warp takes 128 · 32 registers, so each of the four partitions
of 16,384 registers has room for 4 warps; 16 warps are 2 blocks.

AMD's counterparts are facts of `Target`: `vector_registers`, `simds_per_cu` and `lds_bytes`.
"""

from __future__ import annotations

from functools import cache

from msgspec import Struct

from weft.targets.loading import load_kind
from weft.targets.schema import Tables, read_facts_and_rows

__all__ = ["BoardSize", "Multiprocessor", "multiprocessor", "read_multiprocessor"]

_LANES = 32
_SHARED_GRANULARITY = 128  # bytes, of the shared memory of a block


class BoardSize(Struct, frozen=True):
    """The size of a board.

    Attributes:
        name: Name of the board, as in boards.toml.
        multiprocessors: Its multiprocessors.
        source: Source of the row.
    """

    name: str
    multiprocessors: int
    source: str


class Multiprocessor(Struct, frozen=True):
    """A multiprocessor.

    Attributes:
        registers: Its registers of 32 bits.
        register_granularity: A warp gets a multiple of this many registers.
        partitions: Parts with separate register files, among which warps are divided.
        max_registers: Most registers of a thread.
        max_warps: Most warps that it runs at once.
        max_blocks: Most blocks that it runs at once.
        shared_bytes: Its shared memory.
        reserved_shared_bytes: What the system takes of it for each block.
        f32_lanes: Multiply-adds of f32 in a cycle.
        boards: The sizes of boards with it.
    """

    registers: int
    register_granularity: int
    partitions: int
    max_registers: int
    max_warps: int
    max_blocks: int
    shared_bytes: int
    reserved_shared_bytes: int
    f32_lanes: int
    boards: tuple[BoardSize, ...] = ()

    def resident_blocks(
        self, *, registers: int | None, warps: int, shared_bytes: int
    ) -> dict[str, int]:
        """Compute how many blocks fit by each resource; the least of them is the occupancy.

        Args:
            registers: Registers of a thread, None if they are not known.
            warps: Warps of a block.
            shared_bytes: Shared memory of a block.
        """
        limits: dict[str, int] = {}
        if registers:
            granularity = self.register_granularity
            of_warp = -(-registers * _LANES // granularity) * granularity
            limits["registers"] = (
                self.registers // self.partitions // of_warp * self.partitions // warps
            )
        allocated = -(-shared_bytes // _SHARED_GRANULARITY) * _SHARED_GRANULARITY
        limits["shared memory"] = self.shared_bytes // (allocated + self.reserved_shared_bytes)
        limits["warps"] = self.max_warps // warps
        limits["blocks"] = self.max_blocks
        return limits

    def multiprocessors(self, board: str) -> int | None:
        """Find the number of multiprocessors of a board, None if it is not listed."""
        return next((row.multiprocessors for row in self.boards if row.name == board), None)


@cache
def multiprocessor(chip: str) -> Multiprocessor:
    """Look up the multiprocessor of a chip.

    Raises:
        UnknownTargetError: There is no such NVIDIA chip, or it has no multiprocessor.toml.
    """
    return read_multiprocessor(load_kind("multiprocessor", chip, "multiprocessors"), chip)


def read_multiprocessor(text: str | Tables, folder: str) -> Multiprocessor:
    """Read a file.

    Args:
        text: TOML, or its tables.
        folder: The chip's folder, for messages.

    Raises:
        WeftError: A row is malformed; the message names it.
    """
    file = f"{folder}/multiprocessor.toml"
    facts, rows = read_facts_and_rows(
        text, file, Multiprocessor, "boards", ("board", "name"), BoardSize
    )
    return Multiprocessor(**facts, boards=rows)
