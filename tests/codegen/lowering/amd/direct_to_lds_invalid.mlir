// RUN: %lower %s -split-input-file -verify-diagnostics

// The copy starts at a row that is known only at run time.
// expected-error@unknown {{a direct-to-LDS copy needs a constant offset in the buffer}}
#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @k(%n: i32, %x: !tt.ptr<f16>) {
    %p = tt.splat %x : !tt.ptr<f16> -> tensor<8x64x!tt.ptr<f16>, #b>
    %m = ttg.local_alloc : () -> !ttg.memdesc<16x64xf16, #s, #smem, mutable>
    %v = ttg.memdesc_subslice %m[8, 0] : !ttg.memdesc<16x64xf16, #s, #smem, mutable> -> !ttg.memdesc<8x64xf16, #s, #smem, mutable, 16x64>
    %w = ttg.memdesc_subslice %m[0, 0] : !ttg.memdesc<16x64xf16, #s, #smem, mutable> -> !ttg.memdesc<8x64xf16, #s, #smem, mutable, 16x64>

    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %u = scf.for %j = %c0 to %n step %c1 iter_args(%g = %v) -> (!ttg.memdesc<8x64xf16, #s, #smem, mutable, 16x64>) : i32 {
      %t = ttg.async_copy_global_to_local %p, %g {contiguity = 8 : i32} : tensor<8x64x!tt.ptr<f16>, #b> -> <8x64xf16, #s, #smem, mutable, 16x64>
      scf.yield %w : !ttg.memdesc<8x64xf16, #s, #smem, mutable, 16x64>
    }
    tt.return
  }
}
