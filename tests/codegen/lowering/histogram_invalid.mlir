// RUN: %lower %s -split-input-file -verify-diagnostics

// The counters are i32.
// expected-error@unknown {{the result of a histogram must have element type i32}}
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k() {
    %i = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #b>
    %h = tt.histogram %i : tensor<32xi32, #b> -> tensor<32xi64, #b>
    tt.return
  }
}
