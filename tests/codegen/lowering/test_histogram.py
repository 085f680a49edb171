"""`tt.histogram`: types, sizes, masks, replicated layouts and values outside all bins."""

from __future__ import annotations

import pytest

import weft
import weft.language as tl
from tests.codegen.comparing import require_same
from weft.codegen import lower

CHIPS = ("cuda:80", "cuda:90", "hip:gfx90a", "hip:gfx942", "hip:gfx1100", "hip:gfx1201")


@weft.jit
def histogram(x_ptr, mask_ptr, out_ptr, N: tl.constexpr, BINS: tl.constexpr, MASKED: tl.constexpr):
    """Count numbers, negative ones and large ones among them."""
    index = tl.arange(0, N)
    x = tl.load(x_ptr + index) * 3
    mask = tl.load(mask_ptr + index) > 0
    counts = tl.histogram(x, BINS, mask=mask) if MASKED else tl.histogram(x, BINS)
    tl.store(out_ptr + tl.arange(0, BINS), counts)


def counted(chip: str, kind: str, size: int, bins: int, warps: int, *, masked: bool = False):
    return weft.compile(
        histogram,
        signature=f"*{kind}:16, *i8:16, *i32:16, {size}, {bins}, constexpr",
        constexprs={"MASKED": masked},
        target=chip,
        num_warps=warps,
    )


SIZES = [(1024, 128, 4), (64, 16, 1), (32, 1024, 4), (512, 64, 8), (16, 2, 2)]


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize(("size", "bins", "warps"), SIZES)
def test_counts(chip, size, bins, warps, masked):
    require_same(counted(chip, "i32", size, bins, warps, masked=masked), tolerance=0)


@pytest.mark.parametrize("chip", ["cuda:90", "hip:gfx942"])
@pytest.mark.parametrize(("kind", "bins"), [("i8", 64), ("i8", 256), ("i16", 32), ("i64", 32)])
def test_value_types(chip, kind, bins):
    require_same(counted(chip, kind, 256, bins, 4), tolerance=0)


@pytest.mark.parametrize(
    ("chip", "instruction"),
    [("cuda:90", "atom.relaxed.cta.shared.add.u32"), ("hip:gfx942", "ds_add_u32")],
)
def test_one_atomic_per_element(chip, instruction, machine):
    llvm = lower(counted(chip, "i32", 1024, 128, 4).module("ttgir"))
    text = machine.emit(llvm, "assembly").decode()
    assert text.count(instruction) == 1024 // (4 * llvm.target.threads_per_warp)
    assert llvm.shared_bytes == 4 * 128
