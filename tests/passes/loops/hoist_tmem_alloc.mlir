// RUN: weft opt %s -p tritongpu-hoist-tmem-alloc --split-input-file | filecheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#linear = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {

// The accumulator stays in tensor memory across iterations.
// CHECK-LABEL: @accumulator
// CHECK: %[[M:.*]], %[[T:.*]] = ttng.tmem_alloc : ()
// CHECK: %[[S:.*]] = ttng.tmem_store %{{.*}}, %[[M]][%[[T]]], %true
// CHECK: %[[L:.*]] = scf.for {{.*}} iter_args(%[[K:.*]] = %[[S]])
// CHECK-NEXT: %[[U:.*]] = ttng.tc_gen5_mma %{{.*}}, %{{.*}}, %[[M]][%[[K]]]
// CHECK-NEXT: scf.yield %[[U]]
// CHECK: ttng.tmem_load %[[M]][%[[L]]]
tt.func public @accumulator(%n: i32, %a: !ttg.memdesc<128x64xf16, #shared, #smem>, %b: !ttg.memdesc<64x64xf16, #shared, #smem>, %init: tensor<128x64xf32, #linear>) -> tensor<128x64xf32, #linear> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (tensor<128x64xf32, #linear>) : i32 {
    %m, %t = ttng.tmem_alloc %acc : (tensor<128x64xf32, #linear>) -> (!ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.async.token)
    %u = ttng.tc_gen5_mma %a, %b, %m[%t], %true, %true : !ttg.memdesc<128x64xf16, #shared, #smem>, !ttg.memdesc<64x64xf16, #shared, #smem>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
    %d, %v = ttng.tmem_load %m[%u] : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #linear>
    scf.yield %d : tensor<128x64xf32, #linear>
  }
  tt.return %r : tensor<128x64xf32, #linear>
}

// The accumulator is scaled in each iteration: it is loaded before, and stored after.
// CHECK-LABEL: @scaled
// CHECK: scf.for {{.*}} iter_args(%[[K:.*]] = %{{.*}})
// CHECK-NEXT: %[[X:.*]], %[[V:.*]] = ttng.tmem_load %[[M:.*]][%[[K]]]
// CHECK-NEXT: %[[Y:.*]] = arith.mulf %[[X]], %[[X]]
// CHECK-NEXT: %[[S:.*]] = ttng.tmem_store %[[Y]], %[[M]][%[[V]]]
// CHECK-NEXT: ttng.tc_gen5_mma %{{.*}}, %{{.*}}, %[[M]][%[[S]]]
tt.func public @scaled(%n: i32, %a: !ttg.memdesc<128x64xf16, #shared, #smem>, %b: !ttg.memdesc<64x64xf16, #shared, #smem>, %init: tensor<128x64xf32, #linear>) -> tensor<128x64xf32, #linear> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%last = %init) -> (tensor<128x64xf32, #linear>) : i32 {
    %acc = arith.mulf %last, %last : tensor<128x64xf32, #linear>
    %m, %t = ttng.tmem_alloc %acc : (tensor<128x64xf32, #linear>) -> (!ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.async.token)
    %u = ttng.tc_gen5_mma %a, %b, %m[%t], %true, %true : !ttg.memdesc<128x64xf16, #shared, #smem>, !ttg.memdesc<64x64xf16, #shared, #smem>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
    %d, %v = ttng.tmem_load %m[%u] : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #linear>
    scf.yield %d : tensor<128x64xf32, #linear>
  }
  tt.return %r : tensor<128x64xf32, #linear>
}

// A select between the accumulator and another value becomes the predicate of the store.
// CHECK-LABEL: @selected
// CHECK: scf.for
// CHECK-NOT: ttng.tmem_load
// CHECK: ttng.tmem_store %{{.*}}, %{{.*}}[%{{.*}}], %[[ENDS:.*]] :
// CHECK: scf.yield
tt.func public @selected(%n: i32, %a: !ttg.memdesc<128x64xf16, #shared, #smem>, %b: !ttg.memdesc<64x64xf16, #shared, #smem>, %init: tensor<128x64xf32, #linear>) -> tensor<128x64xf32, #linear> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%last = %init) -> (tensor<128x64xf32, #linear>) : i32 {
    %ends = arith.cmpi eq, %i, %c1 : i32
    %acc = arith.select %ends, %init, %last : tensor<128x64xf32, #linear>
    %m, %t = ttng.tmem_alloc %acc : (tensor<128x64xf32, #linear>) -> (!ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.async.token)
    %u = ttng.tc_gen5_mma %a, %b, %m[%t], %true, %true : !ttg.memdesc<128x64xf16, #shared, #smem>, !ttg.memdesc<64x64xf16, #shared, #smem>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
    %d, %v = ttng.tmem_load %m[%u] : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #linear>
    scf.yield %d : tensor<128x64xf32, #linear>
  }
  tt.return %r : tensor<128x64xf32, #linear>
}

// A load sinks into the only branch that uses it. The token of the accumulator is a result of the
// conditional then.
// CHECK-LABEL: @sunk
// CHECK: %[[U:.*]] = ttng.tc_gen5_mma
// CHECK: %[[K:.*]] = scf.if
// CHECK: %[[X:.*]], %[[V:.*]] = ttng.tmem_load
// CHECK: tt.store %{{.*}}, %[[X]]
// CHECK: scf.yield %[[V]]
// CHECK: else
// CHECK: scf.yield %[[U]]
// CHECK: scf.yield %[[K]]
tt.func public @sunk(%n: i32, %a: !ttg.memdesc<128x64xf16, #shared, #smem>, %b: !ttg.memdesc<64x64xf16, #shared, #smem>, %init: tensor<128x64xf32, #linear>, %p: tensor<128x64x!tt.ptr<f32>, #linear>) -> tensor<128x64xf32, #linear> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (tensor<128x64xf32, #linear>) : i32 {
    %m, %t = ttng.tmem_alloc %acc : (tensor<128x64xf32, #linear>) -> (!ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.async.token)
    %u = ttng.tc_gen5_mma %a, %b, %m[%t], %true, %true : !ttg.memdesc<128x64xf16, #shared, #smem>, !ttg.memdesc<64x64xf16, #shared, #smem>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
    %d, %v = ttng.tmem_load %m[%u] : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #linear>
    %ends = arith.cmpi eq, %i, %c1 : i32
    scf.if %ends {
      tt.store %p, %d : tensor<128x64x!tt.ptr<f32>, #linear>
    }
    scf.yield %d : tensor<128x64xf32, #linear>
  }
  tt.return %r : tensor<128x64xf32, #linear>
}

// An invariant operand in tensor memory is stored there once.
// CHECK-LABEL: @operand
// CHECK: %[[X:.*]] = arith.truncf
// CHECK-NEXT: %[[A:.*]] = ttng.tmem_alloc %[[X]]
// CHECK: scf.for
// CHECK: ttng.tc_gen5_mma %[[A]]
tt.func public @operand(%n: i32, %x: tensor<128x64xf32, #linear>, %b: !ttg.memdesc<64x64xf16, #shared, #smem>, %init: tensor<128x64xf32, #linear>) -> tensor<128x64xf32, #linear> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (tensor<128x64xf32, #linear>) : i32 {
    %h = arith.truncf %x : tensor<128x64xf32, #linear> to tensor<128x64xf16, #linear>
    %a = ttng.tmem_alloc %h : (tensor<128x64xf16, #linear>) -> !ttg.memdesc<128x64xf16, #tmem, #ttng.tensor_memory>
    %m, %t = ttng.tmem_alloc %acc : (tensor<128x64xf32, #linear>) -> (!ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.async.token)
    %u = ttng.tc_gen5_mma %a, %b, %m[%t], %true, %true : !ttg.memdesc<128x64xf16, #tmem, #ttng.tensor_memory>, !ttg.memdesc<64x64xf16, #shared, #smem>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
    %d, %v = ttng.tmem_load %m[%u] : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #linear>
    scf.yield %d : tensor<128x64xf32, #linear>
  }
  tt.return %r : tensor<128x64xf32, #linear>
}

// Without tokens the order of accesses is unknown.
// CHECK-LABEL: @no_tokens
// CHECK: scf.for
// CHECK: ttng.tmem_alloc
tt.func public @no_tokens(%n: i32, %a: !ttg.memdesc<128x64xf16, #shared, #smem>, %b: !ttg.memdesc<64x64xf16, #shared, #smem>, %init: tensor<128x64xf32, #linear>) -> tensor<128x64xf32, #linear> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (tensor<128x64xf32, #linear>) : i32 {
    %m = ttng.tmem_alloc : () -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
    ttng.tmem_store %acc, %m, %true : tensor<128x64xf32, #linear> -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
    ttng.tc_gen5_mma %a, %b, %m[], %true, %true : !ttg.memdesc<128x64xf16, #shared, #smem>, !ttg.memdesc<64x64xf16, #shared, #smem>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
    %d = ttng.tmem_load %m : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #linear>
    scf.yield %d : tensor<128x64xf32, #linear>
  }
  tt.return %r : tensor<128x64xf32, #linear>
}
}
