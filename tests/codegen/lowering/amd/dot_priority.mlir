// RUN: %lower %s | filecheck %s

// The priority changes after the first MFMA of a dot, and not before a dot by FMA.
// CHECK-LABEL: define {{.*}} @mfma(
// CHECK-NOT: s.setprio
// CHECK: call <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16
// CHECK-NEXT: call void @llvm.amdgcn.s.setprio(i16 1)
// CHECK: call <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16
// CHECK: call void @llvm.amdgcn.s.setprio(i16 0)
#mma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [1, 1], instrShape = [16, 16, 16], isTransposed = true}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @mfma(%p: !tt.ptr<f16>) {
    %zero = arith.constant dense<0.000000e+00> : tensor<16x16xf32, #mma>
    %ps = tt.splat %p : !tt.ptr<f16> -> tensor<16x32x!tt.ptr<f16>, #a>
    %a = tt.load %ps : tensor<16x32x!tt.ptr<f16>, #a>
    %qs = tt.splat %p : !tt.ptr<f16> -> tensor<32x16x!tt.ptr<f16>, #b>
    %b = tt.load %qs : tensor<32x16x!tt.ptr<f16>, #b>
    rocdl.s.setprio 1
    %d = tt.dot %a, %b, %zero : tensor<16x32xf16, #a> * tensor<32x16xf16, #b> -> tensor<16x16xf32, #mma>
    rocdl.s.setprio 0
    tt.return
  }
}

// -----

// CHECK-LABEL: define {{.*}} @fma(
// CHECK: call void @llvm.amdgcn.s.setprio(i16 1)
// CHECK: call {{.*}}float @llvm.fma
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @fma(%p: !tt.ptr<f32>) {
    %c = arith.constant dense<0.000000e+00> : tensor<8x8xf32, #blocked>
    %ps = tt.splat %p : !tt.ptr<f32> -> tensor<8x8x!tt.ptr<f32>, #a>
    %a = tt.load %ps : tensor<8x8x!tt.ptr<f32>, #a>
    %qs = tt.splat %p : !tt.ptr<f32> -> tensor<8x8x!tt.ptr<f32>, #b>
    %b = tt.load %qs : tensor<8x8x!tt.ptr<f32>, #b>
    rocdl.s.setprio 1
    %d = tt.dot %a, %b, %c : tensor<8x8xf32, #a> * tensor<8x8xf32, #b> -> tensor<8x8xf32, #blocked>
    tt.return
  }
}
