"""Conversions through shared memory: store, wait, load; between blocks, load from another's."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from weft.errors import LayoutError
from weft.layouts import gf2
from weft.layouts.actions import largest_vectorisation
from weft.layouts.banks import wavefronts_of
from weft.layouts.linear import LinearLayout
from weft.layouts.phases import SharedMemory
from weft.layouts.plans.cost import Cost
from weft.layouts.plans.swizzle import optimal_swizzle

if TYPE_CHECKING:
    import numpy as np

__all__ = ["SharedPlan", "shared_plan"]


@dataclasses.dataclass(frozen=True, slots=True)
class SharedPlan:
    """Write all of the source to shared memory, wait, and read it as the target.

    Fields: source, target: the layouts.  element_bits.  memory: of the chip.
    layout: offset -> element of shared memory.  writes: register, lane, warp -> offset.
    reads: register, lane, warp, block -> offset, and block from which it is read.
    """

    source: LinearLayout
    target: LinearLayout
    element_bits: int
    memory: SharedMemory
    layout: LinearLayout
    writes: LinearLayout
    reads: LinearLayout

    @property
    def kind(self) -> str:
        """Return "shared", or "cluster" where blocks read what others wrote."""
        own = self.reads.sublayout(list(self.reads.in_dims), ["block"])
        blocks = range(len(own.images("block")))
        stays = own.images("block") == tuple(1 << bit for bit in blocks)
        others = [v for name, images in own.ins if name != "block" for v in images]
        return "shared" if stays and not any(others) else "cluster"

    @property
    def cost(self) -> Cost:
        """Return instructions of a warp, and passes of all warps of a block."""
        offsets = self.reads.sublayout(["register", "lane", "warp"], ["offset"])
        stores, write_passes, write_ideal = self._passes(self.writes, "write")
        loads, read_passes, read_ideal = self._passes(offsets, "read")
        return Cost(
            stores=stores,
            loads=loads,
            barriers=1,
            shared_bytes=self.layout.in_size("offset") * self.element_bits // 8,
            write_passes=write_passes,
            read_passes=read_passes,
            write_conflicts=write_passes - write_ideal,
            read_conflicts=read_passes - read_ideal,
        )

    def _passes(self, offsets: LinearLayout, kind: str) -> tuple[int, int, int]:
        """Return instructions of a warp, passes of all warps, and passes without conflict."""
        elements, action = largest_vectorisation(offsets, self.element_bits)
        table = action.apply(offsets).table()[::elements, :, 0, 0] * self.element_bits // 8
        bits = elements * self.element_bits
        # Another register's or warp's access is shifted by XOR, which only renames the banks.
        one = wavefronts_of(table[0].tolist(), bits, self.memory, kind)
        accesses = len(table) * offsets.in_size("warp")
        return len(table), one * accesses, len(self.memory.phases(bits, kind)) * accesses

    def execute(self, values: np.ndarray) -> np.ndarray:
        """Return the target's values, [register, lane, warp, block], from the source's."""
        import numpy as np

        blocks = values.shape[-1]
        memory = np.zeros((self.layout.in_size("offset"), blocks), values.dtype)
        memory[self.writes.table()[..., 0]] = values
        table = self.reads.table()
        return memory[table[..., 0], table[..., 1]]


def shared_plan(
    source: LinearLayout, target: LinearLayout, element_bits: int, memory: SharedMemory
) -> SharedPlan:
    """Return the round trip; both layouts without registers that repeat.

    Raises: LayoutError for elements of less than 8 bits, or other lanes than the chip's.
    """
    if element_bits < 8:
        raise LayoutError("shared memory holds elements of 8, 16, 32 … bits", found=element_bits)
    if source.in_size("lane") != memory.lanes:
        raise LayoutError(
            f"a warp of {memory.name} has {memory.lanes} lanes", found=source.in_size("lane")
        )
    layout = optimal_swizzle(source, target, element_bits, memory)
    columns, blocks = list(layout.images("offset")), list(source.images("block"))
    inner = [image for name in ("register", "lane", "warp") for image in source.images(name)]
    written = gf2.solve(columns, inner, source.out_bits)
    own = [v ^ b for v, b in zip(target.images("block"), blocks, strict=True)]
    outer = [image for name in ("register", "lane", "warp") for image in target.images(name)]
    kept = gf2.solve(columns, [*outer, *own], source.out_bits)
    high = len(columns)
    if kept is not None:
        at = len(outer)
        read = [*kept[:at], *(v | 1 << (high + bit) for bit, v in enumerate(kept[at:]))]
    else:
        read = gf2.solve([*columns, *blocks], target.columns, source.out_bits)
    assert written is not None
    assert read is not None
    outs = (("offset", 1 << high),)
    return SharedPlan(
        source,
        target,
        element_bits,
        memory,
        layout,
        _named(source, written, ("register", "lane", "warp"), outs),
        _named(target, read, tuple(target.in_dims), (*outs, ("block", 1 << len(blocks)))),
    )


def _named(
    like: LinearLayout, images: list[int], names: tuple[str, ...], outs: tuple[tuple[str, int], ...]
) -> LinearLayout:
    rest = iter(images)
    ins = tuple((name, tuple(next(rest) for _ in like.images(name))) for name in names)
    return LinearLayout(ins, outs)
