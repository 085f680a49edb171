// RUN: %lower %s -split-input-file -verify-diagnostics

// tcgen05.cp reads rows that are contiguous.
// expected-error@unknown {{a copy to tensor memory takes 128 rows that are contiguous in shared memory}}
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 32}>
#smem = #ttg.shared_memory
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 32, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k() {
    %d = ttng.tmem_alloc : () -> !ttg.memdesc<128x32xf32, #t, #ttng.tensor_memory, mutable>
    %a = ttg.local_alloc : () -> !ttg.memdesc<128x32xf32, #s, #smem, mutable>
    ttng.tmem_copy %a, %d : !ttg.memdesc<128x32xf32, #s, #smem, mutable>, !ttg.memdesc<128x32xf32, #t, #ttng.tensor_memory, mutable>
    tt.return
  }
}

// -----

// Scales lie in the order of tcgen05.cp.32x128b.
// expected-error@unknown {{scales are copied as 32 rows of 16 bytes}}
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
#t = #ttng.tensor_memory_scales_encoding<>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k() {
    %d = ttng.tmem_alloc : () -> !ttg.memdesc<128x4xi8, #t, #ttng.tensor_memory, mutable>
    %a = ttg.local_alloc : () -> !ttg.memdesc<128x4xi8, #s, #smem, mutable>
    ttng.tmem_copy %a, %d : !ttg.memdesc<128x4xi8, #s, #smem, mutable>, !ttg.memdesc<128x4xi8, #t, #ttng.tensor_memory, mutable>
    tt.return
  }
}
