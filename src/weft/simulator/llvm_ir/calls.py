"""Calls: of intrinsics by name, and of inline assembly."""

from __future__ import annotations

import re

from weft.errors import CodegenError
from weft.simulator.block import Step
from weft.simulator.llvm_ir.inline_ptx import run_inline_ptx
from weft.simulator.llvm_ir.operands import parse_operand
from weft.simulator.llvm_ir.parser import Instruction, split_arguments
from weft.simulator.llvm_ir.types import parse_type
from weft.simulator.registry import Call, Operands, find_assembly, find_intrinsic

__all__ = ["compile_call"]

_CALL = re.compile(r"(.*?) ?@([\w.]+)\((.*)\)(?: noinline)?(?:, ![^)]*)?")
_ASM = re.compile(r'(.*?) ?asm (?:sideeffect )?"(.*?)", "(.*?)"\((.*)\)(?: convergent)?')


def compile_call(instruction: Instruction) -> Step:
    """Compile a call to a step.

    Assembly that no pattern of the registry matches was written by the kernel's author, and runs
    as PTX.

    Raises:
        CodegenError: The simulator does not support the callee or the assembly.
    """
    if (match := _ASM.fullmatch(instruction.rest)) is not None:
        result_type, text, constraints, arguments = match.groups()
        entry = find_assembly(text)
        operands = _parse_arguments(arguments)
        if entry is None:
            return run_inline_ptx(instruction.result, result_type, text, constraints, operands)
        text_match, build = entry
        outputs = sum(part.startswith("=") for part in constraints.split(","))
        return build(Call(instruction.result, text_match, operands, outputs, result_type))
    match = _CALL.fullmatch(instruction.rest)
    if match is None:
        raise CodegenError("the simulator cannot read this call", found=instruction.rest)
    name_match, build = find_intrinsic(match[2])
    return build(Call(instruction.result, name_match, _parse_arguments(match[3])))


def _parse_arguments(text: str) -> Operands:
    operands = []
    for part in split_arguments(text):
        type_, value = parse_type(part)
        operands.append((parse_operand(value, type_), type_))
    return tuple(operands)
