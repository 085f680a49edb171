// RUN: %lower %s | filecheck %s

// Both views that the loop carries begin at the start of their buffer: the address of the second row
// is 256 bytes after that of the first, without instructions for the offset.
// CHECK-LABEL: define {{.*}} @loop(
// CHECK: %[[BASE:\w+]] = phi ptr addrspace(3)
// CHECK: {{body.*}}:
// CHECK-NOT: xor
// CHECK: %[[FIRST:\w+]] = getelementptr i8, ptr addrspace(3) %[[BASE]], i32 %[[LANE:\w+]]
// CHECK-NEXT: load i32, ptr addrspace(3) %[[FIRST]]
// CHECK-NEXT: %[[SECOND:\w+]] = getelementptr i8, ptr addrspace(3) %[[FIRST]], i32 256
// CHECK-NEXT: load i32, ptr addrspace(3) %[[SECOND]]
#b = #ttg.blocked<{sizePerThread = [2, 1], threadsPerWarp = [1, 64], warpsPerCTA = [1, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @loop(%n: i32, %p: !tt.ptr<f32>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %m = ttg.local_alloc : () -> !ttg.memdesc<2x2x64xf32, #s, #smem, mutable>
    %v = ttg.memdesc_index %m[%c0] : !ttg.memdesc<2x2x64xf32, #s, #smem, mutable> -> !ttg.memdesc<2x64xf32, #s, #smem, mutable>
    %q = tt.splat %p : !tt.ptr<f32> -> tensor<2x64x!tt.ptr<f32>, #b>
    %end = scf.for %i = %c0 to %n step %c1 iter_args(%x = %v) -> (!ttg.memdesc<2x64xf32, #s, #smem, mutable>) : i32 {
      %t = ttg.local_load %x : !ttg.memdesc<2x64xf32, #s, #smem, mutable> -> tensor<2x64xf32, #b>
      tt.store %q, %t : tensor<2x64x!tt.ptr<f32>, #b>
      %w = ttg.memdesc_index %m[%i] : !ttg.memdesc<2x2x64xf32, #s, #smem, mutable> -> !ttg.memdesc<2x64xf32, #s, #smem, mutable>
      scf.yield %w : !ttg.memdesc<2x64xf32, #s, #smem, mutable>
    }
    tt.return
  }
}

// -----

// The loop carries parts that begin at different rows: their offset is a phi, and part of addresses.
// CHECK-LABEL: define {{.*}} @parts(
// CHECK: %[[BASE:\w+]] = phi ptr addrspace(3)
// CHECK: %[[OFFSET:\w+]] = phi i32 [ 64,
// CHECK: {{body.*}}:
// CHECK: %[[BYTES:\w+]] = mul i32 %[[OFFSET]], 4
// CHECK-NEXT: xor i32 {{.*}}%[[BYTES]]
#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 64], warpsPerCTA = [1, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @parts(%n: i32, %p: !tt.ptr<f32>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %m = ttg.local_alloc : () -> !ttg.memdesc<2x64xf32, #s, #smem, mutable>
    %v = ttg.memdesc_subslice %m[1, 0] : !ttg.memdesc<2x64xf32, #s, #smem, mutable> -> !ttg.memdesc<1x64xf32, #s, #smem, mutable, 2x64>
    %w = ttg.memdesc_subslice %m[0, 0] : !ttg.memdesc<2x64xf32, #s, #smem, mutable> -> !ttg.memdesc<1x64xf32, #s, #smem, mutable, 2x64>
    %q = tt.splat %p : !tt.ptr<f32> -> tensor<1x64x!tt.ptr<f32>, #b>
    %end = scf.for %i = %c0 to %n step %c1 iter_args(%x = %v) -> (!ttg.memdesc<1x64xf32, #s, #smem, mutable, 2x64>) : i32 {
      %t = ttg.local_load %x : !ttg.memdesc<1x64xf32, #s, #smem, mutable, 2x64> -> tensor<1x64xf32, #b>
      tt.store %q, %t : tensor<1x64x!tt.ptr<f32>, #b>
      scf.yield %w : !ttg.memdesc<1x64xf32, #s, #smem, mutable, 2x64>
    }
    tt.return
  }
}
