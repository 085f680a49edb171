// RUN: weft opt %s -p tritongpu-schedule-loops | filecheck %s

// The load runs two iterations ahead. Its address of the next iteration is computed one stage
// later, before the load in the order of clusters; the sum goes to the last stage.
// CHECK-LABEL: @stream
// CHECK: tt.load %{{.*}} {loop.cluster = 3 : i32, loop.stage = 0 : i32}
// CHECK-NEXT: arith.addf %{{.*}} {loop.cluster = 0 : i32, loop.stage = 2 : i32}
// CHECK-NEXT: tt.addptr %{{.*}} {loop.cluster = 2 : i32, loop.stage = 1 : i32}
// CHECK: } {tt.scheduled_max_stage = 2 : i32}
tt.func @stream(%n: i32, %p: !tt.ptr<f32>, %zero: f32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %q = %p) -> (f32, !tt.ptr<f32>) : i32 {
    %x = tt.load %q {tt.latency = 2 : i32} : !tt.ptr<f32>
    %s = arith.addf %acc, %x : f32
    %next = tt.addptr %q, %c1 : !tt.ptr<f32>, i32
    scf.yield %s, %next : f32, !tt.ptr<f32>
  }
  tt.return %r#0 : f32
}

// What a load depends on in the same iteration is in its stage and cluster; a load of an index is
// one stage earlier.
// CHECK-LABEL: @indirect
// CHECK: tt.addptr %{{.*}} {loop.cluster = 2 : i32, loop.stage = 0 : i32}
// CHECK-NEXT: tt.load %{{.*}} {loop.cluster = 2 : i32, loop.stage = 0 : i32}
// CHECK-NEXT: tt.addptr %{{.*}} {loop.cluster = 1 : i32, loop.stage = 1 : i32}
// CHECK-NEXT: tt.load %{{.*}} {loop.cluster = 1 : i32, loop.stage = 1 : i32}
// CHECK-NEXT: arith.addf %{{.*}} {loop.cluster = 0 : i32, loop.stage = 2 : i32}
tt.func @indirect(%n: i32, %p: !tt.ptr<i32>, %q: !tt.ptr<f32>, %zero: f32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f32) : i32 {
    %pi = tt.addptr %p, %i : !tt.ptr<i32>, i32
    %j = tt.load %pi {tt.latency = 1 : i32} : !tt.ptr<i32>
    %qj = tt.addptr %q, %j : !tt.ptr<f32>, i32
    %x = tt.load %qj {tt.latency = 1 : i32} : !tt.ptr<f32>
    %s = arith.addf %acc, %x : f32
    scf.yield %s : f32
  }
  tt.return %r : f32
}

// A conditional that the load depends on runs first, another one last.
// CHECK-LABEL: @conditionals
// CHECK: scf.if
// CHECK: } {loop.cluster = 0 : i32, loop.stage = 0 : i32}
// CHECK: tt.load %{{.*}} {loop.cluster = 2 : i32, loop.stage = 0 : i32}
// CHECK: scf.if
// CHECK: } {loop.cluster = 4 : i32, loop.stage = 1 : i32}
// CHECK: arith.addf %{{.*}} {loop.cluster = 1 : i32, loop.stage = 1 : i32}
tt.func @conditionals(%n: i32, %p: !tt.ptr<f32>, %o: !tt.ptr<f32>, %zero: f32, %c: i1) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f32) : i32 {
    %j = scf.if %c -> (i32) {
      %two = arith.addi %i, %c1 : i32
      scf.yield %two : i32
    } else {
      scf.yield %i : i32
    }
    %q = tt.addptr %p, %j : !tt.ptr<f32>, i32
    %x = tt.load %q {tt.latency = 1 : i32} : !tt.ptr<f32>
    scf.if %c {
      tt.store %o, %acc : !tt.ptr<f32>
    }
    %s = arith.addf %acc, %x : f32
    scf.yield %s : f32
  }
  tt.return %r : f32
}

// The order of prints would change. The latencies are gone in any case.
// CHECK-LABEL: @prints
// CHECK: tt.load %{{[a-z0-9]*}} : !tt.ptr<f32>
// CHECK-NOT: loop.stage
tt.func @prints(%n: i32, %p: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %x = tt.load %p {tt.latency = 1 : i32} : !tt.ptr<f32>
    tt.print "x: " {hex = false, isSigned = array<i32: 0>} : %x : f32
  }
  tt.return
}
