#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#shared1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#shared2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @ttg_copies(%arg0: tensor<64x64x!tt.ptr<f16>, #blocked>, %arg1: tensor<64x64xi1, #blocked>, %arg2: tensor<64x64xf16, #blocked>, %arg3: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>, %arg4: !ttg.memdesc<4096xf16, #shared1, #smem, mutable>) {
    %0 = ttg.async_copy_global_to_local %arg0, %arg3 mask %arg1 other %arg2 cacheModifier = cg evictionPolicy = evict_first {contiguity = 8 : i32, isVolatile = true} : tensor<64x64x!tt.ptr<f16>, #blocked> -> <64x64xf16, #shared, #smem, mutable>
    %1 = ttg.async_copy_global_to_local %arg0, %arg3 : tensor<64x64x!tt.ptr<f16>, #blocked> -> <64x64xf16, #shared, #smem, mutable>
    %2 = ttg.async_copy_global_to_local %arg0, %arg3 other %arg2 : tensor<64x64x!tt.ptr<f16>, #blocked> -> <64x64xf16, #shared, #smem, mutable>
    %3 = ttg.async_commit_group tokens %0, %1
    %4 = ttg.async_commit_group
    %5 = ttg.async_wait %3, %4 {num = 2 : i32}
    %6 = ttg.async_wait {num = 0 : i32}
    %7 = ttg.local_load %arg3 token %5 {ttg.amdg.syncedViaAsyncWait = true} : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf16, #blocked>
    %8 = ttg.memdesc_reshape %arg4 : !ttg.memdesc<4096xf16, #shared1, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared2, #smem, mutable>
    tt.return
  }
}
