// RUN: %lower %s | filecheck %s

// Each element of the result is a chain along k.
// CHECK-LABEL: define {{.*}} @f32(
// CHECK: %[[FMA1:\w+]] = call float @llvm.fma.f32(float %[[A0:\w+]], float %[[B0:\w+]], float %[[C0:\w+]])
// CHECK-NEXT: %[[FMA2:\w+]] = call float @llvm.fma.f32(float %[[A2:\w+]], float %[[B0]], float %[[C1:\w+]])
// CHECK-NEXT: %[[D0:\w+]] = call float @llvm.fma.f32(float %[[A1:\w+]], float %[[B1:\w+]], float %[[FMA1]])
// CHECK-NEXT: %[[D1:\w+]] = call float @llvm.fma.f32(float %[[A3:\w+]], float %[[B1]], float %[[FMA2]])
#b = #ttg.blocked<{sizePerThread = [2, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #b}>
#bb = #ttg.dot_op<{opIdx = 1, parent = #b}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f32(%a_ptr: !tt.ptr<f32>, %b_ptr: !tt.ptr<f32>, %c_ptr: !tt.ptr<f32>) {
    %a_ptrs = tt.splat %a_ptr : !tt.ptr<f32> -> tensor<8x2x!tt.ptr<f32>, #a>
    %a = tt.load %a_ptrs : tensor<8x2x!tt.ptr<f32>, #a>
    %b_ptrs = tt.splat %b_ptr : !tt.ptr<f32> -> tensor<2x8x!tt.ptr<f32>, #bb>
    %b = tt.load %b_ptrs : tensor<2x8x!tt.ptr<f32>, #bb>
    %c_ptrs = tt.splat %c_ptr : !tt.ptr<f32> -> tensor<8x8x!tt.ptr<f32>, #b>
    %c = tt.load %c_ptrs : tensor<8x8x!tt.ptr<f32>, #b>
    %d = tt.dot %a, %b, %c : tensor<8x2xf32, #a> * tensor<2x8xf32, #bb> -> tensor<8x8xf32, #b>
    tt.return
  }
}

// -----

// Integers are multiplied in the type of the accumulator.
// CHECK-LABEL: define {{.*}} @integers(
// CHECK: %[[SEXT1:\w+]] = sext i8 %[[A0:\w+]] to i32
// CHECK-NEXT: %[[SEXT2:\w+]] = sext i8 %[[B0:\w+]] to i32
// CHECK-NEXT: %[[MUL1:\w+]] = mul i32 %[[SEXT1]], %[[SEXT2]]
// CHECK-NEXT: %[[ADD1:\w+]] = add i32 %[[MUL1]], %[[C:\w+]]
// CHECK-NEXT: %[[SEXT3:\w+]] = sext i8 %[[A1:\w+]] to i32
// CHECK-NEXT: %[[SEXT4:\w+]] = sext i8 %[[B1:\w+]] to i32
// CHECK-NEXT: %[[MUL2:\w+]] = mul i32 %[[SEXT3]], %[[SEXT4]]
// CHECK-NEXT: %[[D:\w+]] = add i32 %[[MUL2]], %[[ADD1]]
#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #b}>
#bb = #ttg.dot_op<{opIdx = 1, parent = #b}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @integers(%a_ptr: !tt.ptr<i8>, %b_ptr: !tt.ptr<i8>, %c_ptr: !tt.ptr<i32>) {
    %a_ptrs = tt.splat %a_ptr : !tt.ptr<i8> -> tensor<4x2x!tt.ptr<i8>, #a>
    %a = tt.load %a_ptrs : tensor<4x2x!tt.ptr<i8>, #a>
    %b_ptrs = tt.splat %b_ptr : !tt.ptr<i8> -> tensor<2x8x!tt.ptr<i8>, #bb>
    %b = tt.load %b_ptrs : tensor<2x8x!tt.ptr<i8>, #bb>
    %c_ptrs = tt.splat %c_ptr : !tt.ptr<i32> -> tensor<4x8x!tt.ptr<i32>, #b>
    %c = tt.load %c_ptrs : tensor<4x8x!tt.ptr<i32>, #b>
    %d = tt.dot %a, %b, %c : tensor<4x2xi8, #a> * tensor<2x8xi8, #bb> -> tensor<4x8xi32, #b>
    tt.return
  }
}
