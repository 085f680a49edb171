// RUN: %lower %s -split-input-file -verify-diagnostics

// The load starts at a row that is known only at run time.
// expected-error@unknown {{the offset of a loaded subview must be constant}}
#mma = #ttg.amd_mfma<{version = 4, warpsPerCTA = [1, 1], instrShape = [32, 32, 64], isTransposed = true}>
#s = #ttg.swizzled_shared<{vec = 16, perPhase = 4, maxPhase = 4, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @k(%n: i32) {
    %m = ttg.local_alloc : () -> !ttg.memdesc<256x32xi8, #s, #smem, mutable>
    %v = ttg.memdesc_subslice %m[128, 0] : !ttg.memdesc<256x32xi8, #s, #smem, mutable> -> !ttg.memdesc<128x32xi8, #s, #smem, mutable, 256x32>
    %w = ttg.memdesc_subslice %m[0, 0] : !ttg.memdesc<256x32xi8, #s, #smem, mutable> -> !ttg.memdesc<128x32xi8, #s, #smem, mutable, 256x32>

    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %u = scf.for %j = %c0 to %n step %c1 iter_args(%g = %v) -> (!ttg.memdesc<128x32xi8, #s, #smem, mutable, 256x32>) : i32 {
      %x = amdg.local_load_packed_tranposed %g : !ttg.memdesc<128x32xi8, #s, #smem, mutable, 256x32> -> tensor<64x64xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 16}>>
      scf.yield %w : !ttg.memdesc<128x32xi8, #s, #smem, mutable, 256x32>
    }
    tt.return
  }
}
