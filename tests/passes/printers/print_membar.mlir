// RUN: weft opt %s -p test-print-membar --split-input-file | filecheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#other = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
!buffer = !ttg.memdesc<32x32xf16, #shared, #smem, mutable>
!half = !ttg.memdesc<16x32xf16, #shared, #smem, mutable, 32x32>

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @hazards
  tt.func public @hazards(%x: tensor<32x32xf16, #blocked>) {
    %b = ttg.local_alloc : () -> !buffer
    // CHECK: ttg.local_alloc
    // CHECK-NEXT: ttg.local_store
    // CHECK-NEXT: ttg.barrier local
    // CHECK-NEXT: ttg.local_load
    // CHECK-NEXT: ttg.local_load
    // CHECK-NEXT: ttg.barrier local
    // CHECK-NEXT: ttg.local_store
    // CHECK-NEXT: ttg.barrier local
    // CHECK-NEXT: ttg.local_store
    ttg.local_store %x, %b : tensor<32x32xf16, #blocked> -> !buffer
    %0 = ttg.local_load %b : !buffer -> tensor<32x32xf16, #blocked>
    %1 = ttg.local_load %b : !buffer -> tensor<32x32xf16, #blocked>
    ttg.local_store %x, %b : tensor<32x32xf16, #blocked> -> !buffer
    ttg.local_store %x, %b : tensor<32x32xf16, #blocked> -> !buffer
    tt.return
  }

  // Slices of a buffer without a common element need no barrier.
  // CHECK-LABEL: @slices
  // CHECK-NOT: ttg.barrier
  // CHECK: tt.return
  tt.func public @slices(%x: tensor<16x32xf16, #blocked>) {
    %b = ttg.local_alloc : () -> !buffer
    %low = ttg.memdesc_subslice %b[0, 0] : !buffer -> !half
    %high = ttg.memdesc_subslice %b[16, 0] : !buffer -> !half
    ttg.local_store %x, %low : tensor<16x32xf16, #blocked> -> !half
    %0 = ttg.local_load %high : !half -> tensor<16x32xf16, #blocked>
    tt.return
  }

  // A conversion across warps writes its scratch memory, which an earlier buffer had.
  // CHECK-LABEL: @scratch
  // CHECK: ttg.local_load
  // CHECK-NEXT: ttg.barrier local
  // CHECK-NEXT: ttg.convert_layout
  tt.func public @scratch(%x: tensor<32x32xf16, #blocked>) {
    %b = ttg.local_alloc %x : (tensor<32x32xf16, #blocked>) -> !buffer
    %0 = ttg.local_load %b : !buffer -> tensor<32x32xf16, #blocked>
    %1 = ttg.convert_layout %0 : tensor<32x32xf16, #blocked> -> tensor<32x32xf16, #other>
    tt.return
  }

  // The store of one iteration comes after the load of the iteration before.
  // CHECK-LABEL: @loop
  // CHECK: scf.for
  // CHECK-NEXT: ttg.barrier local
  // CHECK-NEXT: ttg.local_store
  // CHECK-NEXT: ttg.barrier local
  // CHECK-NEXT: ttg.local_load
  // CHECK-NEXT: }
  // CHECK-NEXT: tt.return
  tt.func public @loop(%x: tensor<32x32xf16, #blocked>, %n: i32) {
    %b = ttg.local_alloc : () -> !buffer
    scf.for %i = %n to %n step %n : i32 {
      ttg.local_store %x, %b : tensor<32x32xf16, #blocked> -> !buffer
      %0 = ttg.local_load %b : !buffer -> tensor<32x32xf16, #blocked>
    }
    tt.return
  }

  // The same in blocks.
  // CHECK-LABEL: @blocks
  // CHECK: ^bb1:
  // CHECK-NEXT: ttg.barrier local
  // CHECK-NEXT: ttg.local_store
  // CHECK-NEXT: ttg.barrier local
  // CHECK-NEXT: ttg.local_load
  // CHECK-NEXT: cf.cond_br
  tt.func public @blocks(%x: tensor<32x32xf16, #blocked>, %c: i1) {
    %b = ttg.local_alloc : () -> !buffer
    cf.br ^bb1
  ^bb1:
    ttg.local_store %x, %b : tensor<32x32xf16, #blocked> -> !buffer
    %0 = ttg.local_load %b : !buffer -> tensor<32x32xf16, #blocked>
    cf.cond_br %c, ^bb1, ^bb2
  ^bb2:
    tt.return
  }

  // CHECK-LABEL: @callee
  tt.func private @callee(%x: tensor<32x32xf16, #blocked>) {
    %b = ttg.local_alloc %x : (tensor<32x32xf16, #blocked>) -> !buffer
    tt.return
  }

  // What a callee wrote is not ordered yet.
  // CHECK-LABEL: @caller
  // CHECK: tt.call @callee
  // CHECK-NEXT: ttg.barrier local
  // CHECK-NEXT: tt.call @callee
  tt.func public @caller(%x: tensor<32x32xf16, #blocked>) {
    tt.call @callee(%x) : (tensor<32x32xf16, #blocked>) -> ()
    tt.call @callee(%x) : (tensor<32x32xf16, #blocked>) -> ()
    tt.return
  }

  // Each thread waits for its own copies only.
  // CHECK-LABEL: @wait
  // CHECK: ttg.async_wait
  // CHECK-NEXT: ttg.barrier local
  // CHECK-NEXT: tt.return
  tt.func public @wait() {
    %0 = ttg.async_wait {num = 0 : i32}
    tt.return
  }

  // Partitions begin with a barrier of all warps, and do not wait for each other.
  // CHECK-LABEL: @partitions
  // CHECK: partition0
  // CHECK-NEXT: ttg.local_load
  // CHECK-NEXT: ttg.barrier local
  // CHECK-NEXT: ttg.local_store
  tt.func public @partitions(%x: tensor<32x32xf16, #blocked>) {
    %b = ttg.local_alloc %x : (tensor<32x32xf16, #blocked>) -> !buffer
    ttg.warp_specialize(%b)
    default {
      ttg.warp_yield
    }
    partition0(%c: !buffer) num_warps(4) {
      %0 = ttg.local_load %c : !buffer -> tensor<32x32xf16, #blocked>
      ttg.local_store %0, %c : tensor<32x32xf16, #blocked> -> !buffer
      ttg.warp_return
    } : (!buffer) -> ()
    tt.return
  }
}

// -----

#line = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!mbarrier = !ttg.memdesc<1xi64, #line, #smem, mutable>

// One thread initializes mbarriers; all threads wait, and must not get ahead of each other.
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @mbarriers
  // CHECK: ttng.init_barrier
  // CHECK-NEXT: ttng.barrier_expect
  // CHECK-NEXT: ttg.barrier local
  // CHECK-NEXT: ttng.wait_barrier
  // CHECK-NEXT: ttg.barrier local
  // CHECK-NEXT: ttng.wait_barrier
  // CHECK-NEXT: ttg.barrier local
  // CHECK-NEXT: ttng.inval_barrier
  tt.func public @mbarriers(%phase: i32, %p: i1) {
    %m = ttg.local_alloc : () -> !mbarrier
    ttng.init_barrier %m, 1 : !mbarrier
    ttng.barrier_expect %m, 128, %p : !mbarrier
    ttng.wait_barrier %m, %phase : !mbarrier
    ttng.wait_barrier %m, %phase : !mbarrier
    ttng.inval_barrier %m : !mbarrier
    tt.return
  }
}

// -----

#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[1, 0]]}>
#columns = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[0, 1]]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0], CGALayout = [[0, 1]]}>
#smem = #ttg.shared_memory

// Other CTAs may still read the memory of a conversion.
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @cluster
  // CHECK: ttg.convert_layout
  // CHECK-NEXT: ttng.cluster_arrive {relaxed = false}
  // CHECK-NEXT: ttng.cluster_wait
  // CHECK-NEXT: ttg.local_alloc
  // CHECK-NEXT: tt.return
  tt.func public @cluster(%x: tensor<64x64xf16, #rows>) {
    %0 = ttg.convert_layout %x : tensor<64x64xf16, #rows> -> tensor<64x64xf16, #columns>
    %b = ttg.local_alloc %0 : (tensor<64x64xf16, #columns>) -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    tt.return
  }

  // A kernel does not end before.
  // CHECK-LABEL: @end_of_kernel
  // CHECK: ttg.convert_layout
  // CHECK-NEXT: ttng.cluster_arrive {relaxed = false}
  // CHECK-NEXT: ttng.cluster_wait
  // CHECK-NEXT: tt.return
  tt.func public @end_of_kernel(%x: tensor<64x64xf16, #rows>) {
    %0 = ttg.convert_layout %x : tensor<64x64xf16, #rows> -> tensor<64x64xf16, #columns>
    tt.return
  }
}
