// RUN: weft opt %s -p tritongpu-optimize-thread-locality --split-input-file | filecheck %s

// A sum that a loop accumulates: the four elements that a thread holds get a dimension of their
// own and are summed in the loop, the threads after it.
// CHECK: #[[OWN:blocked[0-9]*]] = #ttg.blocked<{sizePerThread = [1, 1, 4], threadsPerWarp = [1, 32, 1], warpsPerCTA = [4, 1, 1], order = [2, 1, 0]}>
// CHECK-LABEL: @sum
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<32x32xf32, #ttg.slice<{dim = 2, parent = #[[OWN]]}>>
// CHECK: %[[L:.*]]:2 = scf.for {{.*}} iter_args(%[[OLD:.*]] = %{{.*}}, %[[ACC:.*]] = %[[ZERO]])
// CHECK: %[[X:.*]] = tt.load
// CHECK: %[[V:.*]] = tt.reshape %[[X]] allow_reorder efficient_layout : {{.*}} -> tensor<32x32x4xf32, #[[OWN]]>
// CHECK-NEXT: %[[R:.*]] = "tt.reduce"(%[[V]]) <{axis = 2 : i32}>
// CHECK: %[[N:.*]] = arith.addf %[[ACC]], %[[R]]
// CHECK: scf.yield %[[OLD]], %[[N]]
// CHECK: %[[T:.*]] = "tt.reduce"(%[[L]]#1) <{axis = 1 : i32}>
// CHECK: %[[C:.*]] = ttg.convert_layout %[[T]]
// CHECK-NEXT: arith.addf %{{.*}}, %[[C]]
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @sum(%p: tensor<32x128x!tt.ptr<f32>, #blocked>, %n: i32) -> tensor<32xf32, #ttg.slice<{dim = 1, parent = #blocked}>> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<32xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> (tensor<32xf32, #ttg.slice<{dim = 1, parent = #blocked}>>)  : i32 {
      %x = tt.load %p : tensor<32x128x!tt.ptr<f32>, #blocked>
      %s = "tt.reduce"(%x) <{axis = 1 : i32}> ({
      ^bb0(%l: f32, %m: f32):
        %t = arith.addf %l, %m : f32
        tt.reduce.return %t : f32
      }) : (tensor<32x128xf32, #blocked>) -> tensor<32xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
      %b = arith.addf %a, %s : tensor<32xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
      scf.yield %b : tensor<32xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
    }
    tt.return %r : tensor<32xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
  }
}

// -----

// The maximum of each row: the neutral element is minus infinity.
// CHECK-LABEL: @largest
// CHECK: arith.constant dense<0xFF800000> : tensor<32x32xf32, #ttg.slice<{dim = 2, parent = #{{.*}}}>>
// CHECK: tt.reshape
// CHECK: arith.maxnumf
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @largest(%p: tensor<32x128x!tt.ptr<f32>, #blocked>, %n: i32) -> tensor<32xf32, #ttg.slice<{dim = 1, parent = #blocked}>> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %least = arith.constant dense<0xFF800000> : tensor<32xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %least) -> (tensor<32xf32, #ttg.slice<{dim = 1, parent = #blocked}>>)  : i32 {
      %x = tt.load %p : tensor<32x128x!tt.ptr<f32>, #blocked>
      %s = "tt.reduce"(%x) <{axis = 1 : i32}> ({
      ^bb0(%l: f32, %m: f32):
        %t = arith.maxnumf %l, %m : f32
        tt.reduce.return %t : f32
      }) : (tensor<32x128xf32, #blocked>) -> tensor<32xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
      %b = arith.maxnumf %a, %s : tensor<32xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
      scf.yield %b : tensor<32xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
    }
    tt.return %r : tensor<32xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
  }
}

// -----

// A reshape with allow_reorder whose rows are reduced: each row is in one thread. Other users get the
// old layout.
// CHECK: #[[ROWS:blocked[0-9]*]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
// CHECK-LABEL: @rows
// CHECK: %[[V:.*]] = tt.reshape %{{.*}} allow_reorder efficient_layout : {{.*}} -> tensor<128x8xf32, #[[ROWS]]>
// CHECK-NEXT: %[[C:.*]] = ttg.convert_layout %[[V]]
// CHECK-NEXT: "tt.reduce"(%[[C]]) <{axis = 1 : i32}>
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @rows(%x: tensor<1024xf32, #blocked1>) -> tensor<128xf32, #ttg.slice<{dim = 1, parent = #blocked}>> {
    %v = tt.reshape %x allow_reorder : tensor<1024xf32, #blocked1> -> tensor<128x8xf32, #blocked>
    %s = "tt.reduce"(%v) <{axis = 1 : i32}> ({
    ^bb0(%l: f32, %m: f32):
      %t = arith.addf %l, %m : f32
      tt.reduce.return %t : f32
    }) : (tensor<128x8xf32, #blocked>) -> tensor<128xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
    tt.return %s : tensor<128xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
  }
}

// -----

// A gather along columns: each column is in one warp.
// CHECK: #[[WARP:blocked[0-9]*]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [0, 1]}>
// CHECK-LABEL: @pick
// CHECK: %[[S:.*]] = ttg.convert_layout %arg0
// CHECK-NEXT: %[[I:.*]] = ttg.convert_layout %arg1
// CHECK-NEXT: %[[G:.*]] = tt.gather %[[S]][%[[I]]] {axis = 0 : i32, efficient_layout}
// CHECK-NEXT: ttg.convert_layout %[[G]] : tensor<32x64xf32, #[[WARP]]>
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @pick(%x: tensor<32x64xf32, #blocked>, %i: tensor<32x64xi32, #blocked>) -> tensor<32x64xf32, #blocked> {
    %g = tt.gather %x[%i] {axis = 0 : i32} : (tensor<32x64xf32, #blocked>, tensor<32x64xi32, #blocked>) -> tensor<32x64xf32, #blocked>
    tt.return %g : tensor<32x64xf32, #blocked>
  }
}

// -----

// One element per thread along the axis: nothing to sum within a thread. A gather of one
// dimension stays, too.
// CHECK-LABEL: @narrow
// CHECK-NOT: tt.reshape
// CHECK-NOT: efficient_layout
// CHECK: tt.return
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @narrow(%p: tensor<32x128x!tt.ptr<f32>, #blocked>, %n: i32, %y: tensor<128xf32, #blocked1>, %j: tensor<128xi32, #blocked1>) -> (tensor<32xf32, #ttg.slice<{dim = 1, parent = #blocked}>>, tensor<128xf32, #blocked1>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<32xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> (tensor<32xf32, #ttg.slice<{dim = 1, parent = #blocked}>>)  : i32 {
      %x = tt.load %p : tensor<32x128x!tt.ptr<f32>, #blocked>
      %s = "tt.reduce"(%x) <{axis = 1 : i32}> ({
      ^bb0(%l: f32, %m: f32):
        %t = arith.addf %l, %m : f32
        tt.reduce.return %t : f32
      }) : (tensor<32x128xf32, #blocked>) -> tensor<32xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
      %b = arith.addf %a, %s : tensor<32xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
      scf.yield %b : tensor<32xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
    }
    %g = tt.gather %y[%j] {axis = 0 : i32} : (tensor<128xf32, #blocked1>, tensor<128xi32, #blocked1>) -> tensor<128xf32, #blocked1>
    tt.return %r, %g : tensor<32xf32, #ttg.slice<{dim = 1, parent = #blocked}>>, tensor<128xf32, #blocked1>
  }
}

// -----

// The loop reads the sum so far: a partial sum per thread could not replace it.
// CHECK-LABEL: @read_in_loop
// CHECK-NOT: tt.reshape
// CHECK: tt.return
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @read_in_loop(%p: tensor<32x128x!tt.ptr<f32>, #blocked>, %q: tensor<32x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #blocked}>>, %n: i32) -> tensor<32xf32, #ttg.slice<{dim = 1, parent = #blocked}>> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<32xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> (tensor<32xf32, #ttg.slice<{dim = 1, parent = #blocked}>>)  : i32 {
      tt.store %q, %a : tensor<32x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #blocked}>>
      %x = tt.load %p : tensor<32x128x!tt.ptr<f32>, #blocked>
      %s = "tt.reduce"(%x) <{axis = 1 : i32}> ({
      ^bb0(%l: f32, %m: f32):
        %t = arith.addf %l, %m : f32
        tt.reduce.return %t : f32
      }) : (tensor<32x128xf32, #blocked>) -> tensor<32xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
      %b = arith.addf %a, %s : tensor<32xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
      scf.yield %b : tensor<32xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
    }
    tt.return %r : tensor<32xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
  }
}
