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

// -----

// Only Blackwell Ultra has loads that reduce rows.
// expected-error@unknown {{loads from tensor memory do not reduce rows on this chip}}
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 4, colStride = 1>
#l = #ttg.linear<{register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k() {
    %d = ttng.tmem_alloc : () -> !ttg.memdesc<128x4xf32, #t, #ttng.tensor_memory, mutable>
    %x:2 = ttng.tmem_load %d {redOp = #ttng.redOp<min>} : !ttg.memdesc<128x4xf32, #t, #ttng.tensor_memory, mutable> -> tensor<128x4xf32, #l>, tensor<128xf32, #ttg.slice<{dim = 1, parent = #l}>>
    tt.return
  }
}
