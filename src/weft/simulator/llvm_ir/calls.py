"""Calls: of intrinsics by name, and of lines of inline assembly."""

from __future__ import annotations

import re

from weft.errors import CodegenError
from weft.simulator.block import Step, constant
from weft.simulator.llvm_ir.inline_ptx import run_assembly
from weft.simulator.llvm_ir.parser import Instruction, split_arguments
from weft.simulator.llvm_ir.types import parse_type
from weft.simulator.registry import Call, Operands, find_assembly, find_intrinsic

__all__ = ["compile_call"]

_CALL = re.compile(r"(.*?) ?@([\w.]+)\((.*)\)(?: noinline)?(?:, ![^)]*)?")
_ASM = re.compile(r'(.*?) ?asm (?:sideeffect )?"(.*?)", "(.*?)"\((.*)\)(?: convergent)?')


def compile_call(one: Instruction) -> Step:
    """Return a call as a step.

    Raises: CodegenError: nothing is known of the callee, or of the line of assembly.
    """
    if (found := _ASM.fullmatch(one.rest)) is not None:
        returns, text, constraints, given = found.groups()
        known = find_assembly(text)
        if known is None:
            return run_assembly(one.result, returns, text, constraints, _operands(given))
        match, build = known
        outputs = sum(part.startswith("=") for part in constraints.split(","))
        return build(Call(one.result, match, _operands(given), outputs, returns))
    found = _CALL.fullmatch(one.rest)
    if found is None:
        raise CodegenError("not a call that the simulator reads", found=one.rest)
    match, build = find_intrinsic(found[2])
    return build(Call(one.result, match, _operands(found[3])))


def _operands(given: str) -> Operands:
    """Return arguments as they stand in a call, each with its type."""
    operands = []
    for part in split_arguments(given):
        type_, text = parse_type(part)
        operands.append((constant(text, type_), type_))
    return tuple(operands)
