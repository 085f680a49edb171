// RUN: weft opt %s -p triton-combine | filecheck %s

// CHECK-LABEL: @dot
// CHECK-NEXT: %[[D:.*]] = tt.dot %arg0, %arg0, %arg1
// CHECK-NEXT: tt.return %[[D]]
tt.func public @dot(%a: tensor<16x16xf16>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %z = arith.constant dense<0.0> : tensor<16x16xf32>
  %0 = tt.dot %a, %a, %z : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  %1 = arith.addf %c, %0 : tensor<16x16xf32>
  tt.return %1 : tensor<16x16xf32>
}

// The sum of two dots: the right one accumulates on the left one.
// CHECK-LABEL: @two_dots
// CHECK: %[[L:.*]] = tt.dot %arg0, %arg0, %[[Z:.*]] :
// CHECK-NEXT: %[[R:.*]] = tt.dot %arg1, %arg1, %[[L]] :
// CHECK-NEXT: tt.return %[[R]]
tt.func public @two_dots(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>) -> tensor<16x16xf32> {
  %z = arith.constant dense<0.000000e+00> : tensor<16x16xf32>
  %0 = tt.dot %a, %a, %z : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  %1 = tt.dot %b, %b, %z : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  %2 = arith.addf %0, %1 : tensor<16x16xf32>
  tt.return %2 : tensor<16x16xf32>
}

// A dot that someone else reads, or that bounds its imprecise sums, keeps its zero.
// CHECK-LABEL: @dot_stays
// CHECK-COUNT-2: arith.addf
tt.func public @dot_stays(%a: tensor<16x16xf16>, %c: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>) {
  %z = arith.constant dense<0.0> : tensor<16x16xf32>
  %0 = tt.dot %a, %a, %z : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  %1 = arith.addf %0, %c : tensor<16x16xf32>
  %2 = tt.dot %a, %a, %z {maxNumImpreciseAcc = 5 : i32} : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  %3 = arith.addf %2, %c : tensor<16x16xf32>
  tt.return %0, %1, %3 : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
}

// 64-bit offsets are added; narrower ones only if they are constants and do not overflow.
// CHECK-LABEL: @offsets
// CHECK-DAG: %[[NINE:.*]] = arith.constant 9 : i32
// CHECK-DAG: %[[WIDE:.*]] = arith.addi %arg2, %arg2 : i64
// CHECK-DAG: tt.addptr %arg0, %[[NINE]]
// CHECK-DAG: tt.addptr %arg0, %[[WIDE]]
// CHECK-DAG: %[[ONE:.*]] = tt.addptr %arg0, %arg1
// CHECK-DAG: tt.addptr %[[ONE]], %arg1
tt.func public @offsets(%p: !tt.ptr<f32>, %i: i32, %j: i64) -> (!tt.ptr<f32>, !tt.ptr<f32>, !tt.ptr<f32>) {
  %c4 = arith.constant 4 : i32
  %c5 = arith.constant 5 : i32
  %0 = tt.addptr %p, %c4 : !tt.ptr<f32>, i32
  %1 = tt.addptr %0, %c5 : !tt.ptr<f32>, i32
  %2 = tt.addptr %p, %j : !tt.ptr<f32>, i64
  %3 = tt.addptr %2, %j : !tt.ptr<f32>, i64
  %4 = tt.addptr %p, %i : !tt.ptr<f32>, i32
  %5 = tt.addptr %4, %i : !tt.ptr<f32>, i32
  tt.return %1, %3, %5 : !tt.ptr<f32>, !tt.ptr<f32>, !tt.ptr<f32>
}

// CHECK-LABEL: @select
// CHECK: %[[M:.*]] = tt.splat %arg1
// CHECK: %[[L:.*]] = tt.load %arg0, %[[M]], %arg2
// CHECK-NEXT: tt.return %[[L]]
tt.func public @select(%p: tensor<4x!tt.ptr<f32>>, %c: i1, %y: tensor<4xf32>) -> tensor<4xf32> {
  %m = tt.splat %c : i1 -> tensor<4xi1>
  %0 = tt.load %p, %m : tensor<4x!tt.ptr<f32>>
  %1 = arith.select %c, %0, %y : tensor<4xf32>
  tt.return %1 : tensor<4xf32>
}

// CHECK-LABEL: @sum_of_products
// CHECK: %[[Z:.*]] = arith.constant dense<0.000000e+00> : tensor<16x32xf32>
// CHECK-NEXT: %[[D:.*]] = tt.dot %arg0, %arg1, %[[Z]], inputPrecision = tf32
// CHECK-NEXT: tt.return %[[D]]
tt.func public @sum_of_products(%a: tensor<16x8xf32>, %b: tensor<8x32xf32>) -> tensor<16x32xf32> {
  %0 = tt.expand_dims %a {axis = 2 : i32} : tensor<16x8xf32> -> tensor<16x8x1xf32>
  %1 = tt.broadcast %0 : tensor<16x8x1xf32> -> tensor<16x8x32xf32>
  %2 = tt.expand_dims %b {axis = 0 : i32} : tensor<8x32xf32> -> tensor<1x8x32xf32>
  %3 = tt.broadcast %2 : tensor<1x8x32xf32> -> tensor<16x8x32xf32>
  %4 = arith.mulf %1, %3 : tensor<16x8x32xf32>
  %5 = "tt.reduce"(%4) <{axis = 1 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %y : f32
    tt.reduce.return %s : f32
  }) : (tensor<16x8x32xf32>) -> tensor<16x32xf32>
  tt.return %5 : tensor<16x32xf32>
}

// The order of elements is free only where every reader reduces or counts them.
// CHECK-LABEL: @reshape
// CHECK: tt.reshape %arg0 allow_reorder : tensor<4x8xi32> -> tensor<32xi32>
// CHECK: tt.reshape %arg0 : tensor<4x8xi32> -> tensor<32xi32>
tt.func public @reshape(%t: tensor<4x8xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<32xi32>) {
  %0 = tt.reshape %t : tensor<4x8xi32> -> tensor<32xi32>
  %1 = tt.histogram %0 : tensor<32xi32> -> tensor<4xi32>
  %2 = tt.reshape %t : tensor<4x8xi32> -> tensor<32xi32>
  %3 = tt.histogram %2 : tensor<32xi32> -> tensor<4xi32>
  tt.return %1, %3, %2 : tensor<4xi32>, tensor<4xi32>, tensor<32xi32>
}

// A load drops leading dimensions of size 1, if nothing else reads the tile with them.
// CHECK-LABEL: @tile_of_lower_rank
// CHECK: tt.descriptor_load %arg0[%arg1, %arg1, %arg1] : !tt.tensordesc<tensor<1x8x4xf32>> -> tensor<8x4xf32>
// CHECK-NOT: tt.reshape
// CHECK: tt.return
tt.func public @tile_of_lower_rank(%d: !tt.tensordesc<tensor<1x8x4xf32>>, %i: i32) -> tensor<8x4xf32> {
  %0 = tt.descriptor_load %d[%i, %i, %i] : !tt.tensordesc<tensor<1x8x4xf32>> -> tensor<1x8x4xf32>
  %1 = tt.reshape %0 : tensor<1x8x4xf32> -> tensor<8x4xf32>
  tt.return %1 : tensor<8x4xf32>
}

// CHECK-LABEL: @tiles_of_other_shapes
// CHECK: tt.descriptor_load {{.*}} -> tensor<1x8x4xf32>
// CHECK: tt.reshape {{.*}} -> tensor<8x4xf32>
// CHECK: tt.descriptor_load {{.*}} -> tensor<1x8x4xf32>
// CHECK: tt.reshape {{.*}} -> tensor<4x8xf32>
tt.func public @tiles_of_other_shapes(%d: !tt.tensordesc<tensor<1x8x4xf32>>, %i: i32) -> (tensor<1x8x4xf32>, tensor<8x4xf32>, tensor<4x8xf32>) {
  %0 = tt.descriptor_load %d[%i, %i, %i] : !tt.tensordesc<tensor<1x8x4xf32>> -> tensor<1x8x4xf32>
  %1 = tt.reshape %0 : tensor<1x8x4xf32> -> tensor<8x4xf32>
  %2 = tt.descriptor_load %d[%i, %i, %i] : !tt.tensordesc<tensor<1x8x4xf32>> -> tensor<1x8x4xf32>
  %3 = tt.reshape %2 : tensor<1x8x4xf32> -> tensor<4x8xf32>
  tt.return %0, %1, %3 : tensor<1x8x4xf32>, tensor<8x4xf32>, tensor<4x8xf32>
}

// The facts about the outer pointer hold for the sum; other attributes do not move.
// CHECK-LABEL: @hints_of_a_pointer
// CHECK: tt.addptr %arg0, %{{.*}} {tt.contiguity = 4 : i32, tt.divisibility = 16 : i32} : !tt.ptr<f32>, i32
tt.func public @hints_of_a_pointer(%p: !tt.ptr<f32>) -> !tt.ptr<f32> {
  %four = arith.constant 4 : i32
  %0 = tt.addptr %p, %four {tt.constancy = 2 : i32} : !tt.ptr<f32>, i32
  %1 = tt.addptr %0, %four {tt.divisibility = 16 : i32, tt.contiguity = 4 : i32, other} : !tt.ptr<f32>, i32
  tt.return %1 : !tt.ptr<f32>
}
