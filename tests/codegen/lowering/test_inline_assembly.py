"""Inline PTX: the simulator's registers compared with the interpreter's packs."""

from __future__ import annotations

import numpy as np
import pytest

import weft
import weft.language as tl
from tests.codegen.comparing import require_same
from weft.codegen import lower
from weft.errors import CodegenError
from weft.simulator import run as simulate


@weft.jit
def each(x, y, N: tl.constexpr, ASM: tl.constexpr, CONSTRAINTS: tl.constexpr, PACK: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    kind: tl.constexpr = y.dtype.element_ty
    tl.store(y + i, tl.inline_asm_elementwise(ASM, CONSTRAINTS, [tl.load(x + i)], kind, True, PACK))


@weft.jit
def pairs_of(x, y, z, N: tl.constexpr, ASM: tl.constexpr, C: tl.constexpr, PACK: tl.constexpr):
    i = tl.arange(0, N)
    kinds: tl.constexpr = (y.dtype.element_ty, z.dtype.element_ty)
    inputs = [tl.load(x + i), i.to(tl.int32)]
    a, b = tl.inline_asm_elementwise(ASM, C, inputs, kinds, True, PACK)
    tl.store(y + i, a)
    tl.store(z + i, b)


CASES = [
    ("fp32", "fp32", 1, "=f,f", "{.reg .f32 t; abs.f32 t, $1; rsqrt.approx.ftz.f32 $0, t;}"),
    ("fp32", "fp32", 1, "=r,r", "tanh.approx.f32 $0, $1;"),
    ("fp16", "fp16", 2, "=r,r", "{.reg .b32 m; mov.b32 m, 0x3c004000; fma.rn.f16x2 $0, $1, m, m;}"),
    ("bf16", "bf16", 2, "=r,r", "max.xorsign.abs.bf16x2 $0, $1, 0x3f803f80;"),
    ("fp32", "bf16", 2, "=r,f,f", "cvt.rn.bf16x2.f32 $0, $2, $1;"),
    ("i8", "i8", 4, "=r,r", "lop3.b32 $0, $1, 0x55555555, 0x0F0F0F0F, 0x6a;"),
    ("i32", "i8", 1, "=r,r", "{.reg .pred p; setp.gt.s32 p, $1, 0; selp.b32 $0, 1, -1, p;}"),
    ("i32", "i32", 1, "=r,r", "dp4a.s32.s32 $0, $1, 0x01020304, 7;"),
    ("i64", "i64", 1, "=l,l", "mul.hi.u64 $0, $1, $1;"),
    ("fp64", "fp32", 1, "=f,d", "cvt.rz.f32.f64 $0, $1;"),
    ("i16", "i16", 1, "=h,h", "mul.lo.s16 $0, $1, $1;"),
]


@pytest.mark.parametrize(("x", "y", "pack", "constraints", "text"), CASES)
def test_packs(x, y, pack, constraints, text):
    compiled = weft.compile(
        each,
        signature=f"*{x}:16, *{y}:16, constexpr, constexpr, constexpr, constexpr",
        constexprs={"N": 256, "ASM": text, "CONSTRAINTS": constraints, "PACK": pack},
        target="cuda:90",
    )
    require_same(compiled)


def test_packed_bytes():
    """Four bytes in one register, four words in four; two results."""
    moved = "mov.b32 $1, $6; mov.b32 $2, $7; mov.b32 $3, $8;"
    text = "{and.b32 $0, $5, 0x0F0F0F0F; " + moved + " add.s32 $4, $9, 1;}"
    compiled = weft.compile(
        pairs_of,
        signature="*i8:16, *i8:16, *i32:16, constexpr, constexpr, constexpr, constexpr",
        constexprs={"N": 512, "ASM": text, "C": "=r,=r,=r,=r,=r,r,r,r,r,r", "PACK": 4},
        target="cuda:80",
    )
    require_same(compiled)


def test_unsupported_inline_assembly_is_named():
    constexprs: dict[str, object] = {
        "N": 128,
        "ASM": "mov.u32 $0, %smid; // $1",
        "CONSTRAINTS": "=r,r",
        "PACK": 1,
    }
    compiled = weft.compile(
        each,
        signature="*i32:16, *i32:16, constexpr, constexpr, constexpr, constexpr",
        constexprs=constexprs,
        target="cuda:90",
    )
    actual = lower(compiled.module("ttgir"))
    with pytest.raises(CodegenError, match=r"does not support this inline assembly[\s\S]*%smid"):
        simulate(
            actual.text,
            grid=(1,),
            arguments=[np.zeros(128, np.int32)] * 2,
            warp_size=32,
            shared_bytes=actual.shared_bytes,
        )
