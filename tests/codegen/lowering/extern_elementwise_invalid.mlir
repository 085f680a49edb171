// RUN: %lower %s -split-input-file -verify-diagnostics

// A hyperbolic tangent of two numbers.
// expected-error@unknown {{__nv_tanhf takes another number of operands}}
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%x: f32) {
    %t = tt.splat %x : f32 -> tensor<128xf32, #b>
    %y = tt.extern_elementwise %t, %t {libname = "", libpath = "", pure = true, symbol = "__nv_tanhf"} : (tensor<128xf32, #b>, tensor<128xf32, #b>) -> tensor<128xf32, #b>
    tt.return
  }
}

// -----

// A square root of two numbers.
// expected-error@unknown {{__nv_sqrtf takes another number of operands}}
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%x: f32) {
    %t = tt.splat %x : f32 -> tensor<128xf32, #b>
    %y = tt.extern_elementwise %t, %t {libname = "", libpath = "", pure = true, symbol = "__nv_sqrtf"} : (tensor<128xf32, #b>, tensor<128xf32, #b>) -> tensor<128xf32, #b>
    tt.return
  }
}

// -----

// A fused multiplication of two numbers.
// expected-error@unknown {{__nv_fmaf takes another number of operands}}
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%x: f32) {
    %t = tt.splat %x : f32 -> tensor<128xf32, #b>
    %y = tt.extern_elementwise %t, %t {libname = "", libpath = "", pure = true, symbol = "__nv_fmaf"} : (tensor<128xf32, #b>, tensor<128xf32, #b>) -> tensor<128xf32, #b>
    tt.return
  }
}
