"""Layouts of tensors in registers, on all targets and on NVIDIA GPUs."""

from __future__ import annotations

import dataclasses

from weft.errors import LayoutError
from weft.gluon.layouts.base import (
    Bases,
    Layout,
    layout_class,
    mangle_bases,
    mangle_integers,
    require,
    vectors,
)
from weft.layouts import (
    AutoEncoding,
    BlockedEncoding,
    CoalescedEncoding,
    DotOperandEncoding,
    Encoding,
    LinearEncoding,
    NvidiaMmaEncoding,
    SliceEncoding,
)

__all__ = [
    "AutoLayout",
    "BlockedLayout",
    "CoalescedLayout",
    "DistributedLayout",
    "DistributedLinearLayout",
    "DotOperandLayout",
    "NVMMADistributedLayout",
    "SliceLayout",
]


class DistributedLayout(Layout):
    """The base class of layouts of tensors in registers."""

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        raise NotImplementedError("DistributedLayout subclasses must define rank")


@layout_class
class AutoLayout(DistributedLayout):
    """A layout that the compiler infers from the layouts of other tensors."""

    def _encoding(self) -> Encoding:
        return AutoEncoding()

    def mangle(self) -> str:
        """Return the layout's part of a mangled function name."""
        return "AL"

    @property
    def rank(self) -> int:
        """Raise LayoutError: the rank is that of the layout that is inferred."""
        raise LayoutError("AutoLayout has no rank")


@layout_class
class CoalescedLayout(DistributedLayout):
    """A layout that the compiler chooses so that memory accesses coalesce."""

    def _encoding(self) -> Encoding:
        return CoalescedEncoding()

    def mangle(self) -> str:
        """Return the layout's part of a mangled function name."""
        return "CL"

    @property
    def rank(self) -> int:
        """Raise LayoutError: the rank is that of the layout that is chosen."""
        raise LayoutError("CoalescedLayout has no rank")


@layout_class
class BlockedLayout(DistributedLayout):
    """Each thread holds a small rectangle, tiled over the threads of a warp, then over warps.

    Attributes:
        size_per_thread: Elements of a thread, per dimension.
        threads_per_warp: Threads, per dimension.
        warps_per_cta: Warps, per dimension.
        order: The dimensions, fastest first.
        cga_layout: Basis vectors over the CTAs of a cluster.
    """

    size_per_thread: list[int]
    threads_per_warp: list[int]
    warps_per_cta: list[int]
    order: list[int]
    cga_layout: Bases = dataclasses.field(default_factory=list)

    def _check(self) -> None:
        rank = len(self.size_per_thread)
        for name in ("threads_per_warp", "warps_per_cta", "order"):
            values = getattr(self, name)
            require(
                len(values) == rank, f"{name} of BlockedLayout must have {rank} entries", values
            )

    def _encoding(self) -> Encoding:
        return BlockedEncoding(
            tuple(self.size_per_thread),
            tuple(self.threads_per_warp),
            tuple(self.warps_per_cta),
            tuple(self.order),
            vectors(self.cga_layout),
        )

    def mangle(self) -> str:
        """Return the layout's part of a mangled function name."""
        lists = (self.size_per_thread, self.threads_per_warp, self.warps_per_cta, self.order)
        return f"B{'_'.join(map(mangle_integers, lists))}_{mangle_bases(self.cga_layout)}B"

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.order)


@layout_class
class SliceLayout(DistributedLayout):
    """A layout without one of its dimensions: that of a reduction's result.

    Attributes:
        dim: The dimension that is removed.
        parent: The layout.
    """

    dim: int
    parent: DistributedLayout

    def _encoding(self) -> Encoding:
        return SliceEncoding(self.dim, self.parent.encoding)

    def mangle(self) -> str:
        """Return the layout's part of a mangled function name."""
        return f"SL{self.dim}_{self.parent.mangle()}SL"

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return self.parent.rank - 1

    @property
    def cga_layout(self) -> Bases:
        """Basis vectors over the CTAs of a cluster."""
        parent: Bases = getattr(self.parent, "cga_layout", [])
        return [basis[: self.dim] + basis[self.dim + 1 :] for basis in parent]


@layout_class
class DistributedLinearLayout(DistributedLayout):
    """A linear map from register, lane, warp and CTA to the element.

    Attributes:
        reg_bases: Basis vectors of the register number.
        lane_bases: Basis vectors of the lane.
        warp_bases: Basis vectors of the warp.
        block_bases: Basis vectors of the CTA in its cluster.
        shape: The shape of the tensor.
    """

    reg_bases: Bases
    lane_bases: Bases
    warp_bases: Bases
    block_bases: Bases
    shape: list[int]

    def _check(self) -> None:
        for name in ("reg_bases", "lane_bases", "warp_bases", "block_bases"):
            for basis in getattr(self, name):
                require(
                    len(basis) == self.rank, f"each vector of {name} must have {self.rank} entries",
                    basis,
                )  # fmt: skip

    def _encoding(self) -> Encoding:
        encoding = LinearEncoding(
            vectors(self.reg_bases),
            vectors(self.lane_bases),
            vectors(self.warp_bases),
            vectors(self.block_bases),
        )
        encoding.require_distributed()
        return encoding

    def mangle(self) -> str:
        """Return the layout's part of a mangled function name."""
        bases = (self.reg_bases, self.lane_bases, self.warp_bases, self.block_bases, self.shape)
        return f"DLL{'_'.join(map(str, bases))}DLL"

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.shape)


@layout_class
class DotOperandLayout(DistributedLayout):
    """The layout of a dot's operand.

    Attributes:
        operand_index: 0 for the left operand, 1 for the right one.
        parent: The layout of the result.
        k_width: Elements that a thread holds side by side along K.
    """

    operand_index: int
    parent: DistributedLayout
    k_width: int

    def _encoding(self) -> Encoding:
        return DotOperandEncoding(self.operand_index, self.parent.encoding, self.k_width)

    def mangle(self) -> str:
        """Return the layout's part of a mangled function name."""
        return f"DO{self.operand_index}_{self.parent.mangle()}_{self.k_width}DO"

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return self.parent.rank

    @property
    def cga_layout(self) -> Bases:
        """Basis vectors over the CTAs of a cluster, which share K."""
        k = self.rank - 1 if self.operand_index == 0 else self.rank - 2
        parent: Bases = getattr(self.parent, "cga_layout", [])
        return [[0 if dim == k else n for dim, n in enumerate(basis)] for basis in parent]


@layout_class
class NVMMADistributedLayout(DistributedLayout):
    """The layout of the result of an MMA instruction of NVIDIA GPUs.

    Attributes:
        version: [2, 0] for mma.sync, [3, 0] for wgmma.
        warps_per_cta: Warps, per dimension.
        instr_shape: The shape of the instruction.
        cga_layout: Basis vectors over the CTAs of a cluster.
    """

    version: list[int]
    warps_per_cta: list[int]
    instr_shape: list[int]
    cga_layout: Bases = dataclasses.field(default_factory=list)

    def _encoding(self) -> Encoding:
        major, minor = self.version
        return NvidiaMmaEncoding(
            major,
            minor,
            tuple(self.warps_per_cta),
            tuple(self.instr_shape),
            vectors(self.cga_layout),
        )

    def mangle(self) -> str:
        """Return the layout's part of a mangled function name."""
        cga = mangle_bases(self.cga_layout)
        return f"MMA_{self.version}_{self.warps_per_cta}_{self.instr_shape}_{cga}_MMA"

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.warps_per_cta)
