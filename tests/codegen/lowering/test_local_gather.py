"""`ttg.local_gather` and `ttg.local_scatter` in every kind of layout."""

from __future__ import annotations

import numpy as np
import pytest

from weft.codegen import Machine, lower
from weft.ir.text import parse_module
from weft.simulator import run as simulate

PLAIN = "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>"
COLUMNS = "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>"
SWIZZLED = "#ttg.swizzled_shared<{vec = 4, perPhase = 2, maxPhase = 4, order = [1, 0]}>"
NVMMA = "#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>"
PADDED = (
    "#ttg.padded_shared<[64:+8] {offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], "
    "[2, 0], [4, 0], [8, 0]], block = []}>"
)
LANES = {"cuda:90": 32, "hip:gfx942": 64, "hip:gfx1250": 32}
NUMPY = {"f16": np.float16, "f32": np.float32, "i8": np.int8, "i64": np.int64, "i1": np.bool_}


def text(chip: str, shared: str, kind: str, index: str, axis: int, view: str = "") -> str:
    """Return a kernel: y = buffer of x gathered along an axis; scattered to a second one, z."""
    lanes = LANES[chip]
    whole = f"tensor<16x32x{kind}, #b>"
    memory = f"!ttg.memdesc<16x32x{kind}, #s, #smem, mutable>"
    loads = []
    pointers = {"x": kind, "i": index, "y": kind, "z": kind}
    for name, pointee in pointers.items():
        loads.append(
            f"  %{name}s = tt.splat %{name} : !tt.ptr<{pointee}> -> "
            f"tensor<16x32x!tt.ptr<{pointee}>, #b>\n"
            f"  %{name}p = tt.addptr %{name}s, %o : tensor<16x32x!tt.ptr<{pointee}>, #b>, "
            "tensor<16x32xi32, #b>"
        )
    return f"""
#b = #ttg.blocked<{{sizePerThread = [1, 2], threadsPerWarp = [4, {lanes // 4}],
 warpsPerCTA = [2, 1], order = [1, 0]}}>
#s = {shared}
#smem = #ttg.shared_memory
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32,
 ttg.target = "{chip}", "ttg.threads-per-warp" = {lanes} : i32}} {{
tt.func public @k({", ".join(f"%{name}: !tt.ptr<{one}>" for name, one in pointers.items())}) {{
  %r0 = tt.make_range {{start = 0 : i32, end = 16 : i32}} : tensor<16xi32, #ttg.slice<{{dim = 1, parent = #b}}>>
  %r = tt.expand_dims %r0 {{axis = 1 : i32}} : tensor<16xi32, #ttg.slice<{{dim = 1, parent = #b}}>> -> tensor<16x1xi32, #b>
  %c0 = tt.make_range {{start = 0 : i32, end = 32 : i32}} : tensor<32xi32, #ttg.slice<{{dim = 0, parent = #b}}>>
  %c = tt.expand_dims %c0 {{axis = 0 : i32}} : tensor<32xi32, #ttg.slice<{{dim = 0, parent = #b}}>> -> tensor<1x32xi32, #b>
  %w = arith.constant dense<32> : tensor<16x1xi32, #b>
  %rw = arith.muli %r, %w : tensor<16x1xi32, #b>
  %rb = tt.broadcast %rw : tensor<16x1xi32, #b> -> tensor<16x32xi32, #b>
  %cb = tt.broadcast %c : tensor<1x32xi32, #b> -> tensor<16x32xi32, #b>
  %o = arith.addi %rb, %cb : tensor<16x32xi32, #b>
{chr(10).join(loads)}
  %v = tt.load %xp : tensor<16x32x!tt.ptr<{kind}>, #b>
  %n = tt.load %ip : tensor<16x32x!tt.ptr<{index}>, #b>
  %m = ttg.local_alloc %v : ({whole}) -> {memory}
  %g = ttg.local_gather %m[%n] {{axis = {axis} : i32}} : {memory}, tensor<16x32x{index}, #b> -> {whole}
  tt.store %yp, %g : tensor<16x32x!tt.ptr<{kind}>, #b>
  %e = ttg.local_alloc %v : ({whole}) -> {memory}
  ttg.local_scatter %e[%n], %g {{axis = {axis} : i32}} : {memory}, tensor<16x32x{index}, #b>, {whole}
  %f = ttg.local_load %e : {memory} -> {whole}
  tt.store %zp, %f : tensor<16x32x!tt.ptr<{kind}>, #b>
  tt.return
}}
}}
"""  # noqa: E501


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize(
    ("chip", "shared", "kind", "index"),
    [
        ("cuda:90", PLAIN, "f32", "i32"),
        ("cuda:90", NVMMA, "f16", "i64"),
        ("cuda:90", SWIZZLED, "i8", "i8"),
        ("hip:gfx942", SWIZZLED, "f16", "i32"),
        ("hip:gfx942", COLUMNS, "i64", "i16"),
        ("hip:gfx1250", PADDED, "f16", "i32"),
        ("hip:gfx1250", PLAIN, "i1", "i32"),
    ],
)
def test_local_gather_layouts_and_types(chip, shared, kind, index, axis):
    random = np.random.default_rng(axis)
    x = random.integers(0, 2 if kind == "i1" else 100, (16, 32)).astype(NUMPY[kind])
    # Each place is written once: a permutation along the axis.
    order = np.argsort(random.random((16, 32)), axis=axis)
    y, z = np.zeros_like(x), np.zeros_like(x)
    llvm = lower(parse_module(text(chip, shared, kind, index, axis)))
    inputs = [x, order.astype(f"i{int(index[1:]) // 8}"), y, z]
    simulate(
        llvm.text,
        grid=(1,),
        arguments=inputs,
        warp_size=LANES[chip],
        shared_bytes=llvm.shared_bytes,
    )
    np.testing.assert_array_equal(y, np.take_along_axis(x, order, axis))
    np.testing.assert_array_equal(z, x)


def test_instructions():
    machine = Machine()
    said = machine.emit(
        lower(parse_module(text("hip:gfx1250", PLAIN, "f16", "i32", 1))), "assembly"
    ).decode()
    machine.close()
    assert "ds_load_u16" in said
    assert "ds_store_b16" in said
