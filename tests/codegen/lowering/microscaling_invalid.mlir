// RUN: %lower %s -split-input-file -verify-diagnostics

// Elements of 6 bits cannot be unpacked.
// expected-error@unknown {{this element type cannot be unpacked from bytes}}
#mma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [1, 1], instrShape = [16, 16, 16], isTransposed = true}>
#d = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 8}>
#s = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [16, 4], warpsPerCTA = [1, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @k() {
    %x = arith.constant dense<1> : tensor<16x32xi8, #d>
    %s = arith.constant dense<1> : tensor<16x1xi8, #s>
    %y = amdg.upcast_mxfp %x, %s fp_type = e2m3 {fastMath = false} : tensor<16x32xi8, #d>, tensor<16x1xi8, #s> -> tensor<16x32xbf16, #d>
    tt.return
  }
}

// -----

// The lanes of the bytes are in another order.
// expected-error@unknown {{a thread must hold the bytes of its 4-bit floats}}
#p = #ttg.linear<{register = [], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warp = [], block = []}>
#u = #ttg.linear<{register = [[0, 1]], lane = [[0, 4], [0, 2], [1, 0], [2, 0], [4, 0]], warp = [], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k() {
    %x = arith.constant dense<1> : tensor<8x4xi8, #p>
    %y = ttg.fp4_to_fp %x {axis = 1 : i32} : tensor<8x4xi8, #p> -> tensor<8x8xf16, #u>
    tt.return
  }
}
