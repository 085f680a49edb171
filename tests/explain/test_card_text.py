"""The card as text."""

from __future__ import annotations

from weft.explain.card_model import Card, Occupancy, Roofline
from weft.explain.card_text import card_lines

CARD = Card(
    registers=128,
    spill_bytes=16,
    shared_bytes=98304,
    occupancy=Occupancy(
        2, 16, 64, "SM", (("registers", 2), ("shared memory", 2), ("warps", 8), ("blocks", 32))
    ),
    loaded_bytes=65536,
    stored_bytes=512,
    requested_bytes=66048,
    wavefronts=100,
    conflicts=4,
    operations=(("f16", 33554432),),
    rooflines=(
        Roofline("H200 SXM", 206.1, "memory", 0.25, assumed=False),
        Roofline("H300", 20.0, "f16", 1.0, assumed=True),
    ),
)


def test_lines():
    assert list(card_lines(CARD)) == [
        "128 registers, 16 bytes spilled; 98304 bytes of shared memory",
        "2 blocks per SM, 16 of 64 warps per SM, limited by registers, shared memory "
        "(others: warps 8, blocks 32)",
        "a program loads 64 KiB and stores 512 bytes, 64.5 KiB in sectors of all requests; "
        "100 wavefronts of shared memory, 4 of them bank conflicts",
        "operations: 3.36e+07 of f16; 508 per byte",
        "H200 SXM: memory limits operations to 25 % of their rate (508 per byte, balanced at 206)",
        "H300 (rates assumed): f16 operations limit the program (508 per byte, balanced at 20)",
    ]


def test_a_kernel_that_was_not_assembled():
    card = Card(None, None, None, None, 0, 0, 0, 0, 0, (), ())
    assert next(card_lines(card)) == (
        "registers unknown: the kernel was not assembled; unknown bytes of shared memory"
    )
