"""Accesses to shared memory whose layout is given are executed on data, lane by lane."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Iterator
from random import Random

import numpy as np
import pytest

from tests.layouts.plans.pairs import CHIPS
from tests.layouts.triton_comparison.random_encodings import KINDS, Vectors, order_of, power
from tests.layouts.triton_comparison.random_encodings import pair as any_pair
from weft.errors import LayoutError
from weft.layouts import (
    AmdMfmaEncoding,
    AmdRotatingSharedEncoding,
    BlockedEncoding,
    DotOperandEncoding,
    Encoding,
    LinearLayout,
    NvidiaMmaEncoding,
    NvmmaSharedEncoding,
    PaddedSharedEncoding,
    SharedLinearEncoding,
    SwizzledSharedEncoding,
)
from weft.layouts.cga import cga_bases
from weft.layouts.column_action import remove_broadcast
from weft.layouts.plans import execution
from weft.layouts.plans.local_access import local_access
from weft.layouts.plans.shared_access import SharedAccess
from weft.layouts.shared_memory import SharedMemory
from weft.targets import target

Shape = tuple[int, ...]
MEMORIES = [target(chip).shared_memory for chip in CHIPS]
TENSORS = [kind for kind in KINDS if "shared" not in kind and "tensor_memory" not in kind]
MOST_BITS = 13  # of all registers of all lanes of all warps in a case


def elements(layout: LinearLayout, whole: LinearLayout) -> np.ndarray:
    """Return for each input the number of its element in the tensor of `whole`."""
    steps = dict(zip(whole.out_dims, np.cumprod([1, *whole.out_dims.values()]), strict=False))
    return layout.table() @ np.array([steps[name] for name in layout.out_dims])


def check(
    tensor: LinearLayout,
    shared: LinearLayout,
    bits: int,
    memory: SharedMemory,
    kind: str,
    **options: int,
) -> SharedAccess:
    """Return the access, after it moved the tensor as it should, and touched nothing else."""
    access = local_access(tensor, shared, bits, memory, kind, **options)
    values = elements(remove_broadcast(tensor).apply(tensor), shared)
    stored = elements(shared, shared)
    # Where memory holds an element several times, the lowest offset is the one that counts.
    free = shared.free_variable_masks()["offset"]
    stored[(np.arange(len(stored)) & free) != 0] = -1
    if kind == "read":
        out = np.full_like(values, -1)
        execution.load(access, 0, stored, out)
        assert (out == values).all()
        return access
    memory_after = np.full_like(stored, -1)
    execution.store(access, 0, memory_after, values)
    for block in range(stored.shape[1]):
        is_stored = np.isin(stored[:, block], values[..., block])
        assert (memory_after[:, block] == np.where(is_stored, stored[:, block], -1)).all()
    return access


def memory_of(random: Random, kind: str, shape: Shape, bits: int, cga: Vectors) -> Encoding | None:
    """Return an encoding of shared memory that can hold a tensor, None where this kind cannot."""
    rank = len(shape)
    order = order_of(random, rank)
    if kind in ("swizzled", "rotating"):
        cls = SwizzledSharedEncoding if kind == "swizzled" else AmdRotatingSharedEncoding
        if random.random() < 0.5:  # as pipelining makes it: 16 bytes stay together
            return cls(max(1, 128 // bits), power(random, 2), power(random, 3), order, cga)
        return cls(power(random, 4), power(random, 3), power(random, 4), order, cga)
    if kind == "nvmma":
        turned = rank > 1 and random.random() < 0.5
        buffer = NvmmaSharedEncoding(
            random.choice([0, 32, 64, 128]), bits, turned, False, cga, rank
        )
        try:
            buffer.linear(shape)
        except LayoutError:  # too small for a core matrix
            return None
        return buffer
    if cga or math.prod(shape) == 1:
        return None
    if kind == "padded":
        run = power(random, 6)
        return PaddedSharedEncoding.with_identity([run], [power(random, 4)], shape, order)
    vectors = [
        tuple(1 << bit if d == dim else 0 for d in range(rank))
        for dim in order
        for bit in range(shape[dim].bit_length() - 1)
    ]
    for _ in range(random.choice([0, 2, 6])):  # a vector added to another keeps them independent
        one, other = (random.randrange(len(vectors)) for _ in range(2))
        if one != other:
            pairs = zip(vectors[one], vectors[other], strict=True)
            vectors[one] = tuple(a ^ b for a, b in pairs)
    return SharedLinearEncoding(tuple(vectors), 16)


MEMORY_KINDS = ("swizzled", "rotating", "nvmma", "padded", "shared_linear")


@dataclasses.dataclass(frozen=True, slots=True)
class Case:
    """A tensor, and the memory that it is written to and read from; kinds: of both."""

    kinds: tuple[str, str]
    tensor: LinearLayout
    shape: Shape
    encoding: Encoding
    bits: int
    memory: SharedMemory


def cases(count: int, seed: int) -> Iterator[Case]:
    """Yield random cases, of all kinds of tensors and memory on all chips."""
    random = Random(seed)
    while count:
        kind, other = random.choice(TENSORS), random.choice(MEMORY_KINDS)
        encoding, shape = any_pair(kind, random.randrange(1 << 20))
        tensor, bits = encoding.linear(shape), random.choice([8, 16, 16, 32, 64])
        if tensor.in_bits > MOST_BITS:
            continue
        has_blocks = tensor.in_size("block") > 1
        if has_blocks and "#ttg.linear" in str(encoding):
            continue  # a block may hold any part; shared memory of a block holds one tile
        try:
            clusters = cga_bases(encoding) if has_blocks else ()
        except LayoutError:  # vectors alone do not say how many blocks lie along a dimension
            continue
        if not clusters and random.random() < 0.3:  # a part of a larger buffer
            shape = tuple(size * random.choice([1, 2]) for size in shape)
        buffer = memory_of(random, other, shape, bits, clusters)
        if buffer is None:
            continue
        fitting = [one for one in MEMORIES if one.lanes == tensor.in_size("lane")]
        yield Case((kind, other), tensor, shape, buffer, bits, random.choice(fitting))
        count -= 1


@pytest.mark.parametrize(
    ("count", "seed"), [(400, 1), pytest.param(6000, 2, marks=pytest.mark.oracle)]
)
def test_the_tensor_arrives(count: int, seed: int) -> None:
    """What is written lies where the encoding says, and what is read is the tensor."""
    counts: Counter[str] = Counter()
    for case in cases(count, seed):
        shared, run = case.encoding.linear(case.shape), 1 << 30
        apart = case.tensor.images("block") != shared.images("block")
        if isinstance(case.encoding, PaddedSharedEncoding):
            run = case.encoding.longest_run
        for kind in ("read",) if apart else ("read", "write"):
            access = check(case.tensor, shared, case.bits, case.memory, kind, longest_run=run)
            row = 1 << len(access.tile.offset)
            if isinstance(case.encoding, PaddedSharedEncoding):
                first = case.encoding.padded(access.addresses())
                last = case.encoding.padded(access.addresses() + row - 1)
                assert (last == first + row - 1).all()
                assert (first % row == 0).all()
            counts.update([case.kinds[0], case.kinds[1], access.tile.name])
    assert {*TENSORS, *MEMORY_KINDS} <= counts.keys()
    assert {"ldmatrix", "ldmatrix.trans", "stmatrix", "ds_read_b64_tr_b16"} <= counts.keys()


ROWS = BlockedEncoding((1, 8), (8, 4), (4, 1), (1, 0))
WAVE_ROWS = BlockedEncoding((1, 8), (16, 4), (4, 1), (1, 0))
COLUMNS = BlockedEncoding((8, 1), (4, 8), (1, 4), (0, 1))
SWIZZLED = SwizzledSharedEncoding(8, 1, 8, (1, 0))
PLAIN = SwizzledSharedEncoding(1, 1, 1, (1, 0))
MMA = NvidiaMmaEncoding(2, 0, (4, 1), (16, 8))
A, B = DotOperandEncoding(0, MMA, 2), DotOperandEncoding(1, MMA, 2)
MFMA = AmdMfmaEncoding(4, (2, 2), (16, 16, 32), True)
A_WAVE, B_WAVE = DotOperandEncoding(0, MFMA, 8), DotOperandEncoding(1, MFMA, 8)
SQUARE = (64, 64)


@pytest.mark.parametrize(
    ("chip", "kind", "tensor", "shared", "bits", "name", "count"),
    [
        # 64x64 elements over 128 threads: 32 a thread, 8 in an instruction.
        ("sm_80", "write", ROWS, SWIZZLED, 16, "store b128", 4),
        ("sm_80", "read", ROWS, SWIZZLED, 16, "load b128", 4),
        ("sm_80", "write", ROWS, SWIZZLED, 32, "store b128", 8),
        ("sm_80", "write", ROWS, PLAIN, 8, "store b64", 4),  # a thread has 8 in a row
        ("sm_80", "write", COLUMNS, PLAIN, 16, "store b16", 32),
        # An operand: 16 rows of 64 columns a warp, four matrices of 8x8 in an instruction.
        ("sm_80", "read", A, SWIZZLED, 16, "ldmatrix x4", 4),
        # All of 64x64 a warp, along columns.
        ("sm_80", "read", B, SWIZZLED, 16, "ldmatrix.trans x4", 16),
        ("sm_80", "read", B, SWIZZLED, 8, "load b8", 128),  # which transposes only 16 bits
        ("sm_80", "write", MMA, SWIZZLED, 16, "store b32", 16),
        ("sm_90", "write", MMA, SWIZZLED, 16, "stmatrix x4", 4),
        ("sm_90", "read", A, NvmmaSharedEncoding(128, 16), 16, "ldmatrix x4", 4),
        ("sm_90", "read", A, NvmmaSharedEncoding(128, 16, True), 16, "ldmatrix.trans x4", 4),
        # An operand over 2x2 warps: 32 rows of 64 columns each, 8 in a row of a lane.
        ("gfx942", "read", A_WAVE, SWIZZLED, 16, "load b128", 4),
        ("gfx942", "read", B_WAVE, SWIZZLED, 16, "load b16", 32),
        ("gfx950", "read", B_WAVE, SWIZZLED, 16, "ds_read_b64_tr_b16", 8),
        ("gfx950", "write", WAVE_ROWS, SWIZZLED, 16, "store b128", 2),
    ],
)
def test_instructions(
    chip: str, kind: str, tensor: Encoding, shared: Encoding, bits: int, name: str, count: int
) -> None:
    memory = target(chip).shared_memory
    access = check(tensor.linear(SQUARE), shared.linear(SQUARE), bits, memory, kind)
    assert (access.name, access.count) == (name, count)


SM_80 = target("sm_80").shared_memory


@pytest.mark.parametrize(
    ("run", "name", "count"),
    [(8, "ldmatrix x4", 4), (4, "load b32", 16), (2, "load b32", 16), (1, "load b16", 32)],
)
def test_no_row_crosses_a_gap(run: int, name: str, count: int) -> None:
    """A row of ldmatrix has 8 elements, and a lane of the operand 2."""
    layouts = A.linear(SQUARE), PLAIN.linear(SQUARE)
    access = check(*layouts, 16, SM_80, "read", longest_run=run)
    assert (access.name, access.count) == (name, count)


def test_each_lane_copies_a_separate_run() -> None:
    layouts = A.linear(SQUARE), SWIZZLED.linear(SQUARE)
    access = check(*layouts, 16, SM_80, "read", plain=True)
    assert (access.name, access.count) == ("load b32", 16)


def test_a_block_reads_what_its_own_memory_holds() -> None:
    """The memory of both blocks holds all columns; the second block wants the upper half."""
    halves = BlockedEncoding((1, 8), (8, 4), (4, 1), (1, 0), ((0, 1),)).linear(SQUARE)
    whole = SwizzledSharedEncoding(8, 1, 8, (1, 0), ((0, 0),)).linear(SQUARE)
    access = check(halves, whole, 16, SM_80, "read")
    assert access.addresses()[:, 0, 0, :].tolist() == [[0, 32], [2048, 2080]]
    with pytest.raises(LayoutError) as caught:
        local_access(halves, whole, 16, SM_80, "write")
    assert "each CTA must hold the part that its own shared memory holds" in str(caught.value)
    assert "found: [(0, 32)]" in str(caught.value)


HALVES = SwizzledSharedEncoding(8, 1, 8, (1, 0), ((0, 1),))


@pytest.mark.parametrize(
    ("tensor", "shared", "bits", "kind", "message"),
    [
        (WAVE_ROWS, SWIZZLED.linear(SQUARE), 16, "read", "a warp of sm_80 has 32 lanes"),
        (ROWS, SWIZZLED.linear((64, 32)), 16, "read", "does not hold the tensor"),
        (ROWS, SWIZZLED.linear(SQUARE), 4, "read", "no instruction moves such elements"),
        (ROWS, SWIZZLED.linear(SQUARE), 16, "copy", "an access is a read or a write"),
        (ROWS, HALVES.linear(SQUARE), 16, "read", "each CTA must hold the part that its own"),
        (
            ROWS,
            SwizzledSharedEncoding(1, 1, 1, (0,)).linear((4096,)),
            16,
            "read",
            "does not hold the tensor",
        ),
    ],
)
def test_refuses(
    tensor: Encoding, shared: LinearLayout, bits: int, kind: str, message: str
) -> None:
    with pytest.raises(LayoutError) as caught:
        local_access(tensor.linear(SQUARE), shared, bits, SM_80, kind)
    assert message in str(caught.value)


def test_memory_that_holds_every_second_column() -> None:
    tensor = BlockedEncoding((1,), (32,), (1,), (0,)).linear((32,))
    offsets = [(1 << bit,) for bit in range(1, 5)]
    shared = LinearLayout.from_bases(
        {"offset": offsets, "block": []}, {"dim0": 32}, surjective=False
    )
    with pytest.raises(LayoutError, match="shared memory does not hold the tensor"):
        local_access(tensor, shared, 16, SM_80, "read")
