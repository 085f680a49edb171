// RUN: %lower %s -split-input-file -verify-diagnostics

// A called function has no tensor memory.
// expected-error@unknown {{f is called, and has tensor memory, which only kernels can have}}
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 32, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func private @f() attributes {noinline = true} {
    %d = ttng.tmem_alloc : () -> !ttg.memdesc<128x32xf32, #t, #ttng.tensor_memory, mutable>
    tt.return
  }
  tt.func public @k() {
    tt.call @f() : () -> ()
    tt.return
  }
}

// -----

// A kernel receives no tensors.
// expected-error@unknown {{parameter 1 of a kernel must be a scalar, a pointer or a descriptor}}
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%p: !tt.ptr<f32>, %x: tensor<128xf32, #b>) {
    tt.return
  }
}
