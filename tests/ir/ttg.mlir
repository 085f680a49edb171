// RUN: weft opt %s --split-input-file --verify-roundtrip

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

// -----

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

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @ttg_program(%arg0: i32, %arg1: i32, %arg2: i1) {
    %0 = ttg.warp_specialize(%arg0) attributes {requestedRegisters = array<i32: 24, 48>, warpGroupStartIds = array<i32: 4, 6>}
    default {
      ttg.warp_yield %arg0 : i32
    }
    partition0(%arg3: i32) num_warps(2) {
      %3 = arith.addi %arg3, %arg3 {ttg.partition = array<i32: 0, 1>} : i32
      ttg.warp_return
    }
    partition1(%arg3: i32) num_warps(1) {
      ttg.warp_return
    } : (i32) -> i32
    ttg.warp_specialize()
    default {
      ttg.warp_yield
    } : () -> ()
    %1 = ttg.predicate_stage %arg0, %arg1, %arg1 maxStage 2 stage 1 : i32 -> i1
    %2 = "ttg.mask"(%1) ({
      %3 = arith.addi %0, %0 : i32
      ttg.mask.return %3 : i32
    }) : (i1) -> i32
    "ttg.mask"(%1) ({
      "ttg.mask.return"() : () -> ()
    }) : (i1) -> ()
    scf.for %arg3 = %arg0 to %arg1 step %arg1  : i32 {
      %3 = arith.muli %arg3, %2 {loop.cluster = 1 : i32, loop.stage = 0 : i32} : i32
    } {tt.scheduled_max_stage = 1 : i32, tt.warp_specialize, ttg.partition.stages = [0 : i32, 1 : i32], ttg.warp_specialize.tag = 0 : i32}
    tt.return
  }
}
