// RUN: %lower %s | filecheck %s

// K = 16 is two MFMA of k = 8; the second adds to the result of the first.
// CHECK-LABEL: define {{.*}} @mfma(
// CHECK: %[[VEC1:\w+]] = insertelement <16 x float> poison, float %[[C0:\w+]], i32 0
// CHECK-NEXT: %[[VEC2:\w+]] = insertelement <16 x float> %[[VEC1]], float %[[C1:\w+]], i32 1
// CHECK-NEXT: %[[VEC3:\w+]] = insertelement <16 x float> %[[VEC2]], float %[[C2:\w+]], i32 2
// CHECK: %[[BITCAST1:\w+]] = bitcast half %[[B0:\w+]] to i16
// CHECK-NEXT: %[[VEC4:\w+]] = insertelement <4 x i16> poison, i16 %[[BITCAST1]], i32 0
// CHECK-NEXT: %[[BITCAST2:\w+]] = bitcast half %[[B1:\w+]] to i16
// CHECK-NEXT: %[[VEC5:\w+]] = insertelement <4 x i16> %[[VEC4]], i16 %[[BITCAST2]], i32 1
// CHECK: %[[VEC6:\w+]] = insertelement <4 x i16> %[[VEC5]], i16 %[[IN1:\w+]], i32 2
// CHECK: %[[BITCAST3:\w+]] = bitcast <4 x i16> %[[IN2:\w+]] to <4 x half>
// CHECK: %[[VEC7:\w+]] = insertelement <4 x i16> poison, i16 %[[IN3:\w+]], i32 0
// CHECK: %[[BITCAST4:\w+]] = bitcast <4 x i16> %[[IN4:\w+]] to <4 x half>
// CHECK-NEXT: %[[MFMA1:\w+]] = call <16 x float> @llvm.amdgcn.mfma.f32.32x32x8f16(<4 x half> %[[BITCAST3]], <4 x half> %[[BITCAST4]], <16 x float> %[[IN5:\w+]], i32 0, i32 0, i32 0)
// CHECK: %[[MFMA2:\w+]] = call <16 x float> @llvm.amdgcn.mfma.f32.32x32x8f16(<4 x half> %[[IN6:\w+]], <4 x half> %[[IN7:\w+]], <16 x float> %[[MFMA1]], i32 0, i32 0, i32 0)
// CHECK-NEXT: %[[D0:\w+]] = extractelement <16 x float> %[[MFMA2]], i32 0
// CHECK-NEXT: %[[D1:\w+]] = extractelement <16 x float> %[[MFMA2]], i32 1
#mma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [1, 1], instrShape = [32, 32, 8], isTransposed = true}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#bb = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @mfma(%a_ptr: !tt.ptr<f16>, %b_ptr: !tt.ptr<f16>, %c_ptr: !tt.ptr<f32>) {
    %a_ptrs = tt.splat %a_ptr : !tt.ptr<f16> -> tensor<32x16x!tt.ptr<f16>, #a>
    %a = tt.load %a_ptrs : tensor<32x16x!tt.ptr<f16>, #a>
    %b_ptrs = tt.splat %b_ptr : !tt.ptr<f16> -> tensor<16x32x!tt.ptr<f16>, #bb>
    %b = tt.load %b_ptrs : tensor<16x32x!tt.ptr<f16>, #bb>
    %c_ptrs = tt.splat %c_ptr : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>, #mma>
    %c = tt.load %c_ptrs : tensor<32x32x!tt.ptr<f32>, #mma>
    %d = tt.dot %a, %b, %c : tensor<32x16xf16, #a> * tensor<16x32xf16, #bb> -> tensor<32x32xf32, #mma>
    tt.return
  }
}

// -----

// WMMA on RDNA3: 16 halves per lane and operand.
// CHECK-LABEL: define {{.*}} @wmma(
// CHECK: %[[VEC1:\w+]] = insertelement <8 x float> poison, float %[[C0:\w+]], i32 0
// CHECK-NEXT: %[[VEC2:\w+]] = insertelement <8 x float> %[[VEC1]], float %[[C1:\w+]], i32 1
// CHECK-NEXT: %[[VEC3:\w+]] = insertelement <8 x float> %[[VEC2]], float %[[C2:\w+]], i32 2
// CHECK: %[[BITCAST1:\w+]] = bitcast half %[[B0:\w+]] to i16
// CHECK-NEXT: %[[VEC4:\w+]] = insertelement <16 x i16> poison, i16 %[[BITCAST1]], i32 0
// CHECK-NEXT: %[[BITCAST2:\w+]] = bitcast half %[[B1:\w+]] to i16
// CHECK-NEXT: %[[VEC5:\w+]] = insertelement <16 x i16> %[[VEC4]], i16 %[[BITCAST2]], i32 1
// CHECK: %[[VEC6:\w+]] = insertelement <16 x i16> %[[VEC5]], i16 %[[IN1:\w+]], i32 2
// CHECK: %[[BITCAST3:\w+]] = bitcast <16 x i16> %[[IN2:\w+]] to <16 x half>
// CHECK: %[[VEC7:\w+]] = insertelement <16 x i16> poison, i16 %[[IN3:\w+]], i32 0
// CHECK: %[[BITCAST4:\w+]] = bitcast <16 x i16> %[[IN4:\w+]] to <16 x half>
// CHECK-NEXT: %[[WMMA1:\w+]] = call <8 x float> @llvm.amdgcn.wmma.f32.16x16x16.f16.v8f32.v16f16(<16 x half> %[[BITCAST3]], <16 x half> %[[BITCAST4]], <8 x float> %[[IN5:\w+]])
// CHECK-NEXT: %[[D0:\w+]] = extractelement <8 x float> %[[WMMA1]], i32 0
// CHECK-NEXT: %[[D1:\w+]] = extractelement <8 x float> %[[WMMA1]], i32 1
#mma = #ttg.amd_wmma<{version = 1, ctaLayout = {warp = []}, isTranspose = true}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 16}>
#bb = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 16}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx1100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @wmma(%a_ptr: !tt.ptr<f16>, %b_ptr: !tt.ptr<f16>, %c_ptr: !tt.ptr<f32>) {
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
