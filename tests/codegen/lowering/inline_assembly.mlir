// RUN: %lower %s | filecheck %s

// Two f16 elements per call are packed in one register.
// CHECK-LABEL: define {{.*}} @packed(
// CHECK: %[[VEC1:\w+]] = insertelement <2 x half> undef, half %[[X0:\w+]], i32 0
// CHECK-NEXT: %[[VEC2:\w+]] = insertelement <2 x half> %[[VEC1]], half %[[X1:\w+]], i32 1
// CHECK-NEXT: %[[ASM1:\w+]] = call <2 x half> asm "add.f16x2 $0, $1, $1;", "=r,r"(<2 x half> %[[VEC2]])
// CHECK-NEXT: %[[Y0:\w+]] = extractelement <2 x half> %[[ASM1]], i32 0
// CHECK-NEXT: %[[Y1:\w+]] = extractelement <2 x half> %[[ASM1]], i32 1
#b = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @packed(%x_ptr: !tt.ptr<f16>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>, #b>
    %x = tt.load %x_ptrs : tensor<64x!tt.ptr<f16>, #b>
    %y = tt.elementwise_inline_asm "add.f16x2 $0, $1, $1;" {constraints = "=r,r", packed_element = 2 : i32, pure = true} %x : tensor<64xf16, #b> -> tensor<64xf16, #b>
    tt.return
  }
}

// -----

// Two results are a struct. Assembly that is not pure has a side effect.
// CHECK-LABEL: define {{.*}} @two_results(
// CHECK: %[[ASM1:\w+]] = call { float, float } asm sideeffect "mov.f32 $0, $2; mov.f32 $1, $2;", "=f,=f,f"(float %[[X:\w+]])
// CHECK-NEXT: %[[Y:\w+]] = extractvalue { float, float } %[[ASM1]], 0
// CHECK-NEXT: %[[Y_V4:\w+]] = extractvalue { float, float } %[[ASM1]], 1
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @two_results(%x_ptr: !tt.ptr<f32>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #b>
    %x = tt.load %x_ptrs : tensor<32x!tt.ptr<f32>, #b>
    %y:2 = tt.elementwise_inline_asm "mov.f32 $0, $2; mov.f32 $1, $2;" {constraints = "=f,=f,f", packed_element = 1 : i32, pure = false} %x : tensor<32xf32, #b> -> tensor<32xf32, #b>, tensor<32xf32, #b>
    tt.return
  }
}
