// RUN: %lower %s -split-input-file -verify-diagnostics

// cp.async copies 4, 8 or 16 bytes.
// expected-error@unknown {{an asynchronous copy needs at least 4 contiguous bytes per thread}}
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%x: !tt.ptr<f16>) {
    %p = tt.splat %x : !tt.ptr<f16> -> tensor<32x!tt.ptr<f16>, #b>
    %m = ttg.local_alloc : () -> !ttg.memdesc<32xf16, #s, #smem, mutable>
    %t = ttg.async_copy_global_to_local %p, %m : tensor<32x!tt.ptr<f16>, #b> -> <32xf16, #s, #smem, mutable>
    tt.return
  }
}

// -----

// cp.async fills masked elements with zeros.
// expected-error@unknown {{an asynchronous copy can fill masked elements only with zeros}}
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%c: i1, %x: !tt.ptr<f32>) {
    %p = tt.splat %x : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #b>
    %mask = tt.splat %c : i1 -> tensor<32xi1, #b>
    %one = arith.constant dense<1.0> : tensor<32xf32, #b>
    %m = ttg.local_alloc : () -> !ttg.memdesc<32xf32, #s, #smem, mutable>
    %t = ttg.async_copy_global_to_local %p, %m mask %mask other %one : tensor<32x!tt.ptr<f32>, #b> -> <32xf32, #s, #smem, mutable>
    tt.return
  }
}
