// RUN: weft opt %s --split-input-file --verify-roundtrip

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.padded_shared<[64:+8] {order = [1, 0], shape = [128, 64]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @amdg_buffer(%arg0: tensor<128x64xf16, #blocked>, %arg1: tensor<128x64xi32, #blocked>, %arg2: tensor<128x64xi1, #blocked>, %arg3: !tt.ptr<f16>, %arg4: i32, %arg5: !ttg.memdesc<128x64xf16, #shared, #smem, mutable>, %arg6: !tt.ptr<i32>) {
    %0 = amdg.buffer_load %arg3[%arg1] : tensor<128x64xf16, #blocked>
    %1 = amdg.buffer_load %arg3[%arg1], %arg2, %arg0 cacheModifier = cg stride = %arg4 {contiguity = 8 : i32} : tensor<128x64xf16, #blocked>
    amdg.buffer_store %0, %arg3[%arg1] : tensor<128x64xf16, #blocked>
    amdg.buffer_store %1, %arg3[%arg1], %arg2 cacheModifier = cg stride = %arg4 {contiguity = 4 : i32} : tensor<128x64xf16, #blocked>
    %2 = amdg.buffer_load_to_local %arg3[%arg1] into %arg5 : <f16>[tensor<128x64xi32, #blocked>]  -> <128x64xf16, #shared, #smem, mutable>
    %3 = amdg.buffer_load_to_local %arg3[%arg1] mask = %arg2 other = %arg0 stride = %arg4 cacheModifier = cg into %arg5 {contiguity = 8 : i32} : <f16>[tensor<128x64xi32, #blocked>] tensor<128x64xf16, #blocked> -> <128x64xf16, #shared, #smem, mutable>
    %4 = amdg.buffer_atomic_rmw fadd, acq_rel, gpu, %arg0, %arg3[%arg1], %arg2 stride = %arg4 : tensor<128x64xf16, #blocked>
    %5 = amdg.buffer_atomic_rmw fadd, acq_rel, gpu, %arg0, %arg3[%arg1] : tensor<128x64xf16, #blocked>
    %6 = amdg.buffer_atomic_cas acq_rel, gpu, %arg1, %arg1, %arg6[%arg1] stride = %arg4 : tensor<128x64xi32, #blocked>
    %7 = amdg.buffer_atomic_cas acq_rel, gpu, %arg1, %arg1, %arg6[%arg1] : tensor<128x64xi32, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.amd_mfma<{version = 4, warpsPerCTA = [4, 1], instrShape = [16, 16, 32], isTransposed = true}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @amdg_registers(%arg0: tensor<128x64xf16, #blocked>, %arg1: tensor<128x32xi8, #blocked>, %arg2: tensor<128x64xbf16, #blocked>, %arg3: tensor<128x64xf8E4M3FN, #blocked>, %arg4: tensor<128x32xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 8}>>, %arg5: tensor<128x2xi8, #blocked>, %arg6: !ttg.memdesc<64x128xi8, #shared, #smem, mutable>, %arg7: !ttg.async.token) {
    %0 = amdg.extract_slice %arg0 [32, 0] : tensor<128x64xf16, #blocked> to tensor<32x64xf16, #blocked>
    %1 = amdg.concat %arg0, %arg0 : tensor<128x64xf16, #blocked>, tensor<128x64xf16, #blocked> -> tensor<256x64xf16, #blocked>
    %2 = amdg.in_thread_transpose %arg0 : tensor<128x64xf16, #blocked> -> tensor<128x64xf16, #blocked>
    %3 = amdg.scaled_upcast_fp4 %arg1 scale %arg2 {axis = 1 : i32} : tensor<128x32xi8, #blocked>, tensor<128x64xbf16, #blocked> -> tensor<128x64xbf16, #blocked>
    %4 = amdg.scaled_upcast_fp8 %arg3 scale %arg2 : tensor<128x64xf8E4M3FN, #blocked>, tensor<128x64xbf16, #blocked> -> tensor<128x64xbf16, #blocked>
    %5 = amdg.upcast_mxfp %arg4, %arg5 fp_type = e2m1 {fastMath = false} : tensor<128x32xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 8}>>, tensor<128x2xi8, #blocked> -> tensor<128x64xbf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 16}>>
    %6 = amdg.local_load_packed_tranposed %arg6 : !ttg.memdesc<64x128xi8, #shared, #smem, mutable> -> tensor<128x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 16}>>
    %7 = amdg.local_load_packed_tranposed %arg6 token %arg7 : !ttg.memdesc<64x128xi8, #shared, #smem, mutable> -> tensor<128x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 16}>>
    tt.return
  }
}

// -----

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

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @amdg_program(%arg0: i1, %arg1: i16, %arg2: i32, %arg3: !ttg.memdesc<1xi64, #shared, #smem, mutable>, %arg4: !llvm.ptr, %arg5: !llvm.ptr<3>, %arg6: vector<8xf16>, %arg7: tensor<128x64xf16, #gluon.auto_encoding>) {
    amdg.cond_barrier %arg0
    amdg.instruction_sched_hint {variant = #amdg.SchedHintVariant<attention>}
    amdg.init_barrier %arg3, 1 : !ttg.memdesc<1xi64, #shared, #smem, mutable>
    amdg.wait_barrier %arg3, %arg2 : !ttg.memdesc<1xi64, #shared, #smem, mutable>
    %0 = amdg.arrive_barrier %arg3, 1 : !ttg.memdesc<1xi64, #shared, #smem, mutable> -> i32
    amdg.async_copy_mbarrier_arrive %arg3 : !ttg.memdesc<1xi64, #shared, #smem, mutable>
    %1 = amdg.masked_load %arg4, %arg0, %arg6 : (!llvm.ptr, i1, vector<8xf16>) -> vector<8xf16>
    %2 = amdg.masked_load %arg5, %arg0, %arg6 cacheModifier = cg forceNoAlias true : (!llvm.ptr<3>, i1, vector<8xf16>) -> vector<8xf16>
    %3 = amdg.masked_load %arg4, %arg0, %arg6, %arg1 cacheModifier = cg : (!llvm.ptr, i1, vector<8xf16>, i16) -> vector<8xf16>
    amdg.masked_store %arg4, %1, %arg0 : !llvm.ptr, vector<8xf16>, i1
    amdg.masked_store %arg4, %2, %arg0 cacheModifier = cg forceNoAlias true : !llvm.ptr, vector<8xf16>, i1
    %4 = gluon.set_auto_layout %arg7 : tensor<128x64xf16, #gluon.auto_encoding> -> tensor<128x64xf16, #blocked>
    llvm.intr.assume %arg0 : i1
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @amdg_cluster() {
    amdg.cluster_barrier_arrive
    amdg.cluster_barrier_wait
    tt.return
  }
}

// -----

module {
  tt.func @narrow_floats(%arg0: !llvm.ptr<1>, %arg1: i1, %arg2: vector<4xf8E4M3FN>, %arg3: vector<8xf4E2M1FN>, %arg4: f128) {
    %0 = amdg.masked_load %arg0, %arg1, %arg2 : (!llvm.ptr<1>, i1, vector<4xf8E4M3FN>) -> vector<4xf8E4M3FN>
    %1 = amdg.masked_load %arg0, %arg1, %arg3 : (!llvm.ptr<1>, i1, vector<8xf4E2M1FN>) -> vector<8xf4E2M1FN>
    %2 = amdg.masked_load %arg0, %arg1, %arg4 : (!llvm.ptr<1>, i1, f128) -> f128
    amdg.masked_store %arg0, %0, %arg1 : !llvm.ptr<1>, vector<4xf8E4M3FN>, i1
    tt.return
  }
}
