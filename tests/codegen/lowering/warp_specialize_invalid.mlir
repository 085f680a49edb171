// RUN: %lower %s -split-input-file -verify-diagnostics

// The partitions have no warp of the kernel.
// expected-error@unknown {{partitions of 'ttg.warp_specialize' start after the kernel's 4 warps}}
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k() {
    ttg.warp_specialize() attributes {warpGroupStartIds = array<i32: 2>}
    default {
      ttg.warp_yield
    }
    partition0() num_warps(2) {
      ttg.warp_return
    } : () -> ()
    tt.return
  }
}
