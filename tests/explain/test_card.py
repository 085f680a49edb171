"""The card of a kernel: traffic, operations, occupancy and roofline."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import weft
from weft.explain.card import build_card
from weft.explain.card_model import Card, RegisterUse
from weft.kernel.files import load_cases, load_file

EXAMPLES = Path(__file__).parents[2] / "examples"


def card_of(example: str, case: int, chip: str, use: RegisterUse | None = None, **options) -> Card:
    kernel = load_cases(load_file(str(EXAMPLES / f"{example}.py")))[case]
    compiled = weft.compile(
        kernel.kernel,
        signature=kernel.signature,
        constexprs=kernel.constexprs,
        target=chip,
        **{**kernel.options, **options},
    )
    return build_card(compiled.module("ttgir"), use)


@pytest.mark.parametrize("chip", ["cuda:80", "cuda:90", "hip:gfx942", "hip:gfx1201"])
def test_bytes_of_a_vector_sum_are_those_of_its_tiles(chip):
    card = card_of("vector_add", 0, chip)
    assert (card.loaded_bytes, card.stored_bytes) == (8192, 4096)
    assert card.operations == (("f32", 1024),)
    assert card.intensity == 1024 / 12288
    assert {each.limit for each in card.rooflines} == {"memory"}


def test_sectors_that_several_requests_touch_count_once():
    card = card_of("softmax", 0, "cuda:90")  # four scalars per lane, by four requests
    assert (card.loaded_bytes, card.requested_bytes) == (4096, 2 * 16384)


@pytest.mark.parametrize(("chip", "kind"), [("cuda:90", "f16"), ("hip:gfx942", "f16")])
def test_operations_of_dots(chip, kind):
    card = card_of("matmul", 0, chip)
    operations = dict(card.operations)
    assert operations[kind] % (2 * 128 * 128 * 64) == 0
    assert operations[kind] >= 16 * 2 * 128 * 128 * 64


def test_dots_of_the_tensor_memory_are_counted():
    assert dict(card_of("matmul", 0, "cuda:100").operations)["f16"] >= 16 * 2 * 128 * 128 * 64
    assert "f8" in dict(card_of("matmul_fp8", 0, "cuda:90").operations)


@pytest.mark.parametrize(("chip", "dots"), [("cuda:100", 16), ("hip:gfx950", 16 + 1)])
def test_operations_of_packed_fp4(chip, dots):
    card = card_of("matmul_mxfp4", 0, chip)  # on gfx950, one dot is after the pipelined loop
    assert dict(card.operations)["f4"] == dots * 2 * 128 * 128 * 128


def test_registers_limit_the_blocks():
    few = card_of("matmul", 0, "cuda:90", RegisterUse(64, 0))
    many = card_of("matmul", 0, "cuda:90", RegisterUse(255, 40))
    assert few.occupancy is not None
    assert many.occupancy is not None
    assert few.occupancy.limited_by == ("shared memory",)
    assert (many.occupancy.blocks, many.occupancy.limited_by) == (1, ("registers",))
    assert (many.registers, many.spill_bytes) == (255, 40)


def test_waves_of_amd_are_those_of_a_simd():
    card = card_of("softmax", 0, "hip:gfx942", RegisterUse(72, 0))
    assert card.occupancy is not None
    assert (card.occupancy.warps, card.occupancy.max_warps) == (7, 8)
    assert card.occupancy.limited_by == ("registers",)
    whole = card_of("softmax", 0, "hip:gfx942")
    assert whole.registers is None
    assert whole.occupancy is not None
    assert whole.occupancy.limited_by == ("warps",)


def test_the_roofline_by_hand():
    card = card_of("matmul", 0, "cuda:90")
    (h200,) = (each for each in card.rooflines if each.board == "H200 SXM")
    assert h200.balance == pytest.approx(989.5e12 / 4.8e12)
    assert h200.limit == "memory"
    assert h200.share == pytest.approx(card.intensity / h200.balance)


def test_loops_multiply():
    kernel = load_cases(load_file(str(EXAMPLES / "matmul.py")))[0]
    module = weft.compile(
        kernel.kernel,
        signature=kernel.signature,
        constexprs=kernel.constexprs,
        target="cuda:90",
        **kernel.options,
    ).module("ttgir")
    cards = [build_card(module, unknown=n) for n in (0, 1, 3)]
    loaded = [each.loaded_bytes for each in cards]
    assert loaded[2] - loaded[0] == 3 * (loaded[1] - loaded[0]) > 0
    assert dict(cards[2].operations)["f16"] == 3 * dict(cards[1].operations)["f16"]
    assert replace(cards[0], loaded_bytes=0, stored_bytes=0).intensity == 0.0
