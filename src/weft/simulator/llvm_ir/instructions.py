"""Compile each instruction of LLVM IR to a step over all active threads.

    fadd contract float %v1, %v2    →    block.set(result, block.get("%v1") + block.get("%v2"))

The text is read once per kernel; the step runs each time control reaches the instruction.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from weft.errors import CodegenError, OutOfBoundsError
from weft.simulator.block import Block, Step
from weft.simulator.llvm_ir.aggregates import AGGREGATES
from weft.simulator.llvm_ir.calls import compile_call
from weft.simulator.llvm_ir.casts import CASTS, unsigned
from weft.simulator.llvm_ir.operands import parse_operand
from weft.simulator.llvm_ir.parser import Instruction, split_arguments
from weft.simulator.llvm_ir.shifts import SHIFTS, compile_shift
from weft.simulator.llvm_ir.types import Operand, Type, parse_type
from weft.simulator.memory.atomics import compile_atomic
from weft.simulator.memory.memory import Memory
from weft.simulator.synchronization.cluster import CLUSTER_SPACE, load_remote
from weft.simulator.synchronization.lds_barrier import poll

__all__ = ["compile_instruction"]

_FLAGS = re.compile(r"^(?:(?:nsw|nuw|exact|disjoint|contract|nnan|ninf|nsz|arcp|afn|reassoc) )+")
_SHARED_SPACE = 3
_CONSTANT_SPACE = 4  # of AMD's dispatch packet, which the scalar unit reads

Builder: TypeAlias = Callable[[Instruction], Step]
BinaryFunction: TypeAlias = Callable[[np.ndarray, np.ndarray], np.ndarray]


def _signed_division(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Compute quotients, rounded toward zero, and remainders. Division by 0 is undefined."""
    divisor = np.where(b == 0, 1, b).astype(a.dtype)
    remainder = np.fmod(a, divisor)
    return (a - remainder) // divisor, remainder


def _unsigned_division(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Compute quotients and remainders of unsigned integers. Division by 0 is undefined."""
    x, y = unsigned(a), unsigned(b)
    divisor = np.where(y == 0, 1, y).astype(x.dtype)
    return (x // divisor).view(a.dtype), (x % divisor).view(a.dtype)


_BINARY: dict[str, BinaryFunction] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "sdiv": lambda a, b: _signed_division(a, b)[0],
    "srem": lambda a, b: _signed_division(a, b)[1],
    "udiv": lambda a, b: _unsigned_division(a, b)[0],
    "urem": lambda a, b: _unsigned_division(a, b)[1],
    "fadd": np.add,
    "fsub": np.subtract,
    "fmul": np.multiply,
    "fdiv": np.divide,
    "frem": np.fmod,
}


def _binary(instruction: Instruction) -> Step:
    function = _BINARY[instruction.opcode]
    type_, rest = parse_type(_FLAGS.sub("", instruction.rest))
    first, second = split_arguments(rest)[:2]
    a, b = parse_operand(first, type_), parse_operand(second, type_)

    def step(block: Block) -> None:
        x, y = np.broadcast_arrays(block.get(a), block.get(b))
        value = function(x, y) if x.dtype != np.bool_ else _on_bits(function, x, y)
        block.set(instruction.result, value)

    return step


def _on_bits(function: BinaryFunction, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Apply an integer operation to i1 operands, whose true is -1."""
    return (function(-a.astype(np.int8), -b.astype(np.int8)) & 1).astype(np.bool_)


_INTEGER_PREDICATES: dict[str, BinaryFunction] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "slt": np.less,
    "sle": np.less_equal,
    "sgt": np.greater,
    "sge": np.greater_equal,
}
_FLOAT_PREDICATES: dict[str, BinaryFunction] = {
    "eq": np.equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "lt": np.less,
    "le": np.less_equal,
    "ne": np.not_equal,
}


def _compare_integers(instruction: Instruction) -> Step:
    predicate, _, rest = instruction.rest.partition(" ")
    type_, rest = parse_type(rest)
    a, b = (parse_operand(text, type_) for text in split_arguments(rest))
    is_unsigned = predicate.startswith("u")
    compare = _INTEGER_PREDICATES["s" + predicate[1:] if is_unsigned else predicate]

    def step(block: Block) -> None:
        x, y = block.get(a), block.get(b)
        value = compare(unsigned(x), unsigned(y)) if is_unsigned else compare(x, y)
        block.set(instruction.result, value)

    return step


def _compare_floats(instruction: Instruction) -> Step:
    predicate, _, rest = instruction.rest.partition(" ")
    type_, rest = parse_type(rest)
    a, b = (parse_operand(text, type_) for text in split_arguments(rest))

    def step(block: Block) -> None:
        x, y = block.get(a), block.get(b)
        nan = np.isnan(x) | np.isnan(y)
        if predicate in ("ord", "uno", "true", "false"):
            value = {"ord": ~nan, "uno": nan, "true": nan | True, "false": nan & False}[predicate]
        else:
            holds = _FLOAT_PREDICATES[predicate[1:]](x, y)
            # An ordered predicate is false on NaN, an unordered one is true.
            value = holds & ~nan if predicate[0] == "o" else holds | nan
        block.set(instruction.result, value)

    return step


def _negate(instruction: Instruction) -> Step:
    type_, rest = parse_type(_FLAGS.sub("", instruction.rest))
    operand = parse_operand(rest, type_)
    return lambda block: block.set(instruction.result, -block.get(operand))


def _select(instruction: Instruction) -> Step:
    operands = []
    for part in split_arguments(instruction.rest):
        type_, rest = parse_type(part)
        operands.append(parse_operand(rest, type_))
    condition, a, b = operands

    def step(block: Block) -> None:
        mask, x, y = block.get(condition), block.get(a), block.get(b)
        # A scalar condition selects whole vectors.
        mask = mask.reshape(-1, *[1] * (x.ndim - mask.ndim), *mask.shape[1:])
        block.set(instruction.result, np.where(mask, x, y))

    return step


def _get_element_pointer(instruction: Instruction) -> Step:
    parts = split_arguments(instruction.rest.removeprefix("inbounds "))
    element, _ = parse_type(parts[0])
    base_type, base_text = parse_type(parts[1])
    index_type, index_text = parse_type(parts[2])
    base, index = parse_operand(base_text, base_type), parse_operand(index_text, index_type)
    size = element.size

    def step(block: Block) -> None:
        offset = block.get(index).astype(np.int64) * size
        block.set(instruction.result, block.get(base) + offset)

    return step


def _memory(block: Block, space: int) -> Memory:
    return block.shared if space == _SHARED_SPACE else block.global_memory


def _load(instruction: Instruction) -> Step:
    parts = split_arguments(instruction.rest.removeprefix("volatile "))
    is_volatile = instruction.rest.startswith("volatile ")
    type_, _ = parse_type(parts[0])
    pointer_type, text = parse_type(parts[1])
    pointer, result = parse_operand(text, pointer_type), instruction.result
    size = type_.size
    alignment = _alignment(parts[2:], size)
    if pointer_type.space == _SHARED_SPACE and is_volatile:
        return _poll_barrier(result, type_, pointer)

    if pointer_type.space == CLUSTER_SPACE:
        return lambda block: block.set(result, load_remote(block, type_, block.get(pointer)))

    def step(block: Block) -> None:
        memory = _memory(block, pointer_type.space)
        memory.traffic.add("load", size, block.active_warps)
        addresses = block.get(pointer)
        if memory is block.shared:
            block.count_shared("shared load", size, addresses)
        elif pointer_type.space == _CONSTANT_SPACE:
            block.count("scalar load")
        else:
            block.count_global("global load", size, addresses)
        block.set(result, memory.load(type_, addresses, block.active, alignment=alignment))

    return step


def _alignment(parts: list[str], default: int) -> int:
    """Find the alignment of an access; without one, it is the size of the type."""
    for part in parts:
        if part.startswith("align "):
            return int(part.removeprefix("align "))
    return default


def _poll_barrier(result: str, type_: Type, pointer: Operand) -> Step:
    """Compile a load of a barrier in LDS, which does not race with arrivals."""

    def step(block: Block) -> None:
        poll(block, block.get(pointer))
        value = block.shared.load_unchecked(type_, block.get(pointer), block.active)
        block.set(result, value)

    return step


def _store(instruction: Instruction) -> Step:
    parts = split_arguments(instruction.rest.removeprefix("volatile "))
    type_, text = parse_type(parts[0])
    pointer_type, pointer_text = parse_type(parts[1])
    if type_.members:  # into an alloca, whose content is kept under the pointer's name
        return lambda block: block.set_members(pointer_text, block.get_members(text))
    operand, pointer = parse_operand(text, type_), parse_operand(pointer_text, pointer_type)
    size = type_.size
    alignment = _alignment(parts[2:], size)

    def step(block: Block) -> None:
        memory = _memory(block, pointer_type.space)
        memory.traffic.add("store", size, block.active_warps)
        addresses, values = block.get(pointer), block.get(operand)
        if memory is block.shared:
            block.count_shared("shared store", size, addresses, writes=True)
        else:
            block.count_global("global store", size, addresses)
        memory.store(type_, addresses, values, block.active, alignment=alignment)
        if memory.races is not None and block.launch.chip:
            memory.races.begin_stores(block.active)  # AMD's barriers do not wait for stores

    return step


def _require(instruction: Instruction) -> Step:
    """Compile a check that code generation writes as a comment: an index is below a bound."""
    type_, rest = parse_type(instruction.rest)
    text, bound = rest.split(" below ")
    operand = parse_operand(text, type_)

    def step(block: Block) -> None:
        indices = np.broadcast_to(unsigned(block.get(operand)), block.threads)
        invalid = block.active & (indices >= int(bound))
        if invalid.any():
            thread = int(np.flatnonzero(invalid)[0])
            raise OutOfBoundsError(
                f"thread {thread} of the block has an index outside of a tile",
                found=int(indices[thread]),
                accepted=[f"0 to {int(bound) - 1}"],
            )

    return step


def _fence(instruction: Instruction) -> Step:
    """Compile a fence: one that releases waits for the stores of the active threads.

    Other fences have no effect, as all threads run in lock step.
    """
    releases = instruction.rest.endswith(("release", "acq_rel", "seq_cst"))

    def step(block: Block) -> None:
        if releases and block.shared.races is not None:
            block.shared.races.complete_stores(block.active)

    return step


def _alloca(instruction: Instruction) -> Step:
    """Compile an alloca to nothing: its content is kept under the pointer's name."""
    return lambda block: None


_BUILDERS: dict[str, Builder] = {
    **dict.fromkeys(_BINARY, _binary),
    **dict.fromkeys(SHIFTS, compile_shift),
    **CASTS,
    **AGGREGATES,
    "icmp": _compare_integers,
    "fcmp": _compare_floats,
    "fneg": _negate,
    "select": _select,
    "getelementptr": _get_element_pointer,
    "load": _load,
    "store": _store,
    "require": _require,
    "alloca": _alloca,
    "fence": _fence,
}


def compile_instruction(instruction: Instruction) -> Step:
    """Compile an instruction to a step.

    Raises:
        CodegenError: The simulator does not support it.
    """
    if instruction.opcode == "call":
        return compile_call(instruction)
    if instruction.opcode in ("atomicrmw", "cmpxchg"):
        return compile_atomic(instruction)
    builder = _BUILDERS.get(instruction.opcode)
    if builder is None:
        raise CodegenError(
            f"the simulator does not support {instruction.opcode}",
            found=f"{instruction.result} = {instruction.opcode} {instruction.rest}",
        )
    return builder(instruction)
