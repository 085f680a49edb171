// RUN: %lower %s | filecheck %s

// Each method is one instruction, and a polynomial a chain of fused multiply-adds from its highest
// coefficient. Constants are written in hexadecimal.
// CHECK-LABEL: define {{.*}} @horner(
// CHECK: %[[FMUL1:\w+]] = fmul float %arg0, %arg0
// CHECK-NEXT: %[[FMA1:\w+]] = call float @llvm.fma.f32(float 0xBF79ADA600000000, float %[[FMUL1]], float 0x3F959E1C80000000)
// CHECK-NEXT: %[[FMA2:\w+]] = call float @llvm.fma.f32(float %[[FMA1]], float %[[FMUL1]], float 0xBFAB955DC0000000)
// CHECK-NEXT: %[[FMA3:\w+]] = call float @llvm.fma.f32(float %[[FMA2]], float %[[FMUL1]], float 0x3FC110EE00000000)
// CHECK-NEXT: %[[FMA4:\w+]] = call float @llvm.fma.f32(float %[[FMA3]], float %[[FMUL1]], float 0xBFD5555540000000)
// CHECK-NEXT: %[[FMA5:\w+]] = call float @llvm.fma.f32(float %[[FMA4]], float %[[FMUL1]], float 0x0000000000000000)
// CHECK-NEXT: %[[FMA6:\w+]] = call float @llvm.fma.f32(float %[[FMA5]], float %arg0, float %arg0)
// CHECK-NEXT: %[[FABS1:\w+]] = call float @llvm.fabs.f32(float %arg0)
// CHECK-NEXT: %[[FMUL2:\w+]] = fmul float %[[FABS1]], 0x4007154760000000
// CHECK-NEXT: %[[EXP1:\w+]] = call float @llvm.amdgcn.exp2.f32(float %[[FMUL2]])
// CHECK-NEXT: %[[FADD1:\w+]] = fadd float %[[EXP1]], 0x3FF0000000000000
// CHECK-NEXT: %[[RCP1:\w+]] = call float @llvm.amdgcn.rcp.f32(float %[[FADD1]])
// CHECK-NEXT: %[[FMA7:\w+]] = call float @llvm.fma.f32(float %[[RCP1]], float 0xC000000000000000, float 0x3FF0000000000000)
// CHECK-NEXT: %[[COPYSIGN1:\w+]] = call float @llvm.copysign.f32(float %[[FMA7]], float %arg0)
// CHECK-NEXT: %[[FCMP1:\w+]] = fcmp oge float %[[FABS1]], 0x3FE3333340000000
// CHECK-NEXT: %[[Y:\w+]] = select i1 %[[FCMP1]], float %[[COPYSIGN1]], float %[[FMA6]]
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @horner(%x: f32) {
    %y = math.tanh %x : f32
    tt.return
  }
}
