// RUN: %lower %s | filecheck %s

// Two polynomials, selected by the magnitude.
// CHECK-LABEL: define {{.*}} @erf(
// CHECK: %[[FMUL1:\w+]] = fmul float %arg0, %arg0
// CHECK-NEXT: %[[FMA1:\w+]] = call float @llvm.fma.f32(float 0x3F14A56900000000, float %[[FMUL1]], float 0xBF4A450880000000)
// CHECK-NEXT: %[[FMA2:\w+]] = call float @llvm.fma.f32(float %[[FMA1]], float %[[FMUL1]], float 0x3F75412700000000)
// CHECK-NEXT: %[[FMA3:\w+]] = call float @llvm.fma.f32(float %[[FMA2]], float %[[FMUL1]], float 0xBF9B7FABA0000000)
// CHECK-NEXT: %[[FMA4:\w+]] = call float @llvm.fma.f32(float %[[FMA3]], float %[[FMUL1]], float 0x3FBCE2D100000000)
// CHECK-NEXT: %[[FMA5:\w+]] = call float @llvm.fma.f32(float %[[FMA4]], float %[[FMUL1]], float 0xBFD81273E0000000)
// CHECK-NEXT: %[[FMA6:\w+]] = call float @llvm.fma.f32(float %[[FMA5]], float %[[FMUL1]], float 0x3FC06EBA80000000)
// CHECK-NEXT: %[[FMA7:\w+]] = call float @llvm.fma.f32(float %[[FMA6]], float %arg0, float %arg0)
// CHECK-NEXT: %[[FABS1:\w+]] = call float @llvm.fabs.f32(float %arg0)
// CHECK-NEXT: %[[MINNUM1:\w+]] = call float @llvm.minnum.f32(float %[[FABS1]], float 0x4010000000000000)
// CHECK-NEXT: %[[FMA8:\w+]] = call float @llvm.fma.f32(float 0x3EF413FE80000000, float %[[MINNUM1]], float 0xBF3DF745C0000000)
// CHECK-NEXT: %[[FMA9:\w+]] = call float @llvm.fma.f32(float %[[FMA8]], float %[[MINNUM1]], float 0x3F74486080000000)
// CHECK-NEXT: %[[FMA10:\w+]] = call float @llvm.fma.f32(float %[[FMA9]], float %[[MINNUM1]], float 0xBFA0B27E20000000)
// CHECK-NEXT: %[[FMA11:\w+]] = call float @llvm.fma.f32(float %[[FMA10]], float %[[MINNUM1]], float 0x3FC3128920000000)
// CHECK-NEXT: %[[FMA12:\w+]] = call float @llvm.fma.f32(float %[[FMA11]], float %[[MINNUM1]], float 0x3FED81BA60000000)
// CHECK-NEXT: %[[FMA13:\w+]] = call float @llvm.fma.f32(float %[[FMA12]], float %[[MINNUM1]], float 0x3FF9FD3840000000)
// CHECK-NEXT: %[[FMA14:\w+]] = call float @llvm.fma.f32(float %[[FMA13]], float %[[MINNUM1]], float 0x3F521A8680000000)
// CHECK-NEXT: %[[FNEG1:\w+]] = fneg float %[[FMA14]]
// CHECK-NEXT: %[[EX1:\w+]] = call float @llvm.nvvm.ex2.approx.ftz.f(float %[[FNEG1]])
// CHECK-NEXT: %[[FSUB1:\w+]] = fsub float 0x3FF0000000000000, %[[EX1]]
// CHECK-NEXT: %[[COPYSIGN1:\w+]] = call float @llvm.copysign.f32(float %[[FSUB1]], float %arg0)
// CHECK-NEXT: %[[FCMP1:\w+]] = fcmp oge float %[[FABS1]], 0x3FF0000000000000
// CHECK-NEXT: %[[Y:\w+]] = select i1 %[[FCMP1]], float %[[COPYSIGN1]], float %[[FMA7]]
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @erf(%x: f32) {
    %y = math.erf %x : f32
    tt.return
  }
}

// -----

// The same polynomials; the result takes the argument's sign.
// CHECK-LABEL: define {{.*}} @amd(
// CHECK: %[[FMUL1:\w+]] = fmul float %arg0, %arg0
// CHECK-NEXT: %[[FMA1:\w+]] = call float @llvm.fma.f32(float 0x3F14A56900000000, float %[[FMUL1]], float 0xBF4A450880000000)
// CHECK-NEXT: %[[FMA2:\w+]] = call float @llvm.fma.f32(float %[[FMA1]], float %[[FMUL1]], float 0x3F75412700000000)
// CHECK-NEXT: %[[FMA3:\w+]] = call float @llvm.fma.f32(float %[[FMA2]], float %[[FMUL1]], float 0xBF9B7FABA0000000)
// CHECK-NEXT: %[[FMA4:\w+]] = call float @llvm.fma.f32(float %[[FMA3]], float %[[FMUL1]], float 0x3FBCE2D100000000)
// CHECK-NEXT: %[[FMA5:\w+]] = call float @llvm.fma.f32(float %[[FMA4]], float %[[FMUL1]], float 0xBFD81273E0000000)
// CHECK-NEXT: %[[FMA6:\w+]] = call float @llvm.fma.f32(float %[[FMA5]], float %[[FMUL1]], float 0x3FC06EBA80000000)
// CHECK-NEXT: %[[FMA7:\w+]] = call float @llvm.fma.f32(float %[[FMA6]], float %arg0, float %arg0)
// CHECK-NEXT: %[[FABS1:\w+]] = call float @llvm.fabs.f32(float %arg0)
// CHECK-NEXT: %[[MINNUM1:\w+]] = call float @llvm.minnum.f32(float %[[FABS1]], float 0x4010000000000000)
// CHECK-NEXT: %[[FMA8:\w+]] = call float @llvm.fma.f32(float 0x3EF413FE80000000, float %[[MINNUM1]], float 0xBF3DF745C0000000)
// CHECK-NEXT: %[[FMA9:\w+]] = call float @llvm.fma.f32(float %[[FMA8]], float %[[MINNUM1]], float 0x3F74486080000000)
// CHECK-NEXT: %[[FMA10:\w+]] = call float @llvm.fma.f32(float %[[FMA9]], float %[[MINNUM1]], float 0xBFA0B27E20000000)
// CHECK-NEXT: %[[FMA11:\w+]] = call float @llvm.fma.f32(float %[[FMA10]], float %[[MINNUM1]], float 0x3FC3128920000000)
// CHECK-NEXT: %[[FMA12:\w+]] = call float @llvm.fma.f32(float %[[FMA11]], float %[[MINNUM1]], float 0x3FED81BA60000000)
// CHECK-NEXT: %[[FMA13:\w+]] = call float @llvm.fma.f32(float %[[FMA12]], float %[[MINNUM1]], float 0x3FF9FD3840000000)
// CHECK-NEXT: %[[FMA14:\w+]] = call float @llvm.fma.f32(float %[[FMA13]], float %[[MINNUM1]], float 0x3F521A8680000000)
// CHECK-NEXT: %[[FNEG1:\w+]] = fneg float %[[FMA14]]
// CHECK-NEXT: %[[EXP1:\w+]] = call float @llvm.amdgcn.exp2.f32(float %[[FNEG1]])
// CHECK-NEXT: %[[FSUB1:\w+]] = fsub float 0x3FF0000000000000, %[[EXP1]]
// CHECK-NEXT: %[[COPYSIGN1:\w+]] = call float @llvm.copysign.f32(float %[[FSUB1]], float %arg0)
// CHECK-NEXT: %[[FCMP1:\w+]] = fcmp oge float %[[FABS1]], 0x3FF0000000000000
// CHECK-NEXT: %[[Y:\w+]] = select i1 %[[FCMP1]], float %[[COPYSIGN1]], float %[[FMA7]]
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @amd(%x: f32) {
    %y = math.erf %x : f32
    tt.return
  }
}
