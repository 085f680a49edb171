// RUN: weft opt %s -p triton-reorder-broadcast | filecheck %s

// CHECK-LABEL: @splat
// CHECK-NEXT: %[[C:.*]] = arith.constant 2.000000e+00 : f32
// CHECK-NEXT: %[[P:.*]] = arith.mulf %arg0, %[[C]] : f32
// CHECK-NEXT: %[[E:.*]] = math.exp %[[P]] : f32
// CHECK-NEXT: %[[S:.*]] = tt.splat %[[E]] : f32 -> tensor<4xf32>
// CHECK-NEXT: tt.return %[[S]]
tt.func public @splat(%x: f32) -> tensor<4xf32> {
  %k = arith.constant dense<2.0> : tensor<4xf32>
  %0 = tt.splat %x : f32 -> tensor<4xf32>
  %1 = arith.mulf %0, %k : tensor<4xf32>
  %2 = math.exp %1 : tensor<4xf32>
  tt.return %2 : tensor<4xf32>
}

// CHECK-LABEL: @broadcast
// CHECK: %[[C:.*]] = arith.constant dense<3> : tensor<4x1xi32>
// CHECK-NEXT: %[[S:.*]] = arith.muli %arg0, %[[C]] : tensor<4x1xi32>
// CHECK-NEXT: %[[B:.*]] = tt.broadcast %[[S]] : tensor<4x1xi32> -> tensor<4x8xi32>
// CHECK-NEXT: tt.return %[[B]]
tt.func public @broadcast(%t: tensor<4x1xi32>) -> tensor<4x8xi32> {
  %k = arith.constant dense<3> : tensor<4x8xi32>
  %0 = tt.broadcast %t : tensor<4x1xi32> -> tensor<4x8xi32>
  %1 = arith.muli %0, %k : tensor<4x8xi32>
  tt.return %1 : tensor<4x8xi32>
}

// A row and a column have no common small shape; a load is no element-wise operation.
// CHECK-LABEL: @stays
// CHECK: arith.addi %{{.*}}, %{{.*}} : tensor<4x8xi32>
// CHECK: tt.load %{{.*}} : tensor<4x!tt.ptr<i32>>
tt.func public @stays(%r: tensor<4x1xi32>, %c: tensor<1x8xi32>, %p: !tt.ptr<i32>) -> (tensor<4x8xi32>, tensor<4xi32>) {
  %0 = tt.broadcast %r : tensor<4x1xi32> -> tensor<4x8xi32>
  %1 = tt.broadcast %c : tensor<1x8xi32> -> tensor<4x8xi32>
  %2 = arith.addi %0, %1 : tensor<4x8xi32>
  %3 = tt.splat %p : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>
  %4 = tt.load %3 : tensor<4x!tt.ptr<i32>>
  tt.return %2, %4 : tensor<4x8xi32>, tensor<4xi32>
}

// Assembly with an effect runs once per element.
// CHECK-LABEL: @assembly_with_effects
// CHECK: tt.elementwise_inline_asm {{.*}}pure = false{{.*}} : tensor<4xi32> -> tensor<4xi32>
// CHECK: tt.elementwise_inline_asm {{.*}}pure = true{{.*}} : i32 -> i32
// CHECK: tt.elementwise_inline_asm {{.*}}pure = false{{.*}} : tensor<4x8xi32> -> tensor<4x8xi32>
tt.func public @assembly_with_effects(%x: i32, %t: tensor<4x1xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4x8xi32>) {
  %0 = tt.splat %x : i32 -> tensor<4xi32>
  %1 = tt.elementwise_inline_asm "s $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = false} %0 : tensor<4xi32> -> tensor<4xi32>
  %2 = tt.elementwise_inline_asm "s $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %0 : tensor<4xi32> -> tensor<4xi32>
  %3 = tt.broadcast %t : tensor<4x1xi32> -> tensor<4x8xi32>
  %4 = tt.elementwise_inline_asm "s $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = false} %3 : tensor<4x8xi32> -> tensor<4x8xi32>
  tt.return %1, %2, %4 : tensor<4xi32>, tensor<4xi32>, tensor<4x8xi32>
}
