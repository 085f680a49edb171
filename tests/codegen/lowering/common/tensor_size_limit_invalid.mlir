// RUN: %lower %s -split-input-file -verify-diagnostics

// Triton's limit holds for tensors of any operation.
// expected-error@unknown {{has more elements than a tensor can have}}
#a = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k() {
    %x = ub.poison : tensor<2048x1024xf16, #a>
    %y = ttg.convert_layout %x : tensor<2048x1024xf16, #a> -> tensor<2048x1024xf16, #b>
    tt.return
  }
}
