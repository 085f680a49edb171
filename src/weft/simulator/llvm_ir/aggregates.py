"""Elements of vectors and members of structs: extract and insert.

A vector is an array with one more dimension; a struct is a tuple of arrays. These instructions move
values without reading them, so registers that a wgmma still writes stay pending.

    extractelement <4 x i32> %v1, i32 2    →    block.set(result, block.get("%v1")[:, 2])
"""

from __future__ import annotations

import numpy as np

from weft.simulator.block import Block, Step
from weft.simulator.llvm_ir.operands import parse_operand
from weft.simulator.llvm_ir.parser import Instruction, split_arguments
from weft.simulator.llvm_ir.types import Type, dtype_of, parse_type

__all__ = ["AGGREGATES"]

_INDEX = Type("i32")


def _extract_element(instruction: Instruction) -> Step:
    vector_text, index_text = split_arguments(instruction.rest)
    type_, text = parse_type(vector_text)
    source, index = parse_operand(text, type_), parse_operand(index_text.split()[-1], _INDEX)

    def step(block: Block) -> None:
        vector, positions = block.peek(source), block.get(index)
        if positions.shape[0] == 1:
            block.set(instruction.result, vector[:, int(positions[0])])
        else:
            rows = np.broadcast_to(vector, (positions.shape[0], vector.shape[1]))
            block.set(instruction.result, rows[np.arange(positions.shape[0]), positions])
        block.copy_pending(instruction.result, source)

    return step


def _insert_element(instruction: Instruction) -> Step:
    vector_text, element_text, index_text = split_arguments(instruction.rest)
    type_, text = parse_type(vector_text)
    element_type, element = parse_type(element_text)
    source, new_element = parse_operand(text, type_), parse_operand(element, element_type)
    index = parse_operand(index_text.split()[-1], _INDEX)

    def step(block: Block) -> None:
        old, values, positions = block.peek(source), block.peek(new_element), block.get(index)
        rows = max(old.shape[0], values.shape[0], positions.shape[0])
        vector = np.broadcast_to(old, (rows, type_.count)).copy()
        if positions.shape[0] == 1:
            vector[:, int(positions[0])] = values
        else:
            vector[np.arange(rows), positions] = values
        block.set(instruction.result, vector)
        block.copy_pending(instruction.result, source, new_element)

    return step


def _insert_value(instruction: Instruction) -> Step:
    struct_text, member_text, index_text = split_arguments(instruction.rest)
    type_, source = parse_type(struct_text)
    member_type, member = parse_type(member_text)
    new_member, index, result = (
        parse_operand(member, member_type),
        int(index_text),
        instruction.result,
    )

    def step(block: Block) -> None:
        if source == "poison":
            members = [np.zeros(1, dtype_of(each)) for each in type_.members]
        else:
            members = list(block.get_members(source))
        members[index] = block.peek(new_member)
        block.set_members(result, tuple(members))
        for n in range(len(members)):
            block.copy_pending(f"{result}#{n}", new_member if n == index else f"{source}#{n}")

    return step


def _extract_value(instruction: Instruction) -> Step:
    struct_text, index = split_arguments(instruction.rest)
    _, source = parse_type(struct_text)

    def step(block: Block) -> None:
        block.set(instruction.result, block.get_members(source)[int(index)])
        block.copy_pending(instruction.result, f"{source}#{int(index)}")

    return step


AGGREGATES = {
    "extractelement": _extract_element,
    "insertelement": _insert_element,
    "extractvalue": _extract_value,
    "insertvalue": _insert_value,
}
