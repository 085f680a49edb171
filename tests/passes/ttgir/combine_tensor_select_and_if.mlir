// RUN: weft opt %s -p tritongpu-combine-tensor-select-and-if | filecheck %s

// A missing else-branch is created, and the conditional keeps its results.
// CHECK-LABEL: @join
// CHECK-NEXT: %[[R:.*]] = scf.if %arg0 -> (tensor<64xf32>) {
// CHECK-NEXT: tt.store
// CHECK-NEXT: scf.yield %arg1
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %arg2
// CHECK-NEXT: }
// CHECK-NEXT: arith.addf %[[R]], %arg1
tt.func public @join(%c: i1, %x: tensor<64xf32>, %y: tensor<64xf32>, %p: tensor<64x!tt.ptr<f32>>) -> tensor<64xf32> {
  %0 = arith.select %c, %x, %y : tensor<64xf32>
  scf.if %c {
    tt.store %p, %x : tensor<64x!tt.ptr<f32>>
  }
  %1 = arith.addf %0, %x : tensor<64xf32>
  tt.return %1 : tensor<64xf32>
}

// Two selections join one conditional, one after the other.
// CHECK-LABEL: @two
// CHECK-NEXT: %[[R:.*]]:3 = scf.if %arg0 -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
// CHECK: scf.yield %{{.*}}, %arg1, %arg2
// CHECK: scf.yield %{{.*}}, %arg2, %arg1
// CHECK: arith.addf %[[R]]#1, %[[R]]#2
// CHECK-NEXT: arith.addf %{{.*}}, %[[R]]#0
tt.func public @two(%c: i1, %x: tensor<64xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %0 = arith.select %c, %x, %y : tensor<64xf32>
  %1 = arith.select %c, %y, %x : tensor<64xf32>
  %2 = scf.if %c -> (tensor<64xf32>) {
    %3 = arith.mulf %x, %x : tensor<64xf32>
    scf.yield %3 : tensor<64xf32>
  } else {
    %4 = arith.mulf %y, %y : tensor<64xf32>
    scf.yield %4 : tensor<64xf32>
  }
  %5 = arith.addf %0, %1 : tensor<64xf32>
  %6 = arith.addf %5, %2 : tensor<64xf32>
  tt.return %6 : tensor<64xf32>
}

// In a branch the selected value is known. A selection after the conditional stays.
// CHECK-LABEL: @inside
// CHECK-NEXT: scf.if
// CHECK-NEXT: tt.store %arg3, %arg1
// CHECK: tt.store %arg3, %arg2
// CHECK: arith.select
tt.func public @inside(%c: i1, %x: tensor<64xf32>, %y: tensor<64xf32>, %p: tensor<64x!tt.ptr<f32>>) -> tensor<64xf32> {
  %0 = arith.select %c, %x, %y : tensor<64xf32>
  scf.if %c {
    tt.store %p, %0 : tensor<64x!tt.ptr<f32>>
  } else {
    tt.store %p, %0 : tensor<64x!tt.ptr<f32>>
  }
  %1 = arith.select %c, %y, %x : tensor<64xf32>
  tt.return %1 : tensor<64xf32>
}

// A use before the conditional, or outside of tensors, keeps the selection where it is.
// CHECK-LABEL: @stays
// CHECK-NEXT: %[[S:.*]] = arith.select
// CHECK-NEXT: %[[T:.*]] = arith.select
// CHECK-NEXT: tt.store %arg3, %[[S]]
// CHECK: scf.if
// CHECK: tt.store %arg3, %arg1
// CHECK: tt.store %{{.*}}, %arg5
tt.func public @stays(%c: i1, %x: tensor<64xf32>, %y: tensor<64xf32>, %p: tensor<64x!tt.ptr<f32>>, %q: !tt.ptr<i32>, %n: i32, %m: i32, %d: i1) {
  %0 = arith.select %c, %x, %y : tensor<64xf32>
  %1 = arith.select %c, %n, %m : i32
  tt.store %p, %0 : tensor<64x!tt.ptr<f32>>
  scf.if %c {
    tt.store %p, %0 : tensor<64x!tt.ptr<f32>>
    scf.if %d {
      tt.store %q, %1 : !tt.ptr<i32>
    }
  }
  tt.store %q, %1 : !tt.ptr<i32>
  tt.return
}

// A conditional in another block does not count, nor one on another condition.
// CHECK-LABEL: @elsewhere
// CHECK: arith.select
// CHECK: scf.for
// CHECK: scf.if
// CHECK: scf.if %arg1 {
tt.func public @elsewhere(%c: i1, %d: i1, %n: i32, %x: tensor<64xf32>, %y: tensor<64xf32>, %p: tensor<64x!tt.ptr<f32>>) -> tensor<64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0 = arith.select %c, %x, %y : tensor<64xf32>
  scf.for %i = %c0 to %n step %c1 : i32 {
    scf.if %c {
      tt.store %p, %x : tensor<64x!tt.ptr<f32>>
    }
  }
  scf.if %d {
    tt.store %p, %y : tensor<64x!tt.ptr<f32>>
  }
  tt.return %0 : tensor<64xf32>
}
