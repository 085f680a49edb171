"""Random pairs of layouts of one tensor on the same threads, drawn bit by bit."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import numpy as np

from weft.layouts import LinearLayout, gf2
from weft.layouts.shared_memory import SharedMemory
from weft.targets import known_targets, target

__all__ = ["CHIPS", "element_numbers", "pairs"]

CHIPS = [name for name in known_targets() if name != "cpu"]
Pair = tuple[LinearLayout, LinearLayout, int, SharedMemory]


def pairs(count: int, seed: int) -> Iterator[Pair]:
    """Yield source, target, bits of an element and the memory of a chip.

    Most layouts are permutations of bits, as encodings are; some mix them, repeat elements in
    registers, lanes, warps or blocks, or split the tensor over a cluster.
    """
    dice = random.Random(seed)
    for _ in range(count):
        memory = target(dice.choice(CHIPS)).shared_memory
        lanes, warps = memory.lanes.bit_length() - 1, dice.randrange(4)
        blocks = dice.choice([0, 0, 0, 1])
        total = dice.randrange(lanes, lanes + warps + 6)
        cuts = sorted(dice.randrange(total + 1) for _ in range(dice.randrange(3)))
        ends = [0, *cuts, total]
        shape = tuple(1 << (b - a) for a, b in itertools.pairwise(ends))
        mixed = dice.random() < 0.25
        sizes = {"lane": lanes, "warp": warps, "block": blocks}
        one, other = (_random_layout(dice, shape, sizes, mixed) for _ in range(2))
        yield one, other, dice.choice([1, 4, 8, 16, 16, 32, 64]), memory


def _random_layout(
    dice: random.Random, shape: tuple[int, ...], sizes: dict[str, int], mixed: bool
) -> LinearLayout:
    bits = sum(size.bit_length() - 1 for size in shape)
    units = [1 << bit for bit in range(bits)]
    unused = dice.sample(units, bits)
    ins = []
    for name, count in sizes.items():
        images = []
        for _ in range(count):
            luck = dice.random()
            if luck < (0.6 if mixed else 0.85) and unused:
                images.append(unused.pop())
            else:
                images.append(dice.randrange(1 << bits) if mixed and luck < 0.8 else 0)
        ins.append((name, tuple(images)))
    reached = [v for _, images in ins for v in images]
    registers = []
    for vector in dice.sample(units, bits):
        if gf2.rank([*reached, *registers, vector]) > gf2.rank([*reached, *registers]):
            registers.append(vector)
    if registers and dice.random() < 0.2:
        registers.append(dice.choice([0, registers[0]]))
    outs = tuple((f"dim{dim}", size) for dim, size in enumerate(shape))
    return LinearLayout((("register", tuple(registers)), *ins), outs)


def element_numbers(layout: LinearLayout, order: list[str]) -> np.ndarray:
    """Return the number of the element at each register, lane, warp and block."""
    packed = layout.transpose_outs(order).packed_table()
    return packed.reshape([*layout.in_dims.values()], order="F")
