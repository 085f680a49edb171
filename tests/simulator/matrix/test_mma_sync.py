"""mma.sync against numpy, by the fragments in the PTX ISA."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from tests.simulator.programs import run_text
from weft.errors import CodegenError

LANE = np.arange(32)


def fragments(a: np.ndarray, words: int, group: int) -> np.ndarray:
    """Compute the registers [lane, register] of an operand [row, k]."""
    each = 4 // a.dtype.itemsize
    lanes = []
    for lane in range(32):
        row = []
        for word in range(words):
            r = lane // 4 + 8 * (word % group)
            k = 4 * each * (word // group) + each * (lane % 4)
            row.append(np.ascontiguousarray(a[r, k : k + each]).view(np.int32)[0])
        lanes.append(row)
    return np.array(lanes, np.int32)


MMA = [
    ("f16", np.float16, 16, "f32"),
    ("bf16", ml_dtypes.bfloat16, 16, "f32"),
    ("s8", np.int8, 32, "s32"),
    ("e4m3", ml_dtypes.float8_e4m3fn, 32, "f32"),
]


@pytest.mark.parametrize(("name", "kind", "k", "total"), MMA)
def test_product(name, kind, k, total):
    random = np.random.default_rng(2)
    a, b = (random.integers(-4, 5, (n, k)).astype(kind) for n in (16, 8))
    words_of_lanes = np.concatenate([fragments(a, 4, 2), fragments(b, 2, 1)], axis=1)
    llvm, dtype = ("i32", np.int32) if total == "s32" else ("float", np.float32)
    zero = "0" if llvm == "i32" else "0.0"
    result = np.zeros((32, 4), dtype)
    lines = ["  %base = mul i32 %i, 6"]
    for n in range(6):
        lines += [
            f"  %n{n} = add i32 %base, {n}",
            f"  %a{n} = getelementptr i32, ptr addrspace(1) %p0, i32 %n{n}",
            f"  %w{n} = load i32, ptr addrspace(1) %a{n}, align 4",
        ]
    struct = f"{{ {', '.join([llvm] * 4)} }}"
    arguments = [*(f"i32 %w{n}" for n in range(6)), *[f"{llvm} {zero}"] * 4]
    d, words = "{$0, $1, $2, $3}", "{$4, $5, $6, $7}, {$8, $9}"
    text = f"mma.sync.aligned.m16n8k{k}.row.col.{total}.{name}.{name}.{total} {d}, {words}, {d};"
    lines.append(f'  %d = call {struct} asm "{text}", "=f,=f,=f,=f"({", ".join(arguments)})')
    lines.append("  %first = mul i32 %i, 4")
    for n in range(4):
        lines += [
            f"  %d{n} = extractvalue {struct} %d, {n}",
            f"  %m{n} = add i32 %first, {n}",
            f"  %t{n} = getelementptr {llvm}, ptr addrspace(1) %p1, i32 %m{n}",
            f"  store {llvm} %d{n}, ptr addrspace(1) %t{n}, align 4",
        ]
    run_text("\n".join([*lines, "  ret void"]), [words_of_lanes, result])
    product = a.astype(np.float64) @ b.astype(np.float64).T
    for n in range(4):
        expected = product[LANE // 4 + 8 * (n // 2), 2 * (LANE % 4) + n % 2]
        np.testing.assert_array_equal(result[:, n], expected)


@pytest.mark.parametrize(("modifier", "expected"), [(".satfinite", 2**31 - 1), ("", -(2**31) + 31)])
def test_integers_saturate_if_the_instruction_says_so(modifier, expected):
    """All operands are 1, so that an element grows by k = 32."""
    total = np.full((32, 4), 2**31 - 1, np.int32)
    struct, ones = "{ i32, i32, i32, i32 }", ", ".join([f"i32 {0x01010101}"] * 6)
    d, words = "{$0, $1, $2, $3}", "{$4, $5, $6, $7}, {$8, $9}"
    text = f"mma.sync.aligned.m16n8k32.row.col{modifier}.s32.s8.s8.s32 {d}, {words}, {d};"
    start = ", ".join([f"i32 {2**31 - 1}"] * 4)
    lines = [
        f'  %d = call {struct} asm "{text}", "=r,=r,=r,=r,r,r,r,r,r,r,0,1,2,3"({ones}, {start})',
        f"  %d0 = extractvalue {struct} %d, 0",
        "  %t = getelementptr i32, ptr addrspace(1) %p0, i32 %i",
        "  store i32 %d0, ptr addrspace(1) %t, align 4",
        "  ret void",
    ]
    run_text("\n".join(lines), [total])
    assert total.reshape(-1)[:32].tolist() == [expected] * 32


MMA_F16 = "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            f"{MMA_F16} {{$0, $1, $2, $3}}, {{$5, $4}}, {{$6}}, {{$0, $1, $2, $3}};",
            "register order",
        ),
        (
            f"{MMA_F16} {{$0, $1, $2, $3}}, {{$4, $5}}, {{$6}}, {{$0, $1, $3, $2}};",
            "register order",
        ),
        (
            f"{MMA_F16[:-3]}f16 {{$0, $1, $2, $3}}, {{$4, $5}}, {{$6}}, {{$0, $1, $2, $3}};",
            "different types of C and D",
        ),
    ],
)
def test_unsupported_registers(text, message):
    kind, rest = "{ float, float, float, float }", ", ".join(["float 0.0"] * 4)
    call = f'%d = call {kind} asm "{text}", "=f,=f,=f,=f,r,r,r,0,1,2,3"'
    with pytest.raises(CodegenError, match=message):
        run_text(f"  {call}(i32 %i, i32 %i, i32 %i, {rest}) convergent\n  ret void", [])
