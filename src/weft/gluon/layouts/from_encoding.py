"""The layout of Gluon that names an encoding: the inverse of `Layout.encoding`.

#ttg.slice<{dim = 1, parent = #blocked}>   →   SliceLayout(1, BlockedLayout(…))
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TypeVar

from weft.errors import LayoutError
from weft.gluon.layouts.amd import AMDMFMALayout, AMDWMMALayout
from weft.gluon.layouts.base import Bases, Layout
from weft.gluon.layouts.distributed import (
    AutoLayout,
    BlockedLayout,
    CoalescedLayout,
    DistributedLayout,
    DistributedLinearLayout,
    DotOperandLayout,
    NVMMADistributedLayout,
    SliceLayout,
)
from weft.gluon.layouts.shared import (
    NVMMASharedLayout,
    PaddedSharedLayout,
    SharedLayout,
    SharedLinearLayout,
    SwizzledSharedLayout,
)
from weft.gluon.layouts.tensor_memory import TensorMemoryLayout, TensorMemoryScalesLayout
from weft.layouts import (
    AmdMfmaEncoding,
    AmdWmmaEncoding,
    AutoEncoding,
    BlockedEncoding,
    CoalescedEncoding,
    DotOperandEncoding,
    Encoding,
    LinearEncoding,
    NvidiaMmaEncoding,
    NvmmaSharedEncoding,
    PaddedSharedEncoding,
    SharedLinearEncoding,
    SliceEncoding,
    SwizzledSharedEncoding,
    TensorMemoryEncoding,
    TensorMemoryScalesEncoding,
)

__all__ = ["distributed_layout", "layout_of", "shared_layout"]

_Vectors = tuple[tuple[int, ...], ...]


def _lists(bases: _Vectors) -> Bases:
    return [list(basis) for basis in bases]


def _blocked(encoding: BlockedEncoding) -> Layout:
    return BlockedLayout(
        list(encoding.size_per_thread),
        list(encoding.threads_per_warp),
        list(encoding.warps_per_cta),
        list(encoding.order),
        _lists(encoding.cga_layout),
    )


def _linear(encoding: LinearEncoding) -> Layout:
    every = (*encoding.register, *encoding.lane, *encoding.warp, *encoding.block)
    shape = [
        1 << max((basis[dim].bit_length() for basis in every), default=0)
        for dim in range(encoding.rank)
    ]
    return DistributedLinearLayout(
        _lists(encoding.register),
        _lists(encoding.lane),
        _lists(encoding.warp),
        _lists(encoding.block),
        shape,
    )


def _nvidia_mma(encoding: NvidiaMmaEncoding) -> Layout:
    return NVMMADistributedLayout(
        [encoding.version_major, encoding.version_minor],
        list(encoding.warps_per_cta),
        list(encoding.instr_shape),
        _lists(encoding.cga_layout),
    )


def _nvmma_shared(encoding: NvmmaSharedEncoding) -> Layout:
    return NVMMASharedLayout(
        encoding.swizzling_byte_width,
        encoding.element_bit_width,
        encoding.dimensions,
        encoding.transposed,
        encoding.fp4_padded,
        _lists(encoding.cga_layout),
    )


def _swizzled(encoding: SwizzledSharedEncoding) -> Layout:
    return SwizzledSharedLayout(
        encoding.vec,
        encoding.per_phase,
        encoding.max_phase,
        list(encoding.order),
        _lists(encoding.cga_layout),
    )


def _shared_linear(encoding: SharedLinearEncoding) -> Layout:
    return SharedLinearLayout(_lists(encoding.offset), _lists(encoding.block), encoding.alignment)


def _padded(encoding: PaddedSharedEncoding) -> Layout:
    pairs = zip(encoding.intervals, encoding.paddings, strict=True)
    return PaddedSharedLayout(
        [list(pair) for pair in pairs],
        _lists(encoding.offset),
        _lists(encoding.block),
        list(encoding.shape),
    )


def _mfma(encoding: AmdMfmaEncoding) -> Layout:
    return AMDMFMALayout(
        encoding.version,
        list(encoding.instr_shape),
        encoding.is_transposed,
        list(encoding.warps_per_cta),
        encoding.element_bit_width,
        list(encoding.tiles_per_warp) or None,
        _lists(encoding.cga_layout),
    )


def _wmma(encoding: AmdWmmaEncoding) -> Layout:
    return AMDWMMALayout(
        encoding.version,
        encoding.is_transposed,
        _lists(encoding.warp),
        _lists(encoding.register),
        list(encoding.instr_shape),
        _lists(encoding.cga_layout),
        encoding.rank,
    )


def _tensor_memory(encoding: TensorMemoryEncoding) -> Layout:
    return TensorMemoryLayout(
        (encoding.block_m, encoding.block_n),
        encoding.col_stride,
        (encoding.cta_split_m, encoding.cta_split_n),
        encoding.two_ctas,
    )


_L = TypeVar("_L", bound=Layout)
_CONVERSIONS: dict[type[Encoding], Callable[..., Layout]] = {
    AutoEncoding: lambda _: AutoLayout(),
    CoalescedEncoding: lambda _: CoalescedLayout(),
    BlockedEncoding: _blocked,
    SliceEncoding: lambda each: SliceLayout(each.dim, distributed_layout(each.parent)),
    LinearEncoding: _linear,
    DotOperandEncoding: lambda each: DotOperandLayout(
        each.op_idx, distributed_layout(each.parent), each.k_width
    ),
    NvidiaMmaEncoding: _nvidia_mma,
    NvmmaSharedEncoding: _nvmma_shared,
    SwizzledSharedEncoding: _swizzled,
    SharedLinearEncoding: _shared_linear,
    PaddedSharedEncoding: _padded,
    AmdMfmaEncoding: _mfma,
    AmdWmmaEncoding: _wmma,
    TensorMemoryEncoding: _tensor_memory,
    TensorMemoryScalesEncoding: lambda each: TensorMemoryScalesLayout(
        (each.cta_split_m, each.cta_split_n)
    ),
}


@cache
def layout_of(encoding: Encoding) -> Layout:
    """Return the layout that names an encoding.

    Raises:
        LayoutError: Gluon has no such layout.
    """
    convert = _CONVERSIONS.get(type(encoding))
    if convert is None:
        raise LayoutError("Unhandled encoding encountered", found=str(encoding))
    return convert(encoding)


def distributed_layout(encoding: Encoding) -> DistributedLayout:
    """Return the layout of a tensor in registers that names an encoding.

    Raises:
        LayoutError: Gluon has no such layout.
    """
    return _layout_in(encoding, DistributedLayout, "registers")


def shared_layout(encoding: Encoding) -> SharedLayout:
    """Return the layout of a buffer in shared memory that names an encoding.

    Raises:
        LayoutError: Gluon has no such layout.
    """
    return _layout_in(encoding, SharedLayout, "shared memory")


def _layout_in(encoding: Encoding, class_: type[_L], place: str) -> _L:
    layout = layout_of(encoding)
    if not isinstance(layout, class_):
        raise LayoutError(f"expected a layout of {place}", found=str(encoding))
    return layout
