// RUN: %lower %s | filecheck %s

// 227 KiB is what a block of Hopper can have.
// CHECK: @shared = external addrspace(3) global [0 x i8], align 1024
// CHECK-LABEL: define {{.*}} @largest(
// CHECK: %[[N0:\w+]] = getelementptr i8, ptr addrspace(3) @shared, i32 %[[IN1:\w+]]
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
#t = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @largest(%i: i32) {
    %m = ttg.local_alloc : () -> !ttg.memdesc<227x256xf32, #s, #smem, mutable>
    %n = ttg.memdesc_index %m[%i] : !ttg.memdesc<227x256xf32, #s, #smem, mutable> -> !ttg.memdesc<256xf32, #t, #smem, mutable>
    %y = ttg.local_load %n : !ttg.memdesc<256xf32, #t, #smem, mutable> -> tensor<256xf32, #b>
    tt.return
  }
}
