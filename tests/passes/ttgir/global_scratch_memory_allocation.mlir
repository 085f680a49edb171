// RUN: weft opt %s -p tritongpu-global-scratch-memory-allocation --split-input-file | filecheck %s

// Each allocation starts at a multiple of its alignment; the size is one of the largest.
// CHECK: module attributes {ttg.global_scratch_memory_alignment = 64 : i32, ttg.global_scratch_memory_size = 192 : i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @two
  // CHECK-SAME: attributes {ttg.global_scratch_memory_alignment = 64 : i32, ttg.global_scratch_memory_size = 192 : i32}
  tt.func public @two() {
    // CHECK: ttg.global_scratch_memory_offset = 0 : i32
    %0 = ttg.global_scratch_alloc {alignment = 4 : i32, nbytes = 20 : i32} : !tt.ptr<i8>
    // CHECK: ttg.global_scratch_memory_offset = 64 : i32
    %1 = ttg.global_scratch_alloc {alignment = 64 : i32, nbytes = 65 : i32} : !tt.ptr<i8>
    tt.return
  }
}

// -----

// CHECK: module attributes {ttg.global_scratch_memory_alignment = 1 : i32, ttg.global_scratch_memory_size = 0 : i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @none
  tt.func public @none() {
    tt.return
  }
}

// -----

// A call needs what its callee needs, which calls another function.
// CHECK: ttg.global_scratch_memory_size = 48 : i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @kernel
  tt.func public @kernel() {
    // CHECK: ttg.global_scratch_memory_offset = 0 : i32
    %0 = ttg.global_scratch_alloc {alignment = 8 : i32, nbytes = 8 : i32} : !tt.ptr<i8>
    // CHECK: tt.call @outer() {ttg.global_scratch_memory_offset = 16 : i32}
    tt.call @outer() : () -> ()
    tt.return
  }
  // CHECK: tt.func private @outer() attributes {ttg.global_scratch_memory_alignment = 16 : i32, ttg.global_scratch_memory_size = 32 : i32}
  tt.func private @outer() {
    // CHECK: tt.call @inner() {ttg.global_scratch_memory_offset = 0 : i32}
    tt.call @inner() : () -> ()
    // CHECK: ttg.global_scratch_memory_offset = 16 : i32
    %0 = ttg.global_scratch_alloc {alignment = 16 : i32, nbytes = 16 : i32} : !tt.ptr<i8>
    tt.return
  }
  tt.func private @inner() {
    %0 = ttg.global_scratch_alloc {alignment = 16 : i32, nbytes = 16 : i32} : !tt.ptr<i8>
    tt.return
  }
}
