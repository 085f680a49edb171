// RUN: weft opt %s -p gluon-canonicalize | filecheck %s

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#other = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#third = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// Control flow with a constant condition and identities go; the two conversions are not merged.
// CHECK-LABEL: @keep_conversions
// CHECK-NEXT: %[[A:.*]] = ttg.convert_layout %arg0
// CHECK-NEXT: %[[B:.*]] = ttg.convert_layout %[[A]]
// CHECK-NEXT: tt.return %[[B]]
tt.func public @keep_conversions(%x: tensor<256xi32, #blocked>) -> tensor<256xi32, #third> {
  %true = arith.constant true
  %c0 = arith.constant dense<0> : tensor<256xi32, #blocked>
  %0 = scf.if %true -> (tensor<256xi32, #blocked>) {
    %s = arith.addi %x, %c0 : tensor<256xi32, #blocked>
    scf.yield %s : tensor<256xi32, #blocked>
  } else {
    scf.yield %c0 : tensor<256xi32, #blocked>
  }
  %1 = ttg.convert_layout %0 : tensor<256xi32, #blocked> -> tensor<256xi32, #other>
  %2 = ttg.convert_layout %1 : tensor<256xi32, #other> -> tensor<256xi32, #third>
  tt.return %2 : tensor<256xi32, #third>
}
}
