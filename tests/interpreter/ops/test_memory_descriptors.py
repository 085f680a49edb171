"""Operations of TTGIR on buffers, and products on them, against numpy."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from weft.interpreter import run
from weft.interpreter.registry import row_for
from weft.ir import amdg
from weft.ir.text import parse_module
from weft.ir.verifier import verify

HEAD = """\
#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#m = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#t = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#tm = #ttng.tensor_memory_encoding<blockM = 64, blockN = 64, colStride = 1>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%x: !tt.ptr<f16>, %y: !tt.ptr<f16>, %o: !tt.ptr<f32>) {
    %true = arith.constant true
    %false = arith.constant false
    %zero = arith.constant dense<1.0> : tensor<64x64xf32, #b>
    %c64 = arith.constant dense<64> : tensor<64x1xi32, #b>
    %r0 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #b}>>
    %r1 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>>
    %i0 = tt.expand_dims %r0 {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #b}>> -> tensor<64x1xi32, #b>
    %i1 = tt.expand_dims %r1 {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1x64xi32, #b>
    %rows = arith.muli %i0, %c64 : tensor<64x1xi32, #b>
    %a0 = tt.broadcast %rows : tensor<64x1xi32, #b> -> tensor<64x64xi32, #b>
    %a1 = tt.broadcast %i1 : tensor<1x64xi32, #b> -> tensor<64x64xi32, #b>
    %at = arith.addi %a0, %a1 : tensor<64x64xi32, #b>
    %xs = tt.splat %x : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #b>
    %xp = tt.addptr %xs, %at : tensor<64x64x!tt.ptr<f16>, #b>, tensor<64x64xi32, #b>
    %xv = tt.load %xp : tensor<64x64x!tt.ptr<f16>, #b>
    %ys = tt.splat %y : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #b>
    %yp = tt.addptr %ys, %at : tensor<64x64x!tt.ptr<f16>, #b>, tensor<64x64xi32, #b>
    %yv = tt.load %yp : tensor<64x64x!tt.ptr<f16>, #b>
    %os = tt.splat %o : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #b>
    %op = tt.addptr %os, %at : tensor<64x64x!tt.ptr<f32>, #b>, tensor<64x64xi32, #b>
"""  # noqa: E501
TAIL = """
    tt.store %op, %r : tensor<64x64x!tt.ptr<f32>, #b>
    tt.return
  }
}
"""
BUFFERS = """
    %a = ttg.local_alloc %xv : (tensor<64x64xf16, #b>) -> !ttg.memdesc<64x64xf16, #s, #smem>
    %b = ttg.local_alloc %yv : (tensor<64x64xf16, #b>) -> !ttg.memdesc<64x64xf16, #s, #smem>
    %bt = ttg.memdesc_trans %b {order = array<i32: 1, 0>} : !ttg.memdesc<64x64xf16, #s, #smem> -> !ttg.memdesc<64x64xf16, #t, #smem>
"""  # noqa: E501
WGMMA = """
    %c = ttg.convert_layout %zero : tensor<64x64xf32, #b> -> tensor<64x64xf32, #m>
    %d = ttng.warp_group_dot %a, %bt, %c, USE {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<64x64xf16, #s, #smem> * !ttg.memdesc<64x64xf16, #t, #smem> -> tensor<64x64xf32, #m>
    %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : tensor<64x64xf32, #m>
    %r = ttg.convert_layout %w : tensor<64x64xf32, #m> -> tensor<64x64xf32, #b>
"""  # noqa: E501
TCGEN = """
    %acc, %tok = ttng.tmem_alloc %zero : (tensor<64x64xf32, #b>) -> (!ttg.memdesc<64x64xf32, #tm, #ttng.tensor_memory, mutable>, !ttg.async.token)
    %done = ttng.tc_gen5_mma %a, %bt, %acc[%tok], USE, PRED : !ttg.memdesc<64x64xf16, #s, #smem>, !ttg.memdesc<64x64xf16, #t, #smem>, !ttg.memdesc<64x64xf32, #tm, #ttng.tensor_memory, mutable>
    %r, %tok2 = ttng.tmem_load %acc[%done] : !ttg.memdesc<64x64xf32, #tm, #ttng.tensor_memory, mutable> -> tensor<64x64xf32, #b>
"""  # noqa: E501
STORED = """
    %m = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf16, #s, #smem, mutable>
    %one = arith.constant 1 : i32
    %part = ttg.memdesc_index %m[%one] : !ttg.memdesc<2x64x64xf16, #s, #smem, mutable> -> !ttg.memdesc<64x64xf16, #s, #smem, mutable>
    ttg.local_store %xv, %part : tensor<64x64xf16, #b> -> !ttg.memdesc<64x64xf16, #s, #smem, mutable>
    %before = ttg.local_load %part : !ttg.memdesc<64x64xf16, #s, #smem, mutable> -> tensor<64x64xf16, #b>
    ttg.local_store %yv, %part : tensor<64x64xf16, #b> -> !ttg.memdesc<64x64xf16, #s, #smem, mutable>
    %again = ttg.local_load %part : !ttg.memdesc<64x64xf16, #s, #smem, mutable> -> tensor<64x64xf16, #b>
    ttg.local_dealloc %m : !ttg.memdesc<2x64x64xf16, #s, #smem, mutable>
    %sum = arith.subf %before, %again : tensor<64x64xf16, #b>
    %r = arith.extf %sum : tensor<64x64xf16, #b> to tensor<64x64xf32, #b>
"""  # noqa: E501


def result_of(body):
    random = np.random.default_rng(0)
    x, y = (random.standard_normal((64, 64)).astype(np.float16) for _ in range(2))
    out = np.full((64, 64), 7, np.float32)
    run(parse_module(HEAD + body + TAIL), "k", (1,), [x, y, out])
    return x.astype(np.float32), y.astype(np.float32), out


@pytest.mark.parametrize("body", [WGMMA, TCGEN], ids=["wgmma", "tcgen05"])
@pytest.mark.parametrize("use", ["%true", "%false"])
def test_products_on_buffers(body, use):
    text = body.replace("USE", use).replace("PRED", "%true")
    x, y, out = result_of(BUFFERS + text)
    np.testing.assert_allclose(out, x @ y.T + (use == "%true"), rtol=1e-5, atol=1e-4)


def test_a_predicate_that_does_not_hold_writes_nothing():
    _, _, out = result_of(BUFFERS + TCGEN.replace("USE", "%true").replace("PRED", "%false"))
    assert (out == 1).all()


def test_a_loaded_value_does_not_change_with_the_buffer():
    x, y, out = result_of(STORED)
    np.testing.assert_allclose(out, (x.astype(np.float16) - y.astype(np.float16)), rtol=1e-3)


AMD = """\
#b = #ttg.blocked<{sizePerThread = [2, 4], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#p = #ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @k(%x: !tt.ptr<i8>, %y: !tt.ptr<bf16>, %n: i32) {
    %c32 = arith.constant dense<32> : tensor<32x1xi32, #p>
    %c64 = arith.constant dense<64> : tensor<32x1xi32, #b>
    %r0 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #p}>>
    %r1 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #p}>>
    %r2 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>>
    %i0 = tt.expand_dims %r0 {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #p}>> -> tensor<32x1xi32, #p>
    %i1 = tt.expand_dims %r1 {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #p}>> -> tensor<1x32xi32, #p>
    %j0 = ttg.convert_layout %i0 : tensor<32x1xi32, #p> -> tensor<32x1xi32, #b>
    %j1 = tt.expand_dims %r2 {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1x64xi32, #b>
    %rp = arith.muli %i0, %c32 : tensor<32x1xi32, #p>
    %rb = arith.muli %j0, %c64 : tensor<32x1xi32, #b>
    %rp2 = tt.broadcast %rp : tensor<32x1xi32, #p> -> tensor<32x32xi32, #p>
    %cp2 = tt.broadcast %i1 : tensor<1x32xi32, #p> -> tensor<32x32xi32, #p>
    %ap = arith.addi %rp2, %cp2 : tensor<32x32xi32, #p>
    %rb2 = tt.broadcast %rb : tensor<32x1xi32, #b> -> tensor<32x64xi32, #b>
    %cb2 = tt.broadcast %j1 : tensor<1x64xi32, #b> -> tensor<32x64xi32, #b>
    %ab = arith.addi %rb2, %cb2 : tensor<32x64xi32, #b>
    %limit = tt.splat %n : i32 -> tensor<32x64xi32, #b>
    %mask = arith.cmpi slt, %ab, %limit : tensor<32x64xi32, #b>
    %v = amdg.buffer_load %x[%ap] : tensor<32x32xi8, #p>
    %s = arith.constant dense<2.0> : tensor<32x64xbf16, #b>
    %w = amdg.scaled_upcast_fp4 %v scale %s {axis = 1 : i32} : tensor<32x32xi8, #p>, tensor<32x64xbf16, #b> -> tensor<32x64xbf16, #b>
    amdg.buffer_store %w, %y[%ab], %mask : tensor<32x64xbf16, #b>
    tt.return
  }
}
"""  # noqa: E501


def test_buffer_instructions_and_fp4():
    x = np.random.default_rng(0).integers(0, 256, (32, 32)).astype(np.uint8)
    y = np.full((32, 64), 9, ml_dtypes.bfloat16)
    run(parse_module(AMD), "k", (1,), [x.view(np.int8), y, 1000])
    codes = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6], np.float32)
    codes = np.concatenate([codes, -codes])
    expected = 2 * np.stack([codes[x & 15], codes[x >> 4]], axis=-1).reshape(-1)
    got = y.astype(np.float32).reshape(-1)
    np.testing.assert_array_equal(got[:1000], expected[:1000])
    assert (got[1000:] == 9).all()


PACKED = """\
#mma = #ttg.amd_mfma<{{version = 4, warpsPerCTA = {warps}, instrShape = [16, 16, 128], isTransposed = true}}>
#d = #ttg.dot_op<{{opIdx = {side}, parent = #mma, kWidth = 16}}>
#s = #ttg.swizzled_shared<{{vec = 16, perPhase = 1, maxPhase = 1, order = {order}}}>
#smem = #ttg.shared_memory
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32}} {{
  tt.func private @k(%m: !ttg.memdesc<{source}xi8, #s, #smem>) -> tensor<{result}xi8, #d> {{
    %r = amdg.local_load_packed_tranposed %m : !ttg.memdesc<{source}xi8, #s, #smem> -> tensor<{result}xi8, #d>
    tt.return %r : tensor<{result}xi8, #d>
  }}
}}
"""  # noqa: E501


@pytest.mark.parametrize(
    ("side", "order", "source", "result"),
    [
        (0, [0, 1], (16, 128), (32, 64)),
        (1, [1, 0], (128, 16), (64, 32)),
        (0, [1, 2, 0], (2, 16, 128), (2, 32, 64)),
        (1, [2, 1, 0], (2, 128, 16), (2, 64, 32)),
    ],
)
def test_a_packed_load_transposes_half_bytes(side, order, source, result):
    """A byte holds elements of two rows before, and of two columns after."""
    text = PACKED.format(
        side=side,
        order=order,
        source="x".join(map(str, source)),
        result="x".join(map(str, result)),
        warps=[1] * (len(source) - 2) + [4, 1],
    )
    module = parse_module(text)
    verify(module)
    (op,) = (op for op in module.walk() if isinstance(op, amdg.LocalLoadPackedTransposedOp))
    memory = np.random.default_rng(0).integers(-128, 128, (3, *source), dtype=np.int8)
    loaded = row_for(op).compile(op)(memory)
    assert loaded.shape == (3, *result)
    assert loaded.dtype == np.int8

    def elements(packed: np.ndarray, axis: int) -> np.ndarray:
        """List the 4-bit elements, those of a byte along an axis."""
        halves = [packed.astype(np.uint8) % 16, packed.astype(np.uint8) // 16]
        size = 2 * packed.shape[axis]
        unpacked = np.empty([*packed.shape[:axis], size, *packed.shape[axis + 1 :]], np.uint8)
        np.moveaxis(unpacked, axis, 0)[0::2] = np.moveaxis(halves[0], axis, 0)
        np.moveaxis(unpacked, axis, 0)[1::2] = np.moveaxis(halves[1], axis, 0)
        return unpacked

    rows, columns = len(source) - 1, len(source)
    packed_axis, other_axis = (rows, columns) if side == 0 else (columns, rows)
    np.testing.assert_array_equal(elements(loaded, other_axis), elements(memory, packed_axis))
