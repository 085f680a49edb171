// RUN: weft opt %s --split-input-file --verify-roundtrip

module {
  tt.func public @ub() attributes {noinline = false} {
    %0 = ub.poison : i32
    %1 = ub.poison : tensor<8xf32>
    tt.return
  }
}
