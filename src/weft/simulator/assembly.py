"""Inline PTX: the lines that code generation writes, by what they say.

@$3 ld.global.b16 $0, [$2];     "=h,0,l,b"     a load where $3 holds; elsewhere what $0 is tied to
"""

from __future__ import annotations

import re

import numpy as np

from weft.errors import CodegenError
from weft.simulator.async_copies import COPY, GROUP, arrive, commit, copy_later
from weft.simulator.matrix_cores import FORMATS, mma_shape, multiply
from weft.simulator.state import Block, Operand, Step, constant
from weft.simulator.text import Instruction, split_arguments
from weft.simulator.types import Type, dtype_of, parse_type
from weft.simulator.warp_groups import WGMMA, warp_group_product

__all__ = ["compile_assembly"]

_ASM = re.compile(r'^(.*?) ?asm (?:sideeffect )?"(.*?)", "(.*?)"\((.*)\)(?: convergent)?$')
_ACCESS = re.compile(
    r"^(?:@\$(\d+) )?(ld|st)(?:\.volatile)?\.global[\w.:]*?(?:\.v(\d))?\.b(\d+) "
    r"(?:\{?([$\d, ]+?)\}?, \[\$(\d+)\]|\[\$(\d+)\], (?:\{([$\d, ]+)\}|(\$\d+)))(?:, \$\d+)?;$"
)

_SILENT = re.compile(r"^(?:wgmma\.(?:fence|commit_group)|fence\.proxy\.async)[\w.:]*;$")
_MMA = re.compile(r"^mma\.sync\.aligned\.m16n8k(\d+)\.row\.col\.(\w+)\.(\w+)\.(\w+)\.(\w+) ")


def compile_assembly(one: Instruction) -> Step:
    """Return a line of inline assembly as a step.

    Raises: CodegenError: the simulator does not know the line.
    """
    found = _ASM.match(one.rest)
    if found is None:
        raise CodegenError("not a call of assembly that the simulator reads", found=one.rest)
    _, text, constraints, given = found.groups()
    operands = []
    for part in split_arguments(given):
        type_, value = parse_type(part)
        operands.append((constant(value, type_), type_))
    if _SILENT.match(text):
        return lambda block: None
    if text.startswith("createpolicy."):  # what caches do is not modelled
        return lambda block: block.set(one.result, np.zeros(1, np.int64))
    if text.startswith("wgmma.wait_group"):
        return _pass_through(one.result, operands)
    if (copy := COPY.match(text)) is not None:
        return copy_later(int(copy[1]), operands)
    if (group := GROUP.match(text)) is not None:
        return commit if group[1] is None else arrive(int(group[1]))
    if (tiles := WGMMA.match(text)) is not None:
        return warp_group_product(one.result, tiles, operands)
    product = _MMA.match(text)
    if product is not None:
        return _multiply(one.result, product, operands)
    access = _ACCESS.match(text)
    if access is None:
        raise CodegenError("the simulator does not know this assembly", found=text)
    outputs = sum(part.startswith("=") for part in constraints.split(","))
    guard = None if access[1] is None else operands[int(access[1]) - outputs][0]
    bits, count = int(access[4]), int(access[3] or 1)
    word = Type(f"i{bits}")
    if access[2] == "ld":
        return _load(
            one.result, word, count, operands[int(access[6]) - outputs][0], guard, operands
        )
    return _store(word, operands[int(access[7]) - outputs][0], guard, operands[:count])


def _guarded(block: Block, guard: Operand | None) -> np.ndarray:
    if guard is None:
        return block.mask
    return block.mask & np.broadcast_to(block.get(guard), block.threads)


def _load(
    result: str,
    word: Type,
    count: int,
    pointer: Operand,
    guard: Operand | None,
    operands: list[tuple[Operand, Type]],
) -> Step:
    """Read `count` words; the first `count` operands are what the other threads keep."""
    vector = Type(word.name, count)

    def step(block: Block) -> None:
        mask = _guarded(block, guard)
        block.memory.traffic.add("load", word.bytes_each * count, block.warps)
        loaded = block.memory.load(vector, block.get(pointer), mask)
        members = []
        for n in range(count):
            kept, type_ = operands[n]
            new = loaded[:, n].astype(dtype_of(type_))
            members.append(np.where(mask, new, np.broadcast_to(block.get(kept), block.threads)))
        if count == 1:
            block.set(result, members[0])
        else:
            block.set_members(result, tuple(members))

    return step


def _store(
    word: Type, pointer: Operand, guard: Operand | None, operands: list[tuple[Operand, Type]]
) -> Step:
    vector = Type(word.name, len(operands))

    def step(block: Block) -> None:
        mask = _guarded(block, guard)
        block.memory.traffic.add("store", word.bytes_each * len(operands), block.warps)
        columns = [
            np.broadcast_to(block.get(value), block.threads).astype(dtype_of(word))
            for value, _ in operands
        ]
        block.memory.store(vector, block.get(pointer), np.stack(columns, axis=1), mask)

    return step


def _multiply(result: str, name: re.Match[str], operands: list[tuple[Operand, Type]]) -> Step:
    """Return mma.sync as a step: four words of A, two of B, then the accumulator."""
    depth, (_, left, right, total) = int(name[1]), name.groups()[1:]
    a_type, b_type, c_type = FORMATS[left], FORMATS[right], FORMATS[total]
    shape = mma_shape(depth, 8 * a_type.itemsize)

    def gathered(block: Block, some: list[tuple[Operand, Type]], kind: np.dtype) -> np.ndarray:
        words = [np.broadcast_to(block.get(value), block.threads) for value, _ in some]
        return np.ascontiguousarray(np.stack(words, axis=1)).view(kind)

    def step(block: Block) -> None:
        a, b = gathered(block, operands[:4], a_type), gathered(block, operands[4:6], b_type)
        if left == "tf32":
            a, b = (_as_tf32(each) for each in (a, b))
        c = gathered(block, operands[6:], c_type)
        done = multiply(shape, a, b, c)
        kind = dtype_of(operands[6][1])
        members = np.ascontiguousarray(done).view(kind)
        block.set_members(result, tuple(members[:, n] for n in range(members.shape[1])))

    return step


def _as_tf32(values: np.ndarray) -> np.ndarray:
    """Return floats as tensor cores read them: the low 13 bits of the fraction are not there."""
    return (values.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)


def _pass_through(result: str, operands: list[tuple[Operand, Type]]) -> Step:
    """Return a wait whose operands are its results: products are done when they are issued."""

    def step(block: Block) -> None:
        values = [np.broadcast_to(block.get(value), block.threads) for value, _ in operands]
        if len(values) == 1:
            block.set(result, values[0])
        elif values:
            block.set_members(result, tuple(values))

    return step
