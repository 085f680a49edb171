"""Banks and phases: the measured tables, brute force, and Triton's count."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.layouts.strategies import powers, split_over
from weft.errors import LayoutError
from weft.layouts import BlockedEncoding, PaddedSharedEncoding, SwizzledSharedEncoding
from weft.layouts.bank_conflicts import (
    access_collisions,
    bank_report,
    tile_accesses,
    wavefronts_of,
)
from weft.layouts.shared_memory import KINDS, Phase, SharedMemory
from weft.layouts.swizzle_search import Use, best_padding, best_swizzle
from weft.targets import known_targets, target

ROWS = BlockedEncoding((1, 1), (1, 32), (4, 1), (1, 0))
COLUMNS = BlockedEncoding((1, 1), (32, 1), (1, 4), (0, 1))
PLAIN = SwizzledSharedEncoding(1, 1, 1, (1, 0))
SWIZZLED = SwizzledSharedEncoding(1, 1, 32, (1, 0))
NVIDIA = target("sm_90").shared_memory


@pytest.mark.parametrize(
    ("chip", "bits", "count", "first"),
    [
        ("gfx942", 32, 2, [*range(32)]),
        ("gfx942", 64, 4, [*range(16)]),
        ("gfx942", 128, 8, [0, 1, 2, 3, 20, 21, 22, 23]),
        ("gfx950", 32, 1, [*range(64)]),
        ("gfx950", 64, 2, [*range(32)]),
        ("gfx950", 128, 4, [*range(4), *range(12, 16), *range(20, 28)]),
        ("gfx1100", 128, 4, [0, 1, 2, 3, 20, 21, 22, 23]),
        ("gfx1201", 128, 4, [*range(8)]),
        ("sm_80", 64, 2, [*range(16)]),
        ("sm_80", 128, 4, [*range(8)]),
    ],
)
def test_phases_of_reads(chip: str, bits: int, count: int, first: list[int]) -> None:
    memory = target(chip).shared_memory
    phases = memory.phases(bits, "read")
    assert len(phases) == count
    assert list(phases[0]) == first
    assert sorted(lane for phase in phases for lane in phase) == list(range(memory.lanes))


def test_reads_and_writes_differ_on_cdna_3() -> None:
    assert list(target("gfx942").shared_memory.phases(128, "write")[0]) == list(range(8))


@pytest.mark.parametrize(
    ("registers", "shared", "worst"),
    [(ROWS, PLAIN, 1), (COLUMNS, PLAIN, 32), (ROWS, SWIZZLED, 1), (COLUMNS, SWIZZLED, 1)],
)
def test_a_square_of_f32(registers, shared, worst: int) -> None:
    report = bank_report(registers.linear((32, 32)), shared, (32, 32), 32, NVIDIA, "read")
    assert (report.worst, report.bits, report.accesses) == (worst, 32, 32)
    assert report.conflicts == 32 * (worst - 1)
    assert len(report.collisions) == (worst > 1)


def test_lanes_of_a_bank_conflict() -> None:
    (collision,) = access_collisions([128 * lane for lane in range(32)], 32, NVIDIA, "read")
    assert (collision.bank, collision.lanes) == (0, tuple((lane,) for lane in range(32)))
    assert wavefronts_of([0] * 32, 32, NVIDIA, "read") == 1


def test_padding_moves_a_column_over_the_banks() -> None:
    padded = PaddedSharedEncoding.with_identity([32], [1], (32, 32), (1, 0))
    report = bank_report(COLUMNS.linear((32, 32)), padded, (32, 32), 32, NVIDIA, "read")
    assert report.conflicts == 0


@st.composite
def tiles(draw: st.DrawFn):
    registers = BlockedEncoding(
        draw(split_over(draw(st.integers(0, 3)), 2)),
        draw(split_over(5, 2)),
        draw(split_over(draw(st.integers(0, 2)), 2)),
        tuple(draw(st.permutations(range(2)))),
    )
    shared = SwizzledSharedEncoding(
        draw(powers(3)), draw(powers(2)), draw(powers(3)), tuple(draw(st.permutations(range(2))))
    )
    shape = (1 << draw(st.integers(4, 6)), 1 << draw(st.integers(4, 6)))
    return registers, shared, shape, draw(st.sampled_from([8, 16, 32, 64]))


@given(tiles())
def test_every_access_of_a_linear_layout_costs_the_same(case) -> None:
    registers, shared, shape, bits = case
    layout = registers.linear(shape)
    report = bank_report(layout, shared, shape, bits, NVIDIA, "read")
    rows, width = tile_accesses(layout, shared, shape, bits, NVIDIA)
    assert {wavefronts_of(row, width, NVIDIA, "read") for row in rows} == {report.worst}


@pytest.mark.oracle
@given(tiles())
def test_as_triton(case) -> None:
    """Triton counts passes beyond the first per phase, and not below 32 bits a lane."""
    layouts = pytest.importorskip("triton.experimental.gluon.language._layouts")
    from tests.layouts import oracle

    registers, shared, shape, bits = case
    memory_of_triton = oracle.shared_memory("sm_90")
    report = bank_report(registers.linear(shape), shared, shape, bits, memory_of_triton, "read")
    assume(report.bits >= 32)
    theirs = layouts.BlockedLayout(
        *map(list, (registers.size_per_thread, registers.threads_per_warp)),
        list(registers.warps_per_cta),
        list(registers.order),
    )
    memory = layouts.SwizzledSharedLayout(
        shared.vec, shared.per_phase, shared.max_phase, list(shared.order)
    )
    builder = oracle.builder()
    count = builder.get_shared_bank_conflicts(
        theirs._to_ir(builder), memory._to_ir(builder), list(shape), bits
    )
    assert report.ways - 1 == count


def test_the_search_finds_what_is_known() -> None:
    uses = (Use(ROWS.linear((32, 32)), "write"), Use(COLUMNS.linear((32, 32)), "read"))
    swizzle = best_swizzle(uses, (32, 32), 32, NVIDIA)
    assert swizzle.is_ideal
    assert swizzle.encoding is SWIZZLED
    padding = best_padding(uses, (32, 32), 32, NVIDIA)
    assert padding.is_ideal
    assert padding.encoding is PaddedSharedEncoding.with_identity([32], [1], (32, 32), (1, 0))
    alone = best_swizzle(uses[:1], (32, 32), 32, NVIDIA)
    assert alone.encoding is PLAIN
    assert alone.wavefronts == 32


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: NVIDIA.phases(256, "read"), "the phases of a 256-bit read of shared memory"),
        (lambda: SharedMemory("x", 4, {8: Phase((1,), 3)}, {}), "must have a power of two banks"),
        (lambda: SharedMemory("x", 4, {8: Phase((4,), 4)}, {}), "must be lanes of 4"),
        (lambda: SharedMemory("x", 4, {}, {8: Phase((1, 1), 4)}), "must be independent"),
        (lambda: NVIDIA.phases(32, "load"), "an access is a read or a write"),
        (lambda: wavefronts_of([0], 32, NVIDIA, "read"), "a warp of sm_90 has 32 lanes"),
        (
            lambda: tile_accesses(
                ROWS.linear((32, 32)), PLAIN, (32, 32), 32, target("gfx942").shared_memory
            ),
            "a warp of gfx942 has 64 lanes",
        ),
        (lambda: best_swizzle((), (32, 32), 32, NVIDIA), "a search needs at least one use"),
        (lambda: best_swizzle((), (32,), 32, NVIDIA), "a tile of 2 dimensions"),
    ],
)
def test_refuses(make, message: str) -> None:
    with pytest.raises(LayoutError) as caught:
        make()
    assert message in str(caught.value)


CHIPS = [name for name in known_targets() if name != "cpu"]


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_width_has_a_row(chip: str, kind: str) -> None:
    memory = target(chip).shared_memory
    for bits in (8, 16, 32, 64, 96, 128):
        row = memory.phase(bits, kind)
        lanes = len(memory.phases(bits, kind)[0])
        assert lanes * bits <= row.banks * 32
        assert row.source
        assert row.assumed == row.source.startswith("assumed: ")


def test_measured_accesses_are_not_marked_as_assumed() -> None:
    measured = {
        (name, kind, bits)
        for name in CHIPS
        for kind in KINDS
        for bits in (32, 64, 128)
        if not target(name).shared_memory.phase(bits, kind).assumed
    }
    for chip in ("hip:gfx942", "hip:gfx950", "hip:gfx1100", "hip:gfx1201"):
        assert {(chip, "read", bits) for bits in (32, 64, 128)} <= measured
    assert ("hip:gfx950", "write", 64) in measured
    assert ("hip:gfx950", "write", 128) not in measured
    assert not any(name == "hip:gfx1250" for name, _, _ in measured)


def test_writes_go_through_fewer_banks_than_reads_on_cdna_4() -> None:
    """Lanes 128 bytes apart: 32 banks are one bank, 64 banks are two."""
    memory = target("gfx950").shared_memory
    apart = [lane * 128 for lane in range(64)]
    assert (memory.phase(64, "read").banks, memory.phase(64, "write").banks) == (64, 32)
    assert wavefronts_of(apart, 64, memory, "read") == 32
    assert wavefronts_of(apart, 64, memory, "write") == 64


def _lanes(rows: Callable[[int], int | None]) -> list[int | None]:
    return [rows(lane) for lane in range(32)]


PAIRED = [
    # Rows of lanes, and the wavefronts of reads of 32, 64 and 128 bits that ncu counted on an H200.
    (_lanes(lambda lane: lane), (1, 2, 4)),
    (_lanes(lambda lane: 0), (1, 1, 2)),
    (_lanes(lambda lane: lane >> 1), (1, 1, 2)),
    (_lanes(lambda lane: lane & 1 | lane >> 2 << 1), (1, 1, 2)),
    (_lanes(lambda lane: lane & 3 | lane >> 3 << 2), (1, 2, 4)),
    (_lanes(lambda lane: lane & 7 | lane >> 4 << 3), (1, 2, 4)),
    (_lanes(lambda lane: lane & 15), (1, 2, 4)),
    (_lanes(lambda lane: lane >> 1 if lane < 16 else lane), (1, 2, 4)),
    (_lanes(lambda lane: 0 if lane < 8 else lane), (1, 2, 4)),
    (_lanes(lambda lane: lane >> 4), (1, 1, 2)),
    (_lanes(lambda lane: lane & 7), (1, 2, 4)),
    (_lanes(lambda lane: lane & 1), (1, 1, 2)),
    (_lanes(lambda lane: None if lane & 1 else lane), (1, 2, 4)),
    (_lanes(lambda lane: None if lane & 1 else lane >> 1), (1, 1, 2)),
    (_lanes(lambda lane: lane if lane < 8 else None), (1, 1, 1)),
    (_lanes(lambda lane: lane if lane < 16 else None), (1, 1, 2)),
]


@pytest.mark.parametrize(("rows", "wavefronts"), PAIRED)
def test_reads_of_pairs_of_lanes_share_wavefronts(rows, wavefronts):
    chip = target("sm_90").shared_memory
    for octets, expected in zip((4, 8, 16), wavefronts, strict=True):
        addresses = [None if row is None else row * octets for row in rows]
        assert wavefronts_of(addresses, 8 * octets, chip, "read") == expected
    addresses = [None if row is None else row * 16 for row in PAIRED[1][0]]
    assert wavefronts_of(addresses, 128, chip, "write") == 4  # writes of pairs do not
