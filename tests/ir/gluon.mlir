// RUN: weft opt %s --split-input-file --verify-roundtrip

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @gluon(%arg0: tensor<64x64xf16, #gluon.auto_encoding>) {
    %0 = gluon.set_auto_layout %arg0 : tensor<64x64xf16, #gluon.auto_encoding> -> tensor<64x64xf16, #blocked>
    tt.return
  }
}
