// RUN: weft opt %s -split-input-file -allow-unregistered-dialect -tritongpu-partition-loops -verify-diagnostics

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
!ty = tensor<128xf32, #blocked>

// A value is used by two other partitions, by one of them in the next iteration.
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @uses_of_another_partition(%n: i32, %init: !ty) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %r = scf.for %i = %zero to %n step %one iter_args(%last = %init) -> (!ty) : i32 {
      // expected-warning @below {{non-root partition #0 has direct SSA consumer}}
      // expected-warning @below {{non-root partition #0 has direct SSA consumer}}
      %x = "produce"() {ttg.partition = array<i32: 0>} : () -> !ty
      // expected-note @below {{use at distance 0 in partition #1 here}}
      "consume"(%x) {ttg.partition = array<i32: 1>} : (!ty) -> ()
      // expected-note @below {{use at distance 1 in partition #2 here}}
      "consume"(%last) {ttg.partition = array<i32: 2>} : (!ty) -> ()
      scf.yield {ttg.partition = array<i32: 0>} %x : !ty
    } {ttg.partition.stages = [0, 1, 1], ttg.warp_specialize.tag = 0 : i32, ttg.partition = array<i32: 0, 1, 2>, ttg.partition.outputs = [array<i32: 0>]}
    tt.return
  }
}
