"""wgmma: four warps multiply tiles that lie in shared memory, named by descriptors.

The left operand may lie in registers instead, as mma.sync takes it. Products are done when they are
issued: a wait passes its operands on. But what they read of shared memory is in use, and their
results may be moved but not read, until a wait for their group: one that is missing, or waits for
too little, is noticed.
Source: PTX ISA 9.0, asynchronous warpgroup level matrix instructions.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weft.errors import CodegenError
from weft.simulator.in_flight import Product
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


@assembly(r"wgmma\.fence\.sync\.aligned;")
def _fence(call: Call) -> Step:
    """Return nothing: registers are as threads in lock step have left them."""
    return lambda block: None


def _groups(block: Block) -> list[int]:
    """Return the numbers of the warp groups that run.

    Raises: CodegenError: only some threads of one do.
    """
    whole = block.mask.reshape(-1, min(_GROUP, block.threads))
    if (whole.any(axis=1) & ~whole.all(axis=1)).any():
        raise CodegenError("wgmma while some threads of the warp group are elsewhere")
    return [int(group) for group in np.flatnonzero(whole.any(axis=1))]


@assembly(r"wgmma\.commit_group\.sync\.aligned;")
def _commit(call: Call) -> Step:
    """Return the end of a group of products."""

    def step(block: Block) -> None:
        for group in _groups(block):
            block.products.setdefault(group, [[]]).append([])

    return step


@assembly(r"wgmma\.wait_group\.sync\.aligned (\d+);")
def _wait(call: Call) -> Step:
    """Return a wait for all but so many groups of products; its operands are its results."""
    pending = int(call.match[1])

    def step(block: Block) -> None:
        for group in _groups(block):
            issued = block.products.get(group, [[]])
            done = max(0, len(issued) - 1 - pending)
            for product, read in (one for products in issued[:done] for one in products):
                product.is_done = True
                for places in read:
                    if block.shared.races is not None:
                        block.shared.races.end_product(places)
            del issued[:done]
        left = [[p for p in block.awaited(value) if not p.is_done] for value in call.arguments]
        _pass(block, call, [block.held(value) for value in call.arguments])
        for n, waits in enumerate(left):
            name = f"{call.result}#{n}" if len(left) > 1 else call.result
            block.flying.define(name, block.groups(), waits)

    return step


@assembly("")
def _own_registers(call: Call) -> Step:
    """Return what gives values registers of their own: its operands are its results."""
    return lambda block: _pass(block, call, [block.get(value) for value in call.arguments])


def _pass(block: Block, call: Call, given: Sequence[np.ndarray]) -> None:
    """Let results be what the operands are."""
    values = [np.broadcast_to(value, block.threads) for value in given]
    if len(values) == 1:
        block.set(call.result, values[0])
    elif values:
        block.set_members(call.result, tuple(values))


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
        reads: dict[int, list[np.ndarray]] = {group: [] for group in _groups(block)}

        def read(where: np.ndarray, rows: int, kind: np.dtype, *, turned: bool) -> np.ndarray:
            found = np.zeros((block.threads // _GROUP, rows, depth), kind)
            for group, d in enumerate(where[::_GROUP].tolist()):
                threads = np.arange(_GROUP) + _GROUP * group
                if not block.mask[threads[0]]:
                    continue  # others multiply at another time
                if block.shared.races is not None:
                    touched = tile_bytes(d, rows, depth, kind.itemsize, turned=turned)
                    block.shared.races.read_by_all(touched.reshape(-1, kind.itemsize), threads)
                    places = np.unique(touched)
                    block.shared.races.begin_product(places)
                    reads[group].append(places)
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
        sums = [np.broadcast_to(block.held(value), block.threads) for value, _ in rest]
        held = np.stack(sums, axis=1).view(total)
        thread, n = np.arange(block.threads)[:, None], np.arange(held.shape[1])
        row = thread % _GROUP // 32 * 16 + thread % 32 // 4 + 8 * (n // 2 % 2)
        column = 8 * (n // 4) + 2 * (thread % 4) + n % 2
        old = np.where(every(adds)[:, None], held, np.zeros(1, total)).astype(wide)
        found = (product[thread // _GROUP, row, column] + old).astype(total)
        words = np.ascontiguousarray(found).view(dtype_of(rest[0][1]))
        block.set_members(call.result, tuple(words.T))
        for group, places in reads.items():
            product_ = Product(group)
            block.products.setdefault(group, [[]])[-1].append((product_, places))
            block.flying.begin(call.result, words.shape[1], product_)

    return step
