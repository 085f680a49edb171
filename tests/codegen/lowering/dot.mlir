// RUN: %lower %s | filecheck %s

// The result's layout selects the lowering: mma.sync.
// CHECK-LABEL: define {{.*}} @tensor_cores(
// CHECK: %[[ASM1:\w+]] = call { float, float, float, float } asm "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {$0, $1, $2, $3}, {$4, $5, $6, $7}, {$8, $9}, {$0, $1, $2, $3};", "=f,=f,=f,=f,r,r,r,r,r,r,0,1,2,3"(i32 %[[IN1:\w+]], i32 %[[IN2:\w+]], i32 %[[IN3:\w+]], i32 %[[IN4:\w+]], i32 %[[IN5:\w+]], i32 %[[IN6:\w+]], float %[[C0:\w+]], float %[[C1:\w+]], float %[[C2:\w+]], float %[[C3:\w+]]) convergent
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#bb = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @tensor_cores(%a_ptr: !tt.ptr<bf16>, %b_ptr: !tt.ptr<bf16>, %c_ptr: !tt.ptr<f32>) {
    %a_ptrs = tt.splat %a_ptr : !tt.ptr<bf16> -> tensor<16x16x!tt.ptr<bf16>, #a>
    %a = tt.load %a_ptrs : tensor<16x16x!tt.ptr<bf16>, #a>
    %b_ptrs = tt.splat %b_ptr : !tt.ptr<bf16> -> tensor<16x8x!tt.ptr<bf16>, #bb>
    %b = tt.load %b_ptrs : tensor<16x8x!tt.ptr<bf16>, #bb>
    %c_ptrs = tt.splat %c_ptr : !tt.ptr<f32> -> tensor<16x8x!tt.ptr<f32>, #mma>
    %c = tt.load %c_ptrs : tensor<16x8x!tt.ptr<f32>, #mma>
    %d = tt.dot %a, %b, %c : tensor<16x16xbf16, #a> * tensor<16x8xbf16, #bb> -> tensor<16x8xf32, #mma>
    tt.return
  }
}

// -----

// A blocked layout: fused multiply-add.
// CHECK-LABEL: define {{.*}} @fma(
// CHECK: %[[FMA1:\w+]] = call float @llvm.fma.f32(float %[[A0:\w+]], float %[[B0:\w+]], float %[[C:\w+]])
// CHECK-NEXT: %[[D:\w+]] = call float @llvm.fma.f32(float %[[A1:\w+]], float %[[B1:\w+]], float %[[FMA1]])
#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #b}>
#bb = #ttg.dot_op<{opIdx = 1, parent = #b}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @fma(%a_ptr: !tt.ptr<f32>, %b_ptr: !tt.ptr<f32>, %c_ptr: !tt.ptr<f32>) {
    %a_ptrs = tt.splat %a_ptr : !tt.ptr<f32> -> tensor<4x2x!tt.ptr<f32>, #a>
    %a = tt.load %a_ptrs : tensor<4x2x!tt.ptr<f32>, #a>
    %b_ptrs = tt.splat %b_ptr : !tt.ptr<f32> -> tensor<2x8x!tt.ptr<f32>, #bb>
    %b = tt.load %b_ptrs : tensor<2x8x!tt.ptr<f32>, #bb>
    %c_ptrs = tt.splat %c_ptr : !tt.ptr<f32> -> tensor<4x8x!tt.ptr<f32>, #b>
    %c = tt.load %c_ptrs : tensor<4x8x!tt.ptr<f32>, #b>
    %d = tt.dot %a, %b, %c : tensor<4x2xf32, #a> * tensor<2x8xf32, #bb> -> tensor<4x8xf32, #b>
    tt.return
  }
}
