// RUN: %lower %s | filecheck %s

// The scratch memory of the reduction follows the buffer, which is live across it.
// CHECK: @shared = external addrspace(3) global [0 x i8], align 1024
// CHECK-LABEL: define {{.*}} @after_live_buffer(
// CHECK: %[[PTR1:\w+]] = getelementptr i8, ptr addrspace(3) @shared, i32 %[[IN1:\w+]]
// CHECK: %[[PTR2:\w+]] = getelementptr float, ptr addrspace(3) @shared, i32 %[[IN2:\w+]]
// CHECK: %[[PTR3:\w+]] = getelementptr float, ptr addrspace(3) @shared, i32 0
// CHECK: %[[PTR4:\w+]] = getelementptr i8, ptr addrspace(3) @shared, i32 %[[IN1]]
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @after_live_buffer(%x_ptr: !tt.ptr<f32>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #b>
    %x = tt.load %x_ptrs : tensor<128x!tt.ptr<f32>, #b>
    %m = ttg.local_alloc %x : (tensor<128xf32, #b>) -> !ttg.memdesc<128xf32, #s, #smem, mutable>
    %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<128xf32, #b>) -> f32
    %y = ttg.local_load %m : !ttg.memdesc<128xf32, #s, #smem, mutable> -> tensor<128xf32, #b>
    tt.return
  }
}
