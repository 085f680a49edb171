// RUN: %lower %s -split-input-file -verify-diagnostics

// A thread has one element, and the region takes two.
// expected-error@unknown {{tt.map_elementwise processes 2 elements at once}}
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k() {
    %x = arith.constant dense<1> : tensor<32xi32, #b>
    %y = "tt.map_elementwise"(%x) <{pack = 2 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      tt.map_elementwise.return %a, %b : i32, i32
    }) : (tensor<32xi32, #b>) -> tensor<32xi32, #b>
    tt.return
  }
}
