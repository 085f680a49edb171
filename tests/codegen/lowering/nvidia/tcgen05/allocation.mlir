// RUN: %lower %s | filecheck %s

// 128 and 64 columns: the first warp allocates 256, a power of two, and frees them at the end. The
// address of the first column is read from shared memory.
// CHECK-LABEL: define {{.*}} @two_tiles(
// CHECK: call void asm sideeffect "@$0 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [$1], 256;", "b,r,~{memory}"(i1 %[[IN1:\w+]], ptr addrspace(3) @shared)
// CHECK: %[[A:\w+]] = load i32, ptr addrspace(3) @shared, align 4
// CHECK: call void asm sideeffect "@$0 tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;", "b,~{memory}"(i1 %[[IN1]])
// CHECK: %[[B:\w+]] = add i32 %[[A]], 128
// CHECK: %[[ADD1:\w+]] = add i32 %[[A]], %[[IN2:\w+]]
// CHECK: %[[ADD2:\w+]] = add i32 %[[B]], %[[IN2]]
// CHECK: call void asm sideeffect "@$0 tcgen05.dealloc.cta_group::1.sync.aligned.b32 $1, 256;", "b,r,~{memory}"(i1 %[[IN1]], i32 %[[A]])
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
#u = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
#l = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>
#w = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @two_tiles(%v_ptr: !tt.ptr<f32>) {
    %a = ttng.tmem_alloc : () -> !ttg.memdesc<128x128xf32, #t, #ttng.tensor_memory, mutable>
    %b = ttng.tmem_alloc : () -> !ttg.memdesc<128x64xf32, #u, #ttng.tensor_memory, mutable>
    %true = arith.constant true
    %v_ptrs = tt.splat %v_ptr : !tt.ptr<f32> -> tensor<128x128x!tt.ptr<f32>, #w>
    %v = tt.load %v_ptrs : tensor<128x128x!tt.ptr<f32>, #w>
    ttng.tmem_store %v, %a, %true : tensor<128x128xf32, #w> -> !ttg.memdesc<128x128xf32, #t, #ttng.tensor_memory, mutable>
    %x = ttng.tmem_load %b : !ttg.memdesc<128x64xf32, #u, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #l>
    %y = ttng.tmem_load %a : !ttg.memdesc<128x128xf32, #t, #ttng.tensor_memory, mutable> -> tensor<128x128xf32, #w>
    tt.return
  }
}
