"""Each instruction of LLVM IR as a function from its text to a step over all threads.

    fadd contract float %v1, %v2    →    block.set(result, block.get("%v1") + block.get("%v2"))

The text is read once, when the kernel is; the step runs each time control passes.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from weft.errors import CodegenError, OutOfBoundsError
from weft.simulator.block import Block, Operand, Step, constant
from weft.simulator.llvm_ir.aggregates import AGGREGATES
from weft.simulator.llvm_ir.casts import CASTS, unsigned
from weft.simulator.llvm_ir.parser import Instruction, split_arguments
from weft.simulator.llvm_ir.types import Type, parse_type
from weft.simulator.synchronization.cluster import CLUSTER_SPACE, load_remote

__all__ = ["compile_instruction"]

_FLAGS = re.compile(r"^(?:(?:nsw|nuw|exact|disjoint|contract|nnan|ninf|nsz|arcp|afn|reassoc) )+")
Make = Callable[[Instruction], Step]


def _signed_division(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return quotient towards zero and remainder; 0 by 0, which is nobody's business."""
    safe = np.where(b == 0, 1, b).astype(a.dtype)
    rest = np.fmod(a, safe)
    with np.errstate(over="ignore"):
        return (a - rest) // safe, rest


def _unsigned_division(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    x, y = unsigned(a), unsigned(b)
    safe = np.where(y == 0, 1, y).astype(x.dtype)
    return (x // safe).view(a.dtype), (x % safe).view(a.dtype)


def _shift(kind: str) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    def run(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        if a.dtype == np.object_:
            return a << b if kind == "shl" else a >> b
        amount = unsigned(b) % np.array(8 * a.dtype.itemsize, unsigned(b).dtype)
        if kind == "shl":
            return (unsigned(a) << amount).view(a.dtype)
        if kind == "lshr":
            return (unsigned(a) >> amount).view(a.dtype)
        return a >> amount.astype(a.dtype)

    return run


_BINARY: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "shl": _shift("shl"),
    "lshr": _shift("lshr"),
    "ashr": _shift("ashr"),
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


def _binary(one: Instruction) -> Step:
    run = _BINARY[one.word]
    type_, rest = parse_type(_FLAGS.sub("", one.rest))
    first, second = split_arguments(rest)[:2]
    a, b = constant(first, type_), constant(second, type_)

    def step(block: Block) -> None:
        x, y = np.broadcast_arrays(block.get(a), block.get(b))
        block.set(one.result, run(x, y) if x.dtype != np.bool_ else _of_bits(run, x, y))

    return step


def _of_bits(
    run: Callable[[np.ndarray, np.ndarray], np.ndarray], a: np.ndarray, b: np.ndarray
) -> np.ndarray:
    """Return an operation on i1, whose true is -1."""
    return (run(-a.astype(np.int8), -b.astype(np.int8)) & 1).astype(np.bool_)


_INTEGER_PREDICATE = {
    "eq": np.equal,
    "ne": np.not_equal,
    "slt": np.less,
    "sle": np.less_equal,
    "sgt": np.greater,
    "sge": np.greater_equal,
}
_FLOAT_PREDICATE = {
    "eq": np.equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "lt": np.less,
    "le": np.less_equal,
    "ne": np.not_equal,
}


def _compare_integers(one: Instruction) -> Step:
    predicate, _, rest = one.rest.partition(" ")
    type_, rest = parse_type(rest)
    a, b = (constant(text, type_) for text in split_arguments(rest))
    by_magnitude = predicate.startswith("u")
    run = _INTEGER_PREDICATE["s" + predicate[1:] if by_magnitude else predicate]

    def step(block: Block) -> None:
        x, y = block.get(a), block.get(b)
        block.set(one.result, run(unsigned(x), unsigned(y)) if by_magnitude else run(x, y))

    return step


def _compare_floats(one: Instruction) -> Step:
    predicate, _, rest = one.rest.partition(" ")
    type_, rest = parse_type(rest)
    a, b = (constant(text, type_) for text in split_arguments(rest))

    def step(block: Block) -> None:
        x, y = block.get(a), block.get(b)
        nan = np.isnan(x) | np.isnan(y)
        if predicate in ("ord", "uno", "true", "false"):
            found = {"ord": ~nan, "uno": nan, "true": nan | True, "false": nan & False}[predicate]
        else:
            with np.errstate(invalid="ignore"):
                holds = _FLOAT_PREDICATE[predicate[1:]](x, y)
            found = holds & ~nan if predicate[0] == "o" else holds | nan
        block.set(one.result, found)

    return step


def _negate(one: Instruction) -> Step:
    type_, rest = parse_type(_FLAGS.sub("", one.rest))
    a = constant(rest, type_)
    return lambda block: block.set(one.result, -block.get(a))


def _select(one: Instruction) -> Step:
    operands = []
    for part in split_arguments(one.rest):
        type_, rest = parse_type(part)
        operands.append(constant(rest, type_))
    chosen, a, b = operands

    def step(block: Block) -> None:
        which, x, y = block.get(chosen), block.get(a), block.get(b)
        which = which.reshape(-1, *[1] * (x.ndim - which.ndim), *which.shape[1:])  # of vectors
        block.set(one.result, np.where(which, x, y))

    return step


def _address(one: Instruction) -> Step:
    text = one.rest.removeprefix("inbounds ")
    parts = split_arguments(text)
    element, _ = parse_type(parts[0])
    size = element.bytes_each * max(1, element.count)
    base_type, base_text = parse_type(parts[1])
    index_type, index_text = parse_type(parts[2])
    base, index = constant(base_text, base_type), constant(index_text, index_type)

    def step(block: Block) -> None:
        offset = block.get(index).astype(np.int64) * size
        block.set(one.result, block.get(base) + offset)

    return step


def _load(one: Instruction) -> Step:
    parts = split_arguments(one.rest.removeprefix("volatile "))
    type_, _ = parse_type(parts[0])
    pointer_type, text = parse_type(parts[1])
    pointer, size = constant(text, pointer_type), type_.bytes_each * max(1, type_.count)
    aligned = _alignment(parts[2:], size)
    if pointer_type.space == 3 and one.rest.startswith("volatile "):
        return _look(one, type_, pointer)

    if pointer_type.space == CLUSTER_SPACE:
        return lambda block: block.set(one.result, load_remote(block, type_, block.get(pointer)))

    def step(block: Block) -> None:
        memory = block.shared if pointer_type.space == 3 else block.memory
        memory.traffic.add("load", size, block.warps)
        found = memory.load(type_, block.get(pointer), block.mask, aligned=aligned)
        block.set(one.result, found)

    return step


def _alignment(said: list[str], size: int) -> int:
    """Return what an address is a multiple of: what is said, else the size of what lies there."""
    for text in said:
        if text.startswith("align "):
            return int(text.removeprefix("align "))
    return size


def _look(one: Instruction, type_: Type, pointer: Operand) -> Step:
    """Return a load of a barrier, which others may arrive at meanwhile."""
    from weft.simulator.synchronization.lds_barrier import look

    def step(block: Block) -> None:
        look(block, block.get(pointer))
        found = block.shared.look(type_, block.get(pointer), block.mask)
        block.set(one.result, found)

    return step


def _store(one: Instruction) -> Step:
    parts = split_arguments(one.rest.removeprefix("volatile "))
    type_, text = parse_type(parts[0])
    pointer_type, where = parse_type(parts[1])
    if type_.members:  # into a buffer of the thread's own, which is named by its pointer
        return lambda block: block.set_members(where, block.members(text))
    value, pointer = constant(text, type_), constant(where, pointer_type)
    size = type_.bytes_each * max(1, type_.count)
    aligned = _alignment(parts[2:], size)

    def step(block: Block) -> None:
        memory = block.shared if pointer_type.space == 3 else block.memory
        memory.traffic.add("store", size, block.warps)
        memory.store(type_, block.get(pointer), block.get(value), block.mask, aligned=aligned)
        if memory.races is not None and block.chip:
            memory.races.issue(block.mask)  # AMD's wait for nothing by themselves

    return step


def _require(one: Instruction) -> Step:
    """Return a check of what code generation notes in a comment: a number is below another one."""
    type_, rest = parse_type(one.rest)
    text, size = rest.split(" below ")
    value = constant(text, type_)

    def step(block: Block) -> None:
        found = np.broadcast_to(unsigned(block.get(value)), block.threads)
        wrong = block.mask & (found >= int(size))
        if wrong.any():
            thread = int(np.flatnonzero(wrong)[0])
            raise OutOfBoundsError(
                f"thread {thread} of the block has an index outside of a tile",
                found=int(found[thread]),
                accepted=[f"0 to {int(size) - 1}"],
            )

    return step


def _fence(one: Instruction) -> Step:
    """Return a wait for what threads have stored, where a fence releases it.

    Other fences order what is in order anyway.
    """

    def step(block: Block) -> None:
        if one.rest.endswith(("release", "acq_rel", "seq_cst")) and block.shared.races is not None:
            block.shared.races.waited(block.mask)

    return step


def _nothing(one: Instruction) -> Step:
    """Return nothing: a thread's own buffer goes by its name."""
    return lambda block: None


_MAKERS: dict[str, Make] = {
    **dict.fromkeys(_BINARY, _binary),
    **CASTS,
    **AGGREGATES,
    "icmp": _compare_integers,
    "fcmp": _compare_floats,
    "fneg": _negate,
    "select": _select,
    "getelementptr": _address,
    "load": _load,
    "store": _store,
    "require": _require,
    "alloca": _nothing,
    "fence": _fence,
}


def compile_instruction(one: Instruction) -> Step:
    """Return an instruction as a step.

    Raises: CodegenError: the simulator does not know it.
    """
    if one.word == "call":
        from weft.simulator.llvm_ir.calls import compile_call

        return compile_call(one)
    if one.word in ("atomicrmw", "cmpxchg"):
        from weft.simulator.memory.atomics import compile_update

        return compile_update(one)
    maker = _MAKERS.get(one.word)
    if maker is None:
        raise CodegenError(
            f"the simulator has no {one.word}", found=f"{one.result} = {one.word} {one.rest}"
        )
    return maker(one)
