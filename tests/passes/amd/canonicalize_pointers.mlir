// RUN: weft opt %s -p tritonamdgpu-canonicalize-pointers | filecheck %s

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
#tile = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#turned = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#rows = #ttg.slice<{dim = 1, parent = #tile}>
#columns = #ttg.slice<{dim = 0, parent = #tile}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
// Scalar and per-element offsets are added to one offset of the argument.
// CHECK-LABEL: @advance
// CHECK: %[[RANGE:.*]] = tt.make_range
// CHECK: %[[N:.*]] = tt.splat %arg1
// CHECK: %[[FIRST:.*]] = arith.addi %[[N]], %[[RANGE]]
// CHECK-NEXT: %[[BASE:.*]] = tt.splat %arg0
// CHECK-NEXT: %[[POINTER:.*]] = tt.addptr %[[BASE]], %[[FIRST]]
// CHECK-NEXT: tt.load %[[POINTER]]
// CHECK: %[[TWICE:.*]] = arith.addi %[[N]]
// CHECK-NEXT: %[[AGAIN:.*]] = tt.splat %arg0
// CHECK-NEXT: tt.addptr %[[AGAIN]], %[[TWICE]]
tt.func public @advance(%a: !tt.ptr<f32> {tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32}, %n: i32) {
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #blocked>
  %s = tt.splat %n : i32 -> tensor<1024xi32, #blocked>
  %o = arith.addi %s, %r : tensor<1024xi32, #blocked>
  %p = tt.splat %a : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #blocked>
  %q = tt.addptr %p, %o : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
  %v = tt.load %q : tensor<1024x!tt.ptr<f32>, #blocked>
  %q2 = tt.addptr %q, %s : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
  tt.store %q2, %v : tensor<1024x!tt.ptr<f32>, #blocked>
  tt.return
}

// A tensor that repeats a scalar is an offset as it is; an untouched pointer gets zeros.
// CHECK-LABEL: @repeated
// CHECK: %[[N:.*]] = tt.splat %arg1
// CHECK: %[[ZERO:.*]] = tt.splat %c0_i32
// CHECK: tt.addptr %{{.*}}, %[[N]]
// CHECK: tt.addptr %{{.*}}, %[[ZERO]]
tt.func public @repeated(%a: !tt.ptr<f32> {tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32}, %n: i32) {
  %s = tt.splat %n : i32 -> tensor<1024xi32, #blocked>
  %p = tt.splat %a : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #blocked>
  %q = tt.addptr %p, %s : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
  %v = tt.load %q : tensor<1024x!tt.ptr<f32>, #blocked>
  tt.store %p, %v : tensor<1024x!tt.ptr<f32>, #blocked>
  tt.return
}

// Offsets of 64 bits are cut to 32 after each sum.
// CHECK-LABEL: @wide
// CHECK: arith.trunci {{.*}} : tensor<1024xi64, #blocked> to tensor<1024xi32, #blocked>
// CHECK: tt.load
// CHECK: arith.trunci {{.*}} : tensor<1024xi64, #blocked> to tensor<1024xi32, #blocked>
tt.func public @wide(%a: !tt.ptr<f32> {tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32}, %n: i64, %m: i32) {
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #blocked>
  %rl = arith.extsi %r : tensor<1024xi32, #blocked> to tensor<1024xi64, #blocked>
  %s = tt.splat %n : i64 -> tensor<1024xi64, #blocked>
  %sm = tt.splat %m : i32 -> tensor<1024xi32, #blocked>
  %c = arith.constant dense<7> : tensor<1024xi64, #blocked>
  %k = arith.muli %rl, %s : tensor<1024xi64, #blocked>
  %k2 = arith.addi %k, %c : tensor<1024xi64, #blocked>
  %p = tt.splat %a : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #blocked>
  %q = tt.addptr %p, %k2 : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi64, #blocked>
  %v = tt.load %q : tensor<1024x!tt.ptr<f32>, #blocked>
  %q2 = tt.addptr %q, %sm : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
  %q3 = tt.addptr %q2, %rl : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi64, #blocked>
  tt.store %q3, %v : tensor<1024x!tt.ptr<f32>, #blocked>
  tt.return
}

// Scalar pointers, too: constants fold as they add up.
// CHECK-LABEL: @scalars
// CHECK: tt.addptr %arg0, %c0_i32
// CHECK: %[[FIRST:.*]] = arith.addi %arg1, %c3_i32
// CHECK-NEXT: %[[SUM:.*]] = arith.addi %[[FIRST]], %c3_i32
// CHECK-NEXT: tt.addptr %arg0, %[[SUM]]
tt.func public @scalars(%a: !tt.ptr<f32> {tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32}, %n: i32, %b: !tt.ptr<f32> {tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32}) {
  %v = tt.load %a : !tt.ptr<f32>
  %q = tt.addptr %a, %n : !tt.ptr<f32>, i32
  %c3 = arith.constant 3 : i32
  %q2 = tt.addptr %q, %c3 : !tt.ptr<f32>, i32
  %q3 = tt.addptr %q2, %c3 : !tt.ptr<f32>, i32
  %w = tt.load %q3 : !tt.ptr<f32>
  %x = arith.addf %v, %w : f32
  %c5 = arith.constant 5 : i64
  %q4 = tt.addptr %q3, %c5 : !tt.ptr<f32>, i64
  tt.store %q4, %x : !tt.ptr<f32>
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #blocked>
  %p = tt.splat %q4 : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #blocked>
  %pp = tt.addptr %p, %r : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
  %y = tt.load %pp : tensor<1024x!tt.ptr<f32>, #blocked>
  tt.store %pp, %y : tensor<1024x!tt.ptr<f32>, #blocked>
  tt.return
}

// Broadcasts and conversions of pointers become those of offsets.
// CHECK-LABEL: @moved
// CHECK: tt.broadcast {{.*}} : tensor<64x1xi32, #blocked1> -> tensor<64x64xi32, #blocked1>
// CHECK: ttg.convert_layout {{.*}} : tensor<64x64xi32, #blocked1> -> tensor<64x64xi32, #blocked2>
// CHECK-NOT: tensor<64x1x!tt.ptr
tt.func public @moved(%a: !tt.ptr<f32> {tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32}, %n: i32, %m: i32) {
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #rows>
  %k = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #columns>
  %s = tt.splat %n : i32 -> tensor<64xi32, #rows>
  %o = arith.addi %s, %r : tensor<64xi32, #rows>
  %e = tt.expand_dims %o {axis = 1 : i32} : tensor<64xi32, #rows> -> tensor<64x1xi32, #tile>
  %t = tt.splat %m : i32 -> tensor<64x1xi32, #tile>
  %e2 = arith.muli %e, %t : tensor<64x1xi32, #tile>
  %p = tt.splat %a : !tt.ptr<f32> -> tensor<64x1x!tt.ptr<f32>, #tile>
  %q = tt.addptr %p, %e2 : tensor<64x1x!tt.ptr<f32>, #tile>, tensor<64x1xi32, #tile>
  %f = tt.expand_dims %k {axis = 0 : i32} : tensor<64xi32, #columns> -> tensor<1x64xi32, #tile>
  %qb = tt.broadcast %q : tensor<64x1x!tt.ptr<f32>, #tile> -> tensor<64x64x!tt.ptr<f32>, #tile>
  %fb = tt.broadcast %f : tensor<1x64xi32, #tile> -> tensor<64x64xi32, #tile>
  %q2 = tt.addptr %qb, %fb : tensor<64x64x!tt.ptr<f32>, #tile>, tensor<64x64xi32, #tile>
  %v = tt.load %q2 : tensor<64x64x!tt.ptr<f32>, #tile>
  %qc = ttg.convert_layout %q2 : tensor<64x64x!tt.ptr<f32>, #tile> -> tensor<64x64x!tt.ptr<f32>, #turned>
  %vc = ttg.convert_layout %v : tensor<64x64xf32, #tile> -> tensor<64x64xf32, #turned>
  tt.store %qc, %vc : tensor<64x64x!tt.ptr<f32>, #turned>
  tt.return
}

// A loop carries a base and an offset for each pointer.
// CHECK-LABEL: @loop
// CHECK: scf.for {{.*}} iter_args(%[[B:.*]] = %arg0, %[[O:.*]] = %{{.*}}, %{{.*}} = %cst{{.*}}, %{{.*}} = %arg2, %{{.*}} = %c0_i32{{.*}}) -> (!tt.ptr<f32>, tensor<1024xi32, #blocked>, tensor<1024xf32, #blocked>, !tt.ptr<f32>, i32)
// CHECK: %[[S:.*]] = tt.splat %[[B]]
// CHECK: tt.addptr %[[S]], %[[O]]
// CHECK: scf.yield %[[B]]
tt.func public @loop(%a: !tt.ptr<f32> {tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32}, %n: i32, %b: !tt.ptr<f32> {tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c = arith.constant dense<64> : tensor<1024xi32, #blocked>
  %z = arith.constant dense<0.0> : tensor<1024xf32, #blocked>
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #blocked>
  %p = tt.splat %a : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #blocked>
  %q = tt.addptr %p, %r : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
  %x:3 = scf.for %i = %c0 to %n step %c1 iter_args(%y = %q, %acc = %z, %w = %b) -> (tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xf32, #blocked>, !tt.ptr<f32>) : i32 {
    %v = tt.load %y : tensor<1024x!tt.ptr<f32>, #blocked>
    %sc = tt.load %w : !tt.ptr<f32>
    %ss = tt.splat %sc : f32 -> tensor<1024xf32, #blocked>
    %acc2 = arith.addf %acc, %v : tensor<1024xf32, #blocked>
    %acc3 = arith.addf %acc2, %ss : tensor<1024xf32, #blocked>
    %y2 = tt.addptr %y, %c : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
    %w2 = tt.addptr %w, %c1 : !tt.ptr<f32>, i32
    scf.yield %y2, %acc3, %w2 : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xf32, #blocked>, !tt.ptr<f32>
  } {tt.num_stages = 2 : i32}
  tt.store %x#0, %x#1 : tensor<1024x!tt.ptr<f32>, #blocked>
  %c1f = arith.constant 1.0 : f32
  tt.store %x#2, %c1f : !tt.ptr<f32>
  tt.return
}

// CHECK-LABEL: @conditional
// CHECK: scf.if %arg2 -> (!tt.ptr<f32>, tensor<1024xi32, #blocked>, i32)
// CHECK: scf.yield %arg0
// CHECK: scf.yield %arg0
tt.func public @conditional(%a: !tt.ptr<f32> {tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32}, %n: i32, %cond: i1) {
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #blocked>
  %s = tt.splat %n : i32 -> tensor<1024xi32, #blocked>
  %p = tt.splat %a : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #blocked>
  %q = tt.addptr %p, %r : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
  %x:2 = scf.if %cond -> (tensor<1024x!tt.ptr<f32>, #blocked>, i32) {
    %q2 = tt.addptr %q, %s : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
    scf.yield %q2, %n : tensor<1024x!tt.ptr<f32>, #blocked>, i32
  } else {
    %n2 = arith.addi %n, %n : i32
    scf.yield %q, %n2 : tensor<1024x!tt.ptr<f32>, #blocked>, i32
  }
  %s2 = tt.splat %x#1 : i32 -> tensor<1024xi32, #blocked>
  %q3 = tt.addptr %x#0, %s2 : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
  %v = tt.load %q3 : tensor<1024x!tt.ptr<f32>, #blocked>
  tt.store %x#0, %v : tensor<1024x!tt.ptr<f32>, #blocked>
  tt.return
}

// CHECK-LABEL: @chosen
// CHECK: %[[B:.*]] = arith.select %arg2, %arg0, %arg0 : !tt.ptr<f32>
// CHECK: %[[O:.*]] = arith.select %arg2, {{.*}} : tensor<1024xi32, #blocked>
// CHECK: %[[S:.*]] = tt.splat %[[B]]
// CHECK: tt.addptr %[[S]], %[[O]]
tt.func public @chosen(%a: !tt.ptr<f32> {tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32}, %n: i32, %cond: i1) {
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #blocked>
  %s = tt.splat %n : i32 -> tensor<1024xi32, #blocked>
  %p = tt.splat %a : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #blocked>
  %q = tt.addptr %p, %r : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
  %q2 = tt.addptr %q, %s : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
  %q3 = arith.select %cond, %q, %q2 : tensor<1024x!tt.ptr<f32>, #blocked>
  %v = tt.load %q3 : tensor<1024x!tt.ptr<f32>, #blocked>
  tt.store %q2, %v : tensor<1024x!tt.ptr<f32>, #blocked>
  tt.return
}

// CHECK-LABEL: @condition
// CHECK: scf.while (%{{.*}} = %arg0, %{{.*}} = %0, %{{.*}} = %c0_i32) : (!tt.ptr<f32>, tensor<1024xi32, #blocked>, i32)
tt.func public @condition(%a: !tt.ptr<f32> {tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32}, %n: i32, %cond: i1) {
  %c0 = arith.constant 0 : i32
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #blocked>
  %p = tt.splat %a : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #blocked>
  %q = tt.addptr %p, %r : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
  %x:2 = scf.while (%y = %q, %i = %c0) : (tensor<1024x!tt.ptr<f32>, #blocked>, i32) -> (tensor<1024x!tt.ptr<f32>, #blocked>, i32) {
    %c = arith.cmpi slt, %i, %n : i32
    scf.condition(%c) %y, %i : tensor<1024x!tt.ptr<f32>, #blocked>, i32
  } do {
^bb0(%z: tensor<1024x!tt.ptr<f32>, #blocked>, %j: i32):
    %v = tt.load %z : tensor<1024x!tt.ptr<f32>, #blocked>
    %z2 = tt.addptr %z, %r : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
    tt.store %z2, %v : tensor<1024x!tt.ptr<f32>, #blocked>
    %j2 = arith.addi %j, %n : i32
    scf.yield %z2, %j2 : tensor<1024x!tt.ptr<f32>, #blocked>, i32
  }
  %v = tt.load %x#0 : tensor<1024x!tt.ptr<f32>, #blocked>
  tt.store %q, %v : tensor<1024x!tt.ptr<f32>, #blocked>
  tt.return
}

// CHECK-LABEL: @branch
// CHECK: cf.cond_br %arg2, ^bb1(%arg0, %0 : !tt.ptr<f32>, tensor<1024xi32, #blocked>), ^bb2(%arg0, %0
tt.func public @branch(%a: !tt.ptr<f32> {tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32}, %n: i32, %cond: i1) {
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #blocked>
  %p = tt.splat %a : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #blocked>
  %q = tt.addptr %p, %r : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
  cf.cond_br %cond, ^bb1(%q : tensor<1024x!tt.ptr<f32>, #blocked>), ^bb2(%q : tensor<1024x!tt.ptr<f32>, #blocked>)
^bb1(%x: tensor<1024x!tt.ptr<f32>, #blocked>):
  %v = tt.load %x : tensor<1024x!tt.ptr<f32>, #blocked>
  tt.store %x, %v : tensor<1024x!tt.ptr<f32>, #blocked>
  tt.return
^bb2(%y: tensor<1024x!tt.ptr<f32>, #blocked>):
  %y2 = tt.addptr %y, %r : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
  cf.br ^bb3(%y2 : tensor<1024x!tt.ptr<f32>, #blocked>)
^bb3(%z: tensor<1024x!tt.ptr<f32>, #blocked>):
  %w = tt.load %z : tensor<1024x!tt.ptr<f32>, #blocked>
  tt.store %y, %w : tensor<1024x!tt.ptr<f32>, #blocked>
  tt.return
}

// For other users the pointer is created again.
// CHECK-LABEL: @others
// CHECK: %[[P:.*]] = tt.addptr
// CHECK-NEXT: tt.bitcast %[[P]]
// CHECK: tt.atomic_rmw
// CHECK: tt.atomic_cas
// CHECK: tt.print
tt.func public @others(%a: !tt.ptr<f32> {tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32}, %n: i32, %ai: !tt.ptr<i32> {tt.pointer_range = 32 : i32}) {
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #blocked>
  %p = tt.splat %a : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #blocked>
  %q = tt.addptr %p, %r : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
  %bc = tt.bitcast %q : tensor<1024x!tt.ptr<f32>, #blocked> -> tensor<1024x!tt.ptr<i32>, #blocked>
  %v = tt.load %bc : tensor<1024x!tt.ptr<i32>, #blocked>
  %bc2 = tt.addptr %bc, %r : tensor<1024x!tt.ptr<i32>, #blocked>, tensor<1024xi32, #blocked>
  tt.store %bc2, %v : tensor<1024x!tt.ptr<i32>, #blocked>
  %it = tt.ptr_to_int %q : tensor<1024x!tt.ptr<f32>, #blocked> -> tensor<1024xi64, #blocked>
  %lp = tt.splat %n : i32 -> tensor<1024xi32, #blocked>
  %pi = tt.splat %ai : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>, #blocked>
  %qi = tt.addptr %pi, %r : tensor<1024x!tt.ptr<i32>, #blocked>, tensor<1024xi32, #blocked>
  %o = tt.atomic_rmw add, acq_rel, gpu, %qi, %lp : (tensor<1024x!tt.ptr<i32>, #blocked>, tensor<1024xi32, #blocked>) -> tensor<1024xi32, #blocked>
  %o2 = tt.atomic_cas acq_rel, gpu, %qi, %lp, %o : (tensor<1024x!tt.ptr<i32>, #blocked>, tensor<1024xi32, #blocked>, tensor<1024xi32, #blocked>) -> tensor<1024xi32, #blocked>
  tt.store %qi, %o2 : tensor<1024x!tt.ptr<i32>, #blocked>
  tt.print "x" {hex = false, isSigned = array<i32: 0, 0>} : %q, %it : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi64, #blocked>
  tt.return
}

// Pointers of an argument without tt.pointer_range stay; dead operations are erased.
// CHECK-LABEL: @mixed
// CHECK-NOT: arith.addi %0, %0
// CHECK: scf.for {{.*}} -> (!tt.ptr<f32>, tensor<1024xi32, #blocked>, tensor<1024x!tt.ptr<f32>, #blocked>)
tt.func public @mixed(%a: !tt.ptr<f32> {tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32}, %b: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #blocked>
  %p = tt.splat %a : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #blocked>
  %q = tt.addptr %p, %r : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
  %pb = tt.splat %b : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #blocked>
  %qb = tt.addptr %pb, %r : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
  %dead = arith.addi %r, %r : tensor<1024xi32, #blocked>
  %x:2 = scf.for %i = %c0 to %n step %c1 iter_args(%y = %q, %z = %qb) -> (tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024x!tt.ptr<f32>, #blocked>) : i32 {
    %v = tt.load %y : tensor<1024x!tt.ptr<f32>, #blocked>
    tt.store %z, %v : tensor<1024x!tt.ptr<f32>, #blocked>
    %y2 = tt.addptr %y, %r : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
    %z2 = tt.addptr %z, %r : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
    scf.yield %y2, %z2 : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024x!tt.ptr<f32>, #blocked>
  }
  tt.return
}

// Nothing is done where a value may be poison.
// CHECK-LABEL: @poison
// CHECK: tt.addptr %arg0, %c1_i32
// CHECK-NEXT: tt.addptr
tt.func public @poison(%a: !tt.ptr<f32> {tt.pointer_range = 32 : i32}) -> f32 {
  %c1 = arith.constant 1 : i32
  %p = ub.poison : f32
  %q = tt.addptr %a, %c1 : !tt.ptr<f32>, i32
  %r = tt.addptr %q, %c1 : !tt.ptr<f32>, i32
  tt.store %r, %p : !tt.ptr<f32>
  tt.return %p : f32
}
}
