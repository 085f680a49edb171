"""Registers, spills and shared memory of a compiled kernel."""

from __future__ import annotations

import pytest

import weft
import weft.language as tl
from weft.codegen.backend.ptxas import ptxas_for


@weft.jit
def total(x, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(x + i, tl.sum(tl.load(x + i), 0) + 1)


@pytest.mark.parametrize("target", ["cuda:90", "hip:gfx942"])
def test_resources_of_a_gpu(target):
    if target.startswith("cuda") and ptxas_for("sm_90a") is None:
        pytest.skip("no ptxas knows sm_90a")
    compiled = weft.compile(total, signature="*fp32, 1024", target=target)
    assert 0 < compiled.n_regs < 256
    assert compiled.n_spills == 0
    assert compiled.shared == compiled.metadata.shared
    assert compiled.shared > 0


def test_resources_of_the_cpu_device():
    compiled = weft.compile(total, signature="*fp32, 1024", target="cpu")
    assert (compiled.n_regs, compiled.n_spills) == (1, 0)
