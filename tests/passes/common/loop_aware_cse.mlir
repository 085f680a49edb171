// RUN: weft opt %s -p triton-loop-aware-cse | filecheck %s

// Both start as %x and take the same step: one of them is enough.
// CHECK-LABEL: @twice
// CHECK: %[[R:.*]] = scf.for %[[I:.*]] = {{.*}} iter_args(%[[A:.*]] = %arg2) -> (i32)
// CHECK-NEXT: %[[N:.*]] = arith.addi %[[A]], %[[I]] : i32
// CHECK-NEXT: scf.yield %[[N]] : i32
// CHECK: tt.store %arg0, %[[R]]
// CHECK-NEXT: tt.store %arg0, %[[R]]
tt.func public @twice(%p: !tt.ptr<i32>, %n: i32, %x: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %x) -> (i32, i32) : i32 {
    %s = arith.addi %a, %i : i32
    %t = arith.addi %b, %i : i32
    scf.yield %s, %t : i32, i32
  }
  tt.store %p, %r#0 : !tt.ptr<i32>
  tt.store %p, %r#1 : !tt.ptr<i32>
  tt.return
}

// Two pairs, each equal if the other is.
// CHECK-LABEL: @pairs
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %arg2, %{{.*}} = %arg1) -> (i32, i32)
tt.func public @pairs(%p: !tt.ptr<i32>, %n: i32, %x: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %n, %c = %x, %d = %n) -> (i32, i32, i32, i32) : i32 {
    %s = arith.addi %a, %b : i32
    %t = arith.addi %c, %d : i32
    %u = arith.muli %b, %a : i32
    %v = arith.muli %d, %c : i32
    scf.yield %s, %u, %t, %v : i32, i32, i32, i32
  }
  tt.store %p, %r#0 : !tt.ptr<i32>
  tt.store %p, %r#1 : !tt.ptr<i32>
  tt.store %p, %r#2 : !tt.ptr<i32>
  tt.store %p, %r#3 : !tt.ptr<i32>
  tt.return
}

// They start apart, or read memory: both stay.
// CHECK-LABEL: @apart
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %arg2, %{{.*}} = %arg1, %{{.*}} = %arg2) -> (i32, i32, i32)
tt.func public @apart(%p: !tt.ptr<i32>, %n: i32, %x: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %n, %c = %x) -> (i32, i32, i32) : i32 {
    %s = arith.addi %a, %i : i32
    %t = arith.addi %b, %i : i32
    %q = tt.addptr %p, %c : !tt.ptr<i32>, i32
    %u = tt.load %q : !tt.ptr<i32>
    scf.yield %s, %t, %u : i32, i32, i32
  }
  tt.store %p, %r#0 : !tt.ptr<i32>
  tt.store %p, %r#1 : !tt.ptr<i32>
  tt.store %p, %r#2 : !tt.ptr<i32>
  tt.return
}
