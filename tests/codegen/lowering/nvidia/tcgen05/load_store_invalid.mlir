// RUN: %lower %s -split-input-file -verify-diagnostics

// Tensors of TTIR have no layout.
// expected-error@unknown {{tensor<128x32xf32> has no layout}}
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 32, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k() {
    %d = ttng.tmem_alloc : () -> !ttg.memdesc<128x32xf32, #t, #ttng.tensor_memory, mutable>
    %x = ttng.tmem_load %d : !ttg.memdesc<128x32xf32, #t, #ttng.tensor_memory, mutable> -> tensor<128x32xf32>
    tt.return
  }
}
