"""Elements of vectors and members of structures: taken out, put in.

A vector is an array of one more dimension; a structure is a tuple of arrays. Values are moved, not
read: those of products that are under way keep what they wait for.

    extractelement <4 x i32> %v1, i32 2    →    block.set(result, block.get("%v1")[:, 2])
"""

from __future__ import annotations

import numpy as np

from weft.simulator.block import Block, Step, constant
from weft.simulator.llvm_ir.parser import Instruction, split_arguments
from weft.simulator.llvm_ir.types import Type, dtype_of, parse_type

__all__ = ["AGGREGATES"]

_INDEX = Type("i32")


def _extract_element(one: Instruction) -> Step:
    vector, index = split_arguments(one.rest)
    type_, text = parse_type(vector)
    source, position = constant(text, type_), constant(index.split()[-1], _INDEX)

    def step(block: Block) -> None:
        whole, places = block.held(source), block.get(position)
        if places.shape[0] == 1:
            block.set(one.result, whole[:, int(places[0])])
        else:
            rows = np.broadcast_to(whole, (places.shape[0], whole.shape[1]))
            block.set(one.result, rows[np.arange(places.shape[0]), places])
        block.carry(one.result, source)

    return step


def _insert_element(one: Instruction) -> Step:
    vector, element, index = split_arguments(one.rest)
    type_, text = parse_type(vector)
    element_type, value = parse_type(element)
    source, new = constant(text, type_), constant(value, element_type)
    position = constant(index.split()[-1], _INDEX)

    def step(block: Block) -> None:
        old, given, places = block.held(source), block.held(new), block.get(position)
        rows = max(old.shape[0], given.shape[0], places.shape[0])
        whole = np.broadcast_to(old, (rows, type_.count)).copy()
        if places.shape[0] == 1:
            whole[:, int(places[0])] = given
        else:
            whole[np.arange(rows), places] = given
        block.set(one.result, whole)
        block.carry(one.result, source, new)

    return step


def _insert_value(one: Instruction) -> Step:
    whole, element, index = split_arguments(one.rest)
    type_, source = parse_type(whole)
    element_type, value = parse_type(element)
    new, place = constant(value, element_type), int(index)

    def step(block: Block) -> None:
        if source == "poison":
            members = [np.zeros(1, dtype_of(kind)) for kind in type_.members]
        else:
            members = list(block.members(source))
        members[place] = block.held(new)
        block.set_members(one.result, tuple(members))
        for n in range(len(members)):
            block.carry(f"{one.result}#{n}", new if n == place else f"{source}#{n}")

    return step


def _extract_value(one: Instruction) -> Step:
    source, index = split_arguments(one.rest)
    _, text = parse_type(source)

    def step(block: Block) -> None:
        block.set(one.result, block.members(text)[int(index)])
        block.carry(one.result, f"{text}#{int(index)}")

    return step


AGGREGATES = {
    "extractelement": _extract_element,
    "insertelement": _insert_element,
    "extractvalue": _extract_value,
    "insertvalue": _insert_value,
}
