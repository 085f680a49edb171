"""wgmma: four warps multiply tiles that lie in shared memory, named by descriptors.

A descriptor says where a tile starts, two strides and a swizzle. Element (row, k) of a tile whose
rows are contiguous along k lies at

    start + row / 8 · stride + row % 8 · width + bytes of k

and one whose rows are contiguous along `row` at

    start + row / columns · leading + k / 8 · stride + k % 8 · width + bytes of row % columns

with bits 4 to 6 of the address then joined by xor with bits 7 to 9 (fewer for narrower swizzles).
Source: PTX ISA 9.0, asynchronous warpgroup level matrix instructions.
"""

from __future__ import annotations

import numpy as np

from weft.simulator.matrix_cores import FORMATS
from weft.simulator.registry import Call, assembly
from weft.simulator.state import Block, Step, constant
from weft.simulator.types import Type, dtype_of

__all__: list[str] = []

_GROUP = 128
_WIDTHS = {1: 128, 2: 64, 3: 32}


def _tile(
    block: Block, descriptor: int, rows: int, depth: int, kind: np.dtype, turned: bool
) -> np.ndarray:
    """Return [row, k] of an operand that a descriptor names."""
    field = lambda low, bits: (descriptor >> low & ((1 << bits) - 1)) << 4  # noqa: E731
    start, leading, stride = field(0, 14), field(16, 14), field(32, 14)
    width, size = _WIDTHS[descriptor >> 62 & 3], kind.itemsize
    row, k = np.meshgrid(np.arange(rows), np.arange(depth), indexing="ij")
    if turned:
        columns = width // size
        place = row // columns * leading + k // 8 * stride + k % 8 * width + row % columns * size
    else:
        place = row // 8 * stride + row % 8 * width + k * size
    address = start + place
    address ^= (address >> 7 & (width // 16 - 1)) << 4
    raw = block.shared.bytes[address[..., None] + np.arange(size)]
    if block.shared.races is not None:
        block.shared.races.read_by_all(address.reshape(-1, 1) + np.arange(size))
    return np.ascontiguousarray(raw).view(kind)[..., 0]


def _fragments(block: Block, words: list[np.ndarray], kind: np.dtype, depth: int) -> np.ndarray:
    """Return [group, row, k] of an operand in registers, held as mma.sync's A is by each warp."""
    values = np.ascontiguousarray(np.stack(words, axis=1)).view(kind)
    each = 4 // kind.itemsize
    thread = np.arange(block.threads)
    lane = thread % 32
    whole = np.zeros((block.threads // _GROUP, 64, depth), kind)
    for n in range(values.shape[1]):
        row = thread % _GROUP // 32 * 16 + lane // 4 + 8 * (n // each % 2)
        k = 4 * each * (n // each // 2) + each * (lane % 4) + n % each
        whole[thread // _GROUP, row, k] = values[:, n]
    return whole


@assembly(r"(?:wgmma\.(?:fence|commit_group)|fence\.proxy\.async)[\w.:]*;")
def _nothing(call: Call) -> Step:
    return lambda block: None


@assembly(r"wgmma\.wait_group.*")
def _wait(call: Call) -> Step:
    """Return a wait whose operands are its results: products are done when they are issued."""

    def step(block: Block) -> None:
        values = [np.broadcast_to(block.get(value), block.threads) for value in call.arguments]
        if len(values) == 1:
            block.set(call.result, values[0])
        elif values:
            block.set_members(call.result, tuple(values))

    return step


@assembly(
    r"wgmma\.mma_async\.sync\.aligned\.m64n(\d+)k(\d+)\.(\w+)\.(\w+)\.(\w+) "
    r"\{[^}]*\}, (\{[^}]*\}|\$\d+), \$\d+, (\$?\d+)((?:, \d)*);"
)
def _product(call: Call) -> Step:
    """Return wgmma as a step."""
    name, operands = call.match, call.operands
    columns, depth = int(name[1]), int(name[2])
    total, a_kind, b_kind = (FORMATS[name[n]] for n in (3, 4, 5))
    in_registers = name[6].startswith("{")
    flags = [int(flag) for flag in name[8].replace(",", " ").split()][2:]
    turned = [False, *flags] if len(flags) == 1 else [*map(bool, flags), False, False]
    count = 4 if in_registers else 1
    adds = constant("true" if name[7] == "1" else "false", Type("i1"))
    rest = operands[count + 1 :]
    if name[7].startswith("$"):
        adds, rest = rest[0][0], rest[1:]

    def step(block: Block) -> None:
        every = lambda value: np.broadcast_to(block.get(value), block.threads)  # noqa: E731
        groups = range(0, block.threads, _GROUP)
        if in_registers:
            a = _fragments(block, [every(v) for v, _ in operands[:4]], a_kind, depth)
        else:
            where = every(operands[0][0])
            a = np.stack(
                [_tile(block, int(where[g]), 64, depth, a_kind, bool(turned[0])) for g in groups]
            )
        where = every(operands[count][0])
        side = bool(turned[1])
        b = np.stack([_tile(block, int(where[g]), columns, depth, b_kind, side) for g in groups])
        wide = np.int64 if total.kind == "i" else np.float64
        product = a.astype(wide) @ b.astype(wide).transpose(0, 2, 1)
        thread = np.arange(block.threads)
        lane, members = thread % 32, []
        for n, (value, type_) in enumerate(rest):
            row = thread % _GROUP // 32 * 16 + lane // 4 + 8 * (n // 2 % 2)
            column = 8 * (n // 4) + 2 * (lane % 4) + n % 2
            old = np.where(every(adds), every(value), 0).astype(wide)
            members.append((product[thread // _GROUP, row, column] + old).astype(dtype_of(type_)))
        block.set_members(call.result, tuple(members))

    return step
