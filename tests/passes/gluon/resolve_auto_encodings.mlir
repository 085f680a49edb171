// RUN: weft opt %s -p gluon-resolve-auto-encodings | filecheck %s

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#square = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#rows = #ttg.slice<{dim = 1, parent = #square}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// Back through the broadcast and the new dimension to the range.
// CHECK-LABEL: @operands
// CHECK-NEXT: %[[R:.*]] = tt.make_range {{.*}} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
// CHECK-NEXT: %[[E:.*]] = tt.expand_dims %[[R]] {{.*}} -> tensor<64x1xi32, #blocked>
// CHECK-NEXT: %[[B:.*]] = tt.broadcast %[[E]] : {{.*}} -> tensor<64x16xi32, #blocked>
// CHECK-NEXT: tt.return %[[B]] : tensor<64x16xi32, #blocked>
tt.func public @operands() -> tensor<64x16xi32, #square> {
  %0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #gluon.auto_encoding>
  %1 = tt.expand_dims %0 {axis = 1 : i32} : tensor<64xi32, #gluon.auto_encoding> -> tensor<64x1xi32, #gluon.auto_encoding>
  %2 = tt.broadcast %1 : tensor<64x1xi32, #gluon.auto_encoding> -> tensor<64x16xi32, #gluon.auto_encoding>
  %3 = gluon.set_auto_layout %2 : tensor<64x16xi32, #gluon.auto_encoding> -> tensor<64x16xi32, #square>
  tt.return %3 : tensor<64x16xi32, #square>
}

// All values of a loop's variable, and forward to the reduction of the constant.
// CHECK-LABEL: @loop
// CHECK: %[[C:.*]] = arith.constant dense<1> : tensor<64x16xi32, #blocked>
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %[[C]]) -> (tensor<64x16xi32, #blocked>)
// CHECK-NEXT: arith.addi %[[A]], %[[A]] : tensor<64x16xi32, #blocked>
// CHECK: "tt.reduce"(%[[C]])
// CHECK: }) : (tensor<64x16xi32, #blocked>) -> tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
tt.func public @loop(%n: i32) -> tensor<64x16xi32, #square> {
  %c = arith.constant dense<1> : tensor<64x16xi32, #gluon.auto_encoding>
  %0 = scf.for %i = %n to %n step %n iter_args(%a = %c) -> (tensor<64x16xi32, #gluon.auto_encoding>) : i32 {
    %d = arith.addi %a, %a : tensor<64x16xi32, #gluon.auto_encoding>
    scf.yield %d : tensor<64x16xi32, #gluon.auto_encoding>
  }
  %s = "tt.reduce"(%c) <{axis = 1 : i32}> ({
  ^bb0(%x: i32, %y: i32):
    %z = arith.addi %x, %y : i32
    tt.reduce.return %z : i32
  }) : (tensor<64x16xi32, #gluon.auto_encoding>) -> tensor<64xi32, #gluon.auto_encoding>
  %1 = gluon.set_auto_layout %0 : tensor<64x16xi32, #gluon.auto_encoding> -> tensor<64x16xi32, #square>
  tt.return %1 : tensor<64x16xi32, #square>
}

// What a reshape suggests yields to what is set.
// CHECK-LABEL: @reshape
// CHECK: %[[C:.*]] = arith.constant dense<2> : tensor<128xi32, #blocked1>
// CHECK-NEXT: tt.reshape %[[C]] : tensor<128xi32, #blocked1> -> tensor<8x16xi32, #{{.*}}>
tt.func public @reshape() -> tensor<128xi32, #blocked> {
  %c = arith.constant dense<2> : tensor<128xi32, #gluon.auto_encoding>
  %0 = tt.reshape %c : tensor<128xi32, #gluon.auto_encoding> -> tensor<8x16xi32, #gluon.auto_encoding>
  %1 = gluon.set_auto_layout %c : tensor<128xi32, #gluon.auto_encoding> -> tensor<128xi32, #blocked>
  tt.return %1 : tensor<128xi32, #blocked>
}
}
