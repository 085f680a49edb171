"""On a GPU: every example's check against numpy, from weft's passes and from Triton's TTGIR.

python -m pytest -m device tests/device
WEFT_RECORDED_TTGIR=FOLDER python -m pytest -m device tests/device      # with both
"""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import ml_dtypes
import numpy as np
import pytest

from tests.examples.loading import EXAMPLES, GLUON_EXAMPLES, load

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.device

RECORDED = os.environ.get("WEFT_RECORDED_TTGIR")
TF32_EPSILON = 2.0**-10  # tensor cores round f32 operands to tf32


@pytest.fixture(autouse=True)
def tensor_cores_read_tf32(monkeypatch):
    """Use the tolerance of tf32 for dots of f32: unlike the CPU, tensor cores round operands."""

    def finfo(dtype):
        if dtype == np.float32:
            return SimpleNamespace(eps=TF32_EPSILON)
        return ml_dtypes.finfo(dtype)

    for name in EXAMPLES:
        if name.startswith(("matmul", "attention")):
            replacement = SimpleNamespace(**vars(ml_dtypes) | {"finfo": finfo})
            monkeypatch.setattr(load(name), "ml_dtypes", replacement)


def run(name, **options):
    from tests.device.on_gpu import on_gpu

    example = load(name)
    with on_gpu(**options) as launched:
        if name == "matmul_fp8":  # the third of its types is one of AMD's
            for dtype in (ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2):
                for out in (np.float32, np.float16, ml_dtypes.bfloat16):
                    example.check(dtype, out, 101, 155, 173)
        else:
            example.main()
    assert launched


@pytest.mark.parametrize("warps", [1, 2, 4, 8])
@pytest.mark.parametrize("name", EXAMPLES)
def test_passes_of_weft(name, warps):
    run(name, num_warps=warps)


@pytest.mark.parametrize("name", GLUON_EXAMPLES)
def test_gluon(name):
    """The layouts of these kernels fix the number of warps."""
    run(name)


@pytest.mark.parametrize("stages", [1, 2, 4, 5])
@pytest.mark.parametrize(
    "name", [each for each in EXAMPLES if "matmul" in each or "attention" in each]
)
def test_software_pipelines(name, stages):
    run(name, num_stages=stages)


@pytest.mark.skipif(RECORDED is None, reason="WEFT_RECORDED_TTGIR names no folder of recordings")
@pytest.mark.parametrize("name", EXAMPLES)
def test_final_ttgir_of_triton(name):
    assert RECORDED is not None
    run(name, num_warps=4, recorded=Path(RECORDED))
