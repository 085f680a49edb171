// RUN: weft opt %s -p nvws-lower-warp-group | filecheck %s

#linear = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#shared1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#shared2 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {

// Partitions capture buffers; they have constants of their own.
// CHECK-LABEL: @product
// CHECK: ttg.warp_specialize(
// CHECK-NEXT: default {
// CHECK-NEXT: ttg.warp_yield
// CHECK: partition0({{.*}}) num_warps(4) {
// CHECK: arith.constant 64 : i32
// CHECK: ttng.tc_gen5_mma
// CHECK: ttg.warp_return
// CHECK: partition1({{.*}}) num_warps(4) {
// CHECK: arith.constant 64 : i32
// CHECK: ttng.async_tma_copy_global_to_local
// CHECK: ttg.warp_return
// CHECK-NOT: nvws.
  tt.func public @product(%arg0: !tt.tensordesc<tensor<128x64xf16, #shared>>, %arg1: !tt.tensordesc<tensor<64x64xf16, #shared>>, %arg2: i32, %arg3: i32) -> tensor<128x64xf32, #linear> {
    %0 = ub.poison : !ttg.async.token
    %false = arith.constant false
    %true = arith.constant true
    %c0_i32 = arith.constant 0 : i32
    %c64_i32 = arith.constant 64 : i32
    %cst = arith.constant dense<0.000000e+00> : tensor<128x64xf32, #linear>
    %result = ttng.tmem_alloc : () -> !ttg.memdesc<1x128x64xf32, #tmem, #ttng.tensor_memory, mutable>
    %1 = ttg.local_alloc : () -> !ttg.memdesc<1x1xi64, #shared1, #smem, mutable>
    %c0_i32_0 = arith.constant 0 : i32
    %2 = ttg.memdesc_index %1[%c0_i32_0] : !ttg.memdesc<1x1xi64, #shared1, #smem, mutable> -> !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    ttng.init_barrier %2, 1 : !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    %3 = ttg.local_alloc : () -> !ttg.memdesc<1x1xi64, #shared1, #smem, mutable>
    %c0_i32_1 = arith.constant 0 : i32
    %4 = ttg.memdesc_index %3[%c0_i32_1] : !ttg.memdesc<1x1xi64, #shared1, #smem, mutable> -> !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    ttng.init_barrier %4, 1 : !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    %c0_i32_2 = arith.constant 0 : i32
    %c1_i32 = arith.constant 1 : i32
    %c0_i32_3 = arith.constant 0 : i32
    %c0_i32_4 = arith.constant 0 : i32
    %c1_i32_5 = arith.constant 1 : i32
    %5 = arith.addi %c0_i32_3, %c1_i32_5 : i32
    %c1_i32_6 = arith.constant 1 : i32
    %6 = arith.cmpi eq, %5, %c1_i32_6 : i32
    %c0_i32_7 = arith.constant 0 : i32
    %7 = arith.select %6, %c0_i32_7, %5 : i32
    %c1_i32_8 = arith.constant 1 : i32
    %8 = arith.xori %c0_i32_4, %c1_i32_8 : i32
    %9 = arith.select %6, %8, %c0_i32_4 : i32
    %10 = ttg.memdesc_index %1[%7] : !ttg.memdesc<1x1xi64, #shared1, #smem, mutable> -> !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    ttng.wait_barrier %10, %9 : !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    %11 = ttg.memdesc_index %result[%7] : !ttg.memdesc<1x128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
    %true_9 = arith.constant true
    ttng.tmem_store %cst, %11, %true_9 : tensor<128x64xf32, #linear> -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
    %12 = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable>
    %13 = ttg.local_alloc : () -> !ttg.memdesc<2x128x64xf16, #shared, #smem, mutable>
    %14 = ttg.local_alloc : () -> !ttg.memdesc<2x1xi64, #shared1, #smem, mutable>
    %c0_i32_10 = arith.constant 0 : i32
    %15 = ttg.memdesc_index %14[%c0_i32_10] : !ttg.memdesc<2x1xi64, #shared1, #smem, mutable> -> !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    ttng.init_barrier %15, 1 : !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    %c1_i32_11 = arith.constant 1 : i32
    %16 = ttg.memdesc_index %14[%c1_i32_11] : !ttg.memdesc<2x1xi64, #shared1, #smem, mutable> -> !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    ttng.init_barrier %16, 1 : !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    %17 = ttg.local_alloc : () -> !ttg.memdesc<2x1xi64, #shared1, #smem, mutable>
    %c0_i32_12 = arith.constant 0 : i32
    %18 = ttg.memdesc_index %17[%c0_i32_12] : !ttg.memdesc<2x1xi64, #shared1, #smem, mutable> -> !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    ttng.init_barrier %18, 1 : !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    %c1_i32_13 = arith.constant 1 : i32
    %19 = ttg.memdesc_index %17[%c1_i32_13] : !ttg.memdesc<2x1xi64, #shared1, #smem, mutable> -> !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    ttng.init_barrier %19, 1 : !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    %c1_i32_14 = arith.constant 1 : i32
    %c1_i32_15 = arith.constant 1 : i32
    %c1_i32_16 = arith.constant 1 : i32
    %c0_i32_17 = arith.constant 0 : i32
    nvws.warp_group
    partition0 num_warps(4) {
      nvws.warp_group.yield
    }
    partition1 num_warps(4) {
      %34:6 = scf.for %arg4 = %c0_i32 to %arg3 step %c64_i32 iter_args(%arg5 = %false, %arg6 = %0, %arg7 = %7, %arg8 = %9, %arg9 = %c1_i32_14, %arg10 = %c1_i32_15) -> (i1, !ttg.async.token, i32, i32, i32, i32)  : i32 {
        %c1_i32_29 = arith.constant {loop.cluster = 0 : i32, loop.stage = 2 : i32} 1 : i32
        %36 = arith.addi %arg9, %c1_i32_29 {loop.cluster = 0 : i32, loop.stage = 2 : i32} : i32
        %c2_i32 = arith.constant {loop.cluster = 0 : i32, loop.stage = 2 : i32} 2 : i32
        %37 = arith.cmpi eq, %36, %c2_i32 {loop.cluster = 0 : i32, loop.stage = 2 : i32} : i32
        %c0_i32_30 = arith.constant {loop.cluster = 0 : i32, loop.stage = 2 : i32} 0 : i32
        %38 = arith.select %37, %c0_i32_30, %36 {loop.cluster = 0 : i32, loop.stage = 2 : i32} : i32
        %c1_i32_31 = arith.constant {loop.cluster = 0 : i32, loop.stage = 2 : i32} 1 : i32
        %39 = arith.xori %arg10, %c1_i32_31 {loop.cluster = 0 : i32, loop.stage = 2 : i32} : i32
        %40 = arith.select %37, %39, %arg10 {loop.cluster = 0 : i32, loop.stage = 2 : i32} : i32
        %41 = ttg.memdesc_index %17[%38] {loop.cluster = 0 : i32, loop.stage = 2 : i32} : !ttg.memdesc<2x1xi64, #shared1, #smem, mutable> -> !ttg.memdesc<1xi64, #shared1, #smem, mutable>
        ttng.wait_barrier %41, %40 {loop.cluster = 0 : i32, loop.stage = 2 : i32} : !ttg.memdesc<1xi64, #shared1, #smem, mutable>
        %42 = ttg.memdesc_index %12[%38] {loop.cluster = 0 : i32, loop.stage = 2 : i32} : !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
        %43 = ttg.memdesc_index %13[%38] {loop.cluster = 0 : i32, loop.stage = 2 : i32} : !ttg.memdesc<2x128x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
        %44 = ttg.memdesc_trans %42 {loop.cluster = 0 : i32, loop.stage = 2 : i32, order = array<i32: 1, 0>} : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared2, #smem, mutable>
        %45 = ttg.memdesc_index %result[%arg7] {loop.cluster = 0 : i32, loop.stage = 2 : i32} : !ttg.memdesc<1x128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
        %46 = ttng.tc_gen5_mma %43, %44, %45[], %arg5, %true {is_async, loop.cluster = 0 : i32, loop.stage = 2 : i32} : !ttg.memdesc<128x64xf16, #shared, #smem, mutable>, !ttg.memdesc<64x64xf16, #shared2, #smem, mutable>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
        %47 = ttg.memdesc_index %14[%38] {loop.cluster = 0 : i32, loop.stage = 2 : i32} : !ttg.memdesc<2x1xi64, #shared1, #smem, mutable> -> !ttg.memdesc<1xi64, #shared1, #smem, mutable>
        ttng.tc_gen5_commit %47 {loop.cluster = 0 : i32, loop.stage = 2 : i32} : !ttg.memdesc<1xi64, #shared1, #smem, mutable>
        scf.yield %true, %arg6, %arg7, %arg8, %38, %40 : i1, !ttg.async.token, i32, i32, i32, i32
      } {tt.scheduled_max_stage = 2 : i32, tt.warp_specialize, ttg.warp_specialize.tag = 0 : i32}
      %35 = ttg.memdesc_index %3[%34#2] {ttg.partition = array<i32: 1>, ttg.warp_specialize.tag = 0 : i32} : !ttg.memdesc<1x1xi64, #shared1, #smem, mutable> -> !ttg.memdesc<1xi64, #shared1, #smem, mutable>
      ttng.tc_gen5_commit %35 {ttg.partition = array<i32: 1>, ttg.warp_specialize.tag = 0 : i32} : !ttg.memdesc<1xi64, #shared1, #smem, mutable>
      nvws.warp_group.return
    }
    partition2 num_warps(4) {
      %34:2 = scf.for %arg4 = %c0_i32 to %arg3 step %c64_i32 iter_args(%arg5 = %c1_i32_16, %arg6 = %c0_i32_17) -> (i32, i32)  : i32 {
        %c1_i32_29 = arith.constant {loop.cluster = 1 : i32, loop.stage = 0 : i32} 1 : i32
        %35 = arith.addi %arg5, %c1_i32_29 {loop.cluster = 1 : i32, loop.stage = 0 : i32} : i32
        %c2_i32 = arith.constant {loop.cluster = 1 : i32, loop.stage = 0 : i32} 2 : i32
        %36 = arith.cmpi eq, %35, %c2_i32 {loop.cluster = 1 : i32, loop.stage = 0 : i32} : i32
        %c0_i32_30 = arith.constant {loop.cluster = 1 : i32, loop.stage = 0 : i32} 0 : i32
        %37 = arith.select %36, %c0_i32_30, %35 {loop.cluster = 1 : i32, loop.stage = 0 : i32} : i32
        %c1_i32_31 = arith.constant {loop.cluster = 1 : i32, loop.stage = 0 : i32} 1 : i32
        %38 = arith.xori %arg6, %c1_i32_31 {loop.cluster = 1 : i32, loop.stage = 0 : i32} : i32
        %39 = arith.select %36, %38, %arg6 {loop.cluster = 1 : i32, loop.stage = 0 : i32} : i32
        %40 = ttg.memdesc_index %14[%37] {loop.cluster = 1 : i32, loop.stage = 0 : i32} : !ttg.memdesc<2x1xi64, #shared1, #smem, mutable> -> !ttg.memdesc<1xi64, #shared1, #smem, mutable>
        ttng.wait_barrier %40, %39 {loop.cluster = 1 : i32, loop.stage = 0 : i32} : !ttg.memdesc<1xi64, #shared1, #smem, mutable>
        %41 = ttg.memdesc_index %12[%37] {loop.cluster = 1 : i32, loop.stage = 0 : i32} : !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
        %42 = ttg.memdesc_index %13[%37] {loop.cluster = 1 : i32, loop.stage = 0 : i32} : !ttg.memdesc<2x128x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
        %43 = ttg.memdesc_index %17[%37] {loop.cluster = 1 : i32, loop.stage = 0 : i32} : !ttg.memdesc<2x1xi64, #shared1, #smem, mutable> -> !ttg.memdesc<1xi64, #shared1, #smem, mutable>
        %true_32 = arith.constant {loop.cluster = 1 : i32, loop.stage = 0 : i32} true
        ttng.barrier_expect %43, 24576 {loop.cluster = 1 : i32, loop.stage = 0 : i32}, %true_32 : !ttg.memdesc<1xi64, #shared1, #smem, mutable>
        ttng.async_tma_copy_global_to_local %arg0[%arg2, %arg4] %42, %43, %true_32 {loop.cluster = 1 : i32, loop.stage = 0 : i32} : !tt.tensordesc<tensor<128x64xf16, #shared>>, !ttg.memdesc<1xi64, #shared1, #smem, mutable> -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
        ttng.async_tma_copy_global_to_local %arg1[%arg2, %arg4] %41, %43, %true_32 {loop.cluster = 1 : i32, loop.stage = 0 : i32} : !tt.tensordesc<tensor<64x64xf16, #shared>>, !ttg.memdesc<1xi64, #shared1, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
        scf.yield %37, %39 : i32, i32
      } {tt.scheduled_max_stage = 2 : i32, tt.warp_specialize, ttg.warp_specialize.tag = 0 : i32}
      nvws.warp_group.return
    }
    %c0_i32_18 = arith.constant 0 : i32
    %20 = ttg.memdesc_index %14[%c0_i32_18] : !ttg.memdesc<2x1xi64, #shared1, #smem, mutable> -> !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    ttng.inval_barrier %20 : !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    %c1_i32_19 = arith.constant 1 : i32
    %21 = ttg.memdesc_index %14[%c1_i32_19] : !ttg.memdesc<2x1xi64, #shared1, #smem, mutable> -> !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    ttng.inval_barrier %21 : !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    ttg.local_dealloc %14 : !ttg.memdesc<2x1xi64, #shared1, #smem, mutable>
    %c0_i32_20 = arith.constant 0 : i32
    %22 = ttg.memdesc_index %17[%c0_i32_20] : !ttg.memdesc<2x1xi64, #shared1, #smem, mutable> -> !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    ttng.inval_barrier %22 : !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    %c1_i32_21 = arith.constant 1 : i32
    %23 = ttg.memdesc_index %17[%c1_i32_21] : !ttg.memdesc<2x1xi64, #shared1, #smem, mutable> -> !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    ttng.inval_barrier %23 : !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    ttg.local_dealloc %17 : !ttg.memdesc<2x1xi64, #shared1, #smem, mutable>
    %c1_i32_22 = arith.constant 1 : i32
    %24 = arith.addi %c0_i32_2, %c1_i32_22 : i32
    %c1_i32_23 = arith.constant 1 : i32
    %25 = arith.cmpi eq, %24, %c1_i32_23 : i32
    %c0_i32_24 = arith.constant 0 : i32
    %26 = arith.select %25, %c0_i32_24, %24 : i32
    %c1_i32_25 = arith.constant 1 : i32
    %27 = arith.xori %c1_i32, %c1_i32_25 : i32
    %28 = arith.select %25, %27, %c1_i32 : i32
    %29 = ttg.memdesc_index %3[%26] : !ttg.memdesc<1x1xi64, #shared1, #smem, mutable> -> !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    ttng.wait_barrier %29, %28 : !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    %30 = ttg.memdesc_index %result[%26] : !ttg.memdesc<1x128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
    %result_26, %token = ttng.tmem_load %30[] : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #linear>
    %31 = ttg.memdesc_index %1[%26] : !ttg.memdesc<1x1xi64, #shared1, #smem, mutable> -> !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    ttng.arrive_barrier %31, 1 : !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    %c0_i32_27 = arith.constant 0 : i32
    %32 = ttg.memdesc_index %1[%c0_i32_27] : !ttg.memdesc<1x1xi64, #shared1, #smem, mutable> -> !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    ttng.inval_barrier %32 : !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    ttg.local_dealloc %1 : !ttg.memdesc<1x1xi64, #shared1, #smem, mutable>
    %c0_i32_28 = arith.constant 0 : i32
    %33 = ttg.memdesc_index %3[%c0_i32_28] : !ttg.memdesc<1x1xi64, #shared1, #smem, mutable> -> !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    ttng.inval_barrier %33 : !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    ttg.local_dealloc %3 : !ttg.memdesc<1x1xi64, #shared1, #smem, mutable>
    tt.return %result_26 : tensor<128x64xf32, #linear>
  }
}
