"""The scratch memory of operations that exchange values between threads, as Triton counts it.

    tt.reduce of 128x64xf32, axis 1, over 2 warps       a partial per row and warp: 1024 bytes
    tt.scan                                             a partial per thread and block of each warp
    tt.gather across warps                              the source
    tt.histogram                                        the bins, at least one per lane
    ttg.convert_layout across warps                     one repetition (layouts.swizzled_exchange)
    tt.atomic_rmw, tt.atomic_cas                        an element per thread that others read
    ttng.tensormap_create                               a descriptor: 128 bytes
    ttg.warp_specialize                                 what its partitions capture
    tt.func with partitions                             a byte per warp of the partitions

weft's code generation counts what its own lowerings need, which is often less; these sizes are for
passes that write what Triton's write.
Source: Triton, Analysis/Allocation.cpp and Analysis/Utility.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import prod

from msgspec import Struct

from weft.ir import tt, ttg, ttng, types
from weft.ir.attributes import number
from weft.ir.builtin import Attribute, ModuleOp, Operation, SSAValue
from weft.ir.module_attributes import lookup_threads_per_warp
from weft.ir.rewriting import ancestors, walk
from weft.layouts import BlockedEncoding, LinearLayout
from weft.layouts.cga import cta_tile_shape
from weft.layouts.column_action import remove_broadcast
from weft.layouts.dimension_order import contiguous_per_thread
from weft.layouts.needs_shared_memory import needs_shared_memory
from weft.layouts.swizzled_exchange import AccessTile, exchange_elements

__all__ = ["ExchangeAccesses", "ScratchRequest", "scratch_request"]

_DESCRIPTOR_BYTES = 128
_ALIGNMENT = 128
_CAPTURE_ALIGNMENT = 8
_STATE_ALIGNMENT = 4
_DIMENSION_BYTES = 4  # of a memory descriptor


class ExchangeAccesses(Struct, frozen=True):
    """The instructions that conversions choose from.

    Attributes:
        stores: Stores to shared memory besides plain ones.
        loads: Loads from shared memory besides plain ones.
    """

    stores: tuple[AccessTile, ...] = ()
    loads: tuple[AccessTile, ...] = ()


class ScratchRequest(Struct, frozen=True):
    """Scratch memory.

    Attributes:
        size: The number of bytes, 0 for none.
        alignment: What divides the offset, in bytes.
    """

    size: int
    alignment: int = _ALIGNMENT


def scratch_request(op: Operation, accesses: ExchangeAccesses | None = None) -> ScratchRequest:
    """Compute the scratch memory of an operation; that of a call depends on its callee.

    Args:
        op: The operation, or a function.
        accesses: The instructions of the chip; None for the generic choice of conversions.
    """
    if isinstance(op, ttg.WarpSpecializeOp):
        captures = op.holder.operands
        return ScratchRequest(sum(map(_capture_bytes, captures)), _CAPTURE_ALIGNMENT)
    if isinstance(op, tt.FuncOp):
        partitions = [sum(one.num_warps) for one in walk(op) if isinstance(one, _SPECIALIZE)]
        return ScratchRequest(max(partitions, default=0), _STATE_ALIGNMENT)
    return ScratchRequest(_exchange_bytes(op, accesses))


_SPECIALIZE = ttg.WarpSpecializeOp


def _capture_bytes(value: SSAValue) -> int:
    """Count the bytes of a value that partitions capture."""
    type_ = value.type
    if isinstance(type_, ttg.MemDescType):
        in_shared = isinstance(type_.memory_space, ttg.SharedMemoryAttr)
        return 8 + (_DIMENSION_BYTES * len(type_.shape) if in_shared else 0)
    if types.is_integer(type_) or types.is_float(type_):
        return -(-types.bit_width(type_) // 8)
    return 8  # a pointer or a descriptor


def _exchange_bytes(op: Operation, accesses: ExchangeAccesses | None) -> int:
    """Count the bytes through which an operation exchanges values between threads."""
    if isinstance(op, tt.ReduceOp):
        return _reduce_bytes(op)
    if isinstance(op, tt.ScanOp):
        return _scan_bytes(op)
    if isinstance(op, tt.GatherOp):
        return _gather_bytes(op)
    if isinstance(op, tt.HistogramOp):
        return _histogram_bytes(op)
    if isinstance(op, ttg.ConvertLayoutOp):
        return _conversion_bytes(op, accesses)
    if isinstance(op, tt.AtomicRMWOp | tt.AtomicCASOp):
        return _atomic_bytes(op)
    if isinstance(op, ttng.TensormapCreateOp):
        return _DESCRIPTOR_BYTES
    return 0


def _layout(type_: Attribute) -> LinearLayout | None:
    encoding = types.encoding(type_)
    return None if encoding is None else encoding.linear(types.shape(type_))


def _units_along(layout: LinearLayout, in_dim: str) -> tuple[int, ...]:
    """Count the lanes or warps with different elements along each dimension."""
    counts = [1] * len(layout.outs)
    for image in layout.images(in_dim):
        basis = layout.unpack(image)
        if any(basis):
            counts[next(dim for dim, entry in enumerate(basis) if entry)] *= 2
    return tuple(counts)


def _axis(op: Operation) -> int:
    return int(number(op.properties["axis"]) or 0)


def _elements_bytes(operands: Sequence[SSAValue]) -> int:
    """Count the bytes of one element of each operand."""
    return sum(-(-types.bit_width(operand.type) // 8) for operand in operands)


def _reduce_bytes(op: tt.ReduceOp) -> int:
    """Count a partial per row, and warp and CTA along the axis, for each operand.

    Triton 3.7.1 does not lower reductions across CTAs; later versions need memory for them.
    """
    type_, axis = op.operands[0].type, _axis(op)
    layout = _layout(type_)
    if layout is None:
        return 0
    parts = _units_along(layout, "warp")[axis] * _units_along(layout, "block")[axis]
    if parts == 1:
        return 0
    shape = list(types.shape(type_))
    shape[axis] = parts
    return prod(shape) * _elements_bytes(op.operands)


def _scan_bytes(op: tt.ScanOp) -> int:
    """Count a partial per thread that is not along the axis, block and warp, for each operand."""
    type_, axis = op.operands[0].type, _axis(op)
    layout = _layout(type_)
    if layout is None or not isinstance(types.encoding(type_), BlockedEncoding):
        return 0
    layout = remove_broadcast(layout).apply(layout)
    lanes, warps = _units_along(layout, "lane"), _units_along(layout, "warp")
    if warps[axis] == 1:
        return 0
    registers = contiguous_per_thread(layout)
    blocks = [
        -(-size // (registers[dim] * lanes[dim] * warps[dim]))
        for dim, size in enumerate(types.shape(type_))
    ]
    beside_axis = [dim for dim in range(len(blocks)) if dim != axis]
    per_warp = prod(lanes[dim] * registers[dim] for dim in beside_axis)
    return prod(warps) * per_warp * prod(blocks) * _elements_bytes(op.operands)


def _gather_bytes(op: tt.GatherOp) -> int:
    """Count the source, unless each warp holds what it gathers."""
    source, indices = (operand.type for operand in op.operands)
    before, chosen = _layout(source), _layout(indices)
    if before is not None and chosen is not None and _stays_in_warp(before, chosen, _axis(op)):
        return 0
    return prod(types.shape(source)) * -(-types.bit_width(source) // 8)


def _stays_in_warp(source: LinearLayout, indices: LinearLayout, axis: int) -> bool:
    """Check whether the warp that holds an index holds all elements that it may choose."""
    along = [name for dim, (name, _) in enumerate(source.outs) if dim == axis]
    beside = [name for dim, (name, _) in enumerate(source.outs) if dim != axis]
    warps = ["block", "warp"]
    if not (source.sublayout_is_zero(warps, along) and indices.sublayout_is_zero(warps, along)):
        return False
    return all(
        source.sublayout(dims, beside) == indices.sublayout(dims, beside)
        for dims in (warps, ["lane"])
    )


def _histogram_bytes(op: tt.HistogramOp) -> int:
    """Count a bin per element, and at least one per lane."""
    module = next(each for each in ancestors(op) if isinstance(each, ModuleOp))
    result = op.results[0].type
    bins = max(prod(types.shape(result)), lookup_threads_per_warp(module))
    return bins * max(8, types.bit_width(result)) // 8


def _conversion_bytes(op: ttg.ConvertLayoutOp, accesses: ExchangeAccesses | None) -> int:
    """Count one repetition, unless the values stay in their warps."""
    before, after = op.operands[0].type, op.results[0].type
    source, target = types.encoding(before), types.encoding(after)
    shape = types.shape(before)
    if source is None or target is None or not needs_shared_memory(source, target, shape):
        return 0
    bits = max(8, types.bit_width(before))
    count = partial(exchange_elements, source.linear(shape), target.linear(shape), bits)
    elements = count() if accesses is None else count(accesses.stores, accesses.loads)
    return elements * bits // 8


def _atomic_bytes(op: Operation) -> int:
    """Count an element for each thread that reads what another thread got, if there are uses."""
    result = op.results[0]
    if not any(True for _ in result.uses):
        return 0
    layout = _layout(result.type)
    if layout is None:
        elements = 1
    elif any(layout.free_variable_masks().values()):
        elements = prod(cta_tile_shape(layout))
    else:
        return 0
    return elements * max(8, types.bit_width(result.type)) // 8
