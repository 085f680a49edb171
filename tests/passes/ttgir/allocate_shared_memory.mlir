// RUN: weft opt %s -p allocate-shared-memory --split-input-file | filecheck %s

#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory

// Buffers that are live together lie side by side; a dead one gives its memory to the next.
// CHECK: ttg.shared = 12288 : i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @buffers
  tt.func public @buffers(%x: tensor<32x32xf32, #rows>, %y: tensor<64x32xf32, #rows>) {
    // CHECK: %[[A:.*]] = ttg.local_alloc %arg0 {allocation.offset = 8192 : i32}
    %a = ttg.local_alloc %x : (tensor<32x32xf32, #rows>) -> !ttg.memdesc<32x32xf32, #shared, #smem, mutable>
    // CHECK: %[[B:.*]] = ttg.local_alloc %arg1 {allocation.offset = 0 : i32}
    %b = ttg.local_alloc %y : (tensor<64x32xf32, #rows>) -> !ttg.memdesc<64x32xf32, #shared, #smem, mutable>
    %0 = ttg.local_load %a : !ttg.memdesc<32x32xf32, #shared, #smem, mutable> -> tensor<32x32xf32, #rows>
    %1 = ttg.local_load %b : !ttg.memdesc<64x32xf32, #shared, #smem, mutable> -> tensor<64x32xf32, #rows>
    // CHECK: ttg.local_alloc %arg0 {allocation.offset = 0 : i32}
    %c = ttg.local_alloc %x : (tensor<32x32xf32, #rows>) -> !ttg.memdesc<32x32xf32, #shared, #smem, mutable>
    %2 = ttg.local_load %c : !ttg.memdesc<32x32xf32, #shared, #smem, mutable> -> tensor<32x32xf32, #rows>
    tt.return
  }
}

// -----

#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [0, 1]}>
#slice = #ttg.slice<{dim = 1, parent = #rows}>

// Scratch memory: a conversion across warps, a reduction across warps, a histogram, an atomic.
// CHECK: ttg.shared = 16384 : i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @scratch
  tt.func public @scratch(%x: tensor<64x128xf16, #rows>, %p: !tt.ptr<i32>, %n: i32) -> i32 {
    // CHECK: ttg.convert_layout %arg0 {allocation.offset = 0 : i32}
    %0 = ttg.convert_layout %x : tensor<64x128xf16, #rows> -> tensor<64x128xf16, #columns>
    // CHECK: "tt.reduce"
    // CHECK: {allocation.offset = 0 : i32}
    %1 = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f16, %b: f16):
      %s = arith.addf %a, %b : f16
      tt.reduce.return %s : f16
    }) : (tensor<64x128xf16, #rows>) -> tensor<64xf16, #slice>
    // CHECK: tt.atomic_cas {{.*}} {allocation.offset = 0 : i32}
    %2 = tt.atomic_cas acq_rel, gpu, %p, %n, %n {allocation.offset = 7 : i32} : (!tt.ptr<i32>, i32, i32) -> i32
    tt.return %2 : i32
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

// A call needs the memory of its callee while it runs.
// CHECK: ttg.shared = 1024 : i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @callee
  tt.func private @callee() attributes {noinline = true} {
    // CHECK: ttg.local_alloc {allocation.offset = 0 : i32}
    %0 = ttg.local_alloc : () -> !ttg.memdesc<128xf32, #shared, #smem, mutable>
    tt.return
  }
  // CHECK-LABEL: @kernel
  tt.func public @kernel() {
    // CHECK: ttg.local_alloc {allocation.offset = 0 : i32}
    %0 = ttg.local_alloc : () -> !ttg.memdesc<128xf32, #shared, #smem, mutable>
    // CHECK: tt.call @callee() {allocation.offset = 512 : i32}
    tt.call @callee() : () -> ()
    ttg.local_dealloc %0 : !ttg.memdesc<128xf32, #shared, #smem, mutable>
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

// Regions of a warp_specialize run at the same time. The function has a byte per warp of the
// partitions throughout. Partitions read their captures before their own buffers are live.
// CHECK: ttg.shared = 130 : i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @partitions
  // CHECK-SAME: allocation.offset = 128 : i32
  tt.func public @partitions(%n: i32) {
    // CHECK: ttg.warp_specialize(%arg0) attributes {allocation.offset = 0 : i32}
    ttg.warp_specialize(%n)
    default {
      // CHECK: ttg.local_alloc {allocation.offset = 0 : i32}
      %0 = ttg.local_alloc : () -> !ttg.memdesc<16xf32, #shared, #smem, mutable>
      ttg.warp_yield
    }
    partition0(%m: i32) num_warps(2) {
      // CHECK: ttg.local_alloc {allocation.offset = 64 : i32}
      %0 = ttg.local_alloc : () -> !ttg.memdesc<16xf32, #shared, #smem, mutable>
      ttg.warp_return
    } : (i32) -> ()
    tt.return
  }
}
