// RUN: %lower %s -split-input-file -verify-diagnostics

// A vector has a power of two of elements.
// expected-error@unknown {{contiguity must be a power of two}}
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [64], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @k(%p: !tt.ptr<f16>) {
    %o = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #b>
    %x = amdg.buffer_load %p[%o] {contiguity = 3 : i32} : tensor<256xf16, #b>
    tt.return
  }
}
