"""wgmma: a warp group multiplies tiles in shared memory, named by matrix descriptors.

A may be in registers instead, in the fragments of mma.sync. The simulator computes a wgmma when it
is issued. Until a wait covers its group, though, the shared memory that it reads must not be
written, and its results may be moved but not read: a missing or too weak wait is an error.
Source: PTX ISA 9.0, asynchronous warpgroup level matrix instructions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weft.errors import CodegenError
from weft.simulator.block import WARP_GROUP, Block, Step
from weft.simulator.llvm_ir.operands import parse_operand
from weft.simulator.llvm_ir.types import Operand, Type, dtype_of
from weft.simulator.matrix.fragments import DTYPES, to_tf32
from weft.simulator.matrix.pending_registers import Wgmma
from weft.simulator.matrix.shared_tiles import read_tile, tile_places
from weft.simulator.registry import Call, Operands, assembly

__all__: list[str] = []

_M = 64  # rows of A


def _active_groups(block: Block) -> list[int]:
    """List the active warp groups.

    Raises:
        CodegenError: One has diverged.
    """
    groups = block.active.reshape(-1, min(WARP_GROUP, block.threads))
    if (groups.any(axis=1) & ~groups.all(axis=1)).any():
        raise CodegenError("wgmma in a warp group that has diverged")
    return [int(group) for group in np.flatnonzero(groups.any(axis=1))]


@assembly(r"wgmma\.fence\.sync\.aligned;")
def _fence(call: Call) -> Step:
    """Compile to nothing: registers have their final values at once."""
    return lambda block: None


@assembly(r"wgmma\.commit_group\.sync\.aligned;")
def _commit(call: Call) -> Step:
    """Compile the end of a wgmma group."""

    def step(block: Block) -> None:
        for group in _active_groups(block):
            block.wgmma_groups.setdefault(group, [[]]).append([])

    return step


@assembly(r"wgmma\.wait_group\.sync\.aligned (\d+);")
def _wait(call: Call) -> Step:
    """Compile a wait for all but so many wgmma groups; its results are its arguments."""
    outstanding = int(call.match[1])

    def step(block: Block) -> None:
        for group in _active_groups(block):
            commits = block.wgmma_groups.get(group, [[]])
            count = max(0, len(commits) - 1 - outstanding)
            for wgmma, reads in (each for commit in commits[:count] for each in commit):
                wgmma.is_complete = True
                for places in reads:
                    if block.shared.races is not None:
                        threads = np.arange(WARP_GROUP) + WARP_GROUP * group
                        block.shared.races.end_wgmma(places, threads)
            del commits[:count]
        writers = [
            [wgmma for wgmma in block.pending_wgmmas(value) if not wgmma.is_complete]
            for value in call.arguments
        ]
        values = [np.broadcast_to(block.peek(value), block.threads) for value in call.arguments]
        block.set_registers(call.result, values)
        for n, remaining in enumerate(writers):
            name = f"{call.result}#{n}" if len(writers) > 1 else call.result
            block.pending.define(name, block.active_warp_groups(), remaining)

    return step


@assembly("")
def _copy_registers(call: Call) -> Step:
    """Compile empty assembly, whose results are its arguments in other registers."""
    return lambda block: block.set_registers(
        call.result, [block.per_thread(value) for value in call.arguments]
    )


@dataclass(frozen=True, slots=True)
class _Instruction:
    """A wgmma.mma_async.

    Attributes:
        n: Columns of B and D.
        k: Depth.
        d_name: Element type of D, as PTX names it.
        a_name: Element type of A.
        b_name: Element type of B.
        mn_major: Of A and B, whether the tile in shared memory is MN-major.
        a: The descriptor of A, or its registers.
        b: The descriptor of B.
        accumulates: The i1 that adds the old D.
        d: Registers of D.
    """

    n: int
    k: int
    d_name: str
    a_name: str
    b_name: str
    mn_major: tuple[bool, bool]
    a: Operands
    b: Operand
    accumulates: Operand
    d: Operands

    @property
    def a_in_registers(self) -> bool:
        """Whether A is in registers."""
        return len(self.a) > 1

    @classmethod
    def of(cls, call: Call) -> _Instruction:
        """Read a line, whose operands are A, B, perhaps `accumulates`, and D."""
        n, k, d_name, a_name, b_name, a_text, accumulates_text, flags_text = call.match.groups()
        operands = call.operands
        a_count = 4 if a_text.startswith("{") else 1
        # After two flags for signs follow the majorness of A, if it is in memory, and of B.
        flags = [flag == "1" for flag in flags_text.replace(",", " ").split()][2:]
        a_major, b_major = [False] * (2 - len(flags)) + flags
        rest = a_count + 1
        if accumulates_text.startswith("$"):
            accumulates, rest = operands[rest][0], rest + 1
        else:
            text = "true" if accumulates_text == "1" else "false"
            accumulates = parse_operand(text, Type("i1"))
        return cls(
            n=int(n),
            k=int(k),
            d_name=d_name,
            a_name=a_name,
            b_name=b_name,
            mn_major=(a_major, b_major),
            a=operands[:a_count],
            b=operands[a_count][0],
            accumulates=accumulates,
            d=operands[rest:],
        )


@assembly(
    r"wgmma\.mma_async\.sync\.aligned\.m64n(\d+)k(\d+)\.(\w+)\.(\w+)\.(\w+) "
    r"\{[^}]*\}, (\{[^}]*\}|\$\d+), \$\d+, (\$?\d+)((?:, \d)*);"
)
def _mma_async(call: Call) -> Step:
    """Compile wgmma.mma_async."""
    wgmma = _Instruction.of(call)
    a_dtype, b_dtype = DTYPES[wgmma.a_name], DTYPES[wgmma.b_name]

    def step(block: Block) -> None:
        reads: dict[int, list[np.ndarray]] = {group: [] for group in _active_groups(block)}
        if wgmma.a_in_registers:
            a = _gather_a(block, wgmma, a_dtype)
        else:
            shape = _M, wgmma.k
            a = _read_tiles(block, wgmma.a[0][0], shape, a_dtype, reads, mn_major=wgmma.mn_major[0])
        shape = wgmma.n, wgmma.k
        b = _read_tiles(block, wgmma.b, shape, b_dtype, reads, mn_major=wgmma.mn_major[1])
        if wgmma.a_name == "tf32":
            a, b = to_tf32(a), to_tf32(b)
        registers = _multiply(block, wgmma, a, b)
        block.set_members(call.result, tuple(registers.T))
        for group, places in reads.items():
            pending = Wgmma(group, step=block.history.current)
            block.wgmma_groups.setdefault(group, [[]])[-1].append((pending, places))
            block.pending.begin(call.result, registers.shape[1], pending)

    return step


def _gather_a(block: Block, wgmma: _Instruction, dtype: np.dtype) -> np.ndarray:
    """Assemble A [group, row, k] from registers; each warp holds 16 rows as in mma.sync."""
    words = [block.per_thread(value) for value, _ in wgmma.a]
    values = np.ascontiguousarray(np.stack(words, axis=1)).view(dtype)
    e = 4 // dtype.itemsize  # elements of a register
    thread = np.arange(block.threads)
    lane = thread % 32
    a = np.zeros((block.threads // WARP_GROUP, _M, wgmma.k), dtype)
    for n in range(values.shape[1]):
        row = thread % WARP_GROUP // 32 * 16 + lane // 4 + 8 * (n // e % 2)
        k = 4 * e * (n // e // 2) + e * (lane % 4) + n % e
        a[thread // WARP_GROUP, row, k] = values[:, n]
    return a


def _read_tiles(
    block: Block,
    descriptor: Operand,
    shape: tuple[int, int],
    dtype: np.dtype,
    reads: dict[int, list[np.ndarray]],
    *,
    mn_major: bool,
) -> np.ndarray:
    """Read the tile [group, row, k] of each active warp group; others get zeros.

    Args:
        block: The block.
        descriptor: The matrix descriptor.
        shape: Rows and depth of the tile.
        dtype: Type of the elements.
        reads: Active warp group → sets of bytes that its wgmma reads; those of the tile are added.
        mn_major: Whether the tile is MN-major.
    """
    tiles = np.zeros((block.threads // WARP_GROUP, *shape), dtype)
    descriptors = block.per_thread(descriptor)[::WARP_GROUP]
    races = block.shared.races
    for group, places in reads.items():
        number = int(descriptors[group])
        if races is not None:
            tile = tile_places(number, *shape, dtype.itemsize, mn_major=mn_major)
            threads = np.arange(WARP_GROUP) + WARP_GROUP * group
            races.read_by_warp_group(tile.reshape(-1, dtype.itemsize), threads)
            places.append(np.unique(tile))
            races.begin_wgmma(places[-1])
        tiles[group] = read_tile(block.shared, number, *shape, dtype, mn_major=mn_major)
    return tiles


def _multiply(block: Block, wgmma: _Instruction, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Compute D, with A and B as [group, row, k]; returns its registers [thread, register]."""
    d_dtype = DTYPES[wgmma.d_name]
    wide = np.int64 if d_dtype.kind == "i" else np.float64
    product = a.astype(wide) @ b.astype(wide).transpose(0, 2, 1)
    registers = [np.broadcast_to(block.peek(value), block.threads) for value, _ in wgmma.d]
    old = np.stack(registers, axis=1).view(d_dtype)
    thread, n = np.arange(block.threads)[:, None], np.arange(old.shape[1])
    row = thread % WARP_GROUP // 32 * 16 + thread % 32 // 4 + 8 * (n // 2 % 2)
    column = 8 * (n // 4) + 2 * (thread % 4) + n % 2
    accumulates = block.per_thread(wgmma.accumulates)[:, None]
    c = np.where(accumulates, old, np.zeros(1, d_dtype)).astype(wide)
    d = (product[thread // WARP_GROUP, row, column] + c).astype(d_dtype)
    return np.ascontiguousarray(d).view(dtype_of(wgmma.d[0][1]))
