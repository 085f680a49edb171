"""tt.dot on tcgen05.mma: the accumulator lives in tensor memory.

    %a' = ttg.local_alloc %a             operands in shared memory
    %b' = ttg.local_alloc %b
    %c' = ttg.convert_layout %c → #linear       a lane has a row of tensor memory
    %m, %t0 = ttng.tmem_alloc %c'
    %t1 = ttng.tc_gen5_mma %a', %b', %m[%t0], %true, %true
    %d', %t2 = ttng.tmem_load %m[%t1] → #linear
    %d  = ttg.convert_layout %d'

The encoding of the accumulator says how many rows and columns one instruction writes, and how many
32-bit columns an element takes (an f16 takes two halves: colStride = 2).
"""

from __future__ import annotations

from dataclasses import dataclass

from weft.errors import PassError
from weft.ir import attributes, locations, ttg, ttng, types
from weft.ir.builtin import Attribute, Operation, SSAValue
from weft.layouts import Encoding, LinearEncoding, TensorMemoryEncoding
from weft.layouts.cga import cga_bases, shape_per_cta
from weft.layouts.tensor_memory import tensor_memory_register_encoding
from weft.passes.ledger import enabled
from weft.passes.nvidia.accelerate_matmul.choice import Dot, family_of, refusals
from weft.passes.nvidia.accelerate_matmul.notes import Notes
from weft.passes.nvidia.accelerate_matmul.operands import Side, converted, in_shared
from weft.passes.nvidia.accelerate_matmul.warps import instruction_shape
from weft.passes.rewrite.greedy import Pattern
from weft.passes.rewrite.rewriter import Rewriter
from weft.targets.tensor_cores import TensorCores

__all__ = ["Accumulator", "pattern", "true"]


def pattern(cores: TensorCores, notes: Notes) -> Pattern:
    """Return the rewriting of dots for a chip with tensor memory."""

    def rewrite(op: Operation, rewriter: Rewriter) -> bool:
        dot = Dot.open(op)
        if dot is None:
            return False
        family = family_of(dot, cores)
        if family is None or family.version != 5:
            return False
        either_way = dot.element in family.transposable
        a = in_shared(dot.op.a, Side(0, either_way), rewriter)
        b = in_shared(dot.op.b, Side(1, either_way), rewriter)
        tile = instruction_shape(family, dot.shape, dot.element, dot.bits, dot.warps)
        accumulator = Accumulator.of(op, dot.op.c, tile, dot.warps, rewriter)
        yes = true(op, rewriter)
        made = rewriter.create(
            ttng.TCGen5MMAOp,
            (a, b, accumulator.buffer, accumulator.token, yes, yes),
            (ttg.async_token,),
            {"operandSegmentSizes": attributes.array_i32((1, 1, 1, 1, 1, 1, 0, 0))},
            before=op,
        )
        loaded = accumulator.load(made.results[0], rewriter)
        back = converted(loaded, dot.op.d.type, op, rewriter)
        if enabled():
            notes.back(back, made)
            accumulator.note(notes, family.instruction, tile, loaded, refusals(dot, cores))
            for name, value in zip("AB", (a, b), strict=True):
                assert isinstance(value.type, ttg.MemDescType)
                notes.buffer(name, value, value.type.encoding, made.name)
        rewriter.replace(op, (back,))
        return True

    return rewrite


def true(before: Operation, rewriter: Rewriter) -> SSAValue:
    """Return the constant true."""
    return rewriter.constant(attributes.boolean(True), types.i1, before)


@dataclass(frozen=True, slots=True)
class Accumulator:
    """The buffer in tensor memory that stands for a dot's accumulator.

    Fields: op: the dot.  buffer, token: of its allocation.  type: of the tensor in the registers
    that reach it.  source: the accumulator as tensor, in that type.
    """

    op: Operation
    buffer: SSAValue
    token: SSAValue
    type: Attribute
    source: SSAValue

    @classmethod
    def of(
        cls,
        op: Operation,
        c: SSAValue,
        tile: tuple[int, ...],
        warps: int,
        rewriter: Rewriter,
    ) -> Accumulator:
        """Allocate tensor memory for an accumulator and fill it.

        Args: c: the accumulator as tensor.  tile: rows and columns of one instruction.
        """
        old = op.results[0].type
        encoding = types.encoding(old)
        assert encoding is not None
        shape, element = types.shape(old), types.element(old)
        share = shape_per_cta(encoding, shape)
        split = [whole // own for whole, own in zip(shape, share, strict=True)]
        sizes = tile[0], tile[1], 32 // types.bit_width(element)
        memory = TensorMemoryEncoding(*sizes, *split)
        type_ = ttg.MemDescType.of(shape, element, memory, ttng.TensorMemoryAttr(), mutable=True)
        own = tensor_memory_register_encoding(TensorMemoryEncoding(*sizes).linear(share), warps)
        whole = encoding.linear(shape)
        blocks = [whole.unpack(image) for image in whole.images("block")]
        held = types.with_encoding(old, LinearEncoding(own.register, own.lane, own.warp, blocks))
        source = converted(c, held, op, rewriter)
        made = rewriter.create(ttng.TMEMAllocOp, (source,), (type_, ttg.async_token), before=op)
        return cls(op, made.results[0], made.results[1], held, source)

    def load(self, after: SSAValue, rewriter: Rewriter) -> SSAValue:
        """Return the result, read when the product that gives a token is done."""
        made = rewriter.create(
            ttng.TMEMLoadOp,
            (self.buffer, after),
            (self.type, ttg.async_token),
            {"resultSegmentSizes": attributes.array_i32((1, 1, 0))},
            before=self.op,
        )
        return made.results[0]

    def note(self, notes: Notes, instruction: str, tile, loaded: SSAValue, over) -> None:
        """Write down where the accumulator went."""
        memory = self.buffer.type
        assert isinstance(memory, ttg.MemDescType)
        notes.accumulator(self.source, loaded, memory.encoding, instruction, tile, over)


def check_alone(op: Operation, encoding: Encoding) -> None:
    """Require that a block has its tensors for itself.

    Raises: PassError: blocks of a cluster share them.
    """
    if cga_bases(encoding):
        raise PassError(
            "tensor memory is not shared out over the blocks of a cluster",
            location=locations.position(op.location),
            found=str(encoding),
            accepted=['"ttg.num-ctas" = 1'],
        )
