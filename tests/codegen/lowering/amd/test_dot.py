"""MFMA and WMMA: every instruction of every chip, operand orders, small K, batches and scales."""

from __future__ import annotations

from copy import deepcopy

import numpy as np
import pytest

import weft
import weft.language as tl
from tests.codegen.comparing import kernel_of
from tests.codegen.dot_texts import dot_text, mfma, scaled_dot_text, wmma
from weft.codegen import lower
from weft.errors import CodegenError
from weft.interpreter import run as interpret
from weft.ir.text import parse_module
from weft.simulator import run as simulate
from weft.targets.matrix_units import MatrixInstruction, matrix_units
from weft.testing.pass_equivalence import random_argument

CHIPS = ("gfx908", "gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250")
SIMULATED = {"gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1250"}


def require_same(text: str, tolerance: float = 2e-2) -> None:
    """Require that the interpreter and the simulator leave the same memory."""
    module = parse_module(text)
    kernel, llvm = kernel_of(module), lower(module)
    random = np.random.default_rng(1)
    types = kernel.function_type.inputs.data
    expected = [random_argument(type_, 1 << 14, random) for type_ in types]
    simulated = deepcopy(expected)
    interpret(module, kernel.symbol, (1,), expected)
    simulate(
        llvm.text,
        grid=(1,),
        arguments=simulated,
        warp_size=llvm.target.threads_per_warp,
        shared_bytes=llvm.shared_bytes,
    )
    wide = [np.asarray(each[2]).astype(np.float64) for each in (simulated, expected)]
    np.testing.assert_allclose(wide[0], wide[1], tolerance, tolerance)


def text_of(chip: str, row: MatrixInstruction, *, transposed: bool, k: int = 0) -> str:
    """Return a dot of two tiles by one instruction, whose depth is that of the tiles or another."""
    units = matrix_units(chip)
    shape = (row.m, row.n, row.k)
    depth = k or row.k * (row.blocks if row.k_of_one_block else 1)
    if units.family == "mfma":
        bits = 64 if row.d == "f64" else 32
        layout = mfma(units.version, shape, transposed=transposed, bits=bits)
        k_width = row.elements
    else:
        layout = wmma(units.version, shape, transposed=transposed)
        k_width = row.elements if units.version < 3 else min(8, row.elements)
    a, b = ("f32" if kind == "xf32" else kind for kind in (row.a, row.b))
    precision = "tf32" if row.a == "xf32" else ""
    sizes = (2 * row.m, row.n, depth)
    return dot_text(chip, layout, (a, b, row.d), sizes, k_width=k_width, precision=precision)


def rows_of(chip: str) -> list[MatrixInstruction]:
    return [row for row in matrix_units(chip).matrix if not row.scaled and row.a != "i4"]


@pytest.mark.parametrize("chip", CHIPS)
def test_llvm_selects_every_instruction(chip, machine):
    for row in rows_of(chip):
        module = lower(parse_module(text_of(chip, row, transposed=row.m > row.n)))
        assert f"@llvm.amdgcn.{row.name}" in module.text
        assembly = machine.emit(module, "assembly").decode()
        assert f"v_{row.name.split('.')[0]}_" in assembly, row.name


@pytest.mark.parametrize("chip", sorted(SIMULATED))
def test_every_instruction_multiplies(chip):
    for row in rows_of(chip):
        for transposed in {row.m >= row.n, row.m > row.n}:
            require_same(text_of(chip, row, transposed=transposed))


@pytest.mark.parametrize(
    ("chip", "name", "k"),
    [
        ("gfx942", "mfma.f32.16x16x32.fp8.bf8", 16),
        ("gfx942", "mfma.f32.16x16x32.fp8.bf8", 8),
        ("gfx942", "mfma.f32.16x16x32.fp8.bf8", 4),
        ("gfx950", "mfma.i32.16x16x64.i8", 16),
        ("gfx950", "mfma.f32.32x32x16.f16", 8),
        ("gfx90a", "mfma.f32.4x4x4f16", 16),
        ("gfx1201", "wmma.f32.16x16x16.f16", 8),
        ("gfx1250", "wmma.f32.16x16x32.f16", 8),
        ("gfx950", "mfma.f32.16x16x4f32", 2),
        ("gfx90a", "mfma.f64.16x16x4f64", 2),
    ],
)
def test_k_smaller_than_the_instruction(chip, name, k):
    row = next(row for row in rows_of(chip) if row.name == name)
    require_same(text_of(chip, row, transposed=True and row.m >= row.n, k=k))


@pytest.mark.parametrize("k_width", [4, 8, 16])
def test_larger_k_width(k_width):
    layout = mfma(3, (16, 16, 16))
    require_same(dot_text("gfx942", layout, ("f16", "f16", "f32"), (32, 32, 64), k_width=k_width))


def test_results_smaller_than_a_tile():
    kinds = ("f16", "f16", "f32")
    for sizes in ((16, 32, 16), (32, 8, 16), (4, 16, 8)):
        require_same(dot_text("gfx942", mfma(3, (32, 32, 8)), kinds, sizes, k_width=4))
    require_same(dot_text("gfx1201", wmma(2, (16, 16, 16)), kinds, (8, 16, 16), k_width=8))


def test_batches():
    layout = mfma(3, (16, 16, 16), warps="2, 1, 1")
    kinds = ("f16", "f16", "f32")
    require_same(dot_text("gfx942", layout, kinds, (16, 32, 32), k_width=4, batch=2))
    layout = wmma(2, (16, 16, 16), warp="[1, 0, 0]")
    require_same(dot_text("gfx1201", layout, kinds, (16, 32, 32), k_width=8, batch=2))


def _scales(chip: str, side: int, other: str, blocks: int) -> str:
    """Return a layout of scales [2 · side, blocks] for two warps; other: the warp's vector."""
    rows = [f"[{1 << bit}, 0]" for bit in range(side.bit_length() - 1)]
    lanes = 6 if chip == "gfx950" else 5
    if chip == "gfx950":
        rest = [f"[0, {1 << bit}]" for bit in range(lanes - len(rows))]
        first = 1 << len(rest)
    else:
        rest, first = ["[0, 0]"], 1
    registers = [f"[0, {first << bit}]" for bit in range((blocks // first).bit_length() - 1)]
    return (
        f"#ttg.linear<{{register = [{', '.join(registers)}], lane = [{', '.join(rows + rest)}], "
        f"warp = [{other}], block = []}}>"
    )


def scaled_text(chip: str, side: int, k: int, formats: tuple[str, str], scaled: str = "st") -> str:
    deep = {"gfx950": 64 if side == 32 else 128, "gfx1250": 128}[chip]
    own = mfma(4, (side, side, deep)) if chip == "gfx950" else wmma(3, (16, 16, 128))
    packed = own if chip == "gfx950" else wmma(3, (16, 16, 64))
    scales = (
        _scales(chip, side, f"[{side}, 0]", k // 32) if "s" in scaled else "",
        _scales(chip, side, "[0, 0]", k // 32) if "t" in scaled else "",
    )
    left, right = (packed if kind == "e2m1" else "#mma" for kind in formats)
    return scaled_dot_text(chip, own, formats, (2 * side, side, k), scales, parents=(left, right))


@pytest.mark.parametrize(("chip", "side"), [("gfx950", 32), ("gfx950", 16), ("gfx1250", 16)])
@pytest.mark.parametrize(
    "formats", [("e4m3", "e4m3"), ("e5m2", "e2m1"), ("e2m1", "e4m3"), ("e2m1", "e2m1")]
)
def test_scaled_dots(chip, side, formats, machine):
    text = scaled_text(chip, side, 256, formats)
    require_same(text)
    assembly = machine.emit(lower(parse_module(text)), "assembly").decode()
    assert "v_mfma_scale_f32" in assembly or "v_wmma_scale_f32" in assembly


@pytest.mark.parametrize(("chip", "scaled"), [("gfx950", "s"), ("gfx950", ""), ("gfx1250", "t")])
def test_missing_scales_are_one(chip, scaled, machine):
    text = scaled_text(chip, 16, 128, ("e4m3", "e5m2"), scaled)
    require_same(text)
    assembly = machine.emit(lower(parse_module(text)), "assembly").decode()
    assert ("_scale_" in assembly) is (scaled != "")


def refused(text: str) -> str:
    with pytest.raises(CodegenError) as caught:
        lower(parse_module(text))
    return str(caught.value)


def test_unsupported_element_types():
    kinds = ("f16", "f16", "f32")
    text = dot_text("gfx942", mfma(3, (16, 16, 32)), kinds, (32, 16, 32), k_width=8)
    assert "hip:gfx942 has no 16x16x32 of f16, f16 to f32" in refused(text)
    text = dot_text("gfx942", mfma(3, (4, 64, 64)), kinds, (8, 64, 64), k_width=4)
    assert "MFMA with 4 rows does not support a transposed result" in refused(text)


def test_scaled_dot_errors():
    text = scaled_text("gfx950", 32, 128, ("e4m3", "e4m3"))
    assert "operand layout of a scaled dot does not match its matrix instruction" in refused(
        text.replace("kWidth = 16", "kWidth = 8")
    )
    assert "the layout of a dot's scales does not match" in refused(
        text.replace("[2, 0], [4, 0]", "[4, 0], [2, 0]")
    )
    packed = scaled_text("gfx950", 32, 128, ("e2m1", "e4m3"))
    said = packed.replace("{fastMath = false}", "{fastMath = false, lhs_k_pack = false}")
    assert "only operands packed along k" in refused(said)
    assert "hip:gfx950 has no scaled matrix instruction for e2m3" in refused(
        text.replace("lhs = e4m3", "lhs = e2m3")
    )


@weft.jit
def two_scales(
    a_ptr, sa_ptr, b_ptr, sb_ptr, c_ptr,
    M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, A: tl.constexpr, B: tl.constexpr,
):  # fmt: skip
    """A scaled dot of which both operands have scales."""
    m, n, g = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K // 32)
    ka: tl.constexpr = K // 2 if A == "e2m1" else K
    kb: tl.constexpr = K // 2 if B == "e2m1" else K
    a = tl.load(a_ptr + m[:, None] * ka + tl.arange(0, ka)[None, :])
    b = tl.load(b_ptr + tl.arange(0, kb)[:, None] * N + n[None, :])
    sa = tl.load(sa_ptr + m[:, None] * (K // 32) + g[None, :])
    sb = tl.load(sb_ptr + n[:, None] * (K // 32) + g[None, :])
    tl.store(c_ptr + m[:, None] * N + n[None, :], tl.dot_scaled(a, sa, A, b, sb, B))


@pytest.mark.parametrize("chip", ["gfx90a", "gfx942"])
@pytest.mark.parametrize("kinds", [("e4m3", "e4m3"), ("e2m1", "e5m2"), ("e2m1", "e2m1")])
def test_two_scales_without_a_scaled_instruction(chip, kinds):
    rows, columns, depth = 32, 64, 64
    constants = f"{rows}, {columns}, {depth}, '{kinds[0]}', '{kinds[1]}'"
    compiled = weft.compile(
        two_scales, signature=f"*u8, *u8, *u8, *u8, *fp32, {constants}", target=f"hip:{chip}"
    )
    random = np.random.default_rng(0)
    sizes = [rows * depth, rows * depth // 32, columns * depth, columns * depth // 32]
    arguments = [
        random.integers(low, high, size).astype(np.uint8)
        for size, (low, high) in zip(sizes, ((0, 100), (120, 130)) * 2, strict=True)
    ]
    arguments.append(np.zeros(rows * columns, np.float32))  # pyright: ignore[reportArgumentType]
    expected = deepcopy(arguments)
    interpret(compiled.module("ttir"), "two_scales", (1,), expected)
    llvm = lower(compiled.module("ttgir"))
    assert "llvm.amdgcn.mfma" in llvm.text
    simulate(
        llvm.text, grid=(1,), arguments=arguments, warp_size=64, shared_bytes=llvm.shared_bytes
    )
    np.testing.assert_allclose(arguments[4], expected[4], 1e-4, 1e-4 * np.abs(expected[4]).max())
