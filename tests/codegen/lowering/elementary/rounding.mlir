// RUN: %lower %s | filecheck %s

// Halves away from zero: half of the sign is added before truncation.
// CHECK-LABEL: define {{.*}} @halves(
// CHECK: %[[COPYSIGN1:\w+]] = call float @llvm.copysign.f32(float 0x3FDFFFFFE0000000, float %arg0)
// CHECK-NEXT: %[[FADD1:\w+]] = fadd float %arg0, %[[COPYSIGN1]]
// CHECK-NEXT: %[[A:\w+]] = call float @llvm.trunc.f32(float %[[FADD1]])
// CHECK-NEXT: %[[B:\w+]] = call float @llvm.roundeven.f32(float %arg0)
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @halves(%x: f32) {
    %a = math.round %x : f32
    %b = math.roundeven %x : f32
    tt.return
  }
}
