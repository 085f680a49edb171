// RUN: %lower %s -split-input-file -verify-diagnostics

// A select of memory descriptors has no LLVM type.
// expected-error@unknown {{has no type in LLVM IR}}
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%c: i1) {
    %m = ttg.local_alloc : () -> !ttg.memdesc<32xf32, #s, #smem, mutable>
    %u = arith.select %c, %m, %m : !ttg.memdesc<32xf32, #s, #smem, mutable>
    tt.return
  }
}

// -----

// A constant tensor is a splat: Triton creates no other.
// expected-error@unknown {{a tensor constant must have one value for all elements}}
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k() {
    %x = arith.constant dense<[1, 2]> : tensor<2xi32, #b>
    tt.return
  }
}
