"""The shared memory of a kernel is known without lowering it, and is that of the lowered kernel."""

from __future__ import annotations

import re

import pytest

import weft
import weft.language as tl
from weft.codegen import lower
from weft.codegen.lowering.kernel_shared_memory import shared_bytes
from weft.ir.text import parse_module, print_module
from weft.passes import run_pipeline
from weft.passes.pipeline_text import parse_pipeline


@weft.jit(noinline=True)
def transposed(x):
    return tl.trans(x) + tl.sum(x)


@weft.jit
def calls(x, y):
    i = tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :]
    tl.store(y + i, transposed(tl.load(x + i)))


@weft.jit
def product(x, y, n, SPECIALIZE: tl.constexpr):
    i = tl.arange(0, 128)
    tile = i[:, None] * 128 + i[None, :]
    a = tl.make_tensor_descriptor(x, [n, n], [n, 1], [128, 128])
    total = tl.zeros((128, 128), tl.float32)
    for k in tl.range(0, n, 128, warp_specialize=SPECIALIZE):
        total = tl.dot(a.load([0, k]), a.load([k, 0]), total)
    tl.store(y + tile, total.to(tl.float16))


PRODUCT = (product, "*fp16:16, *fp16:16, i32:16, constexpr")


@pytest.mark.parametrize(
    ("kernel", "target", "options"),
    [
        ((calls, "*fp32:16, *fp32:16"), "cuda:90", {}),
        ((calls, "*fp32:16, *fp32:16"), "hip:gfx942", {}),
        (PRODUCT, "cuda:80", {}),
        (PRODUCT, "cuda:90", {"num_stages": 2}),
        (PRODUCT, "cuda:100", {"num_stages": 2}),
        (PRODUCT, "hip:gfx950", {}),
    ],
    ids=lambda value: value[0].name if isinstance(value, tuple) else str(value),
)
def test_of_a_lowered_kernel(kernel, target, options):
    function, signature = kernel
    for specialize in (False, True) if "cuda:100" in target else (False,):
        constexprs = {"SPECIALIZE": specialize} if function is product else None
        compiled = weft.compile(
            function, signature=signature, constexprs=constexprs, target=target, **options
        )
        expected = lower(compiled.module("ttgir")).shared_bytes
        assert expected > 0
        assert compiled.metadata.shared == expected


def test_of_a_kernel_above_the_limit():
    compiled = weft.compile(
        product, signature=PRODUCT[1], constexprs={"SPECIALIZE": False}, target="cuda:90",
        num_stages=8,
    )  # fmt: skip
    assert compiled.metadata.shared is not None
    assert compiled.metadata.shared > 232448


def test_of_kernels_without_one():
    assert shared_bytes(parse_module("module {}")) is None
    cpu = weft.compile(calls, signature="*fp32:16, *fp32:16", target="cpu")
    assert cpu.metadata.shared is None


ALLOCATION = {
    "cuda:100": "allocate-shared-memory-nv{compute-capability=100},triton-tensor-memory-allocation",
    "hip:gfx950": "allocate-amdgpu-shared-memory",
}


@pytest.mark.parametrize("target", ALLOCATION)
@pytest.mark.parametrize("offset", [None, 0])
def test_offsets_in_the_module_do_not_matter(target, offset):
    """A dump may have offsets by Triton's sizes, which are not those of these lowerings."""
    compiled = weft.compile(
        product,
        signature=PRODUCT[1],
        constexprs={"SPECIALIZE": False},
        target=target,
        stop_after="ttgir",
    )
    text = compiled.asm["ttgir"]
    expected = lower(parse_module(text))
    module = parse_module(text)
    run_pipeline(parse_pipeline(ALLOCATION[target]), module)
    placed = print_module(module)
    assert "allocation.offset" in placed
    if offset is not None:
        placed = re.sub(r"(offset|ttg\.shared|memory_size) = \d+", rf"\1 = {offset}", placed)
    actual = lower(parse_module(placed))
    assert actual.text == expected.text
    assert actual.shared_bytes == expected.shared_bytes
