// RUN: %lower %s | filecheck %s

// Ampere has no instruction for fp8: e4m3 is rounded by integer arithmetic on the bits.
// CHECK-LABEL: define {{.*}} @to_e4m3(
// CHECK: %[[FABS1:\w+]] = call float @llvm.fabs.f32(float %[[X:\w+]])
// CHECK-NEXT: %[[MINNUM1:\w+]] = call float @llvm.minnum.f32(float %[[FABS1]], float 0x407C000000000000)
// CHECK-NEXT: %[[BITCAST1:\w+]] = bitcast float %[[MINNUM1]] to i32
// CHECK-NEXT: %[[AND1:\w+]] = and i32 %[[BITCAST1]], 2139095040
// CHECK-NEXT: %[[UMAX1:\w+]] = call i32 @llvm.umax.i32(i32 %[[AND1]], i32 1015021568)
// CHECK-NEXT: %[[ADD1:\w+]] = add i32 %[[UMAX1]], 167772160
// CHECK-NEXT: %[[BITCAST2:\w+]] = bitcast i32 %[[ADD1]] to float
// CHECK-NEXT: %[[FADD1:\w+]] = fadd float %[[MINNUM1]], %[[BITCAST2]]
// CHECK-NEXT: %[[FSUB1:\w+]] = fsub float %[[FADD1]], %[[BITCAST2]]
// CHECK-NEXT: %[[FMUL1:\w+]] = fmul float %[[FSUB1]], 0x3870000000000000
// CHECK-NEXT: %[[BITCAST3:\w+]] = bitcast float %[[FMUL1]] to i32
// CHECK-NEXT: %[[LSHR1:\w+]] = lshr i32 %[[BITCAST3]], 20
// CHECK-NEXT: %[[BITCAST4:\w+]] = bitcast float %[[X]] to i32
// CHECK-NEXT: %[[LSHR2:\w+]] = lshr i32 %[[BITCAST4]], 24
// CHECK-NEXT: %[[AND2:\w+]] = and i32 %[[LSHR2]], 128
// CHECK-NEXT: %[[OR1:\w+]] = or i32 %[[LSHR1]], %[[AND2]]
// CHECK-NEXT: %[[FCMP1:\w+]] = fcmp uno float %[[X]], 0.0
// CHECK-NEXT: %[[SELECT1:\w+]] = select i1 %[[FCMP1]], i32 127, i32 %[[OR1]]
// CHECK-NEXT: %[[Y:\w+]] = trunc i32 %[[SELECT1]] to i8
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @to_e4m3(%x_ptr: !tt.ptr<f32>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #b>
    %x = tt.load %x_ptrs : tensor<32x!tt.ptr<f32>, #b>
    %y = tt.fp_to_fp %x, rounding = rtne : tensor<32xf32, #b> -> tensor<32xf8E4M3FN, #b>
    tt.return
  }
}

// -----

// And widened by a shift and a multiplication that scales the exponent.
// CHECK-LABEL: define {{.*}} @from_e4m3(
// CHECK: %[[ZEXT1:\w+]] = zext i8 %[[X:\w+]] to i32
// CHECK-NEXT: %[[SHL1:\w+]] = shl i32 %[[ZEXT1]], 24
// CHECK-NEXT: %[[ASHR1:\w+]] = ashr i32 %[[SHL1]], 4
// CHECK-NEXT: %[[AND1:\w+]] = and i32 %[[ASHR1]], -2014314496
// CHECK-NEXT: %[[BITCAST1:\w+]] = bitcast i32 %[[AND1]] to float
// CHECK-NEXT: %[[FMUL1:\w+]] = fmul float %[[BITCAST1]], 0x4770000000000000
// CHECK-NEXT: %[[FABS1:\w+]] = call float @llvm.fabs.f32(float %[[FMUL1]])
// CHECK-NEXT: %[[FCMP1:\w+]] = fcmp oeq float %[[FABS1]], 0x407E000000000000
// CHECK-NEXT: %[[SELECT1:\w+]] = select i1 %[[FCMP1]], float 0x7FF8000000000000, float %[[FMUL1]]
// CHECK-NEXT: %[[FF1:\w+]] = call <2 x half> @llvm.nvvm.ff2f16x2.rz(float 0.0, float %[[SELECT1]])
// CHECK-NEXT: %[[Y:\w+]] = extractelement <2 x half> %[[FF1]], i32 0
// CHECK-NEXT: %[[ELT1:\w+]] = extractelement <2 x half> %[[FF1]], i32 1
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @from_e4m3(%x_ptr: !tt.ptr<f8E4M3FN>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f8E4M3FN> -> tensor<32x!tt.ptr<f8E4M3FN>, #b>
    %x = tt.load %x_ptrs : tensor<32x!tt.ptr<f8E4M3FN>, #b>
    %y = tt.fp_to_fp %x : tensor<32xf8E4M3FN, #b> -> tensor<32xf16, #b>
    tt.return
  }
}
