// RUN: %lower %s -split-input-file -verify-diagnostics

// The layout names no depth of an instruction.
// expected-error@unknown {{wgmma needs a layout whose instrShape has M, N and K}}
#a = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k() {
    %x = ub.poison : tensor<128x64xf16, #ttg.dot_op<{opIdx = 0, parent = #a, kWidth = 2}>>
    %y = ttg.local_alloc : () -> !ttg.memdesc<64x128xf16, #shared, #ttg.shared_memory, mutable>
    %z = ub.poison : tensor<128x128xf32, #mma>
    %r = ttng.warp_group_dot %x, %y, %z : tensor<128x64xf16, #ttg.dot_op<{opIdx = 0, parent = #a, kWidth = 2}>> * !ttg.memdesc<64x128xf16, #shared, #ttg.shared_memory, mutable> -> tensor<128x128xf32, #mma>
    tt.return
  }
}

// -----

// A warp holds other rows of A than of the result.
// expected-error@unknown {{the warps that hold rows of A must hold the same rows of the result}}
#a = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k() {
    %x = ub.poison : tensor<128x64xf16, #ttg.dot_op<{opIdx = 0, parent = #a, kWidth = 2}>>
    %y = ttg.local_alloc : () -> !ttg.memdesc<64x128xf16, #shared, #ttg.shared_memory, mutable>
    %z = ub.poison : tensor<128x128xf32, #mma>
    %r = ttng.warp_group_dot %x, %y, %z : tensor<128x64xf16, #ttg.dot_op<{opIdx = 0, parent = #a, kWidth = 2}>> * !ttg.memdesc<64x128xf16, #shared, #ttg.shared_memory, mutable> -> tensor<128x128xf32, #mma>
    tt.return
  }
}
