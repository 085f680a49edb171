// RUN: weft opt %s -p tritongpu-partition-loops | filecheck %s

#linear = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#shared1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#shared2 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {

// Each partition has its own loop with what it uses.
// CHECK-LABEL: @product
// CHECK: nvws.warp_group
// CHECK-NEXT: partition0 num_warps(4) {
// CHECK-NEXT: nvws.warp_group.yield
// CHECK: partition1 num_warps(4) {
// CHECK-NEXT: scf.for
// CHECK-NOT: ttng.async_tma_copy
// CHECK: ttng.tc_gen5_mma
// CHECK: nvws.warp_group.return
// CHECK: partition2 num_warps(4) {
// CHECK-NEXT: scf.for {{.*}} -> (i32, i32)
// CHECK-NOT: ttng.tc_gen5_mma
// CHECK: ttng.async_tma_copy_global_to_local
// CHECK: nvws.warp_group.return
// CHECK: ttng.tmem_load
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
    %20:8 = scf.for %arg4 = %c0_i32 to %arg3 step %c64_i32 iter_args(%arg5 = %false, %arg6 = %0, %arg7 = %7, %arg8 = %9, %arg9 = %c1_i32_16, %arg10 = %c0_i32_17, %arg11 = %c1_i32_14, %arg12 = %c1_i32_15) -> (i1, !ttg.async.token, i32, i32, i32, i32, i32, i32)  : i32 {
      %c1_i32_29 = arith.constant {loop.cluster = 1 : i32, loop.stage = 0 : i32, ttg.partition = array<i32: 2>} 1 : i32
      %36 = arith.addi %arg9, %c1_i32_29 {loop.cluster = 1 : i32, loop.stage = 0 : i32, ttg.partition = array<i32: 2>} : i32
      %c2_i32 = arith.constant {loop.cluster = 1 : i32, loop.stage = 0 : i32, ttg.partition = array<i32: 2>} 2 : i32
      %37 = arith.cmpi eq, %36, %c2_i32 {loop.cluster = 1 : i32, loop.stage = 0 : i32, ttg.partition = array<i32: 2>} : i32
      %c0_i32_30 = arith.constant {loop.cluster = 1 : i32, loop.stage = 0 : i32, ttg.partition = array<i32: 2>} 0 : i32
      %38 = arith.select %37, %c0_i32_30, %36 {loop.cluster = 1 : i32, loop.stage = 0 : i32, ttg.partition = array<i32: 2>} : i32
      %c1_i32_31 = arith.constant {loop.cluster = 1 : i32, loop.stage = 0 : i32, ttg.partition = array<i32: 2>} 1 : i32
      %39 = arith.xori %arg10, %c1_i32_31 {loop.cluster = 1 : i32, loop.stage = 0 : i32, ttg.partition = array<i32: 2>} : i32
      %40 = arith.select %37, %39, %arg10 {loop.cluster = 1 : i32, loop.stage = 0 : i32, ttg.partition = array<i32: 2>} : i32
      %41 = ttg.memdesc_index %14[%38] {loop.cluster = 1 : i32, loop.stage = 0 : i32, ttg.partition = array<i32: 2>} : !ttg.memdesc<2x1xi64, #shared1, #smem, mutable> -> !ttg.memdesc<1xi64, #shared1, #smem, mutable>
      ttng.wait_barrier %41, %40 {loop.cluster = 1 : i32, loop.stage = 0 : i32, ttg.partition = array<i32: 2>} : !ttg.memdesc<1xi64, #shared1, #smem, mutable>
      %42 = ttg.memdesc_index %12[%38] {loop.cluster = 1 : i32, loop.stage = 0 : i32, ttg.partition = array<i32: 2>} : !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
      %43 = ttg.memdesc_index %13[%38] {loop.cluster = 1 : i32, loop.stage = 0 : i32, ttg.partition = array<i32: 2>} : !ttg.memdesc<2x128x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
      %44 = ttg.memdesc_index %17[%38] {loop.cluster = 1 : i32, loop.stage = 0 : i32, ttg.partition = array<i32: 2>} : !ttg.memdesc<2x1xi64, #shared1, #smem, mutable> -> !ttg.memdesc<1xi64, #shared1, #smem, mutable>
      %true_32 = arith.constant {loop.cluster = 1 : i32, loop.stage = 0 : i32, ttg.partition = array<i32: 2>} true
      ttng.barrier_expect %44, 24576 {loop.cluster = 1 : i32, loop.stage = 0 : i32, ttg.partition = array<i32: 2>}, %true_32 : !ttg.memdesc<1xi64, #shared1, #smem, mutable>
      ttng.async_tma_copy_global_to_local %arg0[%arg2, %arg4] %43, %44, %true_32 {loop.cluster = 1 : i32, loop.stage = 0 : i32, ttg.partition = array<i32: 2>} : !tt.tensordesc<tensor<128x64xf16, #shared>>, !ttg.memdesc<1xi64, #shared1, #smem, mutable> -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
      ttng.async_tma_copy_global_to_local %arg1[%arg2, %arg4] %42, %44, %true_32 {loop.cluster = 1 : i32, loop.stage = 0 : i32, ttg.partition = array<i32: 2>} : !tt.tensordesc<tensor<64x64xf16, #shared>>, !ttg.memdesc<1xi64, #shared1, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
      %c1_i32_33 = arith.constant {loop.cluster = 0 : i32, loop.stage = 2 : i32, ttg.partition = array<i32: 1>} 1 : i32
      %45 = arith.addi %arg11, %c1_i32_33 {loop.cluster = 0 : i32, loop.stage = 2 : i32, ttg.partition = array<i32: 1>} : i32
      %c2_i32_34 = arith.constant {loop.cluster = 0 : i32, loop.stage = 2 : i32, ttg.partition = array<i32: 1>} 2 : i32
      %46 = arith.cmpi eq, %45, %c2_i32_34 {loop.cluster = 0 : i32, loop.stage = 2 : i32, ttg.partition = array<i32: 1>} : i32
      %c0_i32_35 = arith.constant {loop.cluster = 0 : i32, loop.stage = 2 : i32, ttg.partition = array<i32: 1>} 0 : i32
      %47 = arith.select %46, %c0_i32_35, %45 {loop.cluster = 0 : i32, loop.stage = 2 : i32, ttg.partition = array<i32: 1>} : i32
      %c1_i32_36 = arith.constant {loop.cluster = 0 : i32, loop.stage = 2 : i32, ttg.partition = array<i32: 1>} 1 : i32
      %48 = arith.xori %arg12, %c1_i32_36 {loop.cluster = 0 : i32, loop.stage = 2 : i32, ttg.partition = array<i32: 1>} : i32
      %49 = arith.select %46, %48, %arg12 {loop.cluster = 0 : i32, loop.stage = 2 : i32, ttg.partition = array<i32: 1>} : i32
      %50 = ttg.memdesc_index %17[%47] {loop.cluster = 0 : i32, loop.stage = 2 : i32, ttg.partition = array<i32: 1>} : !ttg.memdesc<2x1xi64, #shared1, #smem, mutable> -> !ttg.memdesc<1xi64, #shared1, #smem, mutable>
      ttng.wait_barrier %50, %49 {loop.cluster = 0 : i32, loop.stage = 2 : i32, ttg.partition = array<i32: 1>} : !ttg.memdesc<1xi64, #shared1, #smem, mutable>
      %51 = ttg.memdesc_index %12[%47] {loop.cluster = 0 : i32, loop.stage = 2 : i32, ttg.partition = array<i32: 1>} : !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
      %52 = ttg.memdesc_index %13[%47] {loop.cluster = 0 : i32, loop.stage = 2 : i32, ttg.partition = array<i32: 1>} : !ttg.memdesc<2x128x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
      %53 = ttg.memdesc_trans %51 {loop.cluster = 0 : i32, loop.stage = 2 : i32, order = array<i32: 1, 0>, ttg.partition = array<i32: 1>} : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared2, #smem, mutable>
      %54 = ttg.memdesc_index %result[%arg7] {loop.cluster = 0 : i32, loop.stage = 2 : i32, ttg.partition = array<i32: 1>} : !ttg.memdesc<1x128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
      %55 = ttng.tc_gen5_mma %52, %53, %54[], %arg5, %true {is_async, loop.cluster = 0 : i32, loop.stage = 2 : i32, ttg.partition = array<i32: 1>} : !ttg.memdesc<128x64xf16, #shared, #smem, mutable>, !ttg.memdesc<64x64xf16, #shared2, #smem, mutable>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
      %56 = ttg.memdesc_index %14[%47] {loop.cluster = 0 : i32, loop.stage = 2 : i32, ttg.partition = array<i32: 1>} : !ttg.memdesc<2x1xi64, #shared1, #smem, mutable> -> !ttg.memdesc<1xi64, #shared1, #smem, mutable>
      ttng.tc_gen5_commit %56 {loop.cluster = 0 : i32, loop.stage = 2 : i32, ttg.partition = array<i32: 1>} : !ttg.memdesc<1xi64, #shared1, #smem, mutable>
      scf.yield {ttg.partition = array<i32: 1, 2>} %true, %arg6, %arg7, %arg8, %38, %40, %47, %49 : i1, !ttg.async.token, i32, i32, i32, i32, i32, i32
    } {tt.scheduled_max_stage = 2 : i32, tt.warp_specialize, ttg.partition = array<i32: 1, 2>, ttg.partition.outputs = [array<i32: 1>, array<i32: 1>, array<i32: 1>, array<i32: 1>, array<i32: 2>, array<i32: 2>, array<i32: 1>, array<i32: 1>], ttg.partition.stages = [0 : i32, 1 : i32, 0 : i32], ttg.warp_specialize.tag = 0 : i32}
    %c0_i32_18 = arith.constant 0 : i32
    %21 = ttg.memdesc_index %14[%c0_i32_18] : !ttg.memdesc<2x1xi64, #shared1, #smem, mutable> -> !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    ttng.inval_barrier %21 : !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    %c1_i32_19 = arith.constant 1 : i32
    %22 = ttg.memdesc_index %14[%c1_i32_19] : !ttg.memdesc<2x1xi64, #shared1, #smem, mutable> -> !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    ttng.inval_barrier %22 : !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    ttg.local_dealloc %14 : !ttg.memdesc<2x1xi64, #shared1, #smem, mutable>
    %c0_i32_20 = arith.constant 0 : i32
    %23 = ttg.memdesc_index %17[%c0_i32_20] : !ttg.memdesc<2x1xi64, #shared1, #smem, mutable> -> !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    ttng.inval_barrier %23 : !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    %c1_i32_21 = arith.constant 1 : i32
    %24 = ttg.memdesc_index %17[%c1_i32_21] : !ttg.memdesc<2x1xi64, #shared1, #smem, mutable> -> !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    ttng.inval_barrier %24 : !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    ttg.local_dealloc %17 : !ttg.memdesc<2x1xi64, #shared1, #smem, mutable>
    %25 = ttg.memdesc_index %3[%20#2] {ttg.partition = array<i32: 1>, ttg.warp_specialize.tag = 0 : i32} : !ttg.memdesc<1x1xi64, #shared1, #smem, mutable> -> !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    ttng.tc_gen5_commit %25 {ttg.partition = array<i32: 1>, ttg.warp_specialize.tag = 0 : i32} : !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    %c1_i32_22 = arith.constant 1 : i32
    %26 = arith.addi %c0_i32_2, %c1_i32_22 : i32
    %c1_i32_23 = arith.constant 1 : i32
    %27 = arith.cmpi eq, %26, %c1_i32_23 : i32
    %c0_i32_24 = arith.constant 0 : i32
    %28 = arith.select %27, %c0_i32_24, %26 : i32
    %c1_i32_25 = arith.constant 1 : i32
    %29 = arith.xori %c1_i32, %c1_i32_25 : i32
    %30 = arith.select %27, %29, %c1_i32 : i32
    %31 = ttg.memdesc_index %3[%28] : !ttg.memdesc<1x1xi64, #shared1, #smem, mutable> -> !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    ttng.wait_barrier %31, %30 : !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    %32 = ttg.memdesc_index %result[%28] : !ttg.memdesc<1x128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
    %result_26, %token = ttng.tmem_load %32[] : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #linear>
    %33 = ttg.memdesc_index %1[%28] : !ttg.memdesc<1x1xi64, #shared1, #smem, mutable> -> !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    ttng.arrive_barrier %33, 1 : !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    %c0_i32_27 = arith.constant 0 : i32
    %34 = ttg.memdesc_index %1[%c0_i32_27] : !ttg.memdesc<1x1xi64, #shared1, #smem, mutable> -> !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    ttng.inval_barrier %34 : !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    ttg.local_dealloc %1 : !ttg.memdesc<1x1xi64, #shared1, #smem, mutable>
    %c0_i32_28 = arith.constant 0 : i32
    %35 = ttg.memdesc_index %3[%c0_i32_28] : !ttg.memdesc<1x1xi64, #shared1, #smem, mutable> -> !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    ttng.inval_barrier %35 : !ttg.memdesc<1xi64, #shared1, #smem, mutable>
    ttg.local_dealloc %3 : !ttg.memdesc<1x1xi64, #shared1, #smem, mutable>
    tt.return %result_26 : tensor<128x64xf32, #linear>
  }
}
