"""wgmma: four warps multiply tiles that lie in shared memory, named by descriptors.

The left operand may lie in registers instead, as mma.sync takes it. Products are done when they are
issued: a wait passes its operands on. But what they read of shared memory is in use, and their
results may be moved but not read, until a wait for their group: one that is missing, or waits for
too little, is noticed.
Source: PTX ISA 9.0, asynchronous warpgroup level matrix instructions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from weft.errors import CodegenError
from weft.simulator.block import Block, Operand, Step, constant
from weft.simulator.llvm_ir.types import Type, dtype_of
from weft.simulator.matrix.fragments import FORMATS, as_tf32
from weft.simulator.matrix.pending_registers import Product
from weft.simulator.matrix.shared_tiles import tile, tile_bytes
from weft.simulator.registry import Call, Operands, assembly

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


@dataclass(frozen=True, slots=True)
class _Form:
    """What one line of wgmma says.

    columns, depth: n and k.  total, left, right: formats of the sums, A and B, by PTX's names.
    turned: of A and B, whether k runs across rows in memory.  a: registers, or a descriptor alone.
    b: a descriptor.  adds: an i1, whether products are added to sums.  sums: their registers.
    """

    columns: int
    depth: int
    total: str
    left: str
    right: str
    turned: tuple[bool, bool]
    a: Operands
    b: Operand
    adds: Operand
    sums: Operands

    @property
    def a_in_registers(self) -> bool:
        """Whether A is held as mma.sync takes it."""
        return len(self.a) > 1

    @classmethod
    def of(cls, call: Call) -> _Form:
        """Read a line; its operands are A, B, perhaps whether products are added, and the sums."""
        said, operands = call.match, call.operands
        count = 4 if said[6].startswith("{") else 1
        flags = [flag == "1" for flag in said[8].replace(",", " ").split()][2:]
        turned = [False] * (2 - len(flags)) + flags  # nothing is said of an A in registers
        adds, rest = constant("true" if said[7] == "1" else "false", Type("i1")), count + 1
        if said[7].startswith("$"):
            adds, rest = operands[rest][0], rest + 1
        return cls(
            columns=int(said[1]),
            depth=int(said[2]),
            total=said[3],
            left=said[4],
            right=said[5],
            turned=(turned[0], turned[1]),
            a=operands[:count],
            b=operands[count][0],
            adds=adds,
            sums=operands[rest:],
        )


@assembly(
    r"wgmma\.mma_async\.sync\.aligned\.m64n(\d+)k(\d+)\.(\w+)\.(\w+)\.(\w+) "
    r"\{[^}]*\}, (\{[^}]*\}|\$\d+), \$\d+, (\$?\d+)((?:, \d)*);"
)
def _product(call: Call) -> Step:
    """Return wgmma as a step."""
    form = _Form.of(call)
    left, right = FORMATS[form.left], FORMATS[form.right]

    def step(block: Block) -> None:
        touched: dict[int, list[np.ndarray]] = {group: [] for group in _groups(block)}
        if form.a_in_registers:
            words = [np.broadcast_to(block.get(value), block.threads) for value, _ in form.a]
            a = _fragments(block, words, left, form.depth)
        else:
            shape = 64, form.depth
            a = _tiles(block, form.a[0][0], shape, left, touched, turned=form.turned[0])
        shape = form.columns, form.depth
        b = _tiles(block, form.b, shape, right, touched, turned=form.turned[1])
        if form.left == "tf32":
            a, b = as_tf32(a), as_tf32(b)
        words = _sums(block, form, a, b)
        block.set_members(call.result, tuple(words.T))
        for group, places in touched.items():
            product = Product(group)
            block.products.setdefault(group, [[]])[-1].append((product, places))
            block.flying.begin(call.result, words.shape[1], product)

    return step


def _tiles(
    block: Block,
    descriptor: Operand,
    shape: tuple[int, int],
    kind: np.dtype,
    touched: dict[int, list[np.ndarray]],
    *,
    turned: bool,
) -> np.ndarray:
    """Return [group, row, k] of the tiles that warp groups name; zeros of those that do not run.

    Args: touched: per group that runs, bytes that its product reads; those of the tile are added.
    """
    found = np.zeros((block.threads // _GROUP, *shape), kind)
    starts = np.broadcast_to(block.get(descriptor), block.threads)[::_GROUP]
    races = block.shared.races
    for group, places in touched.items():
        start = int(starts[group])
        if races is not None:
            read = tile_bytes(start, *shape, kind.itemsize, turned=turned)
            threads = np.arange(_GROUP) + _GROUP * group
            races.read_by_all(read.reshape(-1, kind.itemsize), threads)
            places.append(np.unique(read))
            races.begin_product(places[-1])
        found[group] = tile(block.shared, start, *shape, kind, turned=turned)
    return found


def _sums(block: Block, form: _Form, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return [thread, register] of the sums with the products of A and B, [group, row, k] each."""
    total = FORMATS[form.total]
    wide = np.int64 if total.kind == "i" else np.float64
    product = a.astype(wide) @ b.astype(wide).transpose(0, 2, 1)
    registers = [np.broadcast_to(block.held(value), block.threads) for value, _ in form.sums]
    held = np.stack(registers, axis=1).view(total)
    thread, n = np.arange(block.threads)[:, None], np.arange(held.shape[1])
    row = thread % _GROUP // 32 * 16 + thread % 32 // 4 + 8 * (n // 2 % 2)
    column = 8 * (n // 4) + 2 * (thread % 4) + n % 2
    adds = np.broadcast_to(block.get(form.adds), block.threads)[:, None]
    old = np.where(adds, held, np.zeros(1, total)).astype(wide)
    found = (product[thread // _GROUP, row, column] + old).astype(total)
    return np.ascontiguousarray(found).view(dtype_of(form.sums[0][1]))
