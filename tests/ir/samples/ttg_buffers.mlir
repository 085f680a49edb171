#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#shared2 = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#shared3 = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [0, 1]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @ttg_buffers(%arg0: tensor<64x64xf16, #blocked>, %arg1: i32, %arg2: tensor<64x64xi32, #blocked>, %arg3: tensor<64x32xi8, #blocked1>, %arg4: !ttg.memdesc<8192xi8, #shared, #smem, mutable>, %arg5: !ttg.memdesc<64x64xf16, #shared1, #smem, mutable>) {
    %0 = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf16, #shared2, #smem, mutable>
    %1 = ttg.local_alloc %arg0 {alignment = 16 : i32} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared2, #smem>
    %2 = ttg.memdesc_index %0[%arg1] {loop.cluster = 0 : i32, loop.stage = 1 : i32} : !ttg.memdesc<3x64x64xf16, #shared2, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared2, #smem, mutable>
    %3 = ttg.memdesc_subslice %2[0, 32] : !ttg.memdesc<64x64xf16, #shared2, #smem, mutable> -> !ttg.memdesc<64x32xf16, #shared2, #smem, mutable, 64x64>
    %4 = ttg.memdesc_trans %2 {order = array<i32: 1, 0>} : !ttg.memdesc<64x64xf16, #shared2, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared3, #smem, mutable>
    %5 = ttg.memdesc_reinterpret %arg4 : !ttg.memdesc<8192xi8, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared1, #smem, mutable>
    %6 = ttg.local_load %1 : !ttg.memdesc<64x64xf16, #shared2, #smem> -> tensor<64x64xf16, #blocked>
    ttg.local_store %6, %2 : tensor<64x64xf16, #blocked> -> !ttg.memdesc<64x64xf16, #shared2, #smem, mutable>
    %7 = ttg.local_gather %2[%arg2] {axis = 1 : i32} : !ttg.memdesc<64x64xf16, #shared2, #smem, mutable>, tensor<64x64xi32, #blocked> -> tensor<64x64xf16, #blocked>
    ttg.local_scatter %2[%arg2], %7 {axis = 0 : i32} : !ttg.memdesc<64x64xf16, #shared2, #smem, mutable>, tensor<64x64xi32, #blocked>, tensor<64x64xf16, #blocked>
    %8 = ttg.convert_layout %6 : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #blocked1>
    %9 = ttg.fp4_to_fp %arg3 {axis = 1 : i32} : tensor<64x32xi8, #blocked1> -> tensor<64x64xbf16, #blocked>
    ttg.barrier local|global_read
    %10 = ttg.warp_id
    %11 = ttg.warp_id {omitUniformHint}
    %12 = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 128 : i32} : !tt.ptr<i8>
    ttg.local_dealloc %0 : !ttg.memdesc<3x64x64xf16, #shared2, #smem, mutable>
    tt.return
  }
}
