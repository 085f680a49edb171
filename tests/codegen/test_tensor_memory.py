"""Dots in tensor memory, as one thread issues them: every type, size and place of operands."""

from __future__ import annotations

import pytest

from tests.codegen.comparing import require_same
from tests.codegen.test_tensor_cores import compiled, tolerance
from weft.codegen import lower

KINDS = [
    ("fp16", "fp32", (128, 64, 64), 4, "kind::f16"),
    ("fp16", "fp32", (64, 32, 32), 4, "kind::f16"),
    ("fp16", "fp32", (256, 64, 16), 8, "kind::f16"),
    ("fp16", "fp16", (128, 32, 32), 4, "kind::f16"),
    ("bf16", "fp32", (128, 128, 32), 8, "kind::f16"),
    ("bf16", "fp32", (64, 128, 64), 4, "kind::f16"),
    ("fp32", "fp32", (128, 32, 32), 4, "kind::tf32"),
    ("fp32", "fp32", (64, 64, 16), 4, "kind::tf32"),
    ("fp8e4nv", "fp32", (128, 64, 64), 4, "kind::f8f6f4"),
    ("fp8e5", "fp32", (64, 64, 128), 4, "kind::f8f6f4"),
]


@pytest.mark.parametrize(("kind", "total", "sizes", "warps", "instruction"), KINDS)
@pytest.mark.parametrize("turned", [(False, False), (True, True)])
def test_the_tensor_cores_multiply_every_type(kind, total, sizes, warps, instruction, turned):
    made = compiled("cuda:100", kind, total, sizes, warps, turned)
    text = lower(made.module("ttgir")).text
    assert f"tcgen05.mma.cta_group::1.{instruction} " in text
    require_same(made, tolerance=tolerance(kind, total))
