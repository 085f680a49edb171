"""fp4 values and block scales: every code and scale, with and without native instructions."""

from __future__ import annotations

import numpy as np
import pytest

from tests.codegen.running import interpreted, simulated
from weft.codegen import Machine, lower
from weft.errors import CodegenError
from weft.ir.text import parse_module
from weft.targets import target

CHIPS = ("cuda:80", "cuda:90", "cuda:100", "hip:gfx90a", "hip:gfx942", "hip:gfx950", "hip:gfx1100",
         "hip:gfx1201", "hip:gfx1250")  # fmt: skip
WITH_UPCASTS = ("hip:gfx90a", "hip:gfx942")
SCALING = {"hip:gfx950": "bf16", "hip:gfx1250": "i8"}


def kernel(chip: str, layouts: str, arguments: str, body: str, warps: int = 4) -> str:
    """Return a module around the body of a kernel."""
    lanes = target(chip).threads_per_warp
    return f"""
{layouts}
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = {warps} : i32,
                    ttg.target = "{chip}", "ttg.threads-per-warp" = {lanes} : i32}} {{
  tt.func public @k({arguments}) {{
{body}
    tt.return
  }}
}}
"""


def access(name: str, pointer: str, rows: int, columns: int, element: str, layout: str) -> str:
    """Return the lines that make pointers of a row-major tensor, `%<name>_p`."""
    row = f"#ttg.slice<{{dim = 1, parent = {layout}}}>"
    column = f"#ttg.slice<{{dim = 0, parent = {layout}}}>"
    shape = f"{rows}x{columns}"
    return f"""
    %{name}_r = tt.make_range {{end = {rows} : i32, start = 0 : i32}} : tensor<{rows}xi32, {row}>
    %{name}_c = tt.make_range {{end = {columns} : i32, start = 0 : i32}}
        : tensor<{columns}xi32, {column}>
    %{name}_r1 = tt.expand_dims %{name}_r {{axis = 1 : i32}}
        : tensor<{rows}xi32, {row}> -> tensor<{rows}x1xi32, {layout}>
    %{name}_c1 = tt.expand_dims %{name}_c {{axis = 0 : i32}}
        : tensor<{columns}xi32, {column}> -> tensor<1x{columns}xi32, {layout}>
    %{name}_n = arith.constant dense<{columns}> : tensor<{rows}x1xi32, {layout}>
    %{name}_r2 = arith.muli %{name}_r1, %{name}_n : tensor<{rows}x1xi32, {layout}>
    %{name}_r3 = tt.broadcast %{name}_r2
        : tensor<{rows}x1xi32, {layout}> -> tensor<{shape}xi32, {layout}>
    %{name}_c3 = tt.broadcast %{name}_c1
        : tensor<1x{columns}xi32, {layout}> -> tensor<{shape}xi32, {layout}>
    %{name}_i = arith.addi %{name}_r3, %{name}_c3 : tensor<{shape}xi32, {layout}>
    %{name}_s = tt.splat {pointer}
        : !tt.ptr<{element}> -> tensor<{shape}x!tt.ptr<{element}>, {layout}>
    %{name}_p = tt.addptr %{name}_s, %{name}_i
        : tensor<{shape}x!tt.ptr<{element}>, {layout}>, tensor<{shape}xi32, {layout}>
"""


def blocked(name: str, lanes: int, per_thread: tuple[int, int], order: str = "1, 0") -> str:
    """Return a blocked layout of 4 warps, its lanes in rows of 4."""
    return (
        f"{name} = #ttg.blocked<{{sizePerThread = [{per_thread[0]}, {per_thread[1]}], "
        f"threadsPerWarp = [{lanes // 4}, 4], warpsPerCTA = [4, 1], order = [{order}]}}>"
    )


def require_same(text: str, arguments: list[np.ndarray]) -> list[np.ndarray]:
    """Require that the interpreter and the simulator leave the same numbers; return them."""
    module = parse_module(text)
    expected, actual = interpreted(module, arguments), simulated(module, arguments)
    for a, b in zip(expected, actual, strict=True):
        np.testing.assert_array_equal(b.astype(np.float64), a.astype(np.float64))
    return actual


def unpacking(chip: str, after: str, axis: int) -> str:
    """Return a kernel that unpacks bytes along an axis, 4 per thread."""
    lanes = target(chip).threads_per_warp
    per_thread = [1, 1]
    per_thread[axis] = 4
    rows, columns = 4 * (lanes // 4) * per_thread[0], 4 * per_thread[1]
    wide = [rows, columns]
    wide[axis] *= 2
    sizes = (per_thread[0] * (2 if axis == 0 else 1), per_thread[1] * (2 if axis == 1 else 1))
    layouts = "\n".join(
        (blocked("#a", lanes, (per_thread[0], per_thread[1])), blocked("#b", lanes, sizes))
    )
    body = (
        access("x", "%p", rows, columns, "i8", "#a")
        + f"    %x = tt.load %x_p : tensor<{rows}x{columns}x!tt.ptr<i8>, #a>\n"
        + f"    %y = ttg.fp4_to_fp %x {{axis = {axis} : i32}} : tensor<{rows}x{columns}xi8, #a> "
        + f"-> tensor<{wide[0]}x{wide[1]}x{after}, #b>\n"
        + access("y", "%q", wide[0], wide[1], after, "#b")
        + f"    tt.store %y_p, %y : tensor<{wide[0]}x{wide[1]}x!tt.ptr<{after}>, #b>\n"
    )
    return kernel(chip, layouts, f"%p: !tt.ptr<i8>, %q: !tt.ptr<{after}>", body)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("after", ["f16", "bf16"])
@pytest.mark.parametrize("chip", CHIPS)
def test_every_pair_of_fp4_values(chip, after, axis):
    bytes_ = np.resize(np.arange(256, dtype=np.uint8), 4096).view(np.int8)
    require_same(unpacking(chip, after, axis), [bytes_, np.zeros(8192, after_dtype(after))])


def after_dtype(name: str) -> np.dtype:
    from tests.codegen.conversions import DTYPES

    return np.dtype(DTYPES[name])


MFMA = """
#s = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 2], warpsPerCTA = [4, 1],
                   order = [1, 0]}>
#mma = #ttg.amd_mfma<{version = VERSION, warpsPerCTA = [4, 1], instrShape = [32, 32, 8],
                      isTransposed = true}>
#d = #ttg.dot_op<{opIdx = OPERAND, parent = #mma, kWidth = 4}>
#e = #ttg.dot_op<{opIdx = OPERAND, parent = #mma, kWidth = 8}>
"""


def upcasting(chip: str, operand: int, kind: str, after: str) -> str:
    """Return a kernel that scales an operand of a dot of 128 by 64 numbers."""
    layouts = MFMA.replace("OPERAND", str(operand))
    layouts = layouts.replace("VERSION", "2" if chip.endswith("90a") else "3")
    packed = kind == "e2m1"
    outer, k = 128, 64
    read = "i8" if packed else after
    sizes = (outer, k // 2 if packed else k) if operand == 0 else (k // 2 if packed else k, outer)
    unpacked = (outer, k) if operand == 0 else (k, outer)
    layout = "#e" if packed else "#d"
    body = (
        access("x", "%p", *sizes, read, "#d")
        + f"    %x = tt.load %x_p : tensor<{sizes[0]}x{sizes[1]}x!tt.ptr<{read}>, #d>\n"
        + access("t", "%s", outer, 2, "i8", "#s")
        + f"    %t = tt.load %t_p : tensor<{outer}x2x!tt.ptr<i8>, #s>\n"
        + f"    %y = amdg.upcast_mxfp %x, %t fp_type = {kind} {{fastMath = false}} : "
        + f"tensor<{sizes[0]}x{sizes[1]}x{read}, #d>, tensor<{outer}x2xi8, #s> -> "
        + f"tensor<{unpacked[0]}x{unpacked[1]}x{after}, {layout}>\n"
        + access("y", "%q", *unpacked, after, layout)
        + "    tt.store %y_p, %y : "
        + f"tensor<{unpacked[0]}x{unpacked[1]}x!tt.ptr<{after}>, {layout}>\n"
    )
    arguments = f"%p: !tt.ptr<{read}>, %s: !tt.ptr<i8>, %q: !tt.ptr<{after}>"
    return kernel(chip, layouts, arguments, body)


@pytest.mark.parametrize(
    ("kind", "after"), [("e2m1", "f16"), ("e2m1", "bf16"), ("e4m3", "bf16"), ("e5m2", "f16")]
)
@pytest.mark.parametrize("operand", [0, 1])
@pytest.mark.parametrize("chip", WITH_UPCASTS)
def test_scales_apply_to_their_block(chip, operand, kind, after):
    random = np.random.default_rng(0)
    inputs = random.integers(-128, 128, 128 * 32).astype(np.int8)
    if kind != "e2m1":
        inputs = random.integers(-6, 7, 128 * 64).astype(after_dtype(after))
    scales = np.resize(np.r_[np.arange(115, 139), 255], 256).astype(np.uint8).view(np.int8)
    actual = require_same(
        upcasting(chip, operand, kind, after), [inputs, scales, np.zeros(8192, after_dtype(after))]
    )
    assert np.isnan(actual[2].astype(np.float32)).any()


def scaling(chip: str, before: str, after: str, layout: str = "#d") -> str:
    """Return a kernel that multiplies 64 by 128 numbers by a scale each."""
    lanes = target(chip).threads_per_warp
    layouts = f"""
{blocked("#g", lanes, (1, 2))}
{blocked("#h", lanes, (1, 4))}
#mma = #ttg.amd_wmma<{{version = 3, isTranspose = true, ctaLayout = {{warp = [[0, 1], [1, 0]]}},
                       instrShape = [16, 16, 32]}}>
#d = #ttg.dot_op<{{opIdx = 0, parent = #mma, kWidth = 8}}>
#e = #ttg.dot_op<{{opIdx = 0, parent = #mma, kWidth = 4}}>
"""
    if chip.endswith("950"):
        layouts = MFMA.replace("OPERAND", "0").replace("VERSION", "4").replace("#e =", "#f =")
        layouts = layouts.replace("#d =", "#e =").replace("#f =", "#d =")
        layouts += f"{blocked('#g', lanes, (1, 2))}\n{blocked('#h', lanes, (1, 4))}\n"
    fp4 = before == "i8"
    narrow = {"#d": "#e", "#h": "#g"}[layout] if fp4 else layout
    scale, columns = SCALING[chip], 64 if fp4 else 128
    op = "fp4" if fp4 else "fp8"
    attributes = " {axis = 1 : i32}" if fp4 else ""
    body = (
        access("x", "%p", 64, columns, before, narrow)
        + f"    %x = tt.load %x_p : tensor<64x{columns}x!tt.ptr<{before}>, {narrow}>\n"
        + access("t", "%s", 64, 128, scale, layout)
        + f"    %t = tt.load %t_p : tensor<64x128x!tt.ptr<{scale}>, {layout}>\n"
        + f"    %y = amdg.scaled_upcast_{op} %x scale %t{attributes} : "
        + f"tensor<64x{columns}x{before}, {narrow}>, tensor<64x128x{scale}, {layout}> -> "
        + f"tensor<64x128x{after}, {layout}>\n"
        + access("y", "%q", 64, 128, after, layout)
        + f"    tt.store %y_p, %y : tensor<64x128x!tt.ptr<{after}>, {layout}>\n"
    )
    arguments = f"%p: !tt.ptr<{before}>, %s: !tt.ptr<{scale}>, %q: !tt.ptr<{after}>"
    return kernel(chip, layouts, arguments, body)


def scales_for(chip: str, block: int) -> np.ndarray:
    """Return 64 by 128 scales, the same for each block of neighbours of a row."""
    exponents = np.random.default_rng(1).integers(120, 134, (64, 128 // block)).repeat(block, 1)
    if SCALING[chip] == "i8":
        return exponents.astype(np.uint8).view(np.int8).ravel()
    return np.ldexp(1.0, exponents - 127).astype(after_dtype("bf16")).ravel()


@pytest.mark.parametrize(
    ("before", "after"),
    [("i8", "f16"), ("i8", "bf16"), ("f8E4M3FN", "bf16"), ("f8E5M2", "f16")],
)
@pytest.mark.parametrize("chip", SCALING)
def test_dot_operands_use_native_scaling(chip, before, after):
    codes = np.random.default_rng(2).integers(0, 0x78, 64 * 128).astype(np.uint8)
    inputs = codes[:4096].view(np.int8) if before == "i8" else codes.view(after_dtype(before))
    text = scaling(chip, before, after)
    require_same(text, [inputs, scales_for(chip, 32), np.zeros(8192, after_dtype(after))])
    assert "cvt.scale" in lower(parse_module(text)).text


@pytest.mark.parametrize("before", ["i8", "f8E4M3FN"])
@pytest.mark.parametrize("chip", SCALING)
def test_scales_that_differ_within_a_register_group(chip, before):
    codes = np.random.default_rng(2).integers(0, 0x78, 64 * 128).astype(np.uint8)
    inputs = codes[:4096].view(np.int8) if before == "i8" else codes.view(after_dtype(before))
    text = scaling(chip, before, "bf16", "#h")
    require_same(text, [inputs, scales_for(chip, 1), np.zeros(8192, after_dtype("bf16"))])


def test_fp4_in_another_lane_is_rejected():
    text = unpacking("cuda:90", "f16", 1)
    with pytest.raises(CodegenError, match="a thread must hold the bytes of its 4-bit floats"):
        lower(parse_module(text.replace("[1, 8]", "[1, 2]")))
    with pytest.raises(CodegenError, match="one thread must hold both 4-bit floats of a byte"):
        lower(parse_module(text.replace("[1, 8]", "[1, 1]")))


def test_upcast_outside_a_dot_operand_is_rejected():
    text = upcasting("hip:gfx942", 0, "e4m3", "bf16").replace("#d", "#s")
    with pytest.raises(CodegenError, match=r"amdg\.upcast_mxfp must have a dot operand layout"):
        lower(parse_module(text))


def test_llvm_selects_instructions():
    machine = Machine()
    try:
        for chip in CHIPS:
            machine.emit(lower(parse_module(unpacking(chip, "bf16", 1))), "assembly")
        for chip, before in (("hip:gfx950", "i8"), ("hip:gfx1250", "f8E4M3FN")):
            text = machine.emit(lower(parse_module(scaling(chip, before, "bf16"))), "assembly")
            assert b"v_cvt_scale" in text
    finally:
        machine.close()
