"""TDM copies of tiles between global memory and LDS (gfx1250's tensor data mover).

    %t = amdg.async_tdm_copy_global_to_local %d[%i, %j] into %b, %p    →    tensor_load_to_lds

By hand, a 64x32 tile of f16 copied by four waves: each wave issues one instruction for 16 rows. Of
a tile with two rows, each wave copies half of a row. The instruction takes a descriptor in scalar
registers (`descriptors`). Elements outside the tensor are loaded as zeros, and not stored.

In a cluster each workgroup copies the part of a tile that it holds. Workgroups that hold the same
part issue the same load with a mask of their ranks, so that memory is read once. Only the first of
them stores.

If the copy has a barrier, each wave that issues an instruction arrives when it completes.
Source: LLVM IR that Triton 3.7.1 emits; LLVM 22.1, the intrinsics; AMD's CDNA5 ISA, tensor data
mover.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from msgspec import Struct
from xdsl.ir import Attribute, SSAValue

from weft.analysis.buffer_size import shape_per_cta
from weft.codegen.llvm.types import storage_bytes
from weft.codegen.llvm.writer import Writer
from weft.codegen.lowering.amd.tdm.descriptors import TdmCopy, descriptor_groups
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.common.cta_masks import cta_mask, cta_tile_start, replica_cta_bits
from weft.codegen.lowering.nvidia.mbarrier import barrier_address
from weft.codegen.lowering.registry import lowers
from weft.errors import CodegenError
from weft.ir import amdg, tt, types
from weft.ir.enums import PaddingOption
from weft.ir.ttg import MemDescType
from weft.layouts import PaddedSharedEncoding, SwizzledSharedEncoding
from weft.lowering_plans.memdesc import memdesc_of
from weft.targets.wait_counters import wait_counters

__all__ = [
    "TensorDescriptor",
    "barrier_address_of",
    "block_type_of",
    "tensor_descriptor",
    "issue",
    "remaining_size",
    "global_address",
    "lds_address",
    "is_row_major",
]

_MAX_RANK = 5
_WORD_BYTES = 4
_LOADS, _STORES = "llvm.amdgcn.tensor.load.to.lds", "llvm.amdgcn.tensor.store.from.lds"


class TensorDescriptor(Struct, frozen=True):
    """The parts of a tensor descriptor, the slowest dimension first.

    Attributes:
        base: Address of the tensor, a pointer.
        shape: Sizes, i32 each.
        strides: Strides in elements, i64 each.
        size: Bytes of an element.
    """

    base: str
    shape: Sequence[str]
    strides: Sequence[str]
    size: int


@lowers(tt.MakeTensorDescOp)
def _describe(ctx: LoweringContext, op: tt.MakeTensorDescOp) -> None:
    """Define a descriptor as its parts; its words depend on the tile as well.

    Raises:
        CodegenError: Elements out of bounds are not zero.
    """
    if (padding := PaddingOption.of(op.properties["padding"])) is not PaddingOption.ZERO:
        raise CodegenError(
            "TDM supports only zero padding outside of the tensor",
            found=padding.keyword,
            accepted=["zero"],
        )
    parts = (op.base, *op.shape, *op.strides)
    ctx.define(op.results[0], [ctx.scalar(value) for value in parts])


@lowers(amdg.AsyncTDMCopyGlobalToLocalOp)
def _load(ctx: LoweringContext, op: amdg.AsyncTDMCopyGlobalToLocalOp) -> None:
    _move(ctx, op, op.result, ctx.scalar(op.pred), loads=True)
    ctx.define(op.token, [])


@lowers(amdg.AsyncTDMCopyLocalToGlobalOp)
def _store(ctx: LoweringContext, op: amdg.AsyncTDMCopyLocalToGlobalOp) -> None:
    _move(ctx, op, op.src, "1", loads=False)


def tensor_descriptor(
    ctx: LoweringContext, descriptor: SSAValue, rank: int, *, alone: str = ""
) -> TensorDescriptor:
    """Get the parts of a tensor descriptor.

    Args:
        ctx: State of the function.
        descriptor: The tensor descriptor.
        rank: Rank that the tensor must have.
        alone: An action that clusters do not support, for the message.

    Raises:
        CodegenError: The chip has no TDM, the kernel does not create the descriptor, or clusters do
            not support the action.
    """
    target = ctx.hardware.target
    if "tensor" not in {row.kind for row in wait_counters(str(target.arch))}:
        raise CodegenError(f"{target} has no TDM")
    if alone and ctx.threads.ids["block"][1]:
        raise CodegenError(
            f"TDM does not {alone} for clusters",
            accepted=["num_ctas=1"],
        )
    parts = ctx[descriptor]
    if not 0 < rank <= _MAX_RANK or len(parts) != 1 + 2 * rank:
        raise CodegenError(
            "TDM needs a descriptor of one to five dimensions that the kernel creates",
            found=descriptor.type,
        )
    size = storage_bytes(types.element(block_type_of(descriptor)))
    return TensorDescriptor(parts[0], parts[1 : 1 + rank], parts[1 + rank :], size)


def block_type_of(descriptor: SSAValue) -> Attribute:
    """Get the type of a descriptor's tiles."""
    type_ = descriptor.type
    assert isinstance(type_, types.TensorDescType)
    return type_.block_type


def issue(ctx: LoweringContext, copy: TdmCopy, *, loads: bool) -> None:
    """Write the instruction of a copy."""
    groups = descriptor_groups(ctx.writer, copy)
    intrinsic = (_LOADS if loads else _STORES) + (".d2" if len(groups) == 2 else "")
    ctx.writer.call("void", intrinsic, *groups, ("i32", "0"))


def _move(
    ctx: LoweringContext,
    op: amdg.AsyncTDMCopyGlobalToLocalOp | amdg.AsyncTDMCopyLocalToGlobalOp,
    view: SSAValue,
    predicate: str,
    *,
    loads: bool,
) -> None:
    """Write a copy of a tile.

    Args:
        ctx: State of the function.
        op: The operation.
        view: A memory descriptor.
        predicate: An i32, 0 for no copy.
        loads: Whether data goes to LDS.
    """
    w, type_, rank = ctx.writer, memdesc_of(view), len(op.indices)
    tensor = tensor_descriptor(ctx, op.desc, rank)
    shape = shape_per_cta(type_)[-rank:]
    same = replica_cta_bits(view) if ctx.threads.ids["block"][1] else 0
    if same and not loads:
        # Replicas would store the same elements several times.
        is_first_cta = ctx.threads.bits_are_zero({"block": same})
        predicate = w.value(f"select i1 {is_first_cta}, i32 {predicate}, i32 0")
    own, firsts, active = _warp_part(ctx, shape, predicate)
    cta_starts = cta_tile_start(ctx, view) if ctx.threads.ids["block"][1] else ["0"] * rank
    starts = []
    for index, *parts in zip(op.indices, firsts, cta_starts[-rank:], strict=True):
        start = ctx.scalar(index)
        for part in parts:
            start = start if part == "0" else w.value(f"add i32 {start}, {part}")
        starts.append(start)
    offset = "0"
    for dim, first in enumerate(firsts):
        if first != "0":
            rows = w.value(f"mul i32 {first}, {prod(shape[dim + 1 :]) * tensor.size}")
            offset = rows if offset == "0" else w.value(f"add i32 {offset}, {rows}")
    # The hardware compares with the sizes from the tile's start, to find elements out of bounds.
    sizes = [
        remaining_size(w, size, start) for size, start in zip(tensor.shape, starts, strict=True)
    ]
    copy = TdmCopy(
        tensor.size,
        active,
        lds_address(ctx, view, offset),
        global_address(w, tensor, starts),
        sizes[::-1],
        own[::-1],
        tensor.strides[-2::-1] if rank > 1 else (),
        _padding(type_, tensor.size),
        barrier_address_of(ctx, op.barrier),
        blocks=cta_mask(ctx, [same]) if same and loads else "0",
    )
    issue(ctx, copy, loads=loads)


def barrier_address_of(ctx: LoweringContext, barrier: SSAValue | None) -> str:
    """Compute the LDS address of a barrier, an i32; "" for no barrier."""
    if barrier is None:
        return ""
    address = barrier_address(ctx, barrier)
    return ctx.writer.value(f"ptrtoint ptr addrspace(3) {address} to i32")


def _warp_part(
    ctx: LoweringContext, shape: Sequence[int], predicate: str
) -> tuple[list[int], list[str], str]:
    """Divide a tile among the warps.

    The slowest dimension is divided first, so that the part of each warp is contiguous in LDS.

    Args:
        ctx: State of the function.
        shape: Shape of the tile.
        predicate: An i32, 0 for no copy.

    Returns:
        The size of a part and its start, per dimension, and the predicate of this warp, an i32.
    """
    w = ctx.writer
    value, bits = ctx.threads.ids["warp"]
    if not bits:
        return list(shape), ["0"] * len(shape), predicate
    warp = w.call("i32", "llvm.amdgcn.readfirstlane.i32", ("i32", value))
    own, firsts, warp_bits = [], [], 0
    for size in shape:
        dim_bits = min(size.bit_length() - 1, bits - warp_bits)  # warps along this dimension
        each = size >> dim_bits
        first = "0"
        if dim_bits:
            first = w.value(f"lshr i32 {warp}, {warp_bits}") if warp_bits else warp
            first = (
                w.value(f"and i32 {first}, {(1 << dim_bits) - 1}")
                if warp_bits + dim_bits < bits
                else first
            )
            first = w.value(f"mul i32 {first}, {each}") if each > 1 else first
        own.append(each)
        firsts.append(first)
        warp_bits += dim_bits
    if warp_bits == bits:
        return own, firsts, predicate
    inside = w.value(f"icmp ult i32 {warp}, {1 << warp_bits}")
    return own, firsts, w.value(f"select i1 {inside}, i32 {predicate}, i32 0")


def global_address(w: Writer, tensor: TensorDescriptor, starts: Sequence[str]) -> str:
    """Compute the address of an element of a tensor, an i64."""
    total = w.value(f"ptrtoint ptr addrspace(1) {tensor.base} to i64")
    for start, stride in zip(starts, tensor.strides, strict=True):
        wide = w.value(f"sext i32 {start} to i64")
        elements = wide if stride == "1" else w.value(f"mul i64 {wide}, {stride}")
        total = w.value(f"add i64 {total}, {w.value(f'mul i64 {elements}, {tensor.size}')}")
    return total


def remaining_size(w: Writer, size: str, start: str) -> str:
    """Compute the size of a dimension from a start on, at least 0."""
    rest = w.value(f"sub i32 {size}, {start}")
    return w.call("i32", "llvm.smax.i32", ("i32", rest), ("i32", "0"))


def lds_address(ctx: LoweringContext, view: SSAValue, offset: str) -> str:
    """Compute the LDS address of a byte of a tile, an i32.

    Args:
        ctx: State of the function.
        view: A memory descriptor.
        offset: Offset of the byte without padding.

    Raises:
        CodegenError: The tile is not row-major.
    """
    w, (address, view_offset), type_ = ctx.writer, ctx[view], memdesc_of(view)
    encoding = type_.encoding
    if not is_row_major(type_) or view_offset != "0":
        raise CodegenError("TDM requires row-major tiles", found=encoding)
    if isinstance(encoding, PaddedSharedEncoding) and offset != "0":
        size = storage_bytes(type_.element_type)
        gaps = w.value(f"udiv i32 {offset}, {encoding.intervals[0] * size}")
        gap = w.value(f"mul i32 {gaps}, {encoding.paddings[0] * size}")
        offset = w.value(f"add i32 {offset}, {gap}")
    start = w.value(f"ptrtoint ptr addrspace(3) {address} to i32")
    return start if offset == "0" else w.value(f"add i32 {start}, {offset}")


def is_row_major(type_: MemDescType) -> bool:
    """Check whether a tile is row-major with at most one padding interval."""
    encoding = type_.encoding
    if isinstance(encoding, SwizzledSharedEncoding):
        rank = len(encoding.order)
        return encoding.max_phase == 1 and encoding.order == tuple(reversed(range(rank)))
    if not isinstance(encoding, PaddedSharedEncoding) or len(encoding.intervals) != 1:
        return False
    shape = type_.shape[-len(encoding.offset[0]) :] if encoding.offset else ()
    return [tuple(each) for each in encoding.offset] == _row_major_bases(shape)


def _row_major_bases(shape: Sequence[int]) -> list[tuple[int, ...]]:
    """List the coordinates of each offset bit of a row-major tile."""
    results: list[tuple[int, ...]] = []
    for dim in reversed(range(len(shape))):
        for bit in range(shape[dim].bit_length() - 1):
            results.append(tuple(1 << bit if each == dim else 0 for each in range(len(shape))))
    return results


def _padding(type_: MemDescType, size: int) -> tuple[int, int] | None:
    """Get the padding of a tile in LDS: (interval, amount) in bytes.

    Raises:
        CodegenError: The padding is not a multiple of a word.
    """
    encoding = type_.encoding
    if not isinstance(encoding, PaddedSharedEncoding):
        return None
    interval, amount = encoding.intervals[0] * size, encoding.paddings[0] * size
    if interval < 2 * _WORD_BYTES or amount % _WORD_BYTES:
        raise CodegenError("TDM supports only padding by multiples of 4 bytes", found=encoding)
    return interval, amount
