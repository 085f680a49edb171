"""A word of an instruction that the simulator does not follow is an error, not left out."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from tests.simulator.programs import of_each_thread, run_text
from weft.errors import CodegenError
from weft.simulator.registry import find_assembly


@pytest.mark.parametrize(
    "line",
    [
        "ld.global.ca.v2.b32 {$0, $1}, [$4];",
        "@$3 ld.global.L1::evict_last.L2::cache_hint.b32 $0, [$2], $4;",
        "st.global.wt.b16 [$1], $0;",
        "createpolicy.fractional.L2::evict_first.b64 $0, 1.0;",
        "cp.async.ca.shared.global [$0], [$1], 8, $2;",
        "cp.async.cg.shared.global [$0], [$1], 16, $2;",
        "atom.acq_rel.gpu.global.add.noftz.v4.f16x2 {$0, $1, $2, $3}, [$4], {$5, $6, $7, $8};",
        "wgmma.fence.sync.aligned;",
        "tcgen05.ld.sync.aligned.32x32b.x2.b32 {$0, $1}, [$2];",
        "tcgen05.st.sync.aligned.16x64b.x2.unpack::16b.b32 [$0], {$1, $2};",
        "wgmma.wait_group.sync.aligned 1;",
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {$0, $1}, {$2, $3}, {$4}, {$0, $1};",
    ],
)
def test_lines_that_are_known(line):
    found = find_assembly(line)
    assert found is not None
    assert found[0][0] == line


@pytest.mark.parametrize(
    "line",
    [
        "ld.global.cx.v2.b32 {$0, $1}, [$4];",
        "ld.shared.b32 $0, [$2];",
        "ld.global.relaxed.gpu.b32 $0, [$2];",
        "ld.global.v3.b32 {$0, $1, $2}, [$4];",
        "createpolicy.fractional.L2::evict_normal.b64 $0, 1.0;",
        "createpolicy.fractional.L2::evict_first.b64 $0, 0.5;",
        "cp.async.cg.shared.global [$0], [$1], 8, $2;",
        "cp.async.ca.shared.global [$0], [$1], 2, $2;",
        "atom.weak.gpu.global.add.u32 $0, [$1], $2;",
        "atom.relaxed.cluster.global.add.u32 $0, [$1], $2;",
        "atom.relaxed.gpu.global.nand.b32 $0, [$1], $2;",
        "wgmma.fence.aligned;",
        "tcgen05.ld.sync.aligned.64x32b.x2.b32 {$0, $1}, [$2];",
        "tcgen05.st.sync.aligned.16x512b.x1.b32 [$0], {$1, $2};",
        "wgmma.wait_group.sync.aligned $0;",
        "mma.sync.aligned.m16n8k8.row.row.f32.tf32.tf32.f32 {$0, $1}, {$2, $3}, {$4}, {$0, $1};",
        "mma.sync.aligned.m16n8k8.row.col.satfinite.s32.s8.s8.s32 {$0}, {$1}, {$2}, {$0};",
    ],
)
def test_lines_that_are_not(line):
    assert find_assembly(line) is None
    with pytest.raises(CodegenError, match="does not know this assembly"):
        run_text(f'  call void asm sideeffect "{line}", ""()\n  ret void', [])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("@llvm.nvvm.shfl.sync.bfly.i32(i32 3, i32 %i, i32 1, i32 31)", "shfl.sync of some lanes"),
        ("@llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %i, i32 1, i32 7199)", "within parts of a"),
        ("@llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %i, i32 1, i32 7)", "shfl.sync that clamps"),
        ("@llvm.nvvm.redux.sync.add.i32(i32 %i, i32 1)", "redux.sync of some lanes"),
    ],
)
def test_lanes_that_are_left_out(call, message):
    with pytest.raises(CodegenError, match=message):
        run_text(f"  %a = call i32 {call}\n  ret void", [np.zeros(1, np.int32)])


def test_half_a_warp_at_a_barrier_of_the_warp():
    body = """
  %low = icmp ult i32 %i, 16
  br i1 %low, label %then, label %done
then:
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  br label %done
done:
  ret void"""
    with pytest.raises(CodegenError, match=r"bar\.warp\.sync while some lanes"):
        run_text(body, [np.zeros(1, np.int32)])


MMA = "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{MMA} {{$0, $1, $2, $3}}, {{$5, $4}}, {{$6}}, {{$0, $1, $2, $3}};", "in an order"),
        (f"{MMA} {{$0, $1, $2, $3}}, {{$4, $5}}, {{$6}}, {{$0, $1, $3, $2}};", "in an order"),
        (
            f"{MMA[:-3]}f16 {{$0, $1, $2, $3}}, {{$4, $5}}, {{$6}}, {{$0, $1, $2, $3}};",
            "converts its sum",
        ),
    ],
)
def test_registers_of_products_in_another_order(text, message):
    kind, rest = "{ float, float, float, float }", ", ".join(["float 0.0"] * 4)
    call = f'%d = call {kind} asm "{text}", "=f,=f,=f,=f,r,r,r,0,1,2,3"'
    with pytest.raises(CodegenError, match=message):
        run_text(f"  {call}(i32 %i, i32 %i, i32 %i, {rest}) convergent\n  ret void", [])


def test_a_policy_of_caches_goes_with_the_hint():
    line = 'call i32 asm sideeffect "ld.global.b32 $0, [$2], $3;", "=r,0,l,l"'
    given = "i32 0, ptr addrspace(1) %p0, i64 0"
    with pytest.raises(CodegenError, match="a cache hint goes with a policy"):
        run_text(f"  %a = {line}({given})\n  ret void", [np.zeros(1, np.int32)])


@pytest.mark.parametrize(
    ("call", "given"),
    [
        ("mfma.f32.32x32x8f16", "<4 x half> X, <4 x half> X, <16 x float> X, i32 0, i32 1, i32 0"),
        ("mfma.f32.4x4x4f16", "<4 x half> X, <4 x half> X, <4 x float> X, i32 4, i32 0, i32 1"),
        (
            "wmma.i32.16x16x16.iu8.v8i32.v4i32",
            "i1 0, <4 x i32> X, i1 1, <4 x i32> X, <8 x i32> X, i1 0",
        ),
        (
            "wmma.f32.16x16x16.f16.v8f32.v16f16",
            "<16 x half> X, <16 x half> X, <8 x float> X, i1 1",
        ),
    ],
)
def test_modifiers_of_matrix_instructions(call, given):
    line = f"%d = call <4 x float> @llvm.amdgcn.{call}({given.replace('X', 'zeroinitializer')})"
    with pytest.raises(CodegenError, match="with modifiers that are not simulated"):
        run_text(f"  {line}\n  ret void", [])


@pytest.mark.parametrize(
    ("resource", "chip"),
    [
        ("i16 4, i64 2147483646, i32 159744", "gfx942"),
        ("i16 0, i64 1024, i32 159744", "gfx942"),
        ("i16 0, i64 2147483646, i32 159744", "gfx1100"),
    ],
)
def test_buffers_of_another_kind(resource, chip):
    made = f"@llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %p0, {resource})"
    with pytest.raises(CodegenError, match="a buffer that is not simulated"):
        run_text(
            f"  %r = call ptr addrspace(8) {made}\n  ret void", [np.zeros(1, np.int32)], chip=chip
        )


def test_a_buffer_load_moves_by_a_scalar():
    body = """
  %r = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %p0, i16 0, i64 2147483646, i32 159744)
  %o = mul i32 %i, 4
  %x = call i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(ptr addrspace(8) %r, i32 %o, i32 8, i32 0)
  call void @llvm.amdgcn.raw.ptr.buffer.store.i32(i32 %x, ptr addrspace(8) %r, i32 %o, i32 0, i32 0)
  ret void"""  # noqa: E501
    memory = np.arange(40, dtype=np.int32)
    run_text(body, [memory], chip="gfx942")
    np.testing.assert_array_equal(memory[:32], np.arange(2, 34))


@pytest.mark.parametrize(
    ("chip", "lanes", "dtype"),
    [
        ("gfx942", 64, ml_dtypes.float8_e4m3fnuz),
        ("gfx950", 64, ml_dtypes.float8_e4m3fn),
        ("gfx1201", 32, ml_dtypes.float8_e4m3fn),
    ],
)
def test_small_floats_are_those_of_the_chip_and_not_of_its_lanes(chip, lanes, dtype):
    body = """
  %from = getelementptr i32, ptr addrspace(1) %p0, i32 %i
  %w = load i32, ptr addrspace(1) %from, align 4
  %v = call <2 x float> @llvm.amdgcn.cvt.pk.f32.fp8(i32 %w, i1 false)
  %to = getelementptr <2 x float>, ptr addrspace(1) %p1, i32 %i
  store <2 x float> %v, ptr addrspace(1) %to, align 8
  ret void"""
    words = np.arange(64, dtype=np.int32) * 257
    found = np.zeros((64, 2), np.float32)
    run_text(body, [words, found], threads=64, lanes=lanes, chip=chip)
    expected = words.astype(np.uint16).view(np.uint8).view(dtype).astype(np.float32)
    np.testing.assert_array_equal(found.reshape(-1), expected)


def test_a_chip_without_small_floats():
    line = "  %v = call <2 x float> @llvm.amdgcn.cvt.pk.f32.fp8(i32 %i, i1 false)\n  ret void"
    with pytest.raises(CodegenError, match="gfx1100 has no fp8"):
        run_text(line, [], chip="gfx1100")


def test_halves_are_rounded_away_from_zero():
    values = np.array([0.5, -0.5, 1.5, 2.5, 0.49999997, 8388609.0, -2.4], np.float32)
    found = of_each_thread("call float @llvm.round.f32(float %x)", values)
    np.testing.assert_array_equal(found, np.array([1, -1, 2, 3, 0, 8388609, -2], np.float32))


def test_what_a_kernel_assumes_must_hold():
    body = "  %c = icmp slt i32 %i, LIMIT\n  call void @llvm.assume(i1 %c)\n  ret void"
    run_text(body.replace("LIMIT", "32"), [])
    with pytest.raises(CodegenError, match="assumes does not hold") as caught:
        run_text(body.replace("LIMIT", "9"), [])
    assert "thread 9" in str(caught.value)
