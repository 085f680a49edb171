// RUN: weft opt %s -p tritongpu-pipeline | filecheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#linear = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {

// Iteration i starts its MMA, then waits for that of iteration i - 1. The last wait is peeled: it
// is the only thing that the last iteration of the pipelined loop does.
// CHECK-LABEL: @accumulate
// CHECK: %[[BARS:.*]] = ttg.local_alloc : () -> !ttg.memdesc<2x1xi64
// CHECK-COUNT-2: ttng.init_barrier
// CHECK: ttng.tc_gen5_mma {{.*}} {is_async}
// CHECK: %[[END:.*]] = arith.subi %arg0, %c1_i32
// CHECK: scf.for {{.*}} to %[[END]] step
// CHECK: %[[B:.*]] = ttg.memdesc_index %[[BARS]][%{{.*}}]
// CHECK: ttng.tc_gen5_mma %{{.*}}, %{{.*}}, %{{.*}}[%{{.*}}], %true, %true, %[[B]][%true] {is_async}
// CHECK: ttng.wait_barrier %{{.*}}, %{{.*}} deps %{{.*}}, %{{.*}} :
// CHECK: scf.if
// CHECK-NEXT: ttng.wait_barrier
// CHECK-COUNT-2: ttng.inval_barrier
// CHECK: ttg.local_dealloc %[[BARS]]
// CHECK: ttng.tmem_load
tt.func public @accumulate(%n: i32, %a: !ttg.memdesc<128x64xf16, #shared, #smem>, %b: !ttg.memdesc<64x64xf16, #shared, #smem>) -> tensor<128x64xf32, #linear> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %m, %t = ttng.tmem_alloc : () -> (!ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.async.token)
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%k = %t) -> (!ttg.async.token) : i32 {
    %u = ttng.tc_gen5_mma %a, %b, %m[%k], %true, %true {loop.cluster = 1 : i32, loop.stage = 0 : i32, tt.self_latency = 1 : i32} : !ttg.memdesc<128x64xf16, #shared, #smem>, !ttg.memdesc<64x64xf16, #shared, #smem>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
    scf.yield %u : !ttg.async.token
  } {tt.scheduled_max_stage = 1 : i32}
  %d, %v = ttng.tmem_load %m[%r] : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #linear>
  tt.return %d : tensor<128x64xf32, #linear>
}

// The result of an MMA is loaded while the next one runs: each has a buffer.
// CHECK-LABEL: @read
// CHECK: ttng.tmem_alloc : () -> (!ttg.memdesc<2x128x64xf32
// CHECK: scf.for
// CHECK: %[[WRITTEN:.*]] = ttg.memdesc_index %{{.*}}[%[[NEXT:.*]]] : !ttg.memdesc<2x128x64xf32
// CHECK: ttng.tc_gen5_mma %{{.*}}, %{{.*}}, %[[WRITTEN]][], %false
// CHECK: ttng.tmem_load
// CHECK: tt.store
tt.func public @read(%n: i32, %a: !ttg.memdesc<128x64xf16, #shared, #smem>, %b: !ttg.memdesc<64x64xf16, #shared, #smem>, %p: tensor<128x64x!tt.ptr<f32>, #linear>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %false = arith.constant false
  %m, %t = ttng.tmem_alloc : () -> (!ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.async.token)
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%k = %t) -> (!ttg.async.token) : i32 {
    %u = ttng.tc_gen5_mma %a, %b, %m[%k], %false, %true {loop.cluster = 0 : i32, loop.stage = 0 : i32, tt.self_latency = 1 : i32} : !ttg.memdesc<128x64xf16, #shared, #smem>, !ttg.memdesc<64x64xf16, #shared, #smem>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
    %d, %v = ttng.tmem_load %m[%u] {loop.cluster = 1 : i32, loop.stage = 1 : i32} : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #linear>
    tt.store %p, %d {loop.cluster = 1 : i32, loop.stage = 1 : i32} : tensor<128x64x!tt.ptr<f32>, #linear>
    scf.yield %v : !ttg.async.token
  } {tt.scheduled_max_stage = 1 : i32}
  tt.return
}

// An operand that the loop computes is stored to a buffer before the loop. The wait is before the
// next store.
// CHECK-LABEL: @stored
// CHECK: %[[A:.*]] = ttg.local_alloc : () -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
// CHECK: scf.for
// CHECK: ttng.wait_barrier %{{.*}} deps %[[A]]
// CHECK: ttg.local_store %{{.*}}, %[[A]]
// CHECK: ttng.tc_gen5_mma %[[A]]
tt.func public @stored(%n: i32, %x: tensor<128x64xf16, #blocked>, %b: !ttg.memdesc<64x64xf16, #shared, #smem>) -> tensor<128x64xf32, #linear> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %m, %t = ttng.tmem_alloc : () -> (!ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.async.token)
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%k = %t) -> (!ttg.async.token) : i32 {
    %y = tt.splat %i {loop.cluster = 1 : i32, loop.stage = 0 : i32} : i32 -> tensor<128x64xi32, #blocked>
    %z = arith.sitofp %y {loop.cluster = 1 : i32, loop.stage = 0 : i32} : tensor<128x64xi32, #blocked> to tensor<128x64xf16, #blocked>
    %a = ttg.local_alloc %z {loop.cluster = 1 : i32, loop.stage = 0 : i32} : (tensor<128x64xf16, #blocked>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
    %u = ttng.tc_gen5_mma %a, %b, %m[%k], %true, %true {loop.cluster = 1 : i32, loop.stage = 0 : i32, tt.self_latency = 1 : i32} : !ttg.memdesc<128x64xf16, #shared, #smem>, !ttg.memdesc<64x64xf16, #shared, #smem>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
    scf.yield %u : !ttg.async.token
  } {tt.scheduled_max_stage = 1 : i32}
  %d, %v = ttng.tmem_load %m[%r] : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #linear>
  tt.return %d : tensor<128x64xf32, #linear>
}
}
