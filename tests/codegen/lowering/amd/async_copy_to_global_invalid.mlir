// RUN: %lower %s -split-input-file -verify-diagnostics

// RDNA 4 has no copies from shared to global memory.
// expected-error@unknown {{hip:gfx1201 has no copies from shared to global memory}}
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx1201", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%x: !tt.ptr<f32>) {
    %i = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #b>
    %s = tt.splat %x : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #b>
    %p = tt.addptr %s, %i : tensor<32x!tt.ptr<f32>, #b>, tensor<32xi32, #b>
    %m = ttg.local_alloc : () -> !ttg.memdesc<32xf32, #s, #smem, mutable>
    %t = amdg.async_copy_local_to_global %m, %p : !ttg.memdesc<32xf32, #s, #smem, mutable> -> tensor<32x!tt.ptr<f32>, #b>
    tt.return
  }
}

// -----

// One lane copies 1, 4, 8 or 16 bytes.
// expected-error@unknown {{no instruction copies this many bytes from shared to global memory}}
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%x: !tt.ptr<f16>) {
    %i = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #b>
    %s = tt.splat %x : !tt.ptr<f16> -> tensor<32x!tt.ptr<f16>, #b>
    %p = tt.addptr %s, %i : tensor<32x!tt.ptr<f16>, #b>, tensor<32xi32, #b>
    %m = ttg.local_alloc : () -> !ttg.memdesc<32xf16, #s, #smem, mutable>
    %t = amdg.async_copy_local_to_global %m, %p : !ttg.memdesc<32xf16, #s, #smem, mutable> -> tensor<32x!tt.ptr<f16>, #b>
    tt.return
  }
}
