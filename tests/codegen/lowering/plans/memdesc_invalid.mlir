// RUN: %lower %s -split-input-file -verify-diagnostics

// A tensor is not a memory descriptor.
// expected-error@unknown {{not a buffer of shared memory}}
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k() {
    %x = arith.constant dense<1.0> : tensor<32xf32, #b>
    %y = ttg.local_load %x : tensor<32xf32, #b> -> tensor<32xf32, #b>
    tt.return
  }
}
