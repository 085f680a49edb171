"""`triton.compiler` as weft offers it."""

from __future__ import annotations

import pytest

import weft
import weft.language as tl
from weft.compat.backends.compiler import GPUTarget
from weft.compat.compiler import ASTSource
from weft.compat.compiler import compile as triton_compile
from weft.errors import SignatureError


@weft.jit
def copy(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)


def test_compile_takes_an_ast_source_and_a_gpu_target():
    source = ASTSource(
        copy, {"x": "*fp32", "y": "*fp32", "n": "i32", "BLOCK": "constexpr"}, {"BLOCK": 64}
    )
    from_source = triton_compile(source, target=GPUTarget("cuda", 90, 32), options={"num_warps": 2})
    plain = weft.compile(copy, signature="*fp32, *fp32, i32, 64", target="cuda:90", num_warps=2)
    assert from_source.hash == plain.hash
    assert triton_compile(source).metadata.target == "cpu", "the device that launches go to"


def test_compile_takes_a_kernel_and_a_signature():
    compiled = triton_compile(copy, target="cuda:90", signature="*fp32, *fp32, i32, 64")
    assert compiled.metadata.target == "cuda:90"


def test_an_ast_source_with_another_signature_is_an_error():
    source = ASTSource(copy, "*fp32, *fp32, i32, 64")
    with pytest.raises(SignatureError, match="an ASTSource has its own signature"):
        triton_compile(source, signature="*fp32, *fp32, i32, 64", target="cpu")
