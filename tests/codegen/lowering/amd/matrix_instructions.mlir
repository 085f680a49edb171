// RUN: %lower %s | filecheck %s

// The intrinsic follows element type and shape: bf16 with 16x16x16 is the `_1k` form.
// CHECK-LABEL: define {{.*}} @bf16(
// CHECK: %[[MFMA1:\w+]] = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x16bf16.1k(<4 x i16> %[[IN1:\w+]], <4 x i16> %[[IN2:\w+]], <4 x float> %[[IN3:\w+]], i32 0, i32 0, i32 0)
#mma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [1, 1], instrShape = [16, 16, 16], isTransposed = true}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#bb = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @bf16(%a_ptr: !tt.ptr<bf16>, %b_ptr: !tt.ptr<bf16>, %c_ptr: !tt.ptr<f32>) {
    %a_ptrs = tt.splat %a_ptr : !tt.ptr<bf16> -> tensor<16x16x!tt.ptr<bf16>, #a>
    %a = tt.load %a_ptrs : tensor<16x16x!tt.ptr<bf16>, #a>
    %b_ptrs = tt.splat %b_ptr : !tt.ptr<bf16> -> tensor<16x16x!tt.ptr<bf16>, #bb>
    %b = tt.load %b_ptrs : tensor<16x16x!tt.ptr<bf16>, #bb>
    %c_ptrs = tt.splat %c_ptr : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>, #mma>
    %c = tt.load %c_ptrs : tensor<16x16x!tt.ptr<f32>, #mma>
    %d = tt.dot %a, %b, %c : tensor<16x16xbf16, #a> * tensor<16x16xbf16, #bb> -> tensor<16x16xf32, #mma>
    tt.return
  }
}

// -----

// fp8 operands are packed in i64.
// CHECK-LABEL: define {{.*}} @fp8(
// CHECK: %[[MFMA1:\w+]] = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x32.bf8.fp8(i64 %[[IN1:\w+]], i64 %[[IN2:\w+]], <4 x float> %[[IN3:\w+]], i32 0, i32 0, i32 0)
#mma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [1, 1], instrShape = [16, 16, 32], isTransposed = true}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 8}>
#bb = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 8}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @fp8(%a_ptr: !tt.ptr<f8E4M3FNUZ>, %b_ptr: !tt.ptr<f8E5M2FNUZ>, %c_ptr: !tt.ptr<f32>) {
    %a_ptrs = tt.splat %a_ptr : !tt.ptr<f8E4M3FNUZ> -> tensor<16x32x!tt.ptr<f8E4M3FNUZ>, #a>
    %a = tt.load %a_ptrs : tensor<16x32x!tt.ptr<f8E4M3FNUZ>, #a>
    %b_ptrs = tt.splat %b_ptr : !tt.ptr<f8E5M2FNUZ> -> tensor<32x16x!tt.ptr<f8E5M2FNUZ>, #bb>
    %b = tt.load %b_ptrs : tensor<32x16x!tt.ptr<f8E5M2FNUZ>, #bb>
    %c_ptrs = tt.splat %c_ptr : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>, #mma>
    %c = tt.load %c_ptrs : tensor<16x16x!tt.ptr<f32>, #mma>
    %d = tt.dot %a, %b, %c : tensor<16x32xf8E4M3FNUZ, #a> * tensor<32x16xf8E5M2FNUZ, #bb> -> tensor<16x16xf32, #mma>
    tt.return
  }
}

// -----

// RDNA4 takes eight halves per lane.
// CHECK-LABEL: define {{.*}} @rdna4(
// CHECK: %[[WMMA1:\w+]] = call <8 x float> @llvm.amdgcn.wmma.f32.16x16x16.f16.v8f32.v8f16(<8 x half> %[[IN1:\w+]], <8 x half> %[[IN2:\w+]], <8 x float> %[[IN3:\w+]])
#mma = #ttg.amd_wmma<{version = 2, ctaLayout = {warp = []}, isTranspose = true}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 8}>
#bb = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 8}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx1201", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @rdna4(%a_ptr: !tt.ptr<f16>, %b_ptr: !tt.ptr<f16>, %c_ptr: !tt.ptr<f32>) {
    %a_ptrs = tt.splat %a_ptr : !tt.ptr<f16> -> tensor<16x16x!tt.ptr<f16>, #a>
    %a = tt.load %a_ptrs : tensor<16x16x!tt.ptr<f16>, #a>
    %b_ptrs = tt.splat %b_ptr : !tt.ptr<f16> -> tensor<16x16x!tt.ptr<f16>, #bb>
    %b = tt.load %b_ptrs : tensor<16x16x!tt.ptr<f16>, #bb>
    %c_ptrs = tt.splat %c_ptr : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>, #mma>
    %c = tt.load %c_ptrs : tensor<16x16x!tt.ptr<f32>, #mma>
    %d = tt.dot %a, %b, %c : tensor<16x16xf16, #a> * tensor<16x16xf16, #bb> -> tensor<16x16xf32, #mma>
    tt.return
  }
}
