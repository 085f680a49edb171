// RUN: weft opt %s -p canonicalize --split-input-file | filecheck %s

// Constants fold, identities are erased, and the remaining constant moves to the start.
// CHECK-LABEL: @fold
// CHECK-NEXT: %[[C:.*]] = arith.constant 3 : i32
// CHECK-NEXT: %[[R:.*]] = arith.muli %arg0, %[[C]] : i32
// CHECK-NEXT: tt.return %[[R]]
tt.func public @fold(%x: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %0 = arith.addi %x, %c0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %3 = arith.addi %c1, %c2 : i32
  %4 = arith.muli %3, %0 : i32
  tt.return %4 : i32
}

// -----

// New constants go before the old ones; equal constants become one.
// CHECK-LABEL: @constant_order
// CHECK-NEXT: arith.constant 9 : i32
// CHECK-NEXT: arith.constant 4 : i32
// CHECK-NOT: arith.constant
tt.func public @constant_order(%x: i32, %p: !tt.ptr<i32>) -> (i32, i32) {
  %c4 = arith.constant 4 : i32
  %c5 = arith.constant 5 : i32
  %0 = tt.load %p : !tt.ptr<i32>
  %c4_again = arith.constant 4 : i32
  %1 = arith.addi %0, %c4_again : i32
  %2 = arith.addi %c4, %c5 : i32
  %3 = arith.muli %1, %2 : i32
  %4 = arith.divsi %x, %c4 : i32
  tt.return %3, %4 : i32, i32
}

// -----

// CHECK-LABEL: @shapes
// CHECK-DAG: %[[K:.*]] = arith.constant dense<5> : tensor<4xi32>
// CHECK-DAG: %[[S:.*]] = tt.splat %arg0 : i32 -> tensor<4x8xi32>
// CHECK: %[[E:.*]] = tt.expand_dims %arg1 {axis = 0 : i32} : tensor<4x1xi32> -> tensor<1x4x1xi32>
// CHECK: %[[B:.*]] = tt.broadcast %[[E]] : tensor<1x4x1xi32> -> tensor<1x4x8xi32>
// CHECK: tt.return %[[K]], %[[S]], %[[B]], %arg2
tt.func public @shapes(%x: i32, %t: tensor<4x1xi32>, %m: tensor<4x8xi32>) -> (tensor<4xi32>, tensor<4x8xi32>, tensor<1x4x8xi32>, tensor<4x8xi32>) {
  %c5 = arith.constant 5 : i32
  %0 = tt.splat %c5 : i32 -> tensor<4xi32>
  %1 = tt.splat %x : i32 -> tensor<4x1xi32>
  %2 = tt.broadcast %1 : tensor<4x1xi32> -> tensor<4x8xi32>
  %3 = tt.broadcast %t : tensor<4x1xi32> -> tensor<4x8xi32>
  %4 = tt.expand_dims %3 {axis = 0 : i32} : tensor<4x8xi32> -> tensor<1x4x8xi32>
  %5 = tt.trans %m {order = array<i32: 1, 0>} : tensor<4x8xi32> -> tensor<8x4xi32>
  %6 = tt.trans %5 {order = array<i32: 1, 0>} : tensor<8x4xi32> -> tensor<4x8xi32>
  tt.return %0, %2, %4, %6 : tensor<4xi32>, tensor<4x8xi32>, tensor<1x4x8xi32>, tensor<4x8xi32>
}

// -----

// CHECK-LABEL: @masks
// CHECK-NEXT: %[[V:.*]] = tt.load %arg0 : tensor<4x!tt.ptr<f32>>
// CHECK-NEXT: tt.store %arg0, %[[V]] : tensor<4x!tt.ptr<f32>>
// CHECK-NEXT: tt.return %arg1
tt.func public @masks(%p: tensor<4x!tt.ptr<f32>>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %yes = arith.constant dense<true> : tensor<4xi1>
  %no = arith.constant dense<false> : tensor<4xi1>
  %0 = tt.load %p, %yes, %o : tensor<4x!tt.ptr<f32>>
  tt.store %p, %0, %yes : tensor<4x!tt.ptr<f32>>
  tt.store %p, %o, %no : tensor<4x!tt.ptr<f32>>
  %1 = tt.load %p, %no, %o : tensor<4x!tt.ptr<f32>>
  tt.return %1 : tensor<4xf32>
}

// -----

// Carried values that never change leave the loop; a loop that runs once is its body.
// CHECK-LABEL: @loops
// CHECK: %[[L:.*]] = scf.for {{.*}} iter_args(%[[A:.*]] = %arg1) -> (f32)
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[A]], %arg2 : f32
// CHECK-NEXT: scf.yield %[[S]] : f32
// CHECK: %[[O:.*]] = arith.addf %[[L]], %arg2 : f32
// CHECK: tt.return %[[O]], %arg2
tt.func public @loops(%n: i32, %x: f32, %y: f32) -> (f32, f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (f32, f32) : i32 {
    %1 = arith.addf %a, %b : f32
    scf.yield %1, %b : f32, f32
  }
  %2 = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %0#0) -> (f32) : i32 {
    %3 = arith.addf %a, %y : f32
    scf.yield %3 : f32
  }
  tt.return %2, %0#1 : f32, f32
}

// -----

// From %n to %n + 1 is one trip, but for the largest %n, if that may wrap around: then it is none.
// CHECK-LABEL: @once
// CHECK: scf.for {{.*}} = %arg0 to
// CHECK: scf.for unsigned {{.*}} = %arg0 to
// CHECK-NOT: scf.for
// CHECK: tt.return
tt.func public @once(%n: i32, %p: !tt.ptr<i32>) {
  %c1 = arith.constant 1 : i32
  %wraps = arith.addi %n, %c1 : i32
  scf.for %i = %n to %wraps step %c1 : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  }
  %signed = arith.addi %n, %c1 overflow<nsw> : i32
  scf.for unsigned %i = %n to %signed step %c1 : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  }
  scf.for %i = %n to %signed step %c1 : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  }
  %unsigned = arith.addi %n, %c1 overflow<nuw> : i32
  scf.for unsigned %i = %n to %unsigned step %c1 : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  }
  tt.return
}

// -----

// Unsigned, -1 is the largest number: from 0 to it are many trips, from the largest signed one to
// the next is one, and a step of -1 goes past any bound.
// CHECK-LABEL: @unsigned
// CHECK: %[[R:.*]] = scf.for unsigned {{.*}} = %c0_i32 to %c-1_i32
// CHECK-NOT: scf.for
// CHECK: tt.return %[[R]], %c2147483647_i32, %c0_i32
tt.func public @unsigned() -> (i32, i32, i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c9 = arith.constant 9 : i32
  %last = arith.constant -1 : i32
  %high = arith.constant 2147483647 : i32
  %next = arith.constant -2147483648 : i32
  %many = scf.for unsigned %i = %c0 to %last step %c1 iter_args(%a = %c9) -> (i32) : i32 {
    %b = arith.addi %a, %i : i32
    scf.yield %b : i32
  }
  %one = scf.for unsigned %i = %high to %next step %c1 iter_args(%a = %c0) -> (i32) : i32 {
    %b = arith.addi %a, %i : i32
    scf.yield %b : i32
  }
  %past = scf.for unsigned %i = %c0 to %c9 step %last iter_args(%a = %c0) -> (i32) : i32 {
    %b = arith.addi %a, %i : i32
    scf.yield %b : i32
  }
  tt.return %many, %one, %past : i32, i32, i32
}

// -----

// CHECK-LABEL: @whiles
// CHECK: %[[W:.*]] = scf.while (%[[A:.*]] = %{{.*}}) : (i32) -> i32
// CHECK-NEXT: arith.cmpi slt, %[[A]], %arg0 : i32
// CHECK: tt.return %[[W]], %arg0
tt.func public @whiles(%n: i32) -> (i32, i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0:2 = scf.while (%a = %c0, %b = %n) : (i32, i32) -> (i32, i32) {
    %1 = arith.cmpi slt, %a, %b : i32
    scf.condition(%1) %a, %b : i32, i32
  } do {
  ^bb0(%a: i32, %b: i32):
    %2 = arith.addi %a, %c1 : i32
    scf.yield %2, %b : i32, i32
  }
  tt.return %0#0, %0#1 : i32, i32
}

// -----

// Values defined outside of the branches are selected; adjacent scf.if on one condition merge.
// CHECK-LABEL: @ifs
// CHECK-NEXT: %[[S:.*]] = arith.select %arg0, %arg1, %arg2 : f32
// CHECK-NEXT: scf.if %arg0 {
// CHECK-NEXT: tt.store %arg3, %arg1
// CHECK-NEXT: tt.store %arg3, %arg2
// CHECK-NEXT: }
// CHECK-NEXT: tt.return %[[S]]
tt.func public @ifs(%c: i1, %x: f32, %y: f32, %p: !tt.ptr<f32>) -> f32 {
  %0 = scf.if %c -> (f32) {
    scf.yield %x : f32
  } else {
    scf.yield %y : f32
  }
  scf.if %c {
    tt.store %p, %x : !tt.ptr<f32>
  }
  scf.if %c {
    tt.store %p, %y : !tt.ptr<f32>
  }
  tt.return %0 : f32
}

// -----

// CHECK-LABEL: @blocks
// CHECK-NEXT: tt.return %arg0
// CHECK-NOT: ^bb
tt.func public @blocks(%x: i32) -> i32 {
  %true = arith.constant true
  cf.cond_br %true, ^bb1(%x : i32), ^bb2
^bb1(%a: i32):
  cf.br ^bb3(%a : i32)
^bb2:
  %c9 = arith.constant 9 : i32
  cf.br ^bb3(%c9 : i32)
^bb3(%b: i32):
  tt.return %b : i32
}

// -----

// A shift whose sign bits are truncated becomes unsigned. Its new constant precedes the old ones.
// CHECK-LABEL: @upper_half
// CHECK-NEXT: arith.constant 32 : i64
// CHECK-NEXT: arith.constant 7 : i64
// CHECK-NEXT: arith.addi
// CHECK-NEXT: arith.shrui
// CHECK-NEXT: arith.trunci
tt.func public @upper_half(%x: i64) -> i32 {
  %c7 = arith.constant 7 : i64
  %c32 = arith.constant 32 : i64
  %0 = arith.addi %x, %c7 : i64
  %1 = arith.shrsi %0, %c32 : i64
  %2 = arith.trunci %1 : i64 to i32
  tt.return %2 : i32
}

// -----

// CHECK-LABEL: @upper_halves
// CHECK: arith.constant dense<31>
// CHECK-NEXT: arith.constant dense<32>
// CHECK-NEXT: arith.shrui %arg0, %cst_0 : tensor<4xi64>
// CHECK: arith.shrsi
tt.func public @upper_halves(%x: tensor<4xi64>) -> (tensor<4xi32>, tensor<4xi32>) {
  %c32 = arith.constant dense<32> : tensor<4xi64>
  %c31 = arith.constant dense<31> : tensor<4xi64>
  %0 = arith.shrsi %x, %c32 : tensor<4xi64>
  %1 = arith.trunci %0 : tensor<4xi64> to tensor<4xi32>
  %2 = arith.shrsi %x, %c31 : tensor<4xi64>
  %3 = arith.trunci %2 : tensor<4xi64> to tensor<4xi32>
  tt.return %1, %3 : tensor<4xi32>, tensor<4xi32>
}

// -----

// Lists of constants fold element by element, into a splat where the answers are equal.
// CHECK-LABEL: @lists
// CHECK-NEXT: %[[B:.*]] = arith.constant dense<[5, 6, 7, 8]> : tensor<4xi32>
// CHECK-NEXT: %[[A:.*]] = arith.constant dense<2> : tensor<4xi32>
// CHECK-NEXT: %[[C:.*]] = arith.constant dense<[1.500000e+00, 2.500000e+00]> : tensor<2xf32>
// CHECK-NEXT: tt.return %[[B]], %[[A]], %[[C]]
tt.func public @lists() -> (tensor<4xi32>, tensor<4xi32>, tensor<2xf32>) {
  %l = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %s = arith.constant dense<4> : tensor<4xi32>
  %h = arith.constant dense<[1.5, 2.5]> : tensor<2xf16>
  %0 = arith.addi %l, %s : tensor<4xi32>
  %1 = arith.subi %0, %l : tensor<4xi32>
  %two = arith.constant dense<2> : tensor<4xi32>
  %2 = arith.divsi %1, %two : tensor<4xi32>
  %3 = arith.extf %h : tensor<2xf16> to tensor<2xf32>
  tt.return %0, %2, %3 : tensor<4xi32>, tensor<4xi32>, tensor<2xf32>
}

// -----

// Overflow folds to infinity. The square root of -0.0 and comparisons of tensors are not folded.
// CHECK-LABEL: @ends
// CHECK: %[[INF:.*]] = arith.constant 0x7F800000 : f32
// CHECK: %[[ROOT:.*]] = math.sqrt
// CHECK: %[[LESS:.*]] = arith.cmpf olt
// CHECK: tt.return %[[INF]], %[[ROOT]], %[[LESS]]
tt.func public @ends() -> (f32, f32, tensor<4xi1>) {
  %big = arith.constant 1.0e30 : f32
  %zero = arith.constant -0.0 : f32
  %two = arith.constant dense<2.0> : tensor<4xf32>
  %0 = math.exp %big : f32
  %1 = math.sqrt %zero : f32
  %2 = arith.cmpf olt, %two, %two : tensor<4xf32>
  tt.return %0, %1, %2 : f32, f32, tensor<4xi1>
}

// -----

// An operation that dies after its visit is erased at the end of an iteration, with its constants.
// So the `true` of the swapped branch is created anew and comes first.
// CHECK-LABEL: @dead_negations
// CHECK-NEXT: arith.constant true
// CHECK-NEXT: arith.constant 3 : i32
// CHECK-NEXT: arith.constant false
// CHECK-NOT: arith.xori
tt.func public @dead_negations(%x: !tt.ptr<i32>, %n: i32) {
  %false = arith.constant false
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %hit = scf.for %i = %c0 to %n step %c1 iter_args(%before = %false) -> (i1) : i32 {
    %true = arith.constant true
    %open = arith.xori %before, %true : i1
    %next = scf.if %open -> (i1) {
      %v = tt.load %x : !tt.ptr<i32>
      %c3 = arith.constant 3 : i32
      %low = arith.cmpi slt, %v, %c3 : i32
      scf.yield %low : i1
    } else {
      scf.yield %before : i1
    }
    scf.yield %next : i1
  }
  %true = arith.constant true
  %none = arith.xori %hit, %true : i1
  scf.if %none {
    tt.store %x, %n : !tt.ptr<i32>
  } else {
  }
  tt.return
}

// -----

// Splats negate like scalars.
// CHECK-LABEL: @negated_tensors
// CHECK-SAME: (%[[X:.*]]: tensor<8xi32>, %[[Y:.*]]: tensor<8xi32>)
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant dense<0> : tensor<8xi32>
// CHECK-NEXT: %[[A:.*]] = arith.subi %[[Y]], %[[X]] : tensor<8xi32>
// CHECK-NEXT: %[[B:.*]] = arith.subi %[[ZERO]], %[[Y]] : tensor<8xi32>
// CHECK-NEXT: tt.return %[[A]], %[[B]]
tt.func private @negated_tensors(%x: tensor<8xi32>, %y: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
  %minus = arith.constant dense<-1> : tensor<8xi32>
  %0 = arith.muli %x, %minus : tensor<8xi32>
  %1 = arith.addi %0, %y : tensor<8xi32>
  %2 = arith.subi %x, %y : tensor<8xi32>
  %3 = arith.subi %2, %x : tensor<8xi32>
  tt.return %1, %3 : tensor<8xi32>, tensor<8xi32>
}
