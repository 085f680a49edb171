"""The work of an operation by the plan that code generation carries out for it.

    %x = tt.load %p : #blocked      plan: 4 instructions of 128 bits by 4 warps, 64 sectors each …
                                    Work(requests=16, sectors=256, …)

`weft.lowering_plans` reads layouts from the types of operands and results. To ask what another
layout would cost, the types are changed for the time of the question, and restored.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from weft.errors import WeftError
from weft.ir import types
from weft.ir.builtin import Attribute, Operation, SSAValue
from weft.ir.rewriting import set_type
from weft.layouts import Encoding
from weft.lowering_plans.instruction import Instruction
from weft.lowering_plans.operations import PlanContext, operation_instructions
from weft.optimum.costs.work import Work

__all__ = ["instruction_work", "planned_instructions"]

_WORD_BITS = 32


def planned_instructions(
    op: Operation,
    operands: Sequence[Encoding],
    results: Sequence[Encoding],
    context: PlanContext,
) -> tuple[Instruction, ...] | None:
    """List the instructions of an operation in given layouts; None if it cannot be lowered.

    Args:
        op: The operation.
        operands: The layouts of its tensor operands.
        results: The layouts of its tensor results.
        context: The chip, and the axis information of the module.
    """
    with _layouts_of(op, operands, results):
        try:
            return operation_instructions(op, context)
        except WeftError:
            return None


@contextmanager
def _layouts_of(
    op: Operation, operands: Sequence[Encoding], results: Sequence[Encoding]
) -> Iterator[None]:
    """Give the operands and results of an operation other layouts for a while."""
    types_before: list[tuple[SSAValue, Attribute]] = []
    for values, layouts in ((op.operands, operands), (op.results, results)):
        tensors = [value for value in values if types.is_tensor(value.type)]
        for value, encoding in zip(tensors, layouts, strict=True):
            types_before.append((value, value.type))
            if types.encoding(value.type) is not encoding:
                set_type(value, types.with_encoding(value.type, encoding))
    try:
        yield
    finally:
        # An operand that is there twice gets its first type back last.
        for value, type_ in reversed(types_before):
            set_type(value, type_)


def instruction_work(instruction: Instruction) -> Work:
    """Convert the instructions of a plan to work of all warps."""
    requests = instruction.requests
    kind = instruction.kind
    if kind in ("global load", "global store", "global atomic", "async copy", "tile copy"):
        # Loads share sectors in L1: the caller knows how many are distinct.
        return Work(
            requests=requests, sectors=instruction.sectors, wavefronts=instruction.wavefronts
        )
    if kind == "shuffle":
        return Work(shuffles=requests)
    if kind == "warp reduction":
        return Work(special=requests)
    if kind == "warp barrier":
        return Work(instructions=requests)
    if kind == "barrier":
        return Work(barriers=instruction.count)
    if kind == "cluster barrier":
        return Work(cluster_barriers=instruction.count)
    if kind in ("tensor memory load", "tensor memory store", "cluster load"):
        # A wavefront moves 32 words, those of a warp's lanes.
        return Work(wavefronts=requests * max(1, instruction.bits // _WORD_BITS))
    if kind == "mma":
        return Work()  # multiply-adds are counted from shapes
    return Work(instructions=requests, wavefronts=instruction.wavefronts)
