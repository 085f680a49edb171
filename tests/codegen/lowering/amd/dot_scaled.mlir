// RUN: %lower %s | filecheck %s

// Without scales the scale operands are 127, the exponent of 1.
// CHECK-LABEL: define {{.*}} @no_scales(
// CHECK: %[[VEC1:\w+]] = insertelement <4 x float> poison, float %[[C0:\w+]], i32 0
// CHECK-NEXT: %[[VEC2:\w+]] = insertelement <4 x float> %[[VEC1]], float %[[C1:\w+]], i32 1
// CHECK-NEXT: %[[VEC3:\w+]] = insertelement <4 x float> %[[VEC2]], float %[[C2:\w+]], i32 2
// CHECK: %[[VEC4:\w+]] = insertelement <32 x i8> poison, i8 %[[B0:\w+]], i32 0
// CHECK-NEXT: %[[VEC5:\w+]] = insertelement <32 x i8> %[[VEC4]], i8 %[[B1:\w+]], i32 1
// CHECK-NEXT: %[[VEC6:\w+]] = insertelement <32 x i8> %[[VEC5]], i8 %[[B2:\w+]], i32 2
// CHECK: %[[BITCAST1:\w+]] = bitcast <32 x i8> %[[IN1:\w+]] to <8 x i32>
// CHECK-NEXT: %[[VEC7:\w+]] = insertelement <32 x i8> poison, i8 %[[A0:\w+]], i32 0
// CHECK: %[[BITCAST2:\w+]] = bitcast <32 x i8> %[[IN2:\w+]] to <8 x i32>
// CHECK-NEXT: %[[MFMA1:\w+]] = call <4 x float> @llvm.amdgcn.mfma.scale.f32.16x16x128.f8f6f4.v8i32.v8i32(<8 x i32> %[[BITCAST1]], <8 x i32> %[[BITCAST2]], <4 x float> %[[IN3:\w+]], i32 1, i32 0, i32 0, i32 0, i32 0, i32 0)
// CHECK-NEXT: %[[D0:\w+]] = extractelement <4 x float> %[[MFMA1]], i32 0
// CHECK-NEXT: %[[D1:\w+]] = extractelement <4 x float> %[[MFMA1]], i32 1
#mma = #ttg.amd_mfma<{version = 4, warpsPerCTA = [1, 1], instrShape = [16, 16, 128], isTransposed = true}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 16}>
#bb = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 16}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @no_scales(%a_ptr: !tt.ptr<f8E4M3FN>, %b_ptr: !tt.ptr<f8E5M2>, %c_ptr: !tt.ptr<f32>) {
    %a_ptrs = tt.splat %a_ptr : !tt.ptr<f8E4M3FN> -> tensor<16x128x!tt.ptr<f8E4M3FN>, #a>
    %a = tt.load %a_ptrs : tensor<16x128x!tt.ptr<f8E4M3FN>, #a>
    %b_ptrs = tt.splat %b_ptr : !tt.ptr<f8E5M2> -> tensor<128x16x!tt.ptr<f8E5M2>, #bb>
    %b = tt.load %b_ptrs : tensor<128x16x!tt.ptr<f8E5M2>, #bb>
    %c_ptrs = tt.splat %c_ptr : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>, #mma>
    %c = tt.load %c_ptrs : tensor<16x16x!tt.ptr<f32>, #mma>
    %d = tt.dot_scaled %a, %b, %c lhs = e4m3 rhs = e5m2 {fastMath = false} : tensor<16x128xf8E4M3FN, #a> * tensor<128x16xf8E5M2, #bb> -> tensor<16x16xf32, #mma>
    tt.return
  }
}

// -----

// fp4 operands take four registers of eight; a lane's scale is a byte of its scale register.
// CHECK-LABEL: define {{.*}} @fp4_with_scales(
// CHECK: %[[VEC1:\w+]] = insertelement <4 x float> poison, float %[[C0:\w+]], i32 0
// CHECK-NEXT: %[[VEC2:\w+]] = insertelement <4 x float> %[[VEC1]], float %[[C1:\w+]], i32 1
// CHECK-NEXT: %[[VEC3:\w+]] = insertelement <4 x float> %[[VEC2]], float %[[C2:\w+]], i32 2
// CHECK: %[[VEC4:\w+]] = insertelement <4 x i8> poison, i8 %[[SB:\w+]], i32 0
// CHECK-NEXT: %[[VEC5:\w+]] = insertelement <4 x i8> %[[VEC4]], i8 127, i32 1
// CHECK-NEXT: %[[VEC6:\w+]] = insertelement <4 x i8> %[[VEC5]], i8 127, i32 2
// CHECK: %[[BITCAST1:\w+]] = bitcast <4 x i8> %[[IN1:\w+]] to i32
// CHECK-NEXT: %[[VEC7:\w+]] = insertelement <4 x i8> poison, i8 %[[SA:\w+]], i32 0
// CHECK: %[[BITCAST2:\w+]] = bitcast <4 x i8> %[[IN2:\w+]] to i32
// CHECK: %[[VEC8:\w+]] = insertelement <16 x i8> %[[IN3:\w+]], i8 %[[B1:\w+]], i32 1
// CHECK-NEXT: %[[VEC9:\w+]] = insertelement <16 x i8> %[[VEC8]], i8 %[[B2:\w+]], i32 2
// CHECK: %[[BITCAST3:\w+]] = bitcast <16 x i8> %[[IN4:\w+]] to <4 x i32>
// CHECK: %[[BITCAST4:\w+]] = bitcast <16 x i8> %[[IN5:\w+]] to <4 x i32>
// CHECK-NEXT: %[[MFMA1:\w+]] = call <4 x float> @llvm.amdgcn.mfma.scale.f32.16x16x128.f8f6f4.v4i32.v4i32(<4 x i32> %[[BITCAST3]], <4 x i32> %[[BITCAST4]], <4 x float> %[[IN6:\w+]], i32 4, i32 4, i32 0, i32 %[[BITCAST1]], i32 0, i32 %[[BITCAST2]])
// CHECK-NEXT: %[[D0:\w+]] = extractelement <4 x float> %[[MFMA1]], i32 0
// CHECK-NEXT: %[[D1:\w+]] = extractelement <4 x float> %[[MFMA1]], i32 1
#mma = #ttg.amd_mfma<{version = 4, warpsPerCTA = [1, 1], instrShape = [16, 16, 128], isTransposed = true}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 16}>
#bb = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 16}>
#sc = #ttg.linear<{register = [], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2]], warp = [], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @fp4_with_scales(%a_ptr: !tt.ptr<i8>, %b_ptr: !tt.ptr<i8>, %c_ptr: !tt.ptr<f32>, %sa_ptr: !tt.ptr<i8>, %sb_ptr: !tt.ptr<i8>) {
    %a_ptrs = tt.splat %a_ptr : !tt.ptr<i8> -> tensor<16x64x!tt.ptr<i8>, #a>
    %a = tt.load %a_ptrs : tensor<16x64x!tt.ptr<i8>, #a>
    %b_ptrs = tt.splat %b_ptr : !tt.ptr<i8> -> tensor<64x16x!tt.ptr<i8>, #bb>
    %b = tt.load %b_ptrs : tensor<64x16x!tt.ptr<i8>, #bb>
    %c_ptrs = tt.splat %c_ptr : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>, #mma>
    %c = tt.load %c_ptrs : tensor<16x16x!tt.ptr<f32>, #mma>
    %sa_ptrs = tt.splat %sa_ptr : !tt.ptr<i8> -> tensor<16x4x!tt.ptr<i8>, #sc>
    %sa = tt.load %sa_ptrs : tensor<16x4x!tt.ptr<i8>, #sc>
    %sb_ptrs = tt.splat %sb_ptr : !tt.ptr<i8> -> tensor<16x4x!tt.ptr<i8>, #sc>
    %sb = tt.load %sb_ptrs : tensor<16x4x!tt.ptr<i8>, #sc>
    %d = tt.dot_scaled %a scale %sa, %b scale %sb, %c lhs = e2m1 rhs = e2m1 {fastMath = false} : tensor<16x64xi8, #a>, tensor<16x4xi8, #sc> * tensor<64x16xi8, #bb>, tensor<16x4xi8, #sc> -> tensor<16x16xf32, #mma>
    tt.return
  }
}
