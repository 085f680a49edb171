// RUN: weft opt %s -p tritonamdgpu-prepare-if-combining | filecheck %s

// Pure operations that do not depend on the first conditional move before it, in order.
// CHECK-LABEL: @moves
// CHECK-NEXT: %[[A:.*]] = arith.addf %arg1, %arg1
// CHECK-NEXT: arith.mulf %[[A]], %arg1
// CHECK-NEXT: scf.if %arg0
// CHECK: scf.if %arg0
tt.func public @moves(%c: i1, %x: tensor<64xf32>, %p: tensor<64x!tt.ptr<f32>>) {
  %0 = scf.if %c -> (tensor<64xf32>) {
    %1 = arith.addf %x, %x : tensor<64xf32>
    scf.yield %1 : tensor<64xf32>
  } else {
    scf.yield %x : tensor<64xf32>
  }
  %2 = arith.addf %x, %x : tensor<64xf32>
  %3 = arith.mulf %2, %x : tensor<64xf32>
  scf.if %c {
    tt.store %p, %3 : tensor<64x!tt.ptr<f32>>
    tt.store %p, %0 : tensor<64x!tt.ptr<f32>>
  }
  tt.return
}

// If one operation uses a result of the first conditional, all of them stay.
// CHECK-LABEL: @needs
// CHECK-NEXT: scf.if
// CHECK: } else {
// CHECK: arith.addf
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: scf.if
tt.func public @needs(%c: i1, %x: tensor<64xf32>, %p: tensor<64x!tt.ptr<f32>>) {
  %0 = scf.if %c -> (tensor<64xf32>) {
    %1 = arith.addf %x, %x : tensor<64xf32>
    scf.yield %1 : tensor<64xf32>
  } else {
    scf.yield %x : tensor<64xf32>
  }
  %2 = arith.addf %x, %x : tensor<64xf32>
  %3 = arith.mulf %2, %0 : tensor<64xf32>
  scf.if %c {
    tt.store %p, %3 : tensor<64x!tt.ptr<f32>>
  }
  tt.return
}

// Memory is touched, a division may fail, and another condition is none of ours.
// CHECK-LABEL: @effects
// CHECK: scf.if %arg0
// CHECK: tt.load
// CHECK: scf.if %arg0
// CHECK: arith.divsi
// CHECK: scf.if %arg0
// CHECK: arith.addf
// CHECK: scf.if %arg1
tt.func public @effects(%c: i1, %d: i1, %n: i32, %m: i32, %x: tensor<64xf32>, %p: tensor<64x!tt.ptr<f32>>, %q: !tt.ptr<i32>) {
  scf.if %c {
    tt.store %p, %x : tensor<64x!tt.ptr<f32>>
  }
  %0 = tt.load %p : tensor<64x!tt.ptr<f32>>
  scf.if %c {
    tt.store %p, %0 : tensor<64x!tt.ptr<f32>>
  }
  %1 = arith.divsi %n, %m : i32
  scf.if %c {
    tt.store %q, %1 : !tt.ptr<i32>
  }
  %2 = arith.addf %x, %x : tensor<64xf32>
  scf.if %d {
    tt.store %p, %2 : tensor<64x!tt.ptr<f32>>
  }
  tt.return
}
