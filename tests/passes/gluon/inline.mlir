// RUN: weft opt %s -p gluon-inline | filecheck %s

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// CHECK-NOT: @twice
tt.func private @twice(%x: tensor<16xi32, #gluon.auto_encoding>) -> tensor<16xi32, #gluon.auto_encoding> {
  %0 = arith.addi %x, %x : tensor<16xi32, #gluon.auto_encoding>
  %1 = arith.muli %0, %x : tensor<16xi32, #gluon.auto_encoding>
  tt.return %1 : tensor<16xi32, #gluon.auto_encoding>
}

// Equal constants stay apart, and the conversion stays.
// CHECK-LABEL: @kernel
// CHECK-NEXT: %[[R:.*]] = tt.make_range
// CHECK-NEXT: %[[A:.*]] = arith.constant dense<1> : tensor<16xi32, #gluon.auto_encoding>
// CHECK-NEXT: %[[D:.*]] = arith.subi %[[R]], %[[A]]
// CHECK-NEXT: %[[B:.*]] = arith.constant dense<1> : tensor<16xi32, #gluon.auto_encoding>
// CHECK-NEXT: %[[S:.*]] = arith.addi %[[D]], %[[D]]
// CHECK-NEXT: %[[M:.*]] = arith.muli %[[S]], %[[D]]
// CHECK-NEXT: gluon.set_auto_layout %[[M]]
// CHECK-NEXT: gluon.set_auto_layout %[[B]]
tt.func public @kernel() -> (tensor<16xi32, #blocked>, tensor<16xi32, #blocked>) {
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #gluon.auto_encoding>
  %a = arith.constant dense<1> : tensor<16xi32, #gluon.auto_encoding>
  %a2 = arith.subi %r, %a : tensor<16xi32, #gluon.auto_encoding>
  %b = arith.constant dense<1> : tensor<16xi32, #gluon.auto_encoding>
  %0 = tt.call @twice(%a2) : (tensor<16xi32, #gluon.auto_encoding>) -> tensor<16xi32, #gluon.auto_encoding>
  %1 = gluon.set_auto_layout %0 : tensor<16xi32, #gluon.auto_encoding> -> tensor<16xi32, #blocked>
  %2 = gluon.set_auto_layout %b : tensor<16xi32, #gluon.auto_encoding> -> tensor<16xi32, #blocked>
  tt.return %1, %2 : tensor<16xi32, #blocked>, tensor<16xi32, #blocked>
}

// No pattern of arith or scf applies; an iter_arg that only its own update uses is replaced.
// CHECK-LABEL: @keep_control_flow
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %arg0, %[[B:.*]] = %arg0, %[[C:.*]] = %arg0)
// CHECK: arith.muli %arg0, %arg0
// CHECK: arith.addi
// CHECK: arith.addi
// CHECK: scf.yield %[[A]]
tt.func public @keep_control_flow(%x: i32, %n: i32) -> (i32, i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %x, %c = %x) -> (i32, i32, i32) : i32 {
    %s = arith.muli %b, %x : i32
    %t = arith.addi %c, %c1 : i32
    %u = arith.addi %t, %c1 : i32
    scf.yield %a, %s, %u : i32, i32, i32
  }
  tt.return %0#0, %0#2 : i32, i32
}
}
