// RUN: %lower %s -split-input-file -verify-diagnostics

// Hopper has no scaled mma.sync.
// expected-error@unknown {{cuda:90 does not multiply registers with scales}}
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>
#sa = #ttg.linear<{register = [], lane = [[0, 0], [8, 0], [1, 0], [2, 0], [4, 0]], warp = [], block = []}>
#sb = #ttg.linear<{register = [], lane = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]], warp = [], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k() {
    %a = arith.constant dense<1.0> : tensor<16x32xf8E4M3FN, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
    %b = arith.constant dense<1.0> : tensor<32x8xf8E4M3FN, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
    %s = arith.constant dense<1> : tensor<16x1xi8, #sa>
    %t = arith.constant dense<1> : tensor<8x1xi8, #sb>
    %c = arith.constant dense<0.0> : tensor<16x8xf32, #mma>
    %d = tt.dot_scaled %a scale %s, %b scale %t, %c lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<16x32xf8E4M3FN, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>, tensor<16x1xi8, #sa> * tensor<32x8xf8E4M3FN, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>, tensor<8x1xi8, #sb> -> tensor<16x8xf32, #mma>
    tt.return
  }
}

// -----

// A lane holds 4 contiguous bytes along k.
// expected-error@unknown {{a scaled dot takes operands of which a lane holds 4 contiguous bytes}}
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>
#sa = #ttg.linear<{register = [], lane = [[0, 0], [8, 0], [1, 0], [2, 0], [4, 0]], warp = [], block = []}>
#sb = #ttg.linear<{register = [], lane = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]], warp = [], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:120", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k() {
    %a = arith.constant dense<1.0> : tensor<16x32xf8E4M3FN, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
    %b = arith.constant dense<1.0> : tensor<32x8xf8E4M3FN, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>>
    %s = arith.constant dense<1> : tensor<16x1xi8, #sa>
    %t = arith.constant dense<1> : tensor<8x1xi8, #sb>
    %c = arith.constant dense<0.0> : tensor<16x8xf32, #mma>
    %d = tt.dot_scaled %a scale %s, %b scale %t, %c lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<16x32xf8E4M3FN, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>, tensor<16x1xi8, #sa> * tensor<32x8xf8E4M3FN, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>>, tensor<8x1xi8, #sb> -> tensor<16x8xf32, #mma>
    tt.return
  }
}

// -----

// The instruction does not mix fp4 with fp8.
// expected-error@unknown {{does not support these element types}}
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>
#sa = #ttg.linear<{register = [], lane = [[0, 0], [8, 0], [1, 0], [2, 0], [4, 0]], warp = [], block = []}>
#sb = #ttg.linear<{register = [], lane = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]], warp = [], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:120", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k() {
    %a = arith.constant dense<1> : tensor<16x16xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
    %b = arith.constant dense<1.0> : tensor<32x8xf8E4M3FN, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
    %s = arith.constant dense<1> : tensor<16x1xi8, #sa>
    %t = arith.constant dense<1> : tensor<8x1xi8, #sb>
    %c = arith.constant dense<0.0> : tensor<16x8xf32, #mma>
    %d = tt.dot_scaled %a scale %s, %b scale %t, %c lhs = e2m1 rhs = e4m3 {fastMath = false} : tensor<16x16xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>, tensor<16x1xi8, #sa> * tensor<32x8xf8E4M3FN, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>, tensor<8x1xi8, #sb> -> tensor<16x8xf32, #mma>
    tt.return
  }
}

// -----

// Scales of fp8 operands are powers of two.
// expected-error@unknown {{scales are i8 for both operands, or f8E4M3FN where those have 4 bits}}
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>
#sa = #ttg.linear<{register = [], lane = [[0, 0], [8, 0], [1, 0], [2, 0], [4, 0]], warp = [], block = []}>
#sb = #ttg.linear<{register = [], lane = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]], warp = [], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:120", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k() {
    %a = arith.constant dense<1.0> : tensor<16x32xf8E4M3FN, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
    %b = arith.constant dense<1.0> : tensor<32x8xf8E4M3FN, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
    %s = arith.constant dense<1.0> : tensor<16x1xf8E4M3FN, #sa>
    %t = arith.constant dense<1.0> : tensor<8x1xf8E4M3FN, #sb>
    %c = arith.constant dense<0.0> : tensor<16x8xf32, #mma>
    %d = tt.dot_scaled %a scale %s, %b scale %t, %c lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<16x32xf8E4M3FN, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>, tensor<16x1xf8E4M3FN, #sa> * tensor<32x8xf8E4M3FN, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>, tensor<8x1xf8E4M3FN, #sb> -> tensor<16x8xf32, #mma>
    tt.return
  }
}
