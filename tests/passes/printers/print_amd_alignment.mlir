// RUN: weft opt %s -p test-print-amd-alignment | filecheck %s
// RUN: weft opt %s -p test-print-amd-alignment --verify-diagnostics -o /dev/null

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [0, 1]}>

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32} {
  // CHECK-LABEL: @slice
  tt.func public @slice(%n: i32 {tt.divisibility = 8 : i32}) {
    // expected-remark @below {{contiguity = [1, 1], divisibility = [8, 8], constancy = [128, 8], constant_value = <none>}}
    %0 = tt.splat %n : i32 -> tensor<128x8xi32, #blocked>
    // Groups are cut where the slice ends.
    // expected-remark @below {{contiguity = [1, 1], divisibility = [8, 8], constancy = [64, 4], constant_value = <none>}}
    %1 = amdg.extract_slice %0 [0, 0] : tensor<128x8xi32, #blocked> to tensor<64x4xi32, #blocked>
    tt.return
  }
}
