"""Turn tiles that are loaded the wrong way round in the registers of each thread.

`tritonamdgpu-in-thread-transpose`.

Before:  %x = tt.load %p              #blocked, [1, 8] per thread: rows, as they lie in memory
         %b = ttg.local_alloc %x      #swizzled_shared<{vec = 1, …, order = [1, 0]}>
         %o = ttg.local_load %b       -> #dot_op<opIdx = 1>: reads columns, one element at a time
After:   %y = ttg.convert_layout …
         %x = tt.load %y              #blocked1, [4, 8] per thread: four rows of eight
         %t = amdg.in_thread_transpose %x    -> #linear: the same elements, columns first
         %b = ttg.local_alloc %t      #amd_rotating_shared<{vec = 4, …, order = [0, 1]}>
         %o = ttg.local_load %b       reads four elements of a column at once

A dot sums over K, so an operand is read along K. Where the tile lies in memory along the other
dimension, a thread loads several rows of K, as many as 64 bits of a column hold, and writes
columns. The buffer is ordered along K, its vectors rotated so that both sides meet few conflicts.

Needs: operands in buffers, as the pipeliner and reduce-data-duplication leave them.
Source: measured on Triton 3.7.1 (`chain` tells which chains are seen).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import ClassVar

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

_WIDEST_WRITE = 64  # bits of one lane


@dataclass(frozen=True, slots=True)
class InThreadTranspose:
    """Post: operands of matrix instructions that were loaded across K are written along K."""

    name: ClassVar[str] = "tritonamdgpu-in-thread-transpose"

    def run(self, module: ModuleOp) -> None:
        """Turn tiles in place."""
        for read in [op for op in module.walk() if isinstance(op, ttg.LocalLoadOp)]:
            operand = types.encoding(read.result.type)
            if not isinstance(operand, DotOperandEncoding):
                continue
            if not isinstance(operand.parent, AmdMfmaEncoding | AmdWmmaEncoding):
                continue
            k_dim = 1 - operand.op_idx
            chain = chain_of(read, k_dim)
            if chain is not None:
                self._turn(chain, operand, read.result.type)

    def _turn(self, chain: Chain, operand: DotOperandEncoding, type_: Attribute) -> None:
        """Load several rows of K per thread, turn them, and write them along K."""
        k_dim = 1 - operand.op_idx
        loaded = next(iter(chain.loads)).result.type
        taller = _taller(loaded, k_dim)
        if taller is None:
            return
        for load in chain.loads:
            self._load(load, taller)
        for write, written in chain.writes.items():
            if written is not None:
                self._write(write, taller, types.shape(loaded))
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
        """Load in another layout, and go on in the one from before."""
        builder = Builder().before(load)
        operands: list[SSAValue] = []
        for operand in load.operands:
            made = operand
            if types.is_tensor(operand.type):
                asked = types.with_encoding(operand.type, encoding)
                made = builder.value(ttg.ConvertLayoutOp, [operand], asked)
                record_decision(self, made, str(encoding), "what tt.load reads", anchor=load.name)
            operands.append(made)
        old = load.results[0]
        new = type(load).create(
            operands=operands,
            result_types=[types.with_encoding(old.type, encoding)],
            properties=dict(load.properties),
            attributes=dict(load.attributes),
            location=load.location,
        )
        builder.insert(new)
        why = "several rows along K, to be written along K"
        record_decision(self, new.results[0], str(encoding), why)
        back = builder.value(ttg.ConvertLayoutOp, [new.results[0]], old.type)
        record_decision(
            self, back, str(types.encoding(old.type)), "what reads the load stays as it is"
        )
        old.replace_all_uses_with(back)
        erase(load)

    def _write(self, write: Operation, encoding: BlockedEncoding, shape: tuple[int, ...]) -> None:
        """Turn what is written to the buffer."""
        builder = Builder().before(write)
        data = write.operands[0]
        tall = builder.value(ttg.ConvertLayoutOp, [data], types.with_encoding(data.type, encoding))
        turned = transposed_in_thread(encoding, shape)
        made = builder.value(
            amdg.InThreadTransposeOp, [tall], types.with_encoding(data.type, turned)
        )
        write.operands[0] = made
        record_decision(self, tall, str(encoding), "as it was loaded", anchor=write.name)
        record_decision(self, made, str(turned), "the same elements of each thread, along K first")

    def _rotate(self, buffer: SSAValue, encoding: AmdRotatingSharedEncoding) -> None:
        """Give a buffer, or a view of it, an encoding along K."""
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
        made = Rewriter.replace_value_with_new_type(buffer, new)
        if isinstance(buffer, BlockArgument) and isinstance(made, BlockArgument):
            made.location = buffer.location
        record_decision(self, made, str(encoding), "vectors along K, as the operand is read")


def _taller(type_: Attribute, k_dim: int) -> BlockedEncoding | None:
    """Return the layout with as many rows of K per thread as a write holds, None if one is all."""
    encoding, shape = types.encoding(type_), types.shape(type_)
    if not isinstance(encoding, BlockedEncoding) or len(shape) != 2:
        return None
    lanes, warps = encoding.threads_per_warp, encoding.warps_per_cta
    most = shape[k_dim] // (lanes[k_dim] * warps[k_dim])
    if most < 2:
        return None
    sizes = list(encoding.size_per_thread)
    sizes[k_dim] = min(most, _WIDEST_WRITE // types.bit_width(type_))
    return default_blocked(
        shape, prod(warps), prod(lanes), 1 << len(encoding.cga_layout), sizes, encoding.order
    )
