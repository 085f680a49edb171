"""The registers, lanes, warps and CTAs that step along one dimension of a tensor.

By hand, a dimension of 256 over registers [1, 2], lanes [4 … 64] and one more register [128]:

    axis_runs(type, 0)  →  AxisRun("register", (0, 1))  AxisRun("lane", (0, 1, 2, 3, 4))
                           AxisRun("register", (2,))

Runs are ordered from the lowest bits of the dimension to the highest. A reduction or scan handles
one run after the other; after each, one value represents all elements of a segment.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct
from xdsl.ir import Attribute

from weft.errors import CodegenError
from weft.layouts import LinearLayout
from weft.lowering_plans.registers import layout_of

__all__ = ["AxisRun", "axis_runs", "segment_bases", "steps_along"]


class AxisRun(Struct, frozen=True):
    """Consecutive bits of a dimension that come from one kind of coordinate.

    Attributes:
        kind: "register", "lane", "warp", or "block", the CTA of a cluster.
        bits: Bits of the coordinate, that of the dimension's lowest bit first.
    """

    kind: str
    bits: tuple[int, ...]

    @property
    def mask(self) -> int:
        """The bits of the coordinate, all set."""
        return sum(1 << bit for bit in self.bits)

    def place(self, index: int) -> int:
        """Compute the coordinate's bits of an index along the run."""
        return sum((index >> n & 1) << bit for n, bit in enumerate(self.bits))


@lru_cache(maxsize=4096)
def axis_runs(type_: Attribute, axis: int) -> tuple[AxisRun, ...]:
    """List the runs of a dimension of a tensor, from its lowest bits to its highest.

    Raises:
        CodegenError: A bit of the layout steps along several dimensions, or two bits step along
            this
            one by the same amount.
    """
    layout = layout_of(type_)
    sources: dict[int, tuple[str, int]] = {}
    for name in layout.bases:
        for bit, image in enumerate(layout.images(name)):
            steps = layout.unpack(image)
            along = steps[axis]
            if not along:
                continue
            if along & (along - 1) or along in sources or sum(map(bool, steps)) > 1:
                raise CodegenError(
                    f"elements along dimension {axis} cannot be combined in this layout",
                    found=f"{name} bit {bit} steps by {steps} in {type_}",
                    accepted=["bits of the layout that each step along one dimension by one bit"],
                )
            sources[along] = name, bit
    runs: list[AxisRun] = []
    for _, (name, bit) in sorted(sources.items()):
        if runs and runs[-1].kind == name:
            runs[-1] = AxisRun(name, (*runs[-1].bits, bit))
        else:
            runs.append(AxisRun(name, (bit,)))
    return tuple(runs)


def segment_bases(layout: LinearLayout, axis: int, dropped: int) -> dict[str, list[int]]:
    """List the contribution of each coordinate bit to the number of an element's segment.

    Segments are numbered along the axis first, then row by row. By hand, for an 8x64 tile along
    dimension 1 with segments of 16, element (row, column) is in segment row · 4 + column / 16.

    Args:
        layout: The layout.
        axis: The dimension.
        dropped: Number of the axis' lowest bits within a segment.
    """
    sizes = list(layout.out_dims.values())
    order = [axis, *(dim for dim in reversed(range(len(sizes))) if dim != axis)]

    def number(steps: Sequence[int]) -> int:
        total, shift = 0, 0
        for dim in order:
            less = dropped if dim == axis else 0
            total |= steps[dim] >> less << shift
            shift += sizes[dim].bit_length() - 1 - less
        return total

    return {
        name: [number(layout.unpack(image)) for image in layout.images(name)]
        for name in layout.bases
    }


def steps_along(type_: Attribute, axis: int, kind: str) -> list[int]:
    """List the bits of a coordinate that step along an axis, the lowest step first."""
    return [bit for run in axis_runs(type_, axis) if run.kind == kind for bit in run.bits]
