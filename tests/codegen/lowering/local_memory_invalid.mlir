// RUN: %lower %s -split-input-file -verify-diagnostics

// A view of a padded buffer must start at its first element.
// expected-error@unknown {{subviews of padded buffers must begin at offset 0}}
#s = #ttg.padded_shared<[64:+4] {order = [1, 0], shape = [8, 64]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k() {
    %m = ttg.local_alloc : () -> !ttg.memdesc<8x64xf32, #s, #smem, mutable>
    %v = ttg.memdesc_subslice %m[4, 0] : !ttg.memdesc<8x64xf32, #s, #smem, mutable> -> !ttg.memdesc<4x64xf32, #s, #smem, mutable, 8x64>
    tt.return
  }
}
