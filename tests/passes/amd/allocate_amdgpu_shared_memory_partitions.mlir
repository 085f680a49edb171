// RUN: weft opt %s -p allocate-amdgpu-shared-memory --split-input-file | filecheck %s

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#spread = #ttg.partitioned_shared<{numPartitions = 2, numGroups = 2, partitionDim = 0, partitionLayout = #shared}>
#smem = #ttg.shared_memory

// The parts of one buffer get offsets in different partitions of 64 KiB.
// CHECK: ttg.shared = 67584 : i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @spread
  tt.func public @spread() {
    // CHECK: ttg.local_alloc {allocation.offset = [0 : i32, 65536 : i32]}
    %0 = ttg.local_alloc : () -> !ttg.memdesc<64x32xf16, #spread, #smem, mutable>
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#spread = #ttg.partitioned_shared<{numPartitions = 2, numGroups = 2, partitionDim = 0, partitionLayout = #shared}>
#smem = #ttg.shared_memory

// On a chip without partitions they lie side by side.
// CHECK: ttg.shared = 4096 : i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // CHECK-LABEL: @side_by_side
  tt.func public @side_by_side() {
    // CHECK: ttg.local_alloc {allocation.offset = [0 : i32, 2048 : i32]}
    %0 = ttg.local_alloc : () -> !ttg.memdesc<64x32xf16, #spread, #smem, mutable>
    tt.return
  }
}
