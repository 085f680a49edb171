// RUN: %lower %s -split-input-file -verify-diagnostics

// wgmma reads operands in the layout #ttg.nvmma_shared.
// expected-error@unknown {{operands of tensor cores in shared memory must have the layout #ttg.nvmma_shared}}
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8, 16]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#t = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k() {
    %a = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #s, #smem, mutable>
    %b = ttg.local_alloc : () -> !ttg.memdesc<64x8xf16, #t, #smem, mutable>
    %zero = arith.constant dense<0.0> : tensor<64x8xf32, #mma>
    %d = ttng.warp_group_dot %a, %b, %zero {isAsync = true} : !ttg.memdesc<64x64xf16, #s, #smem, mutable> * !ttg.memdesc<64x8xf16, #t, #smem, mutable> -> tensor<64x8xf32, #mma>
    tt.return
  }
}

// -----

// Rows without a swizzle have 16 bytes.
// expected-error@unknown {{unswizzled operands of tensor cores must have rows of 16 bytes}}
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8, 16]}>
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16}>
#t = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k() {
    %a = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #s, #smem, mutable>
    %b = ttg.local_alloc : () -> !ttg.memdesc<64x8xf16, #t, #smem, mutable>
    %zero = arith.constant dense<0.0> : tensor<64x8xf32, #mma>
    %d = ttng.warp_group_dot %a, %b, %zero {isAsync = true} : !ttg.memdesc<64x64xf16, #s, #smem, mutable> * !ttg.memdesc<64x8xf16, #t, #smem, mutable> -> tensor<64x8xf32, #mma>
    tt.return
  }
}
