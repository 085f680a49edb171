// RUN: weft opt %s -p tritongpu-fuse-nested-loops | filecheck %s

// One loop, whose epilogue runs in the last iteration of each outer iteration. If the inner loop does
// not run, the outer loop runs without it.
// CHECK-LABEL: @persistent
// CHECK: %[[ROUNDS:.*]] = arith.ceildivsi
// CHECK: %[[NEVER:.*]] = arith.cmpi eq, %[[ROUNDS]]
// CHECK: scf.if %[[NEVER]] {
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: } else {
// CHECK: scf.for {{.*}} iter_args
// CHECK-NEXT: scf.yield
// CHECK: scf.for {{.*}} iter_args(%[[T:.*]] = %c0_i32{{.*}}, %{{.*}} = %{{.*}}, %{{.*}}
// CHECK: arith.cmpi eq
// CHECK: scf.if
// CHECK: tt.load
// CHECK: scf.if
// CHECK: tt.store
// CHECK: arith.select
// CHECK-NEXT: scf.yield
tt.func public @persistent(%q: !tt.ptr<f32>, %bp: !tt.ptr<i32>, %n: i32, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %z = arith.constant 0.0 : f32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %a = arith.muli %i, %m : i32
    %u = arith.muli %m, %m : i32
    %r = scf.for %j = %c0 to %m step %c2 iter_args(%x = %z) -> (f32) : i32 {
      %k = arith.addi %a, %j : i32
      %p = tt.addptr %q, %k : !tt.ptr<f32>, i32
      %v = tt.load %p : !tt.ptr<f32>
      %y = arith.addf %x, %v : f32
      scf.yield %y : f32
    }
    %late = arith.addi %i, %u : i32
    %p2 = tt.addptr %q, %late : !tt.ptr<f32>, i32
    tt.store %p2, %r : !tt.ptr<f32>
  } {tt.flatten}
  tt.return
}

// Bounds that follow from the outer counter are summed up in front; a promise saves the copy.
// CHECK-LABEL: @varies
// CHECK-NOT: scf.if
// CHECK: %[[TOTAL:.*]] = scf.for
// CHECK-NEXT: arith.addi %{{.*}}, %arg3
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[TOTAL]] step
tt.func public @varies(%q: !tt.ptr<f32>, %bp: !tt.ptr<i32>, %n: i32, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %z = arith.constant 0.0 : f32
  %cm = arith.cmpi sgt, %m, %c0 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %b = arith.addi %i, %m : i32
    %cmp = arith.cmpi sgt, %b, %c0 : i32
    llvm.intr.assume %cmp : i1
    %r = scf.for %j = %c0 to %b step %c1 iter_args(%x = %z) -> (f32) : i32 {
      %p = tt.addptr %q, %j : !tt.ptr<f32>, i32
      %v = tt.load %p : !tt.ptr<f32>
      %y = arith.addf %x, %v : f32
      scf.yield %y : f32
    }
    %p2 = tt.addptr %q, %i : !tt.ptr<f32>, i32
    tt.store %p2, %r : !tt.ptr<f32>
  } {tt.flatten}
  tt.return
}

// The fused loop has the pipelining attributes of both loops.
// CHECK-LABEL: @carried
// CHECK: } {tt.num_stages = 4 : i32, tt.warp_specialize}
tt.func public @carried(%q: !tt.ptr<f32>, %bp: !tt.ptr<i32>, %n: i32, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %z = arith.constant 0.0 : f32
  %o:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %t = %c0) -> (f32, i32) : i32 {
    %a = arith.muli %i, %m : i32
    %early = arith.muli %i, %i : i32
    %init = tt.load %q : !tt.ptr<f32>
    %r:2 = scf.for %j = %c0 to %m step %c1 iter_args(%x = %init, %w = %s) -> (f32, f32) : i32 {
      %k = arith.addi %a, %j : i32
      %p = tt.addptr %q, %k : !tt.ptr<f32>, i32
      %v = tt.load %p : !tt.ptr<f32>
      %y = arith.addf %x, %v : f32
      %y2 = arith.mulf %w, %v : f32
      scf.yield %y, %y2 : f32, f32
    } {tt.num_stages = 4 : i32}
    %p2 = tt.addptr %q, %early : !tt.ptr<f32>, i32
    tt.store %p2, %r#0 : !tt.ptr<f32>
    %tt = arith.addi %t, %early : i32
    scf.yield %r#1, %tt : f32, i32
  } {tt.flatten, tt.num_stages = 3 : i32, tt.warp_specialize}
  tt.store %q, %o#0 : !tt.ptr<f32>
  %qq = tt.addptr %q, %o#1 : !tt.ptr<f32>, i32
  tt.store %qq, %z : !tt.ptr<f32>
  tt.return
}

// CHECK-LABEL: @stays
// CHECK: scf.for
// CHECK: scf.for
// CHECK: } {tt.flatten}
tt.func public @stays(%q: !tt.ptr<f32>, %bp: !tt.ptr<i32>, %n: i32, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %z = arith.constant 0.0 : f32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %b = arith.addi %i, %m : i32
    %r = scf.for %j = %c0 to %b step %c1 iter_args(%x = %z) -> (f32) : i32 {
      %p = tt.addptr %q, %j : !tt.ptr<f32>, i32
      %v = tt.load %p : !tt.ptr<f32>
      %y = arith.addf %x, %v : f32
      scf.yield %y : f32
    }
    %p2 = tt.addptr %q, %i : !tt.ptr<f32>, i32
    tt.store %p2, %r : !tt.ptr<f32>
  } {tt.flatten}
  tt.return
}
