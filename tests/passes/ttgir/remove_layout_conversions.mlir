// RUN: weft opt %s -p tritongpu-remove-layout-conversions --split-input-file | filecheck %s

#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
#plain = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
// Values are computed and stored in the layout of the load.
// CHECK-DAG: #[[ROWS:.*]] = #ttg.blocked<{sizePerThread = [1, 4]
// CHECK-DAG: #[[MMA:.*]] = #ttg.nvidia_mma
// CHECK-LABEL: @forward
// CHECK-NOT: convert_layout
// CHECK: arith.mulf {{.*}} : tensor<64x64xf32, #[[ROWS]]>
// CHECK-NOT: convert_layout
// CHECK: tt.store {{.*}} : tensor<64x64x!tt.ptr<f32>, #[[ROWS]]>
tt.func public @forward(%p: tensor<64x64x!tt.ptr<f32>, #rows>) {
  %two = arith.constant dense<2.0> : tensor<64x64xf32, #plain>
  %x = tt.load %p : tensor<64x64x!tt.ptr<f32>, #rows>
  %y = ttg.convert_layout %x : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #plain>
  %z = arith.mulf %y, %two : tensor<64x64xf32, #plain>
  %w = ttg.convert_layout %z : tensor<64x64xf32, #plain> -> tensor<64x64xf32, #rows>
  tt.store %p, %w : tensor<64x64x!tt.ptr<f32>, #rows>
  tt.return
}

// Of a product and of a load: the layout of the product wins.
// CHECK-LABEL: @conflict
// CHECK: %[[X:.*]] = tt.load
// CHECK: %[[D:.*]] = tt.dot
// CHECK: %[[IN:.*]] = ttg.convert_layout %[[X]] : tensor<64x64xf32, #[[ROWS]]> -> tensor<64x64xf32, #[[MMA]]>
// CHECK: %[[S:.*]] = arith.addf %[[IN]], %[[D]] : tensor<64x64xf32, #[[MMA]]>
// CHECK: ttg.convert_layout %[[S]] : tensor<64x64xf32, #[[MMA]]> -> tensor<64x64xf32, #[[ROWS]]>
tt.func public @conflict(%p: tensor<64x64x!tt.ptr<f32>, #rows>, %l: tensor<64x64xf16, #a>, %r: tensor<64x64xf16, #b>, %c: tensor<64x64xf32, #mma>) {
  %x = tt.load %p : tensor<64x64x!tt.ptr<f32>, #rows>
  %d = tt.dot %l, %r, %c : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
  %y = ttg.convert_layout %x : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #plain>
  %e = ttg.convert_layout %d : tensor<64x64xf32, #mma> -> tensor<64x64xf32, #plain>
  %s = arith.addf %y, %e : tensor<64x64xf32, #plain>
  %w = ttg.convert_layout %s : tensor<64x64xf32, #plain> -> tensor<64x64xf32, #rows>
  tt.store %p, %w : tensor<64x64x!tt.ptr<f32>, #rows>
  tt.return
}

// Iter_args and results of conditionals have the layout of the anchor.
// CHECK-LABEL: @carried
// CHECK-NOT: convert_layout
// CHECK: scf.for {{.*}} -> (tensor<64x64xf32, #[[ROWS]]>)
// CHECK: scf.if {{.*}} -> (tensor<64x64xf32, #[[ROWS]]>)
// CHECK-NOT: convert_layout
// CHECK: tt.return
tt.func public @carried(%p: tensor<64x64x!tt.ptr<f32>, #rows>, %n: i32, %flag: i1) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #plain>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #plain>) : i32 {
    %x = tt.load %p : tensor<64x64x!tt.ptr<f32>, #rows>
    %y = ttg.convert_layout %x : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #plain>
    %s = arith.addf %acc, %y : tensor<64x64xf32, #plain>
    scf.yield %s : tensor<64x64xf32, #plain>
  }
  %r = scf.if %flag -> tensor<64x64xf32, #plain> {
    %e = math.exp %sum : tensor<64x64xf32, #plain>
    scf.yield %e : tensor<64x64xf32, #plain>
  } else {
    scf.yield %sum : tensor<64x64xf32, #plain>
  }
  %w = ttg.convert_layout %r : tensor<64x64xf32, #plain> -> tensor<64x64xf32, #rows>
  tt.store %p, %w : tensor<64x64x!tt.ptr<f32>, #rows>
  tt.return
}

// A loop that does not count carries it so, too.
// CHECK-LABEL: @while
// CHECK-NOT: convert_layout
// CHECK: scf.while {{.*}} : (tensor<64x64xf32, #[[ROWS]]>) -> tensor<64x64xf32, #[[ROWS]]>
// CHECK-NOT: convert_layout
// CHECK: tt.return
tt.func public @while(%p: tensor<64x64x!tt.ptr<f32>, #rows>) {
  %x = tt.load %p : tensor<64x64x!tt.ptr<f32>, #rows>
  %y = ttg.convert_layout %x : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #plain>
  %r = scf.while (%v = %y) : (tensor<64x64xf32, #plain>) -> tensor<64x64xf32, #plain> {
    %m = "tt.reduce"(%v) <{axis = 1 : i32}> ({
    ^bb0(%l: f32, %k: f32):
      %g = arith.maxnumf %l, %k : f32
      tt.reduce.return %g : f32
    }) : (tensor<64x64xf32, #plain>) -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #plain}>>
    %s = "tt.reduce"(%m) <{axis = 0 : i32}> ({
    ^bb0(%l: f32, %k: f32):
      %g = arith.maxnumf %l, %k : f32
      tt.reduce.return %g : f32
    }) : (tensor<64xf32, #ttg.slice<{dim = 1, parent = #plain}>>) -> f32
    %go = arith.cmpf olt, %s, %s : f32
    scf.condition(%go) %v : tensor<64x64xf32, #plain>
  } do {
  ^bb0(%v: tensor<64x64xf32, #plain>):
    %d = arith.addf %v, %v : tensor<64x64xf32, #plain>
    scf.yield %d : tensor<64x64xf32, #plain>
  }
  %w = ttg.convert_layout %r : tensor<64x64xf32, #plain> -> tensor<64x64xf32, #rows>
  tt.store %p, %w : tensor<64x64x!tt.ptr<f32>, #rows>
  tt.return
}

// Offsets are computed again, in the layout that they are wanted in.
// CHECK-LABEL: @again
// CHECK-NOT: convert_layout
// CHECK: tt.make_range {{.*}} #ttg.slice<{dim = 0, parent = #[[ROWS]]}>>
// CHECK-NOT: convert_layout
// CHECK: tt.return
tt.func public @again(%p: !tt.ptr<f32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #line>
  %c = ttg.convert_layout %r : tensor<64xi32, #line> -> tensor<64xi32, #ttg.slice<{dim = 0, parent = #plain}>>
  %e = tt.expand_dims %c {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #plain}>> -> tensor<1x64xi32, #plain>
  %b = tt.broadcast %e : tensor<1x64xi32, #plain> -> tensor<64x64xi32, #plain>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #plain>
  %q = tt.addptr %s, %b : tensor<64x64x!tt.ptr<f32>, #plain>, tensor<64x64xi32, #plain>
  %o = ttg.convert_layout %q : tensor<64x64x!tt.ptr<f32>, #plain> -> tensor<64x64x!tt.ptr<f32>, #rows>
  %x = tt.load %o : tensor<64x64x!tt.ptr<f32>, #rows>
  tt.store %o, %x : tensor<64x64x!tt.ptr<f32>, #rows>
  tt.return
}

// A value used in both layouts would be computed twice, and a chain of expensive operations costs
// more than a conversion.
// CHECK-LABEL: @too_dear
// CHECK: %[[S:.*]] = math.sqrt
// CHECK: ttg.convert_layout %[[S]]
tt.func public @too_dear(%v: f32, %p: tensor<64x64x!tt.ptr<f32>, #rows>, %q: tensor<64x64x!tt.ptr<f32>, #columns>) {
  %x = tt.splat %v : f32 -> tensor<64x64xf32, #rows>
  %1 = math.exp %x : tensor<64x64xf32, #rows>
  %2 = math.sin %1 : tensor<64x64xf32, #rows>
  %3 = math.log %2 : tensor<64x64xf32, #rows>
  %4 = math.cos %3 : tensor<64x64xf32, #rows>
  %5 = math.sqrt %4 : tensor<64x64xf32, #rows>
  %6 = ttg.convert_layout %5 : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
  tt.store %p, %5 : tensor<64x64x!tt.ptr<f32>, #rows>
  tt.store %q, %6 : tensor<64x64x!tt.ptr<f32>, #columns>
  tt.return
}

// Fewer pointers than threads: the load is no anchor, and done again.
// CHECK-LABEL: @cheap_load
// CHECK-NOT: convert_layout
// CHECK: tt.load {{.*}} : tensor<1x64x!tt.ptr<f32>, #[[ROWS]]>
// CHECK-NOT: convert_layout
// CHECK: tt.return
tt.func public @cheap_load(%p: !tt.ptr<f32>, %q: tensor<64x64x!tt.ptr<f32>, #rows>) {
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<1x64x!tt.ptr<f32>, #plain>
  %x = tt.load %s : tensor<1x64x!tt.ptr<f32>, #plain>
  %y = tt.broadcast %x : tensor<1x64xf32, #plain> -> tensor<64x64xf32, #plain>
  %w = ttg.convert_layout %y : tensor<64x64xf32, #plain> -> tensor<64x64xf32, #rows>
  tt.store %q, %w : tensor<64x64x!tt.ptr<f32>, #rows>
  tt.return
}

// Half as many bytes are converted before the extension.
// CHECK-LABEL: @before_extension
// CHECK: %[[X:.*]] = tt.load
// CHECK-NEXT: %[[C:.*]] = ttg.convert_layout %[[X]] : tensor<64x64xf16
// CHECK-NEXT: arith.extf %[[C]]
tt.func public @before_extension(%p: tensor<64x64x!tt.ptr<f16>, #rows>, %q: tensor<64x64x!tt.ptr<f32>, #columns>) {
  %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #rows>
  %y = arith.extf %x : tensor<64x64xf16, #rows> to tensor<64x64xf32, #rows>
  %w = ttg.convert_layout %y : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
  tt.store %q, %w : tensor<64x64x!tt.ptr<f32>, #columns>
  tt.return
}

// In a loop, only the branch that loads converts.
// CHECK-LABEL: @into_branch
// CHECK: scf.for
// CHECK: scf.if
// CHECK-NEXT: %[[X:.*]] = tt.load
// CHECK-NEXT: %[[C:.*]] = ttg.convert_layout %[[X]]
// CHECK-NEXT: scf.yield %[[C]]
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield
// CHECK-NOT: convert_layout
// CHECK: tt.return
tt.func public @into_branch(%p: tensor<64x64x!tt.ptr<f32>, #rows>, %q: tensor<64x64x!tt.ptr<f32>, #columns>, %n: i32, %flag: i1) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #rows>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %r = scf.if %flag -> tensor<64x64xf32, #rows> {
      %x = tt.load %p : tensor<64x64x!tt.ptr<f32>, #rows>
      scf.yield %x : tensor<64x64xf32, #rows>
    } else {
      scf.yield %zero : tensor<64x64xf32, #rows>
    }
    %w = ttg.convert_layout %r : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
    tt.store %q, %w : tensor<64x64x!tt.ptr<f32>, #columns>
  }
  tt.return
}

// The operand of a dot is converted where it is loaded.
// CHECK-LABEL: @to_loads
// CHECK: scf.for
// CHECK-NEXT: %[[X:.*]] = tt.load
// CHECK-NEXT: %[[C:.*]] = ttg.convert_layout %[[X]] : tensor<64x64xf8E5M2
// CHECK-NEXT: %[[A:.*]] = tt.fp_to_fp %[[C]]
// CHECK-NEXT: tt.dot %[[A]]
tt.func public @to_loads(%p: tensor<64x64x!tt.ptr<f8E5M2>, #rows>, %r: tensor<64x64xf16, #b>, %n: i32) -> tensor<64x64xf32, #mma> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %x = tt.load %p : tensor<64x64x!tt.ptr<f8E5M2>, #rows>
    %y = tt.fp_to_fp %x : tensor<64x64xf8E5M2, #rows> -> tensor<64x64xf16, #rows>
    %w = ttg.convert_layout %y : tensor<64x64xf16, #rows> -> tensor<64x64xf16, #a>
    %d = tt.dot %w, %r, %acc : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  }
  tt.return %sum : tensor<64x64xf32, #mma>
}

// A value that only a loop itself reads is not carried.
// CHECK-LABEL: @feeds_itself
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{[a-z0-9_]*}} : i32 {
// CHECK-NOT: mulf
// CHECK: tt.return
tt.func public @feeds_itself(%p: tensor<64x64x!tt.ptr<f32>, #rows>, %x: tensor<64x64xf32, #rows>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<64x64xf32, #rows>) : i32 {
    %y = arith.mulf %v, %v : tensor<64x64xf32, #rows>
    tt.store %p, %x : tensor<64x64x!tt.ptr<f32>, #rows>
    scf.yield %y : tensor<64x64xf32, #rows>
  }
  tt.return
}

// After a reshape with allow_reorder, its layout propagates.
// CHECK-LABEL: @free_order
// CHECK: %[[V:.*]] = tt.reshape %{{.*}} allow_reorder : tensor<64x64xf32, #[[ROWS]]> -> tensor<4096xf32, #[[LINE:.*]]>
// CHECK: math.exp %[[V]] : tensor<4096xf32, #[[LINE]]>
tt.func public @free_order(%p: tensor<64x64x!tt.ptr<f32>, #rows>, %q: tensor<4096x!tt.ptr<f32>, #line>) {
  %x = tt.load %p : tensor<64x64x!tt.ptr<f32>, #rows>
  %y = ttg.convert_layout %x : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #plain>
  %v = tt.reshape %y allow_reorder : tensor<64x64xf32, #plain> -> tensor<4096xf32, #line>
  %e = math.exp %v : tensor<4096xf32, #line>
  tt.store %q, %e : tensor<4096x!tt.ptr<f32>, #line>
  tt.return
}
}

// -----

#wide = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
// An atomic keeps its layout. A function may have several blocks.
// CHECK-LABEL: @atomic
// CHECK: cf.cond_br
// CHECK: %[[R:.*]] = tt.atomic_rmw
// CHECK-NEXT: arith.addf %[[R]], %[[R]] : tensor<512xf32, #[[WIDE:.*]]>
tt.func public @atomic(%p: tensor<512x!tt.ptr<f32>, #wide>, %x: tensor<512xf32, #wide>, %flag: i1) {
  cf.cond_br %flag, ^bb1, ^bb2
^bb1:
  tt.return
^bb2:
  %r = tt.atomic_rmw fadd, relaxed, gpu, %p, %x : (tensor<512x!tt.ptr<f32>, #wide>, tensor<512xf32, #wide>) -> tensor<512xf32, #wide>
  %y = ttg.convert_layout %r : tensor<512xf32, #wide> -> tensor<512xf32, #line>
  %z = arith.addf %y, %y : tensor<512xf32, #line>
  %w = ttg.convert_layout %z : tensor<512xf32, #line> -> tensor<512xf32, #wide>
  tt.store %p, %w : tensor<512x!tt.ptr<f32>, #wide>
  tt.return
}
}
