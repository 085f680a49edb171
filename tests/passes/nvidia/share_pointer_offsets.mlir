// RUN: weft opt %s -p share-pointer-offsets --split-input-file | filecheck %s

// Pointers that advance by a constant: the offset counts bytes, and copies that advance alike share
// it.
// CHECK-LABEL: @pointers
// CHECK: %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK-NEXT: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %[[O:.*]] = %[[ZERO]])
// CHECK: %[[STEP:.*]] = arith.constant 128 : i64
// CHECK-NEXT: %[[SUM:.*]] = arith.addi %[[O]], %[[STEP]] : i64
// CHECK-NEXT: %[[S:.*]] = tt.splat %[[SUM]] : i64 -> tensor<16x64xi64
// CHECK-NEXT: %[[BYTES:.*]] = tt.bitcast %arg0 : tensor<16x64x!tt.ptr<f16>, #blocked> -> tensor<16x64x!tt.ptr<i8>, #blocked>
// CHECK-NEXT: %[[ADDED:.*]] = tt.addptr %[[BYTES]], %[[S]]
// CHECK-NEXT: %[[Q:.*]] = tt.bitcast %[[ADDED]]
// CHECK-NEXT: ttg.async_copy_global_to_local %[[Q]], %arg2 {contiguity = 8 : i32}
// CHECK-NEXT: %[[S:.*]] = tt.splat %[[O]]
// CHECK-NEXT: %[[BYTES:.*]] = tt.bitcast %arg1
// CHECK-NEXT: %[[ADDED:.*]] = tt.addptr %[[BYTES]], %[[S]]
// CHECK-NEXT: %[[Q:.*]] = tt.bitcast %[[ADDED]]
// CHECK-NEXT: ttg.async_copy_global_to_local %[[Q]], %arg2 {contiguity = 4 : i32}
// CHECK: %[[STEP:.*]] = arith.constant 128 : i64
// CHECK-NEXT: %[[NEXT:.*]] = arith.addi %[[O]], %[[STEP]] : i64
// CHECK-NEXT: scf.yield %{{.*}}, %{{.*}}, %[[NEXT]]
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @pointers(%p: tensor<16x64x!tt.ptr<f16>, #blocked>, %q: tensor<16x64x!tt.ptr<f16>, #blocked>, %b: !ttg.memdesc<16x64xf16, #shared, #smem, mutable>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %step = arith.constant dense<64> : tensor<16x64xi32, #blocked>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %p, %y = %q) -> (tensor<16x64x!tt.ptr<f16>, #blocked>, tensor<16x64x!tt.ptr<f16>, #blocked>) : i32 {
      %next = tt.addptr %x, %step : tensor<16x64x!tt.ptr<f16>, #blocked>, tensor<16x64xi32, #blocked>
      %t = ttg.async_copy_global_to_local %next, %b {contiguity = 8 : i32} : tensor<16x64x!tt.ptr<f16>, #blocked> -> <16x64xf16, #shared, #smem, mutable>
      %u = ttg.async_copy_global_to_local %y, %b {contiguity = 4 : i32} : tensor<16x64x!tt.ptr<f16>, #blocked> -> <16x64xf16, #shared, #smem, mutable>
      %after = tt.addptr %y, %step : tensor<16x64x!tt.ptr<f16>, #blocked>, tensor<16x64xi32, #blocked>
      scf.yield %next, %after : tensor<16x64x!tt.ptr<f16>, #blocked>, tensor<16x64x!tt.ptr<f16>, #blocked>
    }
    tt.return
  }
}

// -----

// A step that the loop reads from a register is extended to 64 bits and multiplied by the size.
// CHECK-LABEL: @step_in_register
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[O:.*]] = %{{.*}})
// CHECK: %[[WIDE:.*]] = arith.extsi %arg3 : i32 to i64
// CHECK-NEXT: %[[SIZE:.*]] = arith.constant 2 : i64
// CHECK-NEXT: %[[STEP:.*]] = arith.muli %[[WIDE]], %[[SIZE]] : i64
// CHECK-NEXT: %[[NEXT:.*]] = arith.addi %[[O]], %[[STEP]] : i64
// CHECK-NEXT: scf.yield %{{.*}}, %[[NEXT]]
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @step_in_register(%p: tensor<16x64x!tt.ptr<f16>, #blocked>, %b: !ttg.memdesc<16x64xf16, #shared, #smem, mutable>, %n: i32, %stride: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %step = tt.splat %stride : i32 -> tensor<16x64xi32, #blocked>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %p) -> (tensor<16x64x!tt.ptr<f16>, #blocked>) : i32 {
      %t = ttg.async_copy_global_to_local %x, %b {contiguity = 8 : i32} : tensor<16x64x!tt.ptr<f16>, #blocked> -> <16x64xf16, #shared, #smem, mutable>
      %next = tt.addptr %x, %step : tensor<16x64x!tt.ptr<f16>, #blocked>, tensor<16x64xi32, #blocked>
      scf.yield %next : tensor<16x64x!tt.ptr<f16>, #blocked>
    }
    tt.return
  }
}

// -----

// Rows of a block pointer: the products of the range and the stride move before the loop, which
// multiplies once.
// CHECK-LABEL: @block_pointer
// CHECK: %[[STRIDES:.*]] = tt.splat %arg3 : i64 -> tensor<16x1xi64
// CHECK: %[[E:.*]] = tt.expand_dims %{{.*}} {axis = 1 : i32}
// CHECK-NEXT: %[[M:.*]] = arith.muli %[[E]], %[[STRIDES]]
// CHECK-NEXT: %[[B:.*]] = tt.broadcast %[[M]]
// CHECK-NEXT: %[[P:.*]] = tt.addptr %arg0, %[[B]]
// CHECK-NEXT: scf.for
// CHECK-NEXT: %[[O:.*]] = arith.muli %{{.*}}, %arg3 : i64
// CHECK-NEXT: %[[SIZE:.*]] = arith.constant 2 : i64
// CHECK-NEXT: arith.muli %[[O]], %[[SIZE]] : i64
// CHECK-NOT: tt.broadcast
// CHECK: tt.bitcast %[[P]]
// CHECK: scf.yield
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @block_pointer(%p: tensor<16x64x!tt.ptr<f16>, #blocked>, %b: !ttg.memdesc<16x64xf16, #shared, #smem, mutable>, %n: i32, %stride: i64) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %first = arith.constant 0 : i64
    %c16 = arith.constant 16 : i64
    %range = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %wide = arith.extsi %range : tensor<16xi32, #ttg.slice<{dim = 1, parent = #blocked}>> to tensor<16xi64, #ttg.slice<{dim = 1, parent = #blocked}>>
    %strides = tt.splat %stride : i64 -> tensor<16x1xi64, #blocked>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%k = %first) -> (i64) : i32 {
      %ks = tt.splat %k : i64 -> tensor<16xi64, #ttg.slice<{dim = 1, parent = #blocked}>>
      %rows = arith.addi %ks, %wide : tensor<16xi64, #ttg.slice<{dim = 1, parent = #blocked}>>
      %column = tt.expand_dims %rows {axis = 1 : i32} : tensor<16xi64, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<16x1xi64, #blocked>
      %scaled = arith.muli %column, %strides : tensor<16x1xi64, #blocked>
      %offsets = tt.broadcast %scaled : tensor<16x1xi64, #blocked> -> tensor<16x64xi64, #blocked>
      %x = tt.addptr %p, %offsets : tensor<16x64x!tt.ptr<f16>, #blocked>, tensor<16x64xi64, #blocked>
      %t = ttg.async_copy_global_to_local %x, %b {contiguity = 8 : i32} : tensor<16x64x!tt.ptr<f16>, #blocked> -> <16x64xf16, #shared, #smem, mutable>
      %next = arith.addi %k, %c16 : i64
      scf.yield %next : i64
    }
    tt.return
  }
}

// -----

// A copy without contiguity: the alignment of its pointers gives it, at most 16 bytes.
// CHECK-LABEL: @contiguity
// CHECK: ttg.async_copy_global_to_local %{{.*}}, %arg1 {contiguity = 8 : i32}
#blocked = #ttg.blocked<{sizePerThread = [16], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @contiguity(%p: !tt.ptr<f16> {tt.divisibility = 64 : i32}, %b: !ttg.memdesc<2048xf16, #shared, #smem, mutable>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %step = arith.constant dense<2048> : tensor<2048xi32, #blocked>
    %range = tt.make_range {start = 0 : i32, end = 2048 : i32} : tensor<2048xi32, #blocked>
    %ps = tt.splat %p : !tt.ptr<f16> -> tensor<2048x!tt.ptr<f16>, #blocked>
    %first = tt.addptr %ps, %range : tensor<2048x!tt.ptr<f16>, #blocked>, tensor<2048xi32, #blocked>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %first) -> (tensor<2048x!tt.ptr<f16>, #blocked>) : i32 {
      %t = ttg.async_copy_global_to_local %x, %b : tensor<2048x!tt.ptr<f16>, #blocked> -> <2048xf16, #shared, #smem, mutable>
      %next = tt.addptr %x, %step : tensor<2048x!tt.ptr<f16>, #blocked>, tensor<2048xi32, #blocked>
      scf.yield %next : tensor<2048x!tt.ptr<f16>, #blocked>
    }
    tt.return
  }
}

// -----

// Indices of 32 bits that are known not to wrap around: what grows with the induction variable becomes
// an offset in bytes, the columns by 2 * 64 and the rows by 2 * 64 * 4096.
// CHECK-LABEL: @indices
// CHECK: scf.for %{{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}})
// CHECK-NOT: arith.muli
// CHECK: %[[S:.*]] = tt.splat %[[A]] : i64 -> tensor<16x64xi64
// CHECK: ttg.async_copy_global_to_local
// CHECK-NOT: arith.muli
// CHECK: %[[S:.*]] = tt.splat %[[B]] : i64 -> tensor<16x64xi64
// CHECK: ttg.async_copy_global_to_local
// CHECK-NOT: arith.muli
// CHECK: arith.constant 128 : i64
// CHECK: arith.addi %[[A]]
// CHECK: arith.constant 524288 : i64
// CHECK: arith.addi %[[B]]
// CHECK: scf.yield
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @indices(%p: tensor<16x64x!tt.ptr<f16>, #blocked>, %b: !ttg.memdesc<16x64xf16, #shared, #smem, mutable>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c62 = arith.constant 62 : i32
    %c64 = arith.constant 64 : i32
    %rows = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %columns = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %r = tt.expand_dims %rows {axis = 1 : i32} : tensor<16xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<16x1xi32, #blocked>
    %c = tt.expand_dims %columns {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x64xi32, #blocked>
    %width = arith.constant dense<4096> : tensor<16x1xi32, #blocked>
    scf.for %i = %c0 to %c62 step %c1 : i32 {
      %next = arith.addi %i, %c2 : i32
      %first = arith.muli %next, %c64 : i32
      %fc = tt.splat %first : i32 -> tensor<1x64xi32, #blocked>
      %k = arith.addi %c, %fc : tensor<1x64xi32, #blocked>
      %kb = tt.broadcast %k : tensor<1x64xi32, #blocked> -> tensor<16x64xi32, #blocked>
      %m = arith.muli %r, %width : tensor<16x1xi32, #blocked>
      %mb = tt.broadcast %m : tensor<16x1xi32, #blocked> -> tensor<16x64xi32, #blocked>
      %in_row = arith.addi %kb, %mb : tensor<16x64xi32, #blocked>
      %x = tt.addptr %p, %in_row : tensor<16x64x!tt.ptr<f16>, #blocked>, tensor<16x64xi32, #blocked>
      %t = ttg.async_copy_global_to_local %x, %b {contiguity = 8 : i32} : tensor<16x64x!tt.ptr<f16>, #blocked> -> <16x64xf16, #shared, #smem, mutable>
      %fr = tt.splat %first : i32 -> tensor<16x1xi32, #blocked>
      %n = arith.addi %r, %fr : tensor<16x1xi32, #blocked>
      %nw = arith.muli %n, %width : tensor<16x1xi32, #blocked>
      %nb = tt.broadcast %nw : tensor<16x1xi32, #blocked> -> tensor<16x64xi32, #blocked>
      %cb = tt.broadcast %c : tensor<1x64xi32, #blocked> -> tensor<16x64xi32, #blocked>
      %in_column = arith.addi %nb, %cb : tensor<16x64xi32, #blocked>
      %y = tt.addptr %p, %in_column : tensor<16x64x!tt.ptr<f16>, #blocked>, tensor<16x64xi32, #blocked>
      %u = ttg.async_copy_global_to_local %y, %b {contiguity = 8 : i32} : tensor<16x64x!tt.ptr<f16>, #blocked> -> <16x64xf16, #shared, #smem, mutable>
    }
    tt.return
  }
}

// -----

// Nothing changes: sums of 32 bits may wrap around before they are extended, the pointers of the
// second loop are used after it, and those of the third advance differently per element.
// CHECK-LABEL: @kept
// CHECK-NOT: tt.bitcast
// CHECK: tt.return
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @kept(%p: tensor<16x64x!tt.ptr<f16>, #blocked>, %b: !ttg.memdesc<16x64xf16, #shared, #smem, mutable>, %n: i32, %o: tensor<16x64xi32, #blocked>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %step = arith.constant dense<64> : tensor<16x64xi32, #blocked>
    scf.for %i = %c0 to %n step %c1 : i32 {
      %is = tt.splat %i : i32 -> tensor<16x64xi32, #blocked>
      %offsets = arith.addi %is, %o : tensor<16x64xi32, #blocked>
      %x = tt.addptr %p, %offsets : tensor<16x64x!tt.ptr<f16>, #blocked>, tensor<16x64xi32, #blocked>
      %t = ttg.async_copy_global_to_local %x, %b {contiguity = 8 : i32} : tensor<16x64x!tt.ptr<f16>, #blocked> -> <16x64xf16, #shared, #smem, mutable>
    }
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %p) -> (tensor<16x64x!tt.ptr<f16>, #blocked>) : i32 {
      %t = ttg.async_copy_global_to_local %x, %b {contiguity = 8 : i32} : tensor<16x64x!tt.ptr<f16>, #blocked> -> <16x64xf16, #shared, #smem, mutable>
      %next = tt.addptr %x, %step : tensor<16x64x!tt.ptr<f16>, #blocked>, tensor<16x64xi32, #blocked>
      scf.yield %next : tensor<16x64x!tt.ptr<f16>, #blocked>
    }
    %u = tt.load %r : tensor<16x64x!tt.ptr<f16>, #blocked>
    %s = scf.for %i = %c0 to %n step %c1 iter_args(%x = %p) -> (tensor<16x64x!tt.ptr<f16>, #blocked>) : i32 {
      %t = ttg.async_copy_global_to_local %x, %b {contiguity = 8 : i32} : tensor<16x64x!tt.ptr<f16>, #blocked> -> <16x64xf16, #shared, #smem, mutable>
      %next = tt.addptr %x, %o : tensor<16x64x!tt.ptr<f16>, #blocked>, tensor<16x64xi32, #blocked>
      scf.yield %next : tensor<16x64x!tt.ptr<f16>, #blocked>
    }
    tt.return
  }
}
