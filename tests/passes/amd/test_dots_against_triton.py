"""Products of many shapes, types and options through Triton's own pass and ours, chip by chip."""

from __future__ import annotations

import random
from itertools import product as every

import pytest

from tests.passes.amd.products import product, scaled_product
from tests.passes.triton_passes import triton_after
from weft.ir.text import parse_module, print_module
from weft.passes import parse_pipeline, run_pipeline

pytestmark = pytest.mark.oracle
pytest.importorskip("triton")

CHIPS = ("gfx908", "gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250")
OPTIONS = (
    "tritonamdgpu-accelerate-matmul{arch-generation-name=%s kPack=%d matrix-instruction-size=%d}"
)
SIZES = (1, 4, 8, 16, 32, 64, 128, 256)
ELEMENTS = (
    ("f16", "f16", "f32"),
    ("f16", "f16", "f16"),
    ("bf16", "bf16", "f32"),
    ("f32", "f32", "f32"),
    ("f64", "f64", "f64"),
    ("i8", "i8", "i32"),
    ("f8E4M3FN", "f8E5M2", "f32"),
    ("f8E5M2", "f8E5M2", "f32"),
    ("f8E4M3FNUZ", "f8E5M2FNUZ", "f32"),
)
FORMS = ("e4m3", "e5m2", "e2m1", "bf16", "fp16")


def _same(text: str, pipeline: str) -> None:
    module = parse_module(text)
    run_pipeline(parse_pipeline(pipeline), module, verify=True)
    assert print_module(module) == triton_after(text, pipeline), text


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("elements", ELEMENTS, ids="-".join)
def test_products(chip, elements):
    pick = random.Random(f"{chip}{elements}")
    for _ in range(4):
        shape = tuple(pick.choice(SIZES) for _ in range(3))
        text = product(
            chip,
            shape,
            elements,
            warps=pick.choice((1, 2, 4, 8, 16)),
            batch=pick.choice((0, 0, 4)),
            precision=pick.choice(("", "tf32")) if elements[0] == "f32" else "",
        )
        # A scaled instruction takes no k_pack, and Triton ends its process where it is asked for.
        small = elements[0].startswith("f8") and chip == "gfx950"
        k_pack = 1 if small else pick.choice((1, 2))
        _same(text, OPTIONS % (chip, k_pack, pick.choice((0, 0, 16, 32))))


def _answered_by_triton(chip: str, forms: tuple[str, str], scales: tuple[bool, bool]) -> bool:
    """Leave out what ends Triton's process: pairs of 4 bits that are not unpacked with a scale."""
    bare = any(form == "e2m1" and not scale for form, scale in zip(forms, scales, strict=True))
    return not (bare and chip in ("gfx908", "gfx90a", "gfx942"))


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("forms", tuple(every(FORMS, FORMS)), ids="-".join)
def test_scaled_products(chip, forms):
    pick = random.Random(f"{chip}{forms}")
    for scales in every((True, False), (True, False)):
        given = tuple(
            scale and form.startswith("e") for scale, form in zip(scales, forms, strict=True)
        )
        if not _answered_by_triton(chip, forms, given):
            continue
        shape = (pick.choice(SIZES[3:]), pick.choice(SIZES[3:]), pick.choice((32, 64, 128, 256)))
        text = scaled_product(
            chip,
            shape,
            forms,
            scales=given,
            warps=pick.choice((1, 2, 4, 8)),
            fast_math=pick.random() < 0.5,
        )
        _same(text, OPTIONS % (chip, 1, pick.choice((0, 0, 16, 32))))
