"""TDM prefetches: load the cache lines of a tile into L2.

    amdg.tdm_prefetch %d[%i, %j], %p, speculative = false     global_prefetch_b8, per line of 256 B

The lines of a tile are distributed over the threads, neighbours along a row first. Lines outside
the tensor are skipped. A speculative prefetch checks nothing; the hardware drops addresses whose
translation misses.
Source: LLVM IR that Triton 3.7.1 emits; LLVM 22.1, llvm.amdgcn.global.prefetch.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from msgspec import Struct

from weft.codegen.llvm.writer import Writer
from weft.codegen.lowering.amd.tdm.copy import (
    TensorDescriptor,
    block_type_of,
    global_address,
    tensor_descriptor,
)
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.registry import lowers
from weft.errors import CodegenError
from weft.ir import amdg, types

_LINE_BYTES = 256
_SCOPE, _ONCE = 8, 1  # cache policy bits: scope L2, no reuse


@lowers(amdg.TDMPrefetchOp)
def _prefetch(ctx: LoweringContext, op: amdg.TDMPrefetchOp) -> None:
    if op.offsets is not None:
        raise CodegenError(
            "a prefetch that returns offsets is not supported",
            found=op.offsets.type,
            hint="returnOffsets is for Triton's own tests",
        )
    tensor = tensor_descriptor(ctx, op.desc, len(op.indices), alone="prefetch tiles")
    shape = types.shape(block_type_of(op.desc))
    lines = _Lines(shape, max(1, _LINE_BYTES // tensor.size), not op.speculative.value.data)
    threads = 1 << sum(ctx.threads.ids[name][1] for name in ("lane", "warp"))
    starts = [ctx.scalar(index) for index in op.indices]
    policy = _SCOPE if lines.checked else _SCOPE | _ONCE
    for first in range(0, lines.count, threads):
        number = ctx.threads.thread
        if first:
            number = ctx.writer.value(f"add i32 {number}, {first}")
        predicate = ctx.scalar(op.pred)
        if lines.count - first < threads:
            inside = ctx.writer.value(f"icmp ult i32 {number}, {lines.count}")
            predicate = ctx.writer.value(f"and i1 {predicate}, {inside}")
        _line(ctx, tensor, lines.of(ctx.writer, number, starts), predicate, lines.checked, policy)


class _Lines(Struct, frozen=True):
    """The cache lines of a tile.

    Attributes:
        shape: Shape of the tile.
        columns: Columns of a line.
        checked: Whether lines outside of the tensor are skipped.
    """

    shape: Sequence[int]
    columns: int
    checked: bool

    @property
    def each(self) -> list[int]:
        """Number of lines along each dimension."""
        return [*self.shape[:-1], max(1, self.shape[-1] // self.columns)]

    @property
    def count(self) -> int:
        """Number of lines."""
        return prod(self.each)

    def of(self, w: Writer, number: str, starts: Sequence[str]) -> list[str]:
        """Compute the coordinates of the first element of a line, by its number."""
        coordinates = []
        below = self.count
        for size, start, last in zip(
            self.each, starts, [*[False] * (len(starts) - 1), True], strict=True
        ):
            below //= size
            index = w.value(f"lshr i32 {number}, {below.bit_length() - 1}") if below > 1 else number
            index = w.value(f"and i32 {index}, {size - 1}")
            if last:
                index = w.value(f"mul i32 {index}, {self.columns}")
            coordinates.append(w.value(f"add i32 {start}, {index}"))
        return coordinates


def _line(
    ctx: LoweringContext,
    tensor: TensorDescriptor,
    coordinates: Sequence[str],
    predicate: str,
    checked: bool,
    policy: int,
) -> None:
    """Write the prefetch of one line for each thread."""
    w = ctx.writer
    for index, size in zip(coordinates, tensor.shape, strict=True) if checked else ():
        inside = w.value(f"icmp ult i32 {index}, {size}")
        predicate = w.value(f"and i1 {predicate}, {inside}")
    address = global_address(w, tensor, coordinates)
    pointer = w.value(f"inttoptr i64 {address} to ptr addrspace(1)")
    arguments = ("ptr addrspace(1)", pointer), ("i32", str(policy))
    with w.where(predicate, "fetch"):
        w.call("void", "llvm.amdgcn.global.prefetch", *arguments)
