// RUN: %lower %s -split-input-file -verify-diagnostics

// The offsets are an aid of Triton's tests.
// expected-error@unknown {{a prefetch that returns offsets is not supported}}
#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%p: !tt.ptr<f16>, %n: i32, %i: i32, %c: i1) {
    %stride = arith.extsi %n : i32 to i64
    %one = arith.constant 1 : i64
    %d = tt.make_tensor_descriptor %p, [%n, %n], [%stride, %one] : <f16>, <tensor<64x128xf16>>
    %o = amdg.tdm_prefetch %d[%i, %i], %c, speculative = true returnOffsets : !tt.tensordesc<tensor<64x128xf16>> -> tensor<64x1xi64, #b>
    tt.return
  }
}
