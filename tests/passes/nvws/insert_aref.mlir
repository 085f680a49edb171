// RUN: weft opt %s -p nvws-insert-aref | filecheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#linear = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {

// TMA writes the buffers of the operands, and the MMA reads them.
// CHECK-LABEL: @product
// CHECK: %[[A:.*]] = ttg.local_alloc : () -> !ttg.memdesc<1x128x64xf16
// CHECK-NEXT: %[[R:.*]] = nvws.aref.create %[[A]]
// CHECK: scf.for
// CHECK: %[[B:.*]], %[[T:.*]] = nvws.aref.put.enter %[[R]] {{.*}}ttg.partition = array<i32: 2>}
// CHECK-NEXT: nvws.descriptor_load %arg0[{{.*}}] 16384 %[[B]] {{.*}}ttg.partition = array<i32: 2>}
// CHECK-NEXT: nvws.aref.put.exit %[[R]], %[[T]] [#nvws.async_op<tma_load>] {{.*}}ttg.partition = array<i32: 2>}
// CHECK: %[[X:.*]], %[[U:.*]] = nvws.aref.get.enter %[[R]] {{.*}}ttg.partition = array<i32: 1>}
// CHECK-NEXT: ttng.tc_gen5_mma %[[X]]
// CHECK: nvws.aref.get.exit %[[R]], %[[U]] [#nvws.async_op<tc5mma>] {{.*}}ttg.partition = array<i32: 1>}
  tt.func public @product(%arg0: !tt.tensordesc<tensor<128x64xf16, #shared>>, %arg1: !tt.tensordesc<tensor<64x64xf16, #shared>>, %arg2: i32, %arg3: i32) -> tensor<128x64xf32, #linear> {
    %false = arith.constant false
    %true = arith.constant true
    %c0_i32 = arith.constant 0 : i32
    %c64_i32 = arith.constant 64 : i32
    %cst = arith.constant dense<0.000000e+00> : tensor<128x64xf32, #linear>
    %result, %token = ttng.tmem_alloc %cst : (tensor<128x64xf32, #linear>) -> (!ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.async.token)
    %0:2 = scf.for %arg4 = %c0_i32 to %arg3 step %c64_i32 iter_args(%arg5 = %false, %arg6 = %token) -> (i1, !ttg.async.token)  : i32 {
      %1 = tt.descriptor_load %arg0[%arg2, %arg4] {loop.cluster = 1 : i32, loop.stage = 0 : i32, ttg.partition = array<i32: 2>} : !tt.tensordesc<tensor<128x64xf16, #shared>> -> tensor<128x64xf16, #blocked>
      %2 = ttg.local_alloc %1 {loop.cluster = 0 : i32, loop.stage = 2 : i32, ttg.partition = array<i32: 2>} : (tensor<128x64xf16, #blocked>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
      %3 = tt.descriptor_load %arg1[%arg2, %arg4] {loop.cluster = 1 : i32, loop.stage = 0 : i32, ttg.partition = array<i32: 2>} : !tt.tensordesc<tensor<64x64xf16, #shared>> -> tensor<64x64xf16, #blocked>
      %4 = ttg.local_alloc %3 {loop.cluster = 0 : i32, loop.stage = 2 : i32, ttg.partition = array<i32: 2>} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
      %5 = ttg.memdesc_trans %4 {loop.cluster = 0 : i32, loop.stage = 2 : i32, order = array<i32: 1, 0>, ttg.partition = array<i32: 1>} : !ttg.memdesc<64x64xf16, #shared, #smem> -> !ttg.memdesc<64x64xf16, #shared1, #smem>
      %6 = ttng.tc_gen5_mma %2, %5, %result[%arg6], %arg5, %true {loop.cluster = 0 : i32, loop.stage = 2 : i32, ttg.partition = array<i32: 1>} : !ttg.memdesc<128x64xf16, #shared, #smem>, !ttg.memdesc<64x64xf16, #shared1, #smem>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
      scf.yield {ttg.partition = array<i32: 1, 2>} %true, %6 : i1, !ttg.async.token
    } {tt.scheduled_max_stage = 2 : i32, tt.warp_specialize, ttg.partition = array<i32: 1, 2>, ttg.partition.outputs = [array<i32: 1>, array<i32: 1>], ttg.partition.stages = [0 : i32, 1 : i32, 0 : i32], ttg.warp_specialize.tag = 0 : i32}
    %result_0, %token_1 = ttng.tmem_load %result[%0#1] : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #linear>
    tt.return %result_0 : tensor<128x64xf32, #linear>
  }
}
