"""Compile options that change machine code: FP fusion, maxnreg and waves_per_eu."""

from __future__ import annotations

from typing import Any

import pytest

import weft
import weft.language as tl
from weft.codegen import Machine
from weft.compiler.machine_code import lower_ttgir


@weft.jit
def scaled_sum(x_ptr, out_ptr, BLOCK: tl.constexpr):
    """Multiply and add, which one instruction can do."""
    index = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + index)
    tl.store(out_ptr + index, x * 3.0 + x)


def assembly(machine: Machine, target: str, **options: Any) -> str:
    compiled = weft.compile(
        scaled_sum, signature="*fp32:16, *fp32:16, 128", target=target, **options
    )
    llvm = lower_ttgir(compiled.module("ttgir"), compiled.metadata.options)
    return machine.emit(llvm, "assembly").decode()


@pytest.mark.parametrize(("target", "fused"), [("cuda:90", "fma.rn.f32"), ("hip:gfx942", "_fma")])
def test_fp_fusion(machine, target, fused):
    assert fused in assembly(machine, target)
    apart = assembly(machine, target, enable_fp_fusion=False)
    assert "fma" not in apart


def test_maxnreg(machine):
    assert ".maxnreg 64" in assembly(machine, "cuda:90", maxnreg=64)


def test_waves_per_eu():
    compiled = weft.compile(
        scaled_sum, signature="*fp32:16, *fp32:16, 128", target="hip:gfx942", waves_per_eu=2
    )
    llvm = lower_ttgir(compiled.module("ttgir"), compiled.metadata.options)
    assert '"amdgpu-waves-per-eu"="2"' in llvm.text


@pytest.mark.parametrize(
    ("options", "attribute"),
    [
        ({"schedule_hint": "memory-bound-attention"}, '"amdgpu-sched-strategy"="iterative-ilp"'),
        ({"allow_flush_denorm": True}, '"denormal-fp-math-f32"="preserve-sign"'),
    ],
)
def test_attributes_of_amd_kernels(machine, options, attribute):
    for values, count in (({}, 0), (options, 1)):
        compiled = weft.compile(
            scaled_sum, signature="*fp32:16, *fp32:16, 128", target="hip:gfx942", **values
        )
        llvm = lower_ttgir(compiled.module("ttgir"), compiled.metadata.options)
        assert llvm.text.count(attribute) == count
        machine.emit(llvm, "assembly")


@weft.jit
def transposed(x_ptr, out_ptr, BLOCK: tl.constexpr):
    """Transpose a tile, which goes through shared memory."""
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i[:, None] * BLOCK + i[None, :])
    tl.store(out_ptr + i[:, None] * BLOCK + i[None, :], tl.trans(x))


def test_shared_memory_is_that_of_the_generated_code():
    compiled = weft.compile(transposed, signature="*fp32:16, *fp32:16, 64", target="hip:gfx942")
    llvm = lower_ttgir(compiled.module("ttgir"), compiled.metadata.options)
    assert compiled.metadata.shared == llvm.shared_bytes > 0
