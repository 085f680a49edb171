#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.padded_shared<[64:+8] {order = [1, 0], shape = [128, 64]}>
#shared1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#shared2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @amdg_copies(%arg0: !tt.tensordesc<tensor<128x64xf16, #shared>>, %arg1: !tt.tensordesc<tensor<128x64xf16, #shared1>>, %arg2: i32, %arg3: i1, %arg4: !ttg.memdesc<128x64xf16, #shared, #smem, mutable>, %arg5: !ttg.memdesc<128x64xf16, #shared1, #smem, mutable>, %arg6: !ttg.memdesc<1xi64, #shared2, #smem, mutable>, %arg7: !ttg.async.token, %arg8: tensor<128xi32, #ttg.slice<{dim = 1, parent = #blocked}>>, %arg9: tensor<128x64x!tt.ptr<f16>, #blocked>, %arg10: tensor<128x64xi1, #blocked>) {
    %0 = amdg.async_wait %arg7 {num_inst = 2 : i32}
    %1 = amdg.async_wait {num_inst = 0 : i32}
    %2 = amdg.async_tdm_wait %arg7, %arg7 {num = 2 : i32}
    %3 = amdg.async_tdm_wait  {num = 0 : i32}
    %4 = amdg.async_tdm_intrinsic_wait %arg7 {count = 0 : i32}
    amdg.memory_counter_wait load(1) store(2) ds(3)
    amdg.memory_counter_wait ds(0)
    %5 = amdg.async_tdm_copy_global_to_local %arg0[%arg2, %arg2] into %arg4, %arg2 : !tt.tensordesc<tensor<128x64xf16, #shared>> -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
    %6 = amdg.async_tdm_copy_global_to_local %arg0[%arg2, %arg2] into %arg4, %arg2, barrier = %arg6 : !tt.tensordesc<tensor<128x64xf16, #shared>>, !ttg.memdesc<1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
    amdg.async_tdm_copy_local_to_global %arg0[%arg2, %arg2] from %arg4 : !ttg.memdesc<128x64xf16, #shared, #smem, mutable> -> !tt.tensordesc<tensor<128x64xf16, #shared>>
    amdg.async_tdm_copy_local_to_global %arg0[%arg2, %arg2] from %arg4, barrier = %arg6 : !ttg.memdesc<128x64xf16, #shared, #smem, mutable>, !ttg.memdesc<1xi64, #shared2, #smem, mutable> -> !tt.tensordesc<tensor<128x64xf16, #shared>>
    %7 = amdg.async_tdm_gather %arg1[%arg8, %arg2] to %arg5 : tensor<128xi32, #ttg.slice<{dim = 1, parent = #blocked}>>, !ttg.memdesc<128x64xf16, #shared1, #smem, mutable> -> !tt.tensordesc<tensor<128x64xf16, #shared1>>
    %8 = amdg.async_tdm_gather %arg1[%arg8, %arg2] to %arg5, barrier = %arg6 : tensor<128xi32, #ttg.slice<{dim = 1, parent = #blocked}>>, !ttg.memdesc<128x64xf16, #shared1, #smem, mutable>, !ttg.memdesc<1xi64, #shared2, #smem, mutable> -> !tt.tensordesc<tensor<128x64xf16, #shared1>>
    %9 = amdg.async_tdm_scatter %arg1[%arg8, %arg2] from %arg5 : tensor<128xi32, #ttg.slice<{dim = 1, parent = #blocked}>>, !ttg.memdesc<128x64xf16, #shared1, #smem, mutable> -> !tt.tensordesc<tensor<128x64xf16, #shared1>>
    %10 = amdg.async_tdm_scatter %arg1[%arg8, %arg2] from %arg5, barrier = %arg6 : tensor<128xi32, #ttg.slice<{dim = 1, parent = #blocked}>>, !ttg.memdesc<128x64xf16, #shared1, #smem, mutable>, !ttg.memdesc<1xi64, #shared2, #smem, mutable> -> !tt.tensordesc<tensor<128x64xf16, #shared1>>
    amdg.tdm_prefetch %arg1[%arg2, %arg2], %arg3, speculative = false : !tt.tensordesc<tensor<128x64xf16, #shared1>>
    %11 = amdg.tdm_prefetch %arg1[%arg2, %arg2], %arg3, speculative = true returnOffsets : !tt.tensordesc<tensor<128x64xf16, #shared1>> -> tensor<128x1xi64, #blocked1>
    %12 = amdg.async_copy_local_to_global %arg5, %arg9 : !ttg.memdesc<128x64xf16, #shared1, #smem, mutable> -> tensor<128x64x!tt.ptr<f16>, #blocked>
    %13 = amdg.async_copy_local_to_global %arg5, %arg9 mask %arg10 cacheModifier = cg evictionPolicy = evict_first {contiguity = 8 : i32} : !ttg.memdesc<128x64xf16, #shared1, #smem, mutable> -> tensor<128x64x!tt.ptr<f16>, #blocked>
    tt.return
  }
}
