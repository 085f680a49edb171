// RUN: weft opt %s -p nvws-assign-stage-phase | filecheck %s

#linear = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {

// Every access has a stage and a phase, which the loop carries; exits have the stage of their entry.
// CHECK-LABEL: @product
// CHECK: scf.for {{.*}}%arg9 = %c0_i32{{.*}}, %arg10 = %c0_i32
// CHECK: %[[N:.*]] = arith.addi %arg9
// CHECK: %[[W:.*]] = arith.cmpi eq, %[[N]]
// CHECK: %[[S1:.*]] = arith.select %[[W]], %{{.*}}, %[[N]]
// CHECK: %[[F:.*]] = arith.xori %arg10
// CHECK: %[[P1:.*]] = arith.select %[[W]], %[[F]], %arg10
// CHECK: nvws.aref.put.enter %[[R:.*]][%[[S1]], %[[P1]]] {{.*}}ttg.partition = array<i32: 2>}
// CHECK: nvws.aref.put.exit %[[R]][%[[S1]]]
// CHECK: scf.yield {{.*}}%[[S1]], %[[P1]]
  tt.func public @product(%arg0: !tt.tensordesc<tensor<128x64xf16, #shared>>, %arg1: !tt.tensordesc<tensor<64x64xf16, #shared>>, %arg2: i32, %arg3: i32) -> tensor<128x64xf32, #linear> {
    %false = arith.constant false
    %true = arith.constant true
    %c0_i32 = arith.constant 0 : i32
    %c64_i32 = arith.constant 64 : i32
    %cst = arith.constant dense<0.000000e+00> : tensor<128x64xf32, #linear>
    %result = ttng.tmem_alloc : () -> !ttg.memdesc<1x128x64xf32, #tmem, #ttng.tensor_memory, mutable>
    %0 = nvws.aref.create %result : <[!ttg.memdesc<1x128x64xf32, #tmem, #ttng.tensor_memory, mutable>]>
    %1 = ub.poison : !ttg.async.token
    %buffers, %token = nvws.aref.put.enter %0 : <[!ttg.memdesc<1x128x64xf32, #tmem, #ttng.tensor_memory, mutable>]> -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable, 1x128x64>, !ttg.async.token
    %2 = nvws.aref.buffer %0, %token : <[!ttg.memdesc<1x128x64xf32, #tmem, #ttng.tensor_memory, mutable>]>, !ttg.async.token -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable, 1x128x64>
    %true_0 = arith.constant true
    ttng.tmem_store %cst, %2, %true_0 : tensor<128x64xf32, #linear> -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable, 1x128x64>
    %result_1, %token_2 = ttng.tmem_alloc %cst : (tensor<128x64xf32, #linear>) -> (!ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.async.token)
    %3 = ttg.local_alloc : () -> !ttg.memdesc<1x128x64xf16, #shared, #smem, mutable>
    %4 = nvws.aref.create %3 : <[!ttg.memdesc<1x128x64xf16, #shared, #smem, mutable>]>
    %5 = ttg.local_alloc : () -> !ttg.memdesc<1x64x64xf16, #shared, #smem, mutable>
    %6 = nvws.aref.create %5 : <[!ttg.memdesc<1x64x64xf16, #shared, #smem, mutable>]>
    %7:2 = scf.for %arg4 = %c0_i32 to %arg3 step %c64_i32 iter_args(%arg5 = %false, %arg6 = %token) -> (i1, !ttg.async.token)  : i32 {
      %buffers_7, %token_8 = nvws.aref.put.enter %4 {loop.cluster = 1 : i32, loop.stage = 0 : i32, ttg.partition = array<i32: 2>} : <[!ttg.memdesc<1x128x64xf16, #shared, #smem, mutable>]> -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable, 1x128x64>, !ttg.async.token
      nvws.descriptor_load %arg0[%arg2, %arg4] 16384 %buffers_7 {loop.cluster = 1 : i32, loop.stage = 0 : i32, ttg.partition = array<i32: 2>} : !tt.tensordesc<tensor<128x64xf16, #shared>>, i32, i32, !ttg.memdesc<128x64xf16, #shared, #smem, mutable, 1x128x64>
      nvws.aref.put.exit %4, %token_8 [#nvws.async_op<tma_load>] {loop.cluster = 1 : i32, loop.stage = 0 : i32, ttg.partition = array<i32: 2>} : <[!ttg.memdesc<1x128x64xf16, #shared, #smem, mutable>]>, !ttg.async.token
      %buffers_9, %token_10 = nvws.aref.put.enter %6 {loop.cluster = 1 : i32, loop.stage = 0 : i32, ttg.partition = array<i32: 2>} : <[!ttg.memdesc<1x64x64xf16, #shared, #smem, mutable>]> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable, 1x64x64>, !ttg.async.token
      nvws.descriptor_load %arg1[%arg2, %arg4] 8192 %buffers_9 {loop.cluster = 1 : i32, loop.stage = 0 : i32, ttg.partition = array<i32: 2>} : !tt.tensordesc<tensor<64x64xf16, #shared>>, i32, i32, !ttg.memdesc<64x64xf16, #shared, #smem, mutable, 1x64x64>
      nvws.aref.put.exit %6, %token_10 [#nvws.async_op<tma_load>] {loop.cluster = 1 : i32, loop.stage = 0 : i32, ttg.partition = array<i32: 2>} : <[!ttg.memdesc<1x64x64xf16, #shared, #smem, mutable>]>, !ttg.async.token
      %buffers_11, %token_12 = nvws.aref.get.enter %6 {loop.cluster = 0 : i32, loop.stage = 2 : i32, ttg.partition = array<i32: 1>} : <[!ttg.memdesc<1x64x64xf16, #shared, #smem, mutable>]> -> !ttg.memdesc<64x64xf16, #shared, #smem, 1x64x64>, !ttg.async.token
      %9 = ttg.memdesc_trans %buffers_11 {loop.cluster = 0 : i32, loop.stage = 2 : i32, order = array<i32: 1, 0>, ttg.partition = array<i32: 1>} : !ttg.memdesc<64x64xf16, #shared, #smem, 1x64x64> -> !ttg.memdesc<64x64xf16, #shared1, #smem, 1x64x64>
      %buffers_13, %token_14 = nvws.aref.get.enter %4 {loop.cluster = 0 : i32, loop.stage = 2 : i32, ttg.partition = array<i32: 1>} : <[!ttg.memdesc<1x128x64xf16, #shared, #smem, mutable>]> -> !ttg.memdesc<128x64xf16, #shared, #smem, 1x128x64>, !ttg.async.token
      %10 = nvws.aref.buffer %0, %arg6 {loop.cluster = 0 : i32, loop.stage = 2 : i32, ttg.partition = array<i32: 1>} : <[!ttg.memdesc<1x128x64xf32, #tmem, #ttng.tensor_memory, mutable>]>, !ttg.async.token -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable, 1x128x64>
      %11 = ttng.tc_gen5_mma %buffers_13, %9, %10[], %arg5, %true {loop.cluster = 0 : i32, loop.stage = 2 : i32, ttg.partition = array<i32: 1>} : !ttg.memdesc<128x64xf16, #shared, #smem, 1x128x64>, !ttg.memdesc<64x64xf16, #shared1, #smem, 1x64x64>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable, 1x128x64>
      nvws.aref.get.exit %6, %token_12 [#nvws.async_op<tc5mma>] {loop.cluster = 0 : i32, loop.stage = 2 : i32, ttg.partition = array<i32: 1>} : <[!ttg.memdesc<1x64x64xf16, #shared, #smem, mutable>]>, !ttg.async.token
      nvws.aref.get.exit %4, %token_14 [#nvws.async_op<tc5mma>] {loop.cluster = 0 : i32, loop.stage = 2 : i32, ttg.partition = array<i32: 1>} : <[!ttg.memdesc<1x128x64xf16, #shared, #smem, mutable>]>, !ttg.async.token
      scf.yield {ttg.partition = array<i32: 1, 2>} %true, %arg6 : i1, !ttg.async.token
    } {tt.scheduled_max_stage = 2 : i32, tt.warp_specialize, ttg.partition = array<i32: 1, 2>, ttg.partition.outputs = [array<i32: 1>, array<i32: 1>], ttg.partition.stages = [0 : i32, 1 : i32, 0 : i32], ttg.warp_specialize.tag = 0 : i32}
    nvws.aref.put.exit %0, %7#1 [#nvws.async_op<tc5mma>] {ttg.partition = array<i32: 1>, ttg.warp_specialize.tag = 0 : i32} : <[!ttg.memdesc<1x128x64xf32, #tmem, #ttng.tensor_memory, mutable>]>, !ttg.async.token
    %buffers_3, %token_4 = nvws.aref.get.enter %0 : <[!ttg.memdesc<1x128x64xf32, #tmem, #ttng.tensor_memory, mutable>]> -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable, 1x128x64>, !ttg.async.token
    %8 = nvws.aref.buffer %0, %token_4 : <[!ttg.memdesc<1x128x64xf32, #tmem, #ttng.tensor_memory, mutable>]>, !ttg.async.token -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable, 1x128x64>
    %result_5, %token_6 = ttng.tmem_load %8[] : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable, 1x128x64> -> tensor<128x64xf32, #linear>
    nvws.aref.get.exit %0, %token_4 [#nvws.async_op<none>] : <[!ttg.memdesc<1x128x64xf32, #tmem, #ttng.tensor_memory, mutable>]>, !ttg.async.token
    tt.return %result_5 : tensor<128x64xf32, #linear>
  }
}
