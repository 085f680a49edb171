"""Rewrite tt.dot for tcgen05.mma, whose accumulator is in tensor memory.

    %d = tt.dot %a, %b, %c

    →  %a' = ttg.local_alloc %a             operands in shared memory
       %b' = ttg.local_alloc %b
       %c' = ttg.convert_layout %c → #linear       a lane has a row of tensor memory
       %m, %t0 = ttng.tmem_alloc %c'
       %t1 = ttng.tc_gen5_mma %a', %b', %m[%t0], %true, %true
       %d', %t2 = ttng.tmem_load %m[%t1] → #linear
       %d  = ttg.convert_layout %d'

The encoding of the accumulator has the rows and columns of one instruction, and the 32-bit columns
per element (colStride = 2 for f16: an element uses half of a column).
"""

from __future__ import annotations

from msgspec import Struct

from weft.errors import PassError
from weft.ir import attributes, locations, ttg, ttng, types
from weft.ir.builtin import Attribute, Operation, SSAValue
from weft.layouts import Encoding, TensorMemoryEncoding
from weft.layouts.cga import cga_bases, shape_per_cta
from weft.layouts.tensor_memory import registers_of_cluster, tensor_memory_register_encoding
from weft.passes.ledger import Candidate, enabled
from weft.passes.nvidia.accelerate_matmul.decision_records import DecisionRecorder
from weft.passes.nvidia.accelerate_matmul.instruction_selection import (
    Dot,
    family_of,
    instruction_candidates,
)
from weft.passes.nvidia.accelerate_matmul.operands import (
    SharedOperand,
    convert_layout,
    store_to_shared,
)
from weft.passes.nvidia.accelerate_matmul.warp_tiling import instruction_shape
from weft.passes.rewrite.greedy import Pattern
from weft.passes.rewrite.rewriter import Rewriter
from weft.targets.tensor_cores import TensorCores

__all__ = ["Accumulator", "check_single_cta", "create_true", "pattern"]


def pattern(cores: TensorCores, recorder: DecisionRecorder) -> Pattern:
    """Create the pattern for a target with tensor memory."""

    def rewrite(op: Operation, rewriter: Rewriter) -> bool:
        dot = Dot.match(op)
        if dot is None:
            return False
        family = family_of(dot, cores)
        if family is None or family.version != 5:
            return False
        is_transposable = dot.element in family.transposable
        a = store_to_shared(dot.op.a, SharedOperand(0, is_transposable), rewriter)
        b = store_to_shared(dot.op.b, SharedOperand(1, is_transposable), rewriter)
        tile = instruction_shape(family, dot.shape, dot.element, dot.bits, dot.warps)
        accumulator = Accumulator.of(op, dot.op.c, tile, dot.warps, rewriter)
        true = create_true(op, rewriter)
        mma = rewriter.create(
            ttng.TCGen5MMAOp,
            (a, b, accumulator.buffer, accumulator.token, true, true),
            (ttg.async_token,),
            {"operandSegmentSizes": attributes.array_i32((1, 1, 1, 1, 1, 1, 0, 0))},
            before=op,
        )
        loaded = accumulator.load(mma.results[0], rewriter)
        result = convert_layout(loaded, dot.op.d.type, op, rewriter)
        if enabled():
            recorder.record_result(result, mma)
            candidates = instruction_candidates(dot, cores)
            accumulator.record(recorder, family.instruction, tile, loaded, candidates)
            for name, value in zip("AB", (a, b), strict=True):
                assert isinstance(value.type, ttg.MemDescType)
                recorder.record_buffer(name, value, value.type.encoding, mma.name)
        rewriter.replace(op, (result,))
        return True

    return rewrite


def create_true(before: Operation, rewriter: Rewriter) -> SSAValue:
    """Create the constant true."""
    return rewriter.constant(attributes.boolean(True), types.i1, before)


class Accumulator(Struct, frozen=True):
    """The accumulator of a dot in tensor memory.

    Attributes:
        op: The dot.
        buffer: The allocated buffer.
        token: The token of the allocation.
        type: The type of a tensor in the layout that tensor memory instructions access.
        source: The initial value, in that type.
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
        """Allocate tensor memory with the initial value of an accumulator.

        Args:
            op: The dot.
            c: The accumulator operand.
            tile: The instruction shape, m and n first.
            warps: The warps that execute the dot.
            rewriter: Changes the IR.
        """
        old = op.results[0].type
        encoding = types.encoding(old)
        assert encoding is not None
        shape, element = types.shape(old), types.element(old)
        cta_shape = shape_per_cta(encoding, shape)
        ctas_m, ctas_n = (size // per_cta for size, per_cta in zip(shape, cta_shape, strict=True))
        sizes = tile[0], tile[1], 32 // types.bit_width(element)
        memory = TensorMemoryEncoding(*sizes, ctas_m, ctas_n)
        type_ = ttg.MemDescType.of(shape, element, memory, ttng.TensorMemoryAttr(), mutable=True)
        # The registers of one CTA, and the distribution over CTAs of the old layout.
        cta_memory = TensorMemoryEncoding(*sizes).linear(cta_shape)
        registers = tensor_memory_register_encoding(cta_memory, warps)
        linear = registers_of_cluster(registers, encoding, shape)
        register_type = types.with_encoding(old, linear)
        conversion = rewriter.create(ttg.ConvertLayoutOp, (c,), (register_type,), before=op)
        source = conversion.results[0]
        alloc = rewriter.create(ttng.TMEMAllocOp, (source,), (type_, ttg.async_token), before=op)
        return cls(op, alloc.results[0], alloc.results[1], register_type, source)

    def load(self, token: SSAValue, rewriter: Rewriter) -> SSAValue:
        """Load the accumulator after the operation that returns a token."""
        load = rewriter.create(
            ttng.TMEMLoadOp,
            (self.buffer, token),
            (self.type, ttg.async_token),
            {"resultSegmentSizes": attributes.array_i32((1, 1, 0))},
            before=self.op,
        )
        return load.results[0]

    def record(
        self,
        recorder: DecisionRecorder,
        instruction: str,
        tile: tuple[int, ...],
        loaded: SSAValue,
        candidates: tuple[Candidate, ...],
    ) -> None:
        """Record the layouts of the accumulator."""
        memory = self.buffer.type
        assert isinstance(memory, ttg.MemDescType)
        recorder.record_accumulator(
            self.source, loaded, memory.encoding, instruction, tile, candidates
        )


def check_single_cta(op: Operation, encoding: Encoding) -> None:
    """Check that a tensor is not distributed over the CTAs of a cluster.

    Raises:
        PassError: It is.
    """
    if cga_bases(encoding):
        raise PassError(
            "a scaled dot in tensor memory does not support clusters",
            location=locations.position(op.location),
            found=str(encoding),
            accepted=['"ttg.num-ctas" = 1'],
        )
