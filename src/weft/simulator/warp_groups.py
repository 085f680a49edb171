"""wgmma: four warps multiply tiles that lie in shared memory, named by descriptors.

The left operand may lie in registers instead, as mma.sync takes it. Products are done when they are
issued: a wait passes its operands on.
Source: PTX ISA 9.0, asynchronous warpgroup level matrix instructions.
"""

from __future__ import annotations

import numpy as np

from weft.simulator.matrix_cores import FORMATS, as_tf32
from weft.simulator.matrix_tiles import tile, tile_bytes
from weft.simulator.registry import Call, assembly
from weft.simulator.state import Block, Step, constant
from weft.simulator.types import Type, dtype_of

__all__: list[str] = []

_GROUP = 128


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


@assembly(r"wgmma\.(?:fence|commit_group)\.sync\.aligned;")
def _nothing(call: Call) -> Step:
    return lambda block: None


@assembly(r"wgmma\.wait_group\.sync\.aligned (\d+);")
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

        def read(where: np.ndarray, rows: int, kind: np.dtype, *, turned: bool) -> np.ndarray:
            found = np.zeros((block.threads // _GROUP, rows, depth), kind)
            for group, d in enumerate(where[::_GROUP].tolist()):
                threads = np.arange(_GROUP) + _GROUP * group
                if not block.mask[threads[0]]:
                    continue  # others multiply at another time
                if block.shared.races is not None:
                    touched = tile_bytes(d, rows, depth, kind.itemsize, turned=turned)
                    block.shared.races.read_by_all(touched.reshape(-1, kind.itemsize), threads)
                found[group] = tile(block.shared, d, rows, depth, kind, turned=turned)
            return found

        if in_registers:
            a = _fragments(block, [every(v) for v, _ in operands[:4]], a_kind, depth)
        else:
            where = every(operands[0][0])
            a = read(where, 64, a_kind, turned=bool(turned[0]))
        where = every(operands[count][0])
        b = read(where, columns, b_kind, turned=bool(turned[1]))
        if name[4] == "tf32":
            a, b = as_tf32(a), as_tf32(b)
        wide = np.int64 if total.kind == "i" else np.float64
        product = a.astype(wide) @ b.astype(wide).transpose(0, 2, 1)
        held = np.stack([every(value) for value, _ in rest], axis=1).view(total)
        thread, n = np.arange(block.threads)[:, None], np.arange(held.shape[1])
        row = thread % _GROUP // 32 * 16 + thread % 32 // 4 + 8 * (n // 2 % 2)
        column = 8 * (n // 4) + 2 * (thread % 4) + n % 2
        old = np.where(every(adds)[:, None], held, np.zeros(1, total)).astype(wide)
        found = (product[thread // _GROUP, row, column] + old).astype(total)
        words = np.ascontiguousarray(found).view(dtype_of(rest[0][1]))
        block.set_members(call.result, tuple(words.T))

    return step
