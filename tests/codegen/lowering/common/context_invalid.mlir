// RUN: %lower %s -split-input-file -verify-diagnostics

// Tensors of TTIR have no layout.
// expected-error@unknown {{tensor<8xi32> has no layout}}

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k() {
    %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
    tt.return
  }
}
