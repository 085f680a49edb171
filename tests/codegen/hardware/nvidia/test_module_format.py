"""LLVM's passes over NVPTX modules."""

from __future__ import annotations

import re

import pytest

import weft
import weft.language as tl
from weft.codegen.backend.worker import WHOLE_PIPELINE
from weft.codegen.hardware import hardware_of
from weft.codegen.llvm.module import Launch, LlvmModule
from weft.targets import target


@weft.jit
def scale(x, y, N: tl.constexpr):
    offsets = tl.arange(0, N)
    values = tl.load(x + offsets)
    tl.store(y + offsets, (values * 3.0 + values) * values)


@weft.jit
def four_iterations(x, y, N: tl.constexpr):
    offsets = tl.arange(0, N)
    start = tl.program_id(1) * 4  # at most 65535 * 4: nothing wraps
    for k in range(start, min(start + 4, 32)):
        tl.store(y + k * N + offsets, tl.load(x + k * N + offsets) + 1.0)


def passes(text: str) -> tuple[str, ...]:
    chip = target("cuda:90")
    module = LlvmModule(text, "kernel", chip, Launch(4))
    return hardware_of(chip).module_format.passes(module)


LOOP = "%v1 = phi i32 [ 0, %entry ], [ %v2, %body ]"


@pytest.mark.parametrize("name", ["mma.sync.aligned", "wgmma.mma_async.sync", "tcgen05.mma.cta"])
def test_few_passes_for_matrix_instructions(name):
    assert WHOLE_PIPELINE not in passes(f'{LOOP}\n  call void asm "{name}.x", ""()')


def test_passes_for_loops_and_16_bit_floats():
    whole = (WHOLE_PIPELINE,)
    assert passes(LOOP) == whole
    assert passes("  %v1 = fmul fast half %v0, %v0") == whole
    assert passes("  %v1 = fadd bfloat %v0, %v0") == whole
    assert passes("  %v1 = fadd float %v0, %v0") != whole


def ptx_of(kernel: weft.JITFunction, type_: str, constant: int) -> str:
    signature = f"{type_}:16, {type_}:16, {constant}"
    compiled = weft.compile(kernel, signature=signature, target="cuda:90")
    return compiled.asm["ptx"]


def test_pairs_of_16_bit_floats():
    ptx = ptx_of(scale, "*fp16", 1024)
    assert ptx.count("mul.f16x2") == ptx.count("fma.rn.f16x2") == 4  # of 8 elements
    assert not re.search(r"(mul|fma\.rn|add)\.f16\s", ptx)


def test_a_loop_of_four_iterations_counts_to_four():
    # Where programs beyond the last loop leave, `min(start + 4, 32)` is `start + 4`.
    ptx = ptx_of(four_iterations, "*fp32", 128)
    assert "min.s32" not in ptx
    assert len(re.findall(r"setp\.ne\.\w+", ptx)) == 1  # the end of a loop of known length
