// RUN: %lower %s | filecheck %s

// On Hopper, LLVM pairs the conversions to bf16 whose results meet; bf16 is widened by a shift.
// CHECK-LABEL: define {{.*}} @hopper(
// CHECK: %[[H0:\w+]] = fptrunc float %[[X0:\w+]] to bfloat
// CHECK-NEXT: %[[H1:\w+]] = fptrunc float %[[X1:\w+]] to bfloat
// CHECK-NEXT: %[[BITCAST1:\w+]] = bitcast bfloat %[[H0]] to i16
// CHECK-NEXT: %[[ZEXT1:\w+]] = zext i16 %[[BITCAST1]] to i32
// CHECK-NEXT: %[[SHL1:\w+]] = shl i32 %[[ZEXT1]], 16
// CHECK-NEXT: %[[W0:\w+]] = bitcast i32 %[[SHL1]] to float
// CHECK-NEXT: %[[BITCAST2:\w+]] = bitcast bfloat %[[H1]] to i16
// CHECK-NEXT: %[[ZEXT2:\w+]] = zext i16 %[[BITCAST2]] to i32
// CHECK-NEXT: %[[SHL2:\w+]] = shl i32 %[[ZEXT2]], 16
// CHECK-NEXT: %[[W1:\w+]] = bitcast i32 %[[SHL2]] to float
// CHECK-NEXT: %[[FF1:\w+]] = call i16 @llvm.nvvm.ff.to.e5m2x2.rn(float %[[W1]], float %[[W0]])
// CHECK-NEXT: %[[ZEXT3:\w+]] = zext i16 %[[FF1]] to i32
// CHECK-NEXT: %[[BITCAST3:\w+]] = bitcast i32 %[[ZEXT3]] to <4 x i8>
// CHECK-NEXT: %[[Q0:\w+]] = extractelement <4 x i8> %[[BITCAST3]], i32 0
// CHECK-NEXT: %[[Q1:\w+]] = extractelement <4 x i8> %[[BITCAST3]], i32 1
// CHECK-NEXT: %[[ELT1:\w+]] = extractelement <4 x i8> %[[BITCAST3]], i32 2
// CHECK-NEXT: %[[ELT2:\w+]] = extractelement <4 x i8> %[[BITCAST3]], i32 3
// CHECK-NEXT: %[[VEC3:\w+]] = insertelement <2 x i8> poison, i8 %[[Q0]], i32 0
// CHECK-NEXT: %[[VEC4:\w+]] = insertelement <2 x i8> %[[VEC3]], i8 %[[Q1]], i32 1
// CHECK-NEXT: %[[BITCAST4:\w+]] = bitcast <2 x i8> %[[VEC4]] to i16
// CHECK-NEXT: %[[E1:\w+]] = call <2 x half> @llvm.nvvm.e5m2x2.to.f16x2.rn(i16 %[[BITCAST4]])
// CHECK-NEXT: %[[Y0:\w+]] = extractelement <2 x half> %[[E1]], i32 0
// CHECK-NEXT: %[[Y1:\w+]] = extractelement <2 x half> %[[E1]], i32 1
#b = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @hopper(%x_ptr: !tt.ptr<f32>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #b>
    %x = tt.load %x_ptrs : tensor<64x!tt.ptr<f32>, #b>
    %h = arith.truncf %x : tensor<64xf32, #b> to tensor<64xbf16, #b>
    %w = arith.extf %h : tensor<64xbf16, #b> to tensor<64xf32, #b>
    %q = tt.fp_to_fp %h, rounding = rtne : tensor<64xbf16, #b> -> tensor<64xf8E5M2, #b>
    %y = tt.fp_to_fp %q : tensor<64xf8E5M2, #b> -> tensor<64xf16, #b>
    tt.return
  }
}

// -----

// gfx942 rounds bf16 by integer arithmetic, where NaN stays NaN.
// CHECK-LABEL: define {{.*}} @gfx942(
// CHECK: %[[BITCAST1:\w+]] = bitcast float %[[X:\w+]] to i32
// CHECK-NEXT: %[[LSHR1:\w+]] = lshr i32 %[[BITCAST1]], 16
// CHECK-NEXT: %[[AND1:\w+]] = and i32 %[[LSHR1]], 1
// CHECK-NEXT: %[[ADD1:\w+]] = add i32 %[[BITCAST1]], 32767
// CHECK-NEXT: %[[ADD2:\w+]] = add i32 %[[ADD1]], %[[AND1]]
// CHECK-NEXT: %[[FCMP1:\w+]] = fcmp uno float %[[X]], 0.0
// CHECK-NEXT: %[[SELECT1:\w+]] = select i1 %[[FCMP1]], i32 2147418112, i32 %[[ADD2]]
// CHECK-NEXT: %[[BITCAST2:\w+]] = bitcast i32 %[[SELECT1]] to float
// CHECK-NEXT: %[[BITCAST3:\w+]] = bitcast float %[[BITCAST2]] to i32
// CHECK-NEXT: %[[PERM1:\w+]] = call i32 @llvm.amdgcn.perm(i32 0, i32 %[[BITCAST3]], i32 117834498)
// CHECK-NEXT: %[[BITCAST4:\w+]] = bitcast i32 %[[PERM1]] to <2 x bfloat>
// CHECK-NEXT: %[[H:\w+]] = extractelement <2 x bfloat> %[[BITCAST4]], i32 0
// CHECK-NEXT: %[[ELT1:\w+]] = extractelement <2 x bfloat> %[[BITCAST4]], i32 1
// CHECK-NEXT: %[[PERM2:\w+]] = call i32 @llvm.amdgcn.perm(i32 0, i32 %[[BITCAST1]], i32 117834498)
// CHECK-NEXT: %[[BITCAST5:\w+]] = bitcast i32 %[[PERM2]] to <2 x bfloat>
// CHECK-NEXT: %[[Z:\w+]] = extractelement <2 x bfloat> %[[BITCAST5]], i32 0
// CHECK-NEXT: %[[ELT2:\w+]] = extractelement <2 x bfloat> %[[BITCAST5]], i32 1
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @gfx942(%x_ptr: !tt.ptr<f32>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #b>
    %x = tt.load %x_ptrs : tensor<64x!tt.ptr<f32>, #b>
    %h = arith.truncf %x : tensor<64xf32, #b> to tensor<64xbf16, #b>
    %z = tt.fp_to_fp %x, rounding = rtz : tensor<64xf32, #b> -> tensor<64xbf16, #b>
    tt.return
  }
}
