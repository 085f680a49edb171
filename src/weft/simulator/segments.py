"""Split a kernel into segments: instructions between points where threads may diverge or wait.

    entry:                                    segment 0: the steps before the barrier,
      %a = add i32 %i, 1                                 then wait at barrier 0
      call void @…barrier.cta.sync…(i32 0)    segment 1: the rest of the basic block
      br label %done
    done:                                     segment 2
      ret void

A wait that may have to be tried again, such as mbarrier.try_wait, starts a segment: a step that
raises NotReady must not repeat the effects of others.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np

from weft.errors import CodegenError, WeftError
from weft.simulator.block import Block, Step
from weft.simulator.diagnostics import NO_STEP
from weft.simulator.instruction_kinds import fixed_kind
from weft.simulator.llvm_ir.instructions import compile_instruction
from weft.simulator.llvm_ir.operands import parse_operand
from weft.simulator.llvm_ir.parser import Function, Instruction
from weft.simulator.llvm_ir.types import Operand, Type, parse_type

__all__ = ["Branch", "Kernel", "Segment", "split"]

# Barriers: their number and, if only some threads of the block take part, how many.
_BARRIERS = (
    re.compile(r"@llvm\.nvvm\.barrier\.cta\.sync\.(?:aligned\.)?all\(i32 (\d+)(\b)\)"),
    re.compile(r"@llvm\.nvvm\.barrier\.cta\.sync\.aligned\.count\(i32 (\d+), i32 (\d+)\)"),
    re.compile(r"@llvm\.amdgcn\.s\.barrier\((\b|)(\b|)\)"),
)
# AMD's named barriers count warps. Their numbers follow those of the others.
_NAMED_BARRIER = re.compile(
    r"@llvm\.amdgcn\.s\.barrier\.signal\.var\(ptr addrspace\(3\) @group\.(\d+), i32 (\d+)\)"
)
_FIRST_NAMED_BARRIER = 100
_AMD_WARP_SIZE = 32  # of the chips with named barriers
_RETRIED = ("mbarrier.try_wait", "barrier.cluster.wait", "llvm.amdgcn.s.barrier.wait")


@dataclass(frozen=True, slots=True)
class Branch:
    """The terminator of a basic block.

    Attributes:
        labels: Labels of the successors: none for `ret`, two for a conditional branch.
        condition: The i1 that selects the first of two successors.
    """

    labels: tuple[str, ...] = ()
    condition: Operand = field(default_factory=lambda: np.ones(1, bool))


@dataclass(slots=True)
class Segment:
    """A part of a basic block.

    Attributes:
        label: Label of the basic block.
        phis: Phis at its start: the name, and label of the predecessor → operand.
        steps: The instructions.
        first: Number of the first of them in `Kernel.instructions`.
        terminator: What ends the basic block, None if another segment follows.
        barrier: Barrier at which threads wait after the steps: its number and how many threads
            take part, 0 for all of the block.
        barrier_step: Number of the instruction that waits at the barrier.
    """

    label: str
    phis: list[tuple[str, dict[str, Operand]]] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    first: int = 0
    terminator: Branch | None = None
    barrier: tuple[int, int] | None = None
    barrier_step: int = NO_STEP


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel as segments.

    Attributes:
        segments: The segments in order.
        starts: Label of a basic block → number of its first segment.
        instructions: The instructions of all segments, and barriers, for messages.
    """

    segments: list[Segment]
    starts: dict[str, int]
    instructions: list[Instruction]


def split(function: Function) -> Kernel:
    """Split a kernel.

    Raises:
        CodegenError: A basic block has no terminator, or an instruction is not supported.
    """
    segments: list[Segment] = []
    starts: dict[str, int] = {}
    instructions: list[Instruction] = []
    for block in function.blocks:
        starts[block.label] = len(segments)
        segment = Segment(block.label, first=len(instructions))
        for instruction in block.instructions:
            opcode = instruction.opcode
            if opcode in ("br", "ret"):
                segment.terminator = _parse_terminator(instruction)
            elif opcode == "phi":
                segment.phis.append(_parse_phi(instruction))
            elif opcode == "call" and (barrier := _find_barrier(instruction.rest)) is not None:
                segment.barrier, segment.barrier_step = barrier, len(instructions)
                instructions.append(instruction)
                segments.append(segment)
                segment = Segment(block.label, first=len(instructions))
            else:
                if opcode == "call" and any(name in instruction.rest for name in _RETRIED):
                    segments.append(segment)
                    segment = Segment(block.label, first=len(instructions))
                segment.steps.append(_compile(instruction))
                instructions.append(instruction)
        if segment.terminator is None:
            raise CodegenError(f"block {block.label} has no terminator", found=block.label)
        segments.append(segment)
    return Kernel(segments, starts, instructions)


def _compile(instruction: Instruction) -> Step:
    """Compile an instruction; an error gets its source location."""
    try:
        return _counted(instruction, compile_instruction(instruction))
    except WeftError as error:
        error.location = error.location or instruction.location
        raise


def _counted(instruction: Instruction, step: Step) -> Step:
    """Count executions of an instruction whose kind does not depend on its operands."""
    kind = fixed_kind(instruction)
    if kind is None:
        return step

    def run(block: Block) -> None:
        step(block)
        block.count(*kind)

    return run


def _find_barrier(text: str) -> tuple[int, int] | None:
    """Find the barrier of a call: its number and how many threads take part, 0 for all."""
    for pattern in _BARRIERS:
        if (match := pattern.search(text)) is not None:
            return int(match[1] or 0), int(match[2] or 0)
    if (match := _NAMED_BARRIER.search(text)) is not None:
        return _FIRST_NAMED_BARRIER + int(match[1]), _AMD_WARP_SIZE * int(match[2])
    return None


def _parse_phi(instruction: Instruction) -> tuple[str, dict[str, Operand]]:
    """Read `phi i32 [ 0, %entry ], [ %next, %body ]`."""
    type_, rest = parse_type(instruction.rest)
    incoming: dict[str, Operand] = {}
    for pair in rest.strip("[] ").split(" ], [ "):
        value, _, label = pair.rpartition(", %")
        incoming[label.strip()] = parse_operand(value.strip(), type_)
    return instruction.result, incoming


def _parse_terminator(instruction: Instruction) -> Branch:
    """Read `ret void`, `br label %a` or `br i1 %c, label %a, label %b`."""
    if instruction.opcode == "ret":
        return Branch()
    condition, *targets = instruction.rest.split("label ")
    labels = tuple(target.split("%")[-1].strip().rstrip(", ") for target in targets)
    if len(labels) == 1:
        return Branch(labels)
    text = condition.removeprefix("i1 ").strip().rstrip(",")
    return Branch(labels, parse_operand(text, Type("i1")))
