// RUN: weft opt %s -p gluon-canonicalize | filecheck %s

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#other = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#third = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// Identities go; the two conversions are not merged.
// CHECK-LABEL: @keep_conversions
// CHECK-NEXT: %[[A:.*]] = ttg.convert_layout %arg0
// CHECK-NEXT: %[[B:.*]] = ttg.convert_layout %[[A]]
// CHECK-NEXT: tt.return %[[B]]
tt.func public @keep_conversions(%x: tensor<256xi32, #blocked>) -> tensor<256xi32, #third> {
  %c0 = arith.constant dense<0> : tensor<256xi32, #blocked>
  %0 = arith.addi %x, %c0 : tensor<256xi32, #blocked>
  %1 = ttg.convert_layout %0 : tensor<256xi32, #blocked> -> tensor<256xi32, #other>
  %2 = ttg.convert_layout %1 : tensor<256xi32, #other> -> tensor<256xi32, #third>
  tt.return %2 : tensor<256xi32, #third>
}

// A pattern of arith applies.
// CHECK-LABEL: @merge_constants
// CHECK-NEXT: %[[C:.*]] = arith.constant 12 : i32
// CHECK-NEXT: %[[R:.*]] = arith.addi %arg0, %[[C]]
// CHECK-NEXT: tt.return %[[R]]
tt.func public @merge_constants(%x: i32) -> i32 {
  %c5 = arith.constant 5 : i32
  %c7 = arith.constant 7 : i32
  %0 = arith.addi %x, %c5 : i32
  %1 = arith.addi %0, %c7 : i32
  tt.return %1 : i32
}

// No pattern of scf applies: neither to a constant condition nor to an invariant iter_arg.
// CHECK-LABEL: @keep_control_flow
// CHECK: scf.if %true
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %arg0, %[[B:.*]] = %{{.*}})
// CHECK: scf.yield %[[A]], %{{.*}} : tensor<256xi32, #blocked>, tensor<256xi32, #blocked>
tt.func public @keep_control_flow(%x: tensor<256xi32, #blocked>, %n: i32) -> tensor<256xi32, #blocked> {
  %true = arith.constant true
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0 = scf.if %true -> (tensor<256xi32, #blocked>) {
    %s = arith.addi %x, %x : tensor<256xi32, #blocked>
    scf.yield %s : tensor<256xi32, #blocked>
  } else {
    scf.yield %x : tensor<256xi32, #blocked>
  }
  %1:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %0) -> (tensor<256xi32, #blocked>, tensor<256xi32, #blocked>) : i32 {
    %s = arith.muli %b, %a : tensor<256xi32, #blocked>
    scf.yield %a, %s : tensor<256xi32, #blocked>, tensor<256xi32, #blocked>
  }
  tt.return %1#1 : tensor<256xi32, #blocked>
}

// An iter_arg that only its own update uses is replaced by its init arg, and stays.
// CHECK-LABEL: @dead_iter_arg
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %arg0, %[[B:.*]] = %arg0)
// CHECK-NEXT: %[[S:.*]] = arith.muli %[[A]], %[[A]]
// CHECK-NEXT: %[[T:.*]] = arith.muli %arg0, %arg2
// CHECK-NEXT: scf.yield %[[S]], %[[T]]
tt.func public @dead_iter_arg(%x: i32, %n: i32, %y: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %x) -> (i32, i32) : i32 {
    %s = arith.muli %a, %a : i32
    %t = arith.muli %b, %y : i32
    scf.yield %s, %t : i32, i32
  }
  tt.return %0#0 : i32
}

// The condition stays constant, and the two blocks, which are alike, become one.
// CHECK-LABEL: @merge_blocks
// CHECK: cf.cond_br %true, ^bb1(%arg0 : i32), ^bb1(%{{.*}} : i32)
// CHECK-NEXT: ^bb1(%[[V:.*]]: i32)
// CHECK: tt.return %[[V]]
tt.func public @merge_blocks(%x: i32) -> i32 {
  %true = arith.constant true
  %c1 = arith.constant 1 : i32
  cf.cond_br %true, ^bb1, ^bb2
^bb1:
  cf.br ^bb3(%x : i32)
^bb2:
  cf.br ^bb3(%c1 : i32)
^bb3(%v: i32):
  tt.return %v : i32
}
}
