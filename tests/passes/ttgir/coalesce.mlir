// RUN: weft opt %s -p tritongpu-coalesce --split-input-file | filecheck %s

// 16 bytes of f16 are 8 elements. The load is asked by no wider access, the store by none either;
// conversions that change nothing are left to the next pass.
// CHECK: #[[OLD:blocked[0-9]*]] = #ttg.blocked<{sizePerThread = [1], {{.*}}
// CHECK: #[[NEW:blocked[0-9]*]] = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-LABEL: @copy
// CHECK: %[[P:.*]] = ttg.convert_layout %{{.*}} : tensor<1024x!tt.ptr<f16>, #[[OLD]]> -> tensor<1024x!tt.ptr<f16>, #[[NEW]]>
// CHECK-NEXT: %[[M:.*]] = ttg.convert_layout %{{.*}} : tensor<1024xi1, #[[OLD]]> -> tensor<1024xi1, #[[NEW]]>
// CHECK-NEXT: %[[X:.*]] = tt.load %[[P]], %[[M]] : tensor<1024x!tt.ptr<f16>, #[[NEW]]>
// CHECK-NEXT: %[[Y:.*]] = ttg.convert_layout %[[X]] : tensor<1024xf16, #[[NEW]]> -> tensor<1024xf16, #[[OLD]]>
// CHECK: tt.store %{{.*}}, %{{.*}}, %{{.*}} : tensor<1024x!tt.ptr<f16>, #[[NEW]]>
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @copy(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
    %c1024 = arith.constant 1024 : i32
    %pid = tt.get_program_id x : i32
    %first = arith.muli %pid, %c1024 : i32
    %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #blocked>
    %firsts = tt.splat %first : i32 -> tensor<1024xi32, #blocked>
    %at = arith.addi %firsts, %range : tensor<1024xi32, #blocked>
    %ns = tt.splat %n : i32 -> tensor<1024xi32, #blocked>
    %m = arith.cmpi slt, %at, %ns : tensor<1024xi32, #blocked>
    %ps = tt.splat %p : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>, #blocked>
    %q = tt.addptr %ps, %at : tensor<1024x!tt.ptr<f16>, #blocked>, tensor<1024xi32, #blocked>
    %x = tt.load %q, %m : tensor<1024x!tt.ptr<f16>, #blocked>
    tt.store %q, %x, %m : tensor<1024x!tt.ptr<f16>, #blocked>
    tt.return
  }
}

// -----

// Addresses are contiguous along dimension 0, so it comes first in the order.
// CHECK: #[[NEW:blocked[0-9]*]] = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
// CHECK-LABEL: @columns
// CHECK: tt.load %{{.*}} : tensor<64x64x!tt.ptr<f32>, #[[NEW]]>
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @columns(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) -> tensor<64x64xf32, #blocked> {
    %rows = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %columns = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %i = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<64x1xi32, #blocked>
    %j = tt.expand_dims %columns {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x64xi32, #blocked>
    %ns = tt.splat %n : i32 -> tensor<1x64xi32, #blocked>
    %far = arith.muli %j, %ns : tensor<1x64xi32, #blocked>
    %is = tt.broadcast %i : tensor<64x1xi32, #blocked> -> tensor<64x64xi32, #blocked>
    %fars = tt.broadcast %far : tensor<1x64xi32, #blocked> -> tensor<64x64xi32, #blocked>
    %at = arith.addi %is, %fars : tensor<64x64xi32, #blocked>
    %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #blocked>
    %q = tt.addptr %ps, %at : tensor<64x64x!tt.ptr<f32>, #blocked>, tensor<64x64xi32, #blocked>
    %x = tt.load %q : tensor<64x64x!tt.ptr<f32>, #blocked>
    tt.return %x : tensor<64x64xf32, #blocked>
  }
}

// -----

// Of f32 four elements are 16 bytes. The load takes the eight that the load of f16 takes, because
// both end in one slice; the store does not: it would leave gaps.
// CHECK: #[[EIGHT:blocked[0-9]*]] = #ttg.blocked<{sizePerThread = [8],
// CHECK: #[[FOUR:blocked[0-9]*]] = #ttg.blocked<{sizePerThread = [4],
// CHECK-LABEL: @mixed
// CHECK: tt.load %{{.*}} : tensor<1024x!tt.ptr<f16>, #[[EIGHT]]>
// CHECK: tt.load %{{.*}} : tensor<1024x!tt.ptr<f32>, #[[EIGHT]]>
// CHECK: tt.store %{{.*}}, %{{.*}} : tensor<1024x!tt.ptr<f32>, #[[FOUR]]>
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @mixed(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #blocked>
    %ps = tt.splat %p : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>, #blocked>
    %pa = tt.addptr %ps, %range : tensor<1024x!tt.ptr<f16>, #blocked>, tensor<1024xi32, #blocked>
    %x = tt.load %pa : tensor<1024x!tt.ptr<f16>, #blocked>
    %qs = tt.splat %q : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #blocked>
    %qa = tt.addptr %qs, %range : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
    %y = tt.load %qa : tensor<1024x!tt.ptr<f32>, #blocked>
    %w = arith.extf %x : tensor<1024xf16, #blocked> to tensor<1024xf32, #blocked>
    %z = arith.addf %w, %y : tensor<1024xf32, #blocked>
    tt.store %qa, %z : tensor<1024x!tt.ptr<f32>, #blocked>
    tt.return
  }
}

// -----

// The alignment of %p is unknown: one element at a time. A hint on the remainder states that offsets
// are contiguous in groups of four that start at multiples of four.
// CHECK: #[[ONE:blocked[0-9]*]] = #ttg.blocked<{sizePerThread = [1],
// CHECK: #[[FOUR:blocked[0-9]*]] = #ttg.blocked<{sizePerThread = [4],
// CHECK-LABEL: @hints
// CHECK: tt.store %{{.*}}, %{{.*}} : tensor<1024x!tt.ptr<f32>, #[[ONE]]>
// CHECK: tt.store %{{.*}}, %{{.*}} : tensor<1024x!tt.ptr<f32>, #[[FOUR]]>
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @hints(%p: !tt.ptr<f32>, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32, %x: tensor<1024xf32, #blocked>) {
    %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #blocked>
    %ps = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #blocked>
    %pa = tt.addptr %ps, %range : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
    tt.store %pa, %x : tensor<1024x!tt.ptr<f32>, #blocked>
    %ns = tt.splat %n : i32 -> tensor<1024xi32, #blocked>
    %at = arith.remsi %range, %ns {tt.contiguity = dense<4> : tensor<1xi32>, tt.divisibility = dense<4> : tensor<1xi32>} : tensor<1024xi32, #blocked>
    %qs = tt.splat %q : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #blocked>
    %qa = tt.addptr %qs, %at : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
    tt.store %qa, %x : tensor<1024x!tt.ptr<f32>, #blocked>
    tt.return
  }
}

// -----

// Atomics get a coalesced layout, and their results are converted back. Scalars stay.
// CHECK: #[[NEW:blocked[0-9]*]] = #ttg.blocked<{sizePerThread = [2],
// CHECK-LABEL: @atomics
// CHECK: %[[O:.*]] = tt.atomic_rmw add, relaxed, gpu, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<1024x!tt.ptr<i64>, #[[NEW]]>, tensor<1024xi64, #[[NEW]]>, tensor<1024xi1, #[[NEW]]>) -> tensor<1024xi64, #[[NEW]]>
// CHECK-NEXT: ttg.convert_layout %[[O]]
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.atomic_cas
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @atomics(%p: !tt.ptr<i64> {tt.divisibility = 16 : i32}, %m: tensor<1024xi1, #blocked>, %l: !tt.ptr<i32>) -> tensor<1024xi64, #blocked> {
    %c1 = arith.constant dense<1> : tensor<1024xi64, #blocked>
    %free = arith.constant 0 : i32
    %taken = arith.constant 1 : i32
    %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #blocked>
    %ps = tt.splat %p : !tt.ptr<i64> -> tensor<1024x!tt.ptr<i64>, #blocked>
    %pa = tt.addptr %ps, %range : tensor<1024x!tt.ptr<i64>, #blocked>, tensor<1024xi32, #blocked>
    %old = tt.atomic_rmw add, relaxed, gpu, %pa, %c1, %m : (tensor<1024x!tt.ptr<i64>, #blocked>, tensor<1024xi64, #blocked>, tensor<1024xi1, #blocked>) -> tensor<1024xi64, #blocked>
    %was = tt.atomic_cas acq_rel, gpu, %l, %free, %taken : (!tt.ptr<i32>, i32, i32) -> i32
    tt.return %old : tensor<1024xi64, #blocked>
  }
}

// -----

// A tile of a descriptor takes 16 bytes along its last dimension; row numbers stay as they are.
// CHECK: #[[ROWS:blocked[0-9]*]] = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-LABEL: @descriptors
// CHECK: tt.descriptor_load %{{.*}} -> tensor<64x64xf16, #[[ROWS]]>
// CHECK: tt.descriptor_gather %{{.*}}[%arg2, %{{.*}}] {{.*}} -> tensor<32x64xf16, #[[ROWS]]>
// CHECK: %[[C:.*]] = ttg.convert_layout %{{.*}} -> tensor<32x64xf16, #[[ROWS]]>
// CHECK-NEXT: tt.descriptor_scatter %{{.*}}[%arg2, %{{.*}}], %[[C]]
// CHECK: %[[D:.*]] = ttg.convert_layout %{{.*}} -> tensor<64x64xf16, #[[ROWS]]>
// CHECK-NEXT: tt.descriptor_store %{{.*}}[%{{.*}}], %[[D]]
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @descriptors(%d: !tt.tensordesc<tensor<64x64xf16>>, %e: !tt.tensordesc<tensor<1x64xf16>>, %rows: tensor<32xi32, #ttg.slice<{dim = 0, parent = #blocked}>>) {
    %c0 = arith.constant 0 : i32
    %x = tt.descriptor_load %d[%c0, %c0] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16, #blocked>
    %y = tt.descriptor_gather %e[%rows, %c0] : (!tt.tensordesc<tensor<1x64xf16>>, tensor<32xi32, #ttg.slice<{dim = 0, parent = #blocked}>>, i32) -> tensor<32x64xf16, #blocked>
    tt.descriptor_scatter %e[%rows, %c0], %y : !tt.tensordesc<tensor<1x64xf16>>, tensor<32xi32, #ttg.slice<{dim = 0, parent = #blocked}>>, i32, tensor<32x64xf16, #blocked>
    tt.descriptor_store %d[%c0, %c0], %x : !tt.tensordesc<tensor<64x64xf16>>, tensor<64x64xf16, #blocked>
    tt.return
  }
}

// -----

// Facts that hold for all calls are written into the signature of the callee. The load in the loop is
// 16 bytes wide, because the step is a multiple of 64.
// CHECK: #[[NEW:blocked[0-9]*]] = #ttg.blocked<{sizePerThread = [4],
// CHECK-LABEL: @caller
// CHECK: tt.load %{{.*}} : tensor<1024x!tt.ptr<f32>, #[[NEW]]>
// CHECK: tt.func private @callee(%arg0: i32 {tt.constancy = 1 : i64, tt.contiguity = 1 : i64, tt.divisibility = 16 : i64})
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @caller(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant dense<64> : tensor<1024xi32, #blocked>
    %step = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<1024xf32, #blocked>
    %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #blocked>
    %ps = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #blocked>
    %pa = tt.addptr %ps, %range : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
    %r:2 = scf.for %i = %c0 to %n step %step iter_args(%q = %pa, %s = %zero) -> (tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xf32, #blocked>)  : i32 {
      %x = tt.load %q : tensor<1024x!tt.ptr<f32>, #blocked>
      %t = arith.addf %s, %x : tensor<1024xf32, #blocked>
      %next = tt.addptr %q, %c64 : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
      scf.yield %next, %t : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xf32, #blocked>
    }
    tt.store %pa, %r#1 : tensor<1024x!tt.ptr<f32>, #blocked>
    tt.call @callee(%n) : (i32) -> ()
    tt.call @callee(%step) : (i32) -> ()
    tt.return
  }
  tt.func private @callee(%n: i32) attributes {noinline = true} {
    tt.return
  }
}

// -----

// Pointers that the loop carries are aligned to 4 bytes: 2 elements. Read as the loop carries
// them, they ask no other access of the slice; what is computed from them asks, and takes 8.
// CHECK-DAG: #[[TWO:blocked[0-9]*]] = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-DAG: #[[EIGHT:blocked[0-9]*]] = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-LABEL: @carried
// CHECK: scf.for
// CHECK: tt.load %{{.*}} : tensor<1024x!tt.ptr<f16>, #[[EIGHT]]>
// CHECK: tt.load %{{.*}} : tensor<1024x!tt.ptr<f16>, #[[TWO]]>
// CHECK: tt.load %{{.*}} : tensor<1024x!tt.ptr<f16>, #[[EIGHT]]>
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @carried(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f16> {tt.divisibility = 4 : i32}, %n: i32) -> tensor<1024xf16, #blocked> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.000000e+00> : tensor<1024xf16, #blocked>
    %far = arith.constant dense<1024> : tensor<1024xi32, #blocked>
    %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #blocked>
    %ps = tt.splat %p : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>, #blocked>
    %pa = tt.addptr %ps, %range : tensor<1024x!tt.ptr<f16>, #blocked>, tensor<1024xi32, #blocked>
    %qs = tt.splat %q : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>, #blocked>
    %qa = tt.addptr %qs, %range : tensor<1024x!tt.ptr<f16>, #blocked>, tensor<1024xi32, #blocked>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%at = %qa, %sum = %zero) -> (tensor<1024x!tt.ptr<f16>, #blocked>, tensor<1024xf16, #blocked>) : i32 {
      %next = tt.addptr %at, %far : tensor<1024x!tt.ptr<f16>, #blocked>, tensor<1024xi32, #blocked>
      %a = tt.load %pa : tensor<1024x!tt.ptr<f16>, #blocked>
      %b = tt.load %at : tensor<1024x!tt.ptr<f16>, #blocked>
      %c = tt.load %next : tensor<1024x!tt.ptr<f16>, #blocked>
      %ab = arith.addf %a, %b : tensor<1024xf16, #blocked>
      %abc = arith.addf %ab, %c : tensor<1024xf16, #blocked>
      %s = arith.addf %sum, %abc : tensor<1024xf16, #blocked>
      scf.yield %next, %s : tensor<1024x!tt.ptr<f16>, #blocked>, tensor<1024xf16, #blocked>
    }
    tt.return %r#1 : tensor<1024xf16, #blocked>
  }
}
