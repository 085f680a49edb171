// RUN: weft opt %s -p triton-licm | filecheck %s

// CHECK-LABEL: @hoist
// CHECK: %[[X:.*]] = arith.addi %arg1, %arg0 : i32
// CHECK: %[[RUNS:.*]] = arith.cmpi slt, %{{.*}}, %arg0 : i32
// CHECK-NEXT: %[[ALL:.*]] = tt.splat %[[RUNS]] : i1 -> tensor<4xi1>
// CHECK-NEXT: %[[MASK:.*]] = arith.andi %[[ALL]], %arg3 : tensor<4xi1>
// CHECK-NEXT: tt.load %arg2, %[[MASK]] : tensor<4x!tt.ptr<i32>>
// CHECK: scf.for
// CHECK-NEXT: arith.divsi
// CHECK-NOT: tt.load
tt.func public @hoist(%n: i32, %m: i32, %p: tensor<4x!tt.ptr<i32>>, %mask: tensor<4xi1>, %z: tensor<4xi32>) -> tensor<4xi32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %z) -> (tensor<4xi32>) : i32 {
    %x = arith.addi %m, %n : i32
    %d = arith.divsi %x, %m : i32
    %l = tt.load %p, %mask : tensor<4x!tt.ptr<i32>>
    %s = tt.splat %d : i32 -> tensor<4xi32>
    %t = arith.addi %s, %l : tensor<4xi32>
    %u = arith.addi %a, %t : tensor<4xi32>
    scf.yield %u : tensor<4xi32>
  }
  tt.return %0 : tensor<4xi32>
}

// A loop that writes keeps its loads.
// CHECK-LABEL: @writes
// CHECK: scf.for
// CHECK: tt.load
tt.func public @writes(%n: i32, %p: !tt.ptr<i32>, %q: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %l = tt.load %p : !tt.ptr<i32>
    tt.store %q, %l : !tt.ptr<i32>
  }
  tt.return
}

// The mask of an unsigned loop compares unsigned.
// CHECK-LABEL: @unsigned
// CHECK: arith.cmpi ult
// CHECK-NEXT: tt.load
// CHECK: scf.for unsigned
tt.func public @unsigned(%n: i32, %p: !tt.ptr<i32>) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0 = scf.for unsigned %i = %c0 to %n step %c1 iter_args(%a = %c0) -> (i32) : i32 {
    %l = tt.load %p : !tt.ptr<i32>
    %s = arith.addi %a, %l : i32
    scf.yield %s : i32
  }
  tt.return %0 : i32
}
