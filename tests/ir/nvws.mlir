// RUN: weft opt %s --split-input-file --verify-roundtrip

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @nvws(%arg0: !ttg.memdesc<2x128x64xf16, #shared, #smem, mutable>, %arg1: i32, %arg2: i1, %arg3: !tt.tensordesc<tensor<128x64xf16, #shared>>, %arg4: !tt.tensordesc<tensor<1x64xf16, #shared>>, %arg5: !ttg.memdesc<128x64xf16, #shared, #smem, mutable>, %arg6: tensor<128xi32, #ttg.slice<{dim = 0, parent = #blocked}>>) {
    %0 = nvws.aref.create %arg0, %arg0 : <[!ttg.memdesc<2x128x64xf16, #shared, #smem, mutable>, !ttg.memdesc<2x128x64xf16, #shared, #smem, mutable>]>
    %buffers:2, %token = nvws.aref.put.enter %0[%arg1, %arg1] : <[!ttg.memdesc<2x128x64xf16, #shared, #smem, mutable>, !ttg.memdesc<2x128x64xf16, #shared, #smem, mutable>]> -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable, 2x128x64>, !ttg.memdesc<128x64xf16, #shared, #smem, mutable, 2x128x64>, !ttg.async.token
    %buffers_0:2, %token_1 = nvws.aref.get.enter %0 : <[!ttg.memdesc<2x128x64xf16, #shared, #smem, mutable>, !ttg.memdesc<2x128x64xf16, #shared, #smem, mutable>]> -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable, 2x128x64>, !ttg.memdesc<128x64xf16, #shared, #smem, mutable, 2x128x64>, !ttg.async.token
    nvws.aref.put.exit %0[%arg1], %token [#nvws.async_op<tma_load>, #nvws.async_op<tc5mma>] : <[!ttg.memdesc<2x128x64xf16, #shared, #smem, mutable>, !ttg.memdesc<2x128x64xf16, #shared, #smem, mutable>]>, !ttg.async.token
    nvws.aref.get.exit %0, %token_1 [#nvws.async_op<none>] : <[!ttg.memdesc<2x128x64xf16, #shared, #smem, mutable>, !ttg.memdesc<2x128x64xf16, #shared, #smem, mutable>]>, !ttg.async.token
    %1:2 = nvws.aref.buffer %0[%arg1], %token_1 : <[!ttg.memdesc<2x128x64xf16, #shared, #smem, mutable>, !ttg.memdesc<2x128x64xf16, #shared, #smem, mutable>]>, !ttg.async.token -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable, 2x128x64>, !ttg.memdesc<128x64xf16, #shared, #smem, mutable, 2x128x64>
    %2 = nvws.create_token {loadType = 1 : i32, numBuffers = 3 : i32} : tensor<3x!nvws.token>
    nvws.producer_acquire %2, %arg1, %arg2 : tensor<3x!nvws.token>, i32, i1
    nvws.producer_commit %2, %arg1 : tensor<3x!nvws.token>, i32
    nvws.consumer_wait %2, %arg1, %arg2 : tensor<3x!nvws.token>, i32, i1
    nvws.consumer_release %2, %arg1 : tensor<3x!nvws.token>, i32
    nvws.descriptor_load %arg3[%arg1, %arg1] 16384 %arg5 : !tt.tensordesc<tensor<128x64xf16, #shared>>, i32, i32, !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
    nvws.descriptor_load %arg3[%arg1, %arg1] 16384 %arg5 cacheModifier = cg evictionPolicy = evict_first : !tt.tensordesc<tensor<128x64xf16, #shared>>, i32, i32, !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
    nvws.descriptor_gather %arg4[%arg6, %arg1] 16384 %arg5 : !tt.tensordesc<tensor<1x64xf16, #shared>>, tensor<128xi32, #ttg.slice<{dim = 0, parent = #blocked}>>, i32, !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
    nvws.warp_group attributes {tag}
    partition0 num_warps(4) {
      nvws.warp_group.yield
    }
    partition1 num_warps(2) {
      nvws.warp_group.return
    }
    tt.return
  }
}
