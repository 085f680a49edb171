// RUN: %lower %s -split-input-file -verify-diagnostics

// The transpose has the layout of its operand: elements would move to other lanes.
// expected-error@unknown {{tt.trans would have to move elements between threads}}
#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k() {
    %x = arith.constant dense<1> : tensor<1x64xi32, #b>
    %y = tt.trans %x {order = array<i32: 1, 0>} : tensor<1x64xi32, #b> -> tensor<64x1xi32, #b>
    tt.return
  }
}
