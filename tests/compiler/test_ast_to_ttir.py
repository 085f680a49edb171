"""What is checked of the front end's IR."""

from __future__ import annotations

import pytest

import weft
from tests.examples.loading import load
from weft.errors import VerifyError


@pytest.mark.parametrize(("chip", "layout"), [("cuda:90", "LAYOUT"), ("hip:gfx942", "WAVE64")])
@pytest.mark.parametrize("warps", [1, 4, 8])
def test_layouts_of_gluon_kernels_fit_the_number_of_warps(chip, layout, warps):
    example = load("gluon_transpose")
    constexprs = {
        "BLOCK_M": 32,
        "BLOCK_N": 32,
        "layout": getattr(example, layout),
        "memory": example.MEMORY,
    }

    def compiled():
        return weft.compile(
            example.transpose,
            signature="*fp32:16, *fp32:16, i32, i32",
            constexprs=constexprs,
            target=chip,
            num_warps=warps,
        )

    if warps == 4:
        assert "ttg.local_alloc" in compiled().asm["ttgir"]
    else:
        message = f"Layout has 4 warps per CTA, but the context requires {warps} warps"
        with pytest.raises(VerifyError, match=message):
            compiled()
