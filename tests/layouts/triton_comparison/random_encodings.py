"""Random encodings and shapes of every kind, each generated from its kind and a number alone.

    pair("amd_mfma", 17)      # (#ttg.amd_mfma<{…}>, (64, 32)), on every machine the same

A mismatch is reported as this kind and number. Shapes are small and large, so that tiles wrap and
repeat; a cluster has up to four blocks.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random

from weft.errors import LayoutError
from weft.layouts import (
    AmdMfmaEncoding,
    AmdRotatingSharedEncoding,
    AmdWmmaEncoding,
    BlockedEncoding,
    DotOperandEncoding,
    Encoding,
    LinearEncoding,
    NvidiaMmaEncoding,
    NvmmaSharedEncoding,
    PaddedSharedEncoding,
    SharedLinearEncoding,
    SliceEncoding,
    SwizzledSharedEncoding,
    TensorMemoryEncoding,
    TensorMemoryScalesEncoding,
)

__all__ = ["KINDS", "Pair", "pair"]

Shape = tuple[int, ...]
Pair = tuple[Encoding, Shape]
Vectors = tuple[tuple[int, ...], ...]
OFTEN_ILLEGAL = ("nvmma_shared", "tensor_memory", "tensor_memory_scales")
MOST_ELEMENTS = 1 << 20  # that a tensor type of Triton may hold


def pair(kind: str, number: int) -> Pair:
    """Return the encoding and the shape with this number."""
    random = Random(f"{kind} {number}")
    while True:
        try:
            encoding, shape = KINDS[kind](random)
        except LayoutError:  # a combination that the encoding itself refuses
            continue
        if not 1 < math.prod(shape) <= MOST_ELEMENTS:
            continue
        # Triton aborts on an illegal one, and the restart takes long: a tenth of them is enough.
        if kind in OFTEN_ILLEGAL and random.random() < 0.9 and not legal(encoding, shape):
            continue
        return encoding, shape


def legal(encoding: Encoding, shape: Shape) -> bool:
    """Check whether weft has a layout for an encoding on a shape."""
    try:
        return bool(encoding.linear(shape))
    except LayoutError:
        return False


def power(random: Random, most: int) -> int:
    """Return 1, 2 … or 2^most."""
    return 1 << random.randint(0, most)


def random_split(random: Random, bits: int, rank: int) -> tuple[int, ...]:
    """Split 2^bits over the dimensions at random."""
    sizes = [1] * rank
    for _ in range(bits):
        sizes[random.randrange(rank)] *= 2
    return tuple(sizes)


def shape_of(random: Random, rank: int, most: int) -> Shape:
    """Return a shape whose sides are at most 2^most."""
    return tuple(power(random, most) for _ in range(rank))


def order_of(random: Random, rank: int) -> tuple[int, ...]:
    """Return the dimensions in any order."""
    return tuple(random.sample(range(rank), rank))


def cga(random: Random, rank: int, most: int = 2) -> Vectors:
    """Return vectors over the blocks of a cluster; half of the clusters have one block."""
    used = [0] * rank
    vectors = []
    for _ in range(random.choice([0, 0, 0, *range(1, most + 1)])):
        dim = random.randint(0, rank)  # `rank`: blocks that hold the same part
        vector = [0] * rank
        if dim < rank:
            vector[dim] = 1 << used[dim]
            used[dim] += 1
        vectors.append(tuple(vector))
    random.shuffle(vectors)
    return tuple(vectors)


def blocked(random: Random, rank: int | None = None) -> BlockedEncoding:
    """Return a blocked encoding."""
    rank = rank or random.choice([1, 2, 2, 2, 3, 4])
    return BlockedEncoding(
        random_split(random, random.randint(0, 4), rank),
        random_split(random, random.randint(5, 6), rank),
        random_split(random, random.randint(0, 3), rank),
        order_of(random, rank),
        cga(random, rank),
    )


def _blocked(random: Random) -> Pair:
    encoding = blocked(random)
    return encoding, shape_of(random, encoding.rank, 11 if encoding.rank == 1 else 7)


def _warps(random: Random, rank: int) -> tuple[int, ...]:
    warps = random_split(random, random.randint(0, 3), 2)
    return warps if rank == 2 else (power(random, 1), *warps)


def mma_2(random: Random) -> NvidiaMmaEncoding:
    """Return the encoding of an mma's result."""
    rank = random.choice([2, 2, 3])
    sides = (16, 8) if rank == 2 else (1, 16, 8)
    return NvidiaMmaEncoding(2, 0, _warps(random, rank), sides, cga(random, rank))


def mma_3(random: Random) -> NvidiaMmaEncoding:
    """Return the encoding of a warp group's mma's result."""
    warps = random.choice([(4, 1), (4, 1), (8, 1), (4, 2)])
    return NvidiaMmaEncoding(3, 0, warps, (16, 8 * power(random, 5), 16), cga(random, 2))


def mfma(random: Random) -> AmdMfmaEncoding:
    """Return the encoding of an MFMA's result."""
    rank = random.choice([2, 2, 2, 3])
    m, n = random.choice([(32, 32), (16, 16), (32, 32), (16, 16), (4, 64), (64, 4)])
    wide = (m, n) == (16, 16) and random.random() < 0.2
    tiles: tuple[int, ...] = ()
    if random.random() < 0.4:
        tiles = tuple([1] * (rank - 2) + [power(random, 1), power(random, 1)])
    return AmdMfmaEncoding(
        random.randint(1, 4),
        _warps(random, rank),
        (m, n, random.choice([4, 8, 16, 32])),
        (m, n) == (64, 4) or random.random() < 0.5,
        cga(random, rank),
        tiles,
        64 if wide else 32,
    )


def wmma(random: Random) -> AmdWmmaEncoding:
    """Return the encoding of a WMMA's result."""
    version = random.randint(1, 3)
    rank = random.choice([2, 2, 2, 3])
    depths = {1: [16], 2: [16, 32], 3: [4, 32, 64, 128]}[version]
    used = [0] * rank
    vectors: list[tuple[int, ...]] = []
    for _ in range(random.randint(0, 5)):
        dim = random.choice([rank - 1, rank - 2, random.randrange(rank)])
        vector = [0] * rank
        vector[dim] = 1 << used[dim]
        used[dim] += 1
        vectors.append(tuple(vector))
    random.shuffle(vectors)
    cut = random.randint(0, min(2, len(vectors)))
    register, warp = tuple(vectors[:cut]), tuple(vectors[cut:])
    turned = random.random() < 0.5
    cluster = cga(random, rank)
    return AmdWmmaEncoding(
        version, turned, warp, register, cluster, (16, 16, random.choice(depths)), rank
    )


def _matrix_shape(random: Random, rank: int) -> Shape:
    sides = (power(random, 8), power(random, 8))
    return sides if rank == 2 else (power(random, 2), *sides)


def _tiled_shape(random: Random, parent: Encoding) -> Shape:
    """Return a shape that holds a tile, as Triton wants it of WMMA."""
    shape = _matrix_shape(random, parent.rank)
    return (*shape[:-2], max(16, shape[-2]), max(16, shape[-1]))


def _result(make: Callable[[Random], Encoding]) -> Callable[[Random], Pair]:
    def generate(random: Random) -> Pair:
        encoding = make(random)
        if isinstance(encoding, AmdWmmaEncoding):
            return encoding, _tiled_shape(random, encoding)
        return encoding, _matrix_shape(random, encoding.rank)

    return generate


def _k_width(random: Random, parent: Encoding) -> int:
    if isinstance(parent, AmdWmmaEncoding):
        return random.choice({1: [8, 16], 2: [4, 8, 16], 3: [2, 4, 8, 16]}[parent.version])
    return power(random, 3 if isinstance(parent, NvidiaMmaEncoding) else 5)


def _operand(make: Callable[[Random], Encoding]) -> Callable[[Random], Pair]:
    def generate(random: Random) -> Pair:
        parent = make(random)
        side = random.randint(0, 1)
        if isinstance(parent, NvidiaMmaEncoding) and parent.version_major == 3:
            side = 0
        encoding = DotOperandEncoding(side, parent, _k_width(random, parent))
        if isinstance(parent, AmdWmmaEncoding):
            return encoding, _tiled_shape(random, parent)
        return encoding, _matrix_shape(random, parent.rank)

    return generate


def _dot_blocked(random: Random) -> Pair:
    parent = blocked(random, random.choice([2, 2, 3]))
    shape = shape_of(random, parent.rank, 6)
    return DotOperandEncoding(random.randint(0, 1), parent), shape


_PARENTS = ["blocked", "dot_op of blocked", "nvidia_mma v2", "nvidia_mma v3", "amd_mfma",
            "dot_op of nvidia_mma v2", "dot_op of amd_mfma", "amd_wmma", "linear"]  # fmt: skip


def _slice(random: Random) -> Pair:
    encoding, shape = KINDS[random.choice(_PARENTS)](random)
    for _ in range(random.choice([1, 1, 2])):
        if encoding.rank > 1:
            dim = random.randrange(encoding.rank)
            encoding, shape = SliceEncoding(dim, encoding), shape[:dim] + shape[dim + 1 :]
    return encoding, shape


def _linear(random: Random) -> Pair:
    rank = random.choice([1, 2, 2, 3])
    shape = shape_of(random, rank, 10 if rank == 1 else 5)
    units = [
        tuple(1 << bit if d == dim else 0 for d in range(rank))
        for dim in range(rank)
        for bit in range(shape[dim].bit_length() - 1)
    ]
    random.shuffle(units)
    counts = {"lane": random.randint(5, 6), "warp": random.randint(0, 3), "block": 0}
    counts["block"] = random.choice([0, 0, 1, 2])
    groups: dict[str, list[tuple[int, ...]]] = {"register": []}
    for name, count in counts.items():
        groups[name] = []
        for _ in range(count):
            repeats = not units or random.random() < 0.15
            groups[name].append((0,) * rank if repeats else units.pop())
    groups["register"] = units
    encoding = LinearEncoding(*(tuple(groups[n]) for n in ("register", "lane", "warp", "block")))
    if random.random() < 0.5:
        return encoding, shape
    return encoding, tuple(
        max(1, size * random.choice([1, 2, 4]) // random.choice([1, 2, 4])) for size in shape
    )


def _phased(
    cls: type[SwizzledSharedEncoding | AmdRotatingSharedEncoding],
) -> Callable[[Random], Pair]:
    def generate(random: Random) -> Pair:
        rank = random.choice([1, 2, 2, 2, 2, 3, 4])
        numbers = (power(random, 4), power(random, 3), power(random, 4))
        encoding = cls(*numbers, order_of(random, rank), cga(random, rank))
        return encoding, shape_of(random, rank, 10 if rank == 1 else 7 if rank == 2 else 4)

    return generate


def _padded(random: Random) -> Pair:
    rank = random.choice([1, 2, 2, 3])
    shape = shape_of(random, rank, 7)
    count = random.randint(1, 3)
    intervals = random.sample([1 << bit for bit in range(1, 10)], count)
    paddings = [power(random, 4) for _ in range(count)]
    if random.random() < 0.5:
        order = order_of(random, rank)
        return PaddedSharedEncoding.with_identity(intervals, paddings, shape, order), shape
    units = _units(random, shape)
    # Blocks hold the upper part of a dimension, as Gluon assumes when it parses the encoding.
    block = []
    for _ in range(random.choice([0, 0, 1, 2])):
        dim = random.randrange(rank)
        top = max((v for v in units if v[dim]), default=None)
        if top and len(units) > 1:
            block.append(top)
            units.remove(top)
    offset = tuple(units)
    return PaddedSharedEncoding(
        tuple(intervals), tuple(paddings), offset, tuple(block), rank
    ), shape


def _units(random: Random, shape: Shape) -> list[tuple[int, ...]]:
    """Return the unit vectors of a shape in any order."""
    units = [
        tuple(1 << bit if d == dim else 0 for d in range(len(shape)))
        for dim in range(len(shape))
        for bit in range(shape[dim].bit_length() - 1)
    ]
    random.shuffle(units)
    return units


def _shared_linear(random: Random) -> Pair:
    rank = random.choice([1, 2, 2, 3])
    shape = shape_of(random, rank, 6)
    vectors = _units(random, shape)
    for _ in range(random.randint(0, 6)):  # a vector added to another keeps them independent
        if len(vectors) > 1:
            one, other = random.sample(range(len(vectors)), 2)
            pairs = zip(vectors[one], vectors[other], strict=True)
            vectors[one] = tuple(a ^ b for a, b in pairs)
    cut = random.choice([0, 0, 1, 2])
    if len(vectors) <= cut:
        cut = 0
    return SharedLinearEncoding(tuple(vectors[cut:]), 16, tuple(vectors[:cut])), shape


def _nvmma(random: Random) -> Pair:
    rank = random.choice([1, 2, 2, 2, 2, 3, 4])
    swizzle = random.choice([0, 32, 64, 128])
    padded = swizzle == 128 and random.random() < 0.3
    width = 8 if padded else random.choice([8, 16, 32, 64])
    transposed = rank > 1 and random.random() < 0.5
    shape = [power(random, 4 if rank > 2 else 10) for _ in range(rank)]
    # A core matrix must fit in most cases for a comparison to say something.
    inner = 0 if transposed else rank - 1
    shape[inner] = max(shape[inner], 8 * swizzle // width if swizzle else 1)
    encoding = NvmmaSharedEncoding(swizzle, width, transposed, padded, cga(random, rank), rank)
    return encoding, tuple(shape)


def _tensor_memory(random: Random) -> Pair:
    encoding = TensorMemoryEncoding(
        random.choice([64, 128]),
        power(random, 8),
        random.choice([1, 2, 4]),
        power(random, 2),
        power(random, 2),
        random.random() < 0.5,
    )
    return encoding, (64 << random.randint(0, 4), power(random, 9))


def _tensor_memory_scales(random: Random) -> Pair:
    encoding = TensorMemoryScalesEncoding(power(random, 2), power(random, 2))
    return encoding, (power(random, 10), power(random, 6))


KINDS: dict[str, Callable[[Random], Pair]] = {
    "blocked": _blocked,
    "slice": _slice,
    "dot_op of blocked": _dot_blocked,
    "nvidia_mma v2": _result(mma_2),
    "nvidia_mma v3": _result(mma_3),
    "dot_op of nvidia_mma v2": _operand(mma_2),
    "dot_op of nvidia_mma v3": _operand(mma_3),
    "amd_mfma": _result(mfma),
    "dot_op of amd_mfma": _operand(mfma),
    "amd_wmma": _result(wmma),
    "dot_op of amd_wmma": _operand(wmma),
    "linear": _linear,
    "swizzled_shared": _phased(SwizzledSharedEncoding),
    "amd_rotating_shared": _phased(AmdRotatingSharedEncoding),
    "padded_shared": _padded,
    "nvmma_shared": _nvmma,
    "shared_linear": _shared_linear,
    "tensor_memory": _tensor_memory,
    "tensor_memory_scales": _tensor_memory_scales,
}
