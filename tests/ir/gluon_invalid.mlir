// RUN: weft opt %s --split-input-file --verify-diagnostics

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<64x64xf16, #gluon.auto_encoding>) {
    // expected-error@below {{'gluon.set_auto_layout' op requires the same shape for all operands and results}}
    %r = gluon.set_auto_layout %a : tensor<64x64xf16, #gluon.auto_encoding> -> tensor<64x32xf16, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<64x64xf16, #gluon.auto_encoding>) {
    // expected-error@below {{'gluon.set_auto_layout' op requires the same element type for all operands and results}}
    %r = gluon.set_auto_layout %a : tensor<64x64xf16, #gluon.auto_encoding> -> tensor<64x64xf32, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<64x64xf16, #blocked>) {
    // expected-error@below {{'gluon.set_auto_layout' op input tensor must have an auto layout type}}
    %r = gluon.set_auto_layout %a : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<64x64xf16, #gluon.auto_encoding>) {
    // expected-error@below {{'gluon.set_auto_layout' op result tensor must have an encoding}}
    %r = gluon.set_auto_layout %a : tensor<64x64xf16, #gluon.auto_encoding> -> tensor<64x64xf16>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<64x64xf16, #gluon.auto_encoding>) {
    // expected-error@below {{'gluon.set_auto_layout' op result type must not be auto layout}}
    %r = gluon.set_auto_layout %a : tensor<64x64xf16, #gluon.auto_encoding> -> tensor<64x64xf16, #gluon.auto_encoding>
    tt.return
  }
}
