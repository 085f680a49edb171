#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @ttng_tma(%arg0: !ttg.memdesc<1xi64, #shared, #smem, mutable>, %arg1: i1, %arg2: i32, %arg3: !ttg.memdesc<128x64xf16, #shared1, #smem, mutable>, %arg4: !tt.tensordesc<tensor<128x64xf16, #shared1>>, %arg5: !tt.tensordesc<tensor<1x64xf16, #shared1>>, %arg6: tensor<32xi32, #ttg.slice<{dim = 0, parent = #blocked}>>, %arg7: !ttg.memdesc<32x64xf16, #shared1, #smem, mutable>, %arg8: !tt.ptr<i8>, %arg9: !tt.ptr<f16>, %arg10: i64, %arg11: !ttng.tensordesc_im2col<tensor<128x64xf16, #shared1>>, %arg12: i16) {
    ttng.async_tma_copy_global_to_local %arg4[%arg2, %arg2] %arg3, %arg0, %arg1 : !tt.tensordesc<tensor<128x64xf16, #shared1>>, !ttg.memdesc<1xi64, #shared, #smem, mutable> -> !ttg.memdesc<128x64xf16, #shared1, #smem, mutable>
    ttng.async_tma_copy_global_to_local %arg4[%arg2, %arg2] %arg3, %arg0, %arg1 cacheModifier = cg evictionPolicy = evict_first {isVolatile = true} : !tt.tensordesc<tensor<128x64xf16, #shared1>>, !ttg.memdesc<1xi64, #shared, #smem, mutable> -> !ttg.memdesc<128x64xf16, #shared1, #smem, mutable>
    ttng.async_tma_copy_global_to_local %arg11[%arg2, %arg2, %arg2, %arg2] offsets = [%arg12, %arg12] %arg3, %arg0, %arg1 : !ttng.tensordesc_im2col<tensor<128x64xf16, #shared1>>, !ttg.memdesc<1xi64, #shared, #smem, mutable> -> !ttg.memdesc<128x64xf16, #shared1, #smem, mutable>
    ttng.async_tma_copy_local_to_global %arg4[%arg2, %arg2] %arg3 : !tt.tensordesc<tensor<128x64xf16, #shared1>>, !ttg.memdesc<128x64xf16, #shared1, #smem, mutable>
    ttng.async_tma_reduce add, %arg4[%arg2, %arg2] %arg3 : !tt.tensordesc<tensor<128x64xf16, #shared1>>, !ttg.memdesc<128x64xf16, #shared1, #smem, mutable>
    ttng.async_tma_gather %arg5[%arg6, %arg2] %arg7, %arg0, %arg1 : !tt.tensordesc<tensor<1x64xf16, #shared1>>, tensor<32xi32, #ttg.slice<{dim = 0, parent = #blocked}>>, i32, !ttg.memdesc<1xi64, #shared, #smem, mutable>, !ttg.memdesc<32x64xf16, #shared1, #smem, mutable>, i1
    ttng.async_tma_scatter %arg5[%arg6, %arg2] %arg7 : !tt.tensordesc<tensor<1x64xf16, #shared1>>, tensor<32xi32, #ttg.slice<{dim = 0, parent = #blocked}>>, i32, !ttg.memdesc<32x64xf16, #shared1, #smem, mutable>
    ttng.async_tma_store_wait {pendings = 0 : i32}
    ttng.tensormap_create %arg8, %arg9, [%arg2, %arg2], [%arg2, %arg2], [%arg10], [%arg2, %arg2] {elem_type = 6 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 3 : i32} : (!tt.ptr<i8>, !tt.ptr<f16>, i32, i32, i32, i32, i64, i32, i32) -> ()
    ttng.tensormap_fenceproxy_acquire %arg8 : !tt.ptr<i8>
    %0 = ttng.reinterpret_tensor_descriptor %arg8 : !tt.ptr<i8> to !tt.tensordesc<tensor<128x64xf16, #shared1>>
    tt.return
  }
}
