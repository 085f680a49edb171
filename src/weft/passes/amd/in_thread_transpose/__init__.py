"""Transpose dot operands in the registers of each thread (tritonamdgpu-in-thread-transpose).

Before:  %x = tt.load %p              #blocked, [1, 8] per thread: rows, contiguous in memory
         %b = ttg.local_alloc %x      #swizzled_shared<{vec = 1, …, order = [1, 0]}>
         %o = ttg.local_load %b       -> #dot_op<opIdx = 1>: loads columns, one element at a time
After:   %y = ttg.convert_layout …
         %x = tt.load %y              #blocked1, [4, 8] per thread: four rows of eight
         %t = amdg.in_thread_transpose %x    -> #linear: the same elements, column-major
         %b = ttg.local_alloc %t      #amd_rotating_shared<{vec = 4, …, order = [0, 1]}>
         %o = ttg.local_load %b       loads four elements of a column at once

A dot operand is loaded from shared memory along K. If the tile is contiguous in global memory along
the other dimension, each thread loads several rows of K, as many as fit in 64 bits of a column, and
stores columns. The buffer is ordered along K and uses a rotating layout, which has few bank
conflicts for both accesses.

Needs: operands in shared memory, as the pipeliner and reduce-data-duplication create them.
Source: measured with Triton 3.7.1 (`chain` describes the supported chains).
"""

from __future__ import annotations

from math import prod
from typing import ClassVar

from msgspec import Struct
from xdsl.rewriter import Rewriter

from weft.ir import amdg, ttg, types
from weft.ir.builtin import Attribute, BlockArgument, ModuleOp, Operation, SSAValue
from weft.ir.rewriting import Builder, erase
from weft.layouts import (
    AmdMfmaEncoding,
    AmdRotatingSharedEncoding,
    AmdWmmaEncoding,
    BlockedEncoding,
    DotOperandEncoding,
    Encoding,
    SwizzledSharedEncoding,
    default_blocked,
)
from weft.layouts.dimension_order import transposed_in_thread
from weft.layouts.operand_swizzling import swizzled_operand_encoding
from weft.passes.amd.in_thread_transpose.chain import Chain, chain_of
from weft.passes.ledger import record_decision

__all__ = ["InThreadTranspose"]

_MAX_STORE_BITS = 64  # per lane


class InThreadTranspose(Struct, frozen=True):
    """Store MFMA and WMMA operands along K if they were loaded along the other dimension."""

    name: ClassVar[str] = "tritonamdgpu-in-thread-transpose"

    def run(self, module: ModuleOp) -> None:
        """Rewrite the chains of a module in place."""
        for read in [op for op in module.walk() if isinstance(op, ttg.LocalLoadOp)]:
            operand = types.encoding(read.result.type)
            if not isinstance(operand, DotOperandEncoding):
                continue
            if not isinstance(operand.parent, AmdMfmaEncoding | AmdWmmaEncoding):
                continue
            k_dim = 1 - operand.op_idx
            chain = chain_of(read, k_dim)
            if chain is not None:
                self._transpose(chain, operand, read.result.type)

    def _transpose(self, chain: Chain, operand: DotOperandEncoding, type_: Attribute) -> None:
        """Load several rows of K per thread, transpose them, and store them along K."""
        k_dim = 1 - operand.op_idx
        loaded = next(iter(chain.loads)).result.type
        tall = _tall_layout(loaded, k_dim)
        if tall is None:
            return
        for load in chain.loads:
            self._load(load, tall)
        for write, stored in chain.writes.items():
            if stored is not None:
                self._write(write, tall, types.shape(loaded))
        order = (k_dim, 1 - k_dim)
        plain = swizzled_operand_encoding(
            operand, types.shape(type_), order, types.bit_width(type_)
        )
        rotated = AmdRotatingSharedEncoding(
            plain.vec, plain.per_phase, plain.max_phase, plain.order, plain.cga_layout
        )
        for buffer in chain.buffers:
            self._rotate(buffer, rotated)

    def _load(self, load: Operation, encoding: Encoding) -> None:
        """Load in another layout, and convert the result to the former layout."""
        builder = Builder().before(load)
        operands: list[SSAValue] = []
        for operand in load.operands:
            new_value = operand
            if types.is_tensor(operand.type):
                type_ = types.with_encoding(operand.type, encoding)
                new_value = builder.value(ttg.ConvertLayoutOp, [operand], type_)
                record_decision(
                    self, new_value, str(encoding), "operand of tt.load", anchor=load.name
                )
            operands.append(new_value)
        old = load.results[0]
        new = type(load).create(
            operands=operands,
            result_types=[types.with_encoding(old.type, encoding)],
            properties=dict(load.properties),
            attributes=dict(load.attributes),
            location=load.location,
        )
        builder.insert(new)
        reason = "several rows along K, to be stored along K"
        record_decision(self, new.results[0], str(encoding), reason)
        visited_sources = builder.value(ttg.ConvertLayoutOp, [new.results[0]], old.type)
        record_decision(
            self,
            visited_sources,
            str(types.encoding(old.type)),
            "users of the load keep its former layout",
        )
        old.replace_all_uses_with(visited_sources)
        erase(load)

    def _write(self, write: Operation, encoding: BlockedEncoding, shape: tuple[int, ...]) -> None:
        """Transpose the data that is stored to the buffer."""
        builder = Builder().before(write)
        data = write.operands[0]
        tall = builder.value(ttg.ConvertLayoutOp, [data], types.with_encoding(data.type, encoding))
        transposed = transposed_in_thread(encoding, shape)
        new_value = builder.value(
            amdg.InThreadTransposeOp, [tall], types.with_encoding(data.type, transposed)
        )
        write.operands[0] = new_value
        record_decision(self, tall, str(encoding), "the layout of the load", anchor=write.name)
        record_decision(
            self, new_value, str(transposed), "the same elements of each thread, along K first"
        )

    def _rotate(self, buffer: SSAValue, encoding: AmdRotatingSharedEncoding) -> None:
        """Change the encoding of a buffer or view to one along K."""
        type_ = buffer.type
        assert isinstance(type_, ttg.MemDescType)
        if not isinstance(type_.encoding, SwizzledSharedEncoding):
            return
        new = ttg.MemDescType.of(
            type_.shape,
            type_.element_type,
            encoding,
            type_.memory_space,
            mutable=type_.is_mutable,
        )
        new_value = Rewriter.replace_value_with_new_type(buffer, new)
        if isinstance(buffer, BlockArgument) and isinstance(new_value, BlockArgument):
            new_value.location = buffer.location
        record_decision(self, new_value, str(encoding), "vectors along K, as the operand is loaded")


def _tall_layout(type_: Attribute, k_dim: int) -> BlockedEncoding | None:
    """Return the layout with as many rows of K per thread as one store holds; None for one row."""
    encoding, shape = types.encoding(type_), types.shape(type_)
    if not isinstance(encoding, BlockedEncoding) or len(shape) != 2:
        return None
    lanes, warps = encoding.threads_per_warp, encoding.warps_per_cta
    most = shape[k_dim] // (lanes[k_dim] * warps[k_dim])
    if most < 2:
        return None
    sizes = list(encoding.size_per_thread)
    sizes[k_dim] = min(most, _MAX_STORE_BITS // types.bit_width(type_))
    return default_blocked(
        shape, prod(warps), prod(lanes), 1 << len(encoding.cga_layout), sizes, encoding.order
    )
