"""Dots of random shapes, types and options: the IR is Triton's, on every chip."""

from __future__ import annotations

import random
from itertools import product as cartesian

import pytest

from tests.passes.amd.dot_modules import dot_module, scaled_dot_module
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
FORMATS = ("e4m3", "e5m2", "e2m1", "bf16", "fp16")


def _same(text: str, pipeline: str) -> None:
    module = parse_module(text)
    run_pipeline(parse_pipeline(pipeline), module, verify=True)
    assert print_module(module) == triton_after(text, pipeline), text


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("elements", ELEMENTS, ids="-".join)
def test_dots(chip, elements):
    pick = random.Random(f"{chip}{elements}")
    for _ in range(4):
        m, n, k = (pick.choice(SIZES) for _ in range(3))
        text = dot_module(
            chip,
            (m, n, k),
            elements,
            warps=pick.choice((1, 2, 4, 8, 16)),
            batch=pick.choice((0, 0, 4)),
            precision=pick.choice(("", "tf32")) if elements[0] == "f32" else "",
        )
        # A scaled instruction has no k_pack: Triton aborts on 2.
        is_scaled = elements[0].startswith("f8") and chip == "gfx950"
        k_pack = 1 if is_scaled else pick.choice((1, 2))
        _same(text, OPTIONS % (chip, k_pack, pick.choice((0, 0, 16, 32))))


def _compiles_in_triton(chip: str, formats: tuple[str, str], scales: tuple[bool, bool]) -> bool:
    """Check whether Triton 3.7.1 compiles a dot.

    On CDNA 1 to 3 it aborts on fp4 without scale, and leaves dots with two scales, which its code
    generation refuses; weft decomposes both.
    """
    unscaled_fp4 = any(
        format_ == "e2m1" and not scale for format_, scale in zip(formats, scales, strict=True)
    )
    return chip not in ("gfx908", "gfx90a", "gfx942") or not (unscaled_fp4 or all(scales))


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("formats", tuple(cartesian(FORMATS, FORMATS)), ids="-".join)
def test_scaled_dots(chip, formats):
    pick = random.Random(f"{chip}{formats}")
    for scales in cartesian((True, False), (True, False)):
        left, right = (
            scale and format_.startswith("e")
            for scale, format_ in zip(scales, formats, strict=True)
        )
        if not _compiles_in_triton(chip, formats, (left, right)):
            continue
        shape = (pick.choice(SIZES[3:]), pick.choice(SIZES[3:]), pick.choice((32, 64, 128, 256)))
        text = scaled_dot_module(
            chip,
            shape,
            formats,
            scales=(left, right),
            warps=pick.choice((1, 2, 4, 8)),
            fast_math=pick.random() < 0.5,
        )
        _same(text, OPTIONS % (chip, 1, pick.choice((0, 0, 16, 32))))
