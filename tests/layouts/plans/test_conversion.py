"""Conversion plans are executed on data: what each lane holds afterwards is the tensor."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.layouts.plans.pairs import element_numbers
from tests.layouts.plans.pairs import pairs as random_pairs
from tests.layouts.strategies import shapes
from weft.errors import LayoutError
from weft.layouts import BlockedEncoding, LinearLayout, SliceEncoding
from weft.layouts.plans import conversion
from weft.layouts.plans.conversion_map import conversion_map
from weft.layouts.shared_memory import SharedMemory
from weft.targets import target

NVIDIA = target("sm_90").shared_memory
CDNA = target("gfx942").shared_memory


def check(source: LinearLayout, target: LinearLayout, bits: int, memory: SharedMemory):
    order = list(source.out_shifts)
    plan = conversion(source, target, bits, memory)
    assert (plan.execute(element_numbers(source, order)) == element_numbers(target, order)).all()
    return plan


@st.composite
def pairs(draw: st.DrawFn):
    """Two layouts of one tensor on the same threads."""
    rank = draw(st.integers(1, 3))
    shape = draw(shapes(rank, 5))
    lanes = draw(st.sampled_from([5, 6]))
    warps, blocks = draw(st.integers(0, 2)), draw(st.integers(0, 1))
    kind = draw(st.sampled_from(["blocked", "slice", "any"]))
    if kind == "any":
        return tuple(draw(scrambled(shape, lanes, warps, blocks)) for _ in range(2))
    layouts = []
    for _ in range(2):
        extra = kind == "slice" and rank < 3 and draw(st.booleans())
        parent = draw(blocked_on(rank + extra, lanes, warps, blocks))
        encoding = SliceEncoding(draw(st.integers(0, rank)), parent) if extra else parent
        layouts.append(encoding.linear(shape))
    return tuple(layouts)


@st.composite
def blocked_on(draw: st.DrawFn, rank: int, lanes: int, warps: int, blocks: int):
    from tests.layouts.strategies import cga_vectors, split_over

    return BlockedEncoding(
        draw(split_over(draw(st.integers(0, 3)), rank)),
        draw(split_over(lanes, rank)),
        draw(split_over(warps, rank)),
        tuple(draw(st.permutations(range(rank)))),
        draw(cga_vectors(rank, blocks)),
    )


@st.composite
def scrambled(draw: st.DrawFn, shape, lanes: int, warps: int, blocks: int):
    """Deal the bits of the tensor at random, some of them twice, and fill up with registers."""
    names = [f"dim{d}" for d in range(len(shape))]
    bits = sum(size.bit_length() - 1 for size in shape)
    unit = [1 << bit for bit in range(bits)]
    unused = list(draw(st.permutations(unit)))
    ins = []
    for name, count in (("lane", lanes), ("warp", warps), ("block", blocks)):
        images = []
        for _ in range(count):
            choice = draw(st.sampled_from(["fresh", "fresh", "zero", "mixed"]))
            if choice == "fresh" and unused:
                images.append(unused.pop())
            elif choice == "mixed" and bits:
                images.append(draw(st.integers(0, (1 << bits) - 1)))
            else:
                images.append(0)
        ins.append((name, tuple(images)))
    used = [v for _, images in ins for v in images]
    from weft.layouts import gf2

    registers = []
    for vector in draw(st.permutations(unit)):
        if gf2.rank([*used, *registers, vector]) > gf2.rank([*used, *registers]):
            registers.append(vector)
    return LinearLayout(
        (("register", tuple(registers)), *ins), tuple(zip(names, shape, strict=True))
    )


@pytest.mark.parametrize("count", [10, pytest.param(40, marks=pytest.mark.slow)])
def test_the_data_arrives(count: int) -> None:
    @settings(max_examples=count)
    @given(pairs(), st.sampled_from([8, 16, 32, 64]))
    def check_pair(pair, bits: int) -> None:
        source, target = pair
        memory = NVIDIA if source.in_size("lane") == 32 else CDNA
        plan = check(source, target, bits, memory)
        if plan.kind in ("nothing", "registers", "shuffle"):
            assert plan.cost.stores == plan.cost.barriers == 0
        if plan.kind == "nothing":
            assert source.ins == target.transpose_outs(list(source.out_shifts)).ins

    check_pair()


@pytest.mark.parametrize(
    ("count", "seed"),
    [
        (100, 1),
        pytest.param(500, 1, marks=pytest.mark.slow),
        pytest.param(5000, 2, marks=pytest.mark.oracle),
    ],
)
def test_random_pairs_on_every_chip(count: int, seed: int) -> None:
    """What is executed arrives; shared memory only where a warp cannot help itself."""
    for source, target_, bits, memory in random_pairs(count, seed):
        plan = check(source, target_, bits, memory)
        within = conversion_map(source, target_, ("warp", "block"))
        if plan.kind in ("shared", "cluster"):
            assert within is None or not own_block(within)
            assert plan.instructions["barrier"] == plan.cost.barriers == 2 * plan.repetitions - 1
        else:
            assert within is not None
            assert plan.cost.barriers == plan.cost.shared_bytes == 0


def own_block(places: LinearLayout) -> bool:
    """Check whether every block does the same."""
    start = places.out_shifts["block"]
    blocks = places.images("block")
    return blocks == tuple(1 << (start + bit) for bit in range(len(blocks)))


ROWS = BlockedEncoding((1, 4), (8, 4), (4, 1), (1, 0)).linear((32, 16))


def test_identity_and_permutation_of_registers() -> None:
    assert check(ROWS, ROWS, 32, NVIDIA).kind == "nothing"
    swapped = LinearLayout((("register", ROWS.images("register")[::-1]), *ROWS.ins[1:]), ROWS.outs)
    plan = check(ROWS, swapped, 32, NVIDIA)
    assert (plan.kind, plan.cost.moves) == ("registers", 2)


def test_all_lanes_get_a_column_without_selections() -> None:
    # Every lane holds one row of a column, then all of them: 32 shuffles, and nothing to choose.
    rows = BlockedEncoding((1, 1), (32, 1), (1, 1), (1, 0)).linear((32, 1))
    all_rows = BlockedEncoding((1, 2), (1, 32), (1, 1), (1, 0)).linear((32, 1))
    assert check(rows, all_rows, 16, NVIDIA).instructions == {"shuffle": 32}


def test_a_transpose_within_a_warp_shuffles() -> None:
    """Two bits of the lane change places with two of the register: each lane sends 4 values."""
    columns = BlockedEncoding((4, 1), (2, 16), (4, 1), (0, 1)).linear((32, 16))
    plan = check(ROWS, columns, 32, NVIDIA)
    assert plan.instructions == {"select": 16, "shuffle": 4}
    assert check(ROWS, columns, 8, NVIDIA).instructions == {"select": 16, "shuffle": 4}
    assert check(ROWS, columns, 64, NVIDIA).instructions == {"select": 32, "shuffle": 8}


def test_conversion_between_warps() -> None:
    square = (128, 128)
    rows = BlockedEncoding((1, 8), (2, 16), (4, 1), (1, 0)).linear(square)
    columns = BlockedEncoding((8, 1), (16, 2), (1, 4), (0, 1)).linear(square)
    plan = check(rows, columns, 16, NVIDIA)
    assert plan.kind == "shared"
    assert (plan.cost.write_conflicts, plan.cost.read_conflicts) == (0, 0)
    assert plan.cost.shared_bytes == 128 * 128 * 2
    assert plan.cost.barriers == 1


def test_a_part_of_a_byte_travels_as_a_byte() -> None:
    columns = BlockedEncoding((1, 4), (8, 4), (1, 4), (1, 0)).linear((32, 16))
    nibble = check(ROWS, columns, 4, NVIDIA)
    assert (
        nibble.cost == check(ROWS, columns, 8, NVIDIA).cost == check(ROWS, columns, 1, NVIDIA).cost
    )
    assert nibble.cost.shared_bytes == 32 * 16


def test_conversion_between_ctas_of_a_cluster() -> None:
    rows = BlockedEncoding((1, 4), (8, 4), (4, 1), (1, 0), ((1, 0),)).linear((64, 16))
    columns = BlockedEncoding((1, 4), (8, 4), (4, 1), (1, 0), ((0, 1),)).linear((64, 16))
    assert check(rows, columns, 32, NVIDIA).kind == "cluster"


@pytest.mark.parametrize(
    ("source", "target", "bits", "memory", "message"),
    [
        (ROWS, ROWS.rename_in("lane", "x"), 32, NVIDIA, "register, lane, warp and block"),
        (ROWS, ROWS.resize_in("lane", 16), 32, NVIDIA, "must hold every element"),
        (
            ROWS,
            BlockedEncoding((1, 4), (8, 4), (4, 1), (1, 0)).linear((16, 16)),
            32,
            NVIDIA,
            "both layouts must be of one tensor",
        ),
        (
            ROWS,
            BlockedEncoding((1, 4), (8, 8), (4, 1), (1, 0)).linear((32, 16)),
            32,
            NVIDIA,
            "both layouts must have the same size of lane",
        ),
        (
            ROWS,
            BlockedEncoding((1, 4), (8, 4), (1, 4), (1, 0)).linear((32, 16)),
            24,
            NVIDIA,
            "a conversion moves elements of 1, 2, 4 … 128 bits",
        ),
        (
            ROWS,
            BlockedEncoding((1, 4), (8, 4), (1, 4), (1, 0)).linear((32, 16)),
            32,
            CDNA,
            "a warp of gfx942 has 64 lanes",
        ),
    ],
)
def test_refuses(source, target, bits, memory, message: str) -> None:
    with pytest.raises(LayoutError) as caught:
        conversion(source, target, bits, memory)
    assert message in str(caught.value)
