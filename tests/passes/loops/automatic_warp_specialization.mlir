// RUN: weft opt %s -p tritongpu-automatic-warp-specialization | filecheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#linear = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#shared_t = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {

// Conversions and common subexpressions are simplified in all modules.
// CHECK-LABEL: @simplified
// CHECK: %[[X:.*]] = arith.addf %arg0, %arg0
// CHECK-NEXT: %[[Y:.*]] = arith.mulf %[[X]], %[[X]]
// CHECK-NEXT: tt.return %[[Y]]
tt.func public @simplified(%x: tensor<128x64xf32, #linear>) -> tensor<128x64xf32, #linear> {
  %c = ttg.convert_layout %x : tensor<128x64xf32, #linear> -> tensor<128x64xf32, #blocked>
  %d = ttg.convert_layout %c : tensor<128x64xf32, #blocked> -> tensor<128x64xf32, #linear>
  %y = arith.addf %d, %x : tensor<128x64xf32, #linear>
  %z = arith.addf %x, %x : tensor<128x64xf32, #linear>
  %r = arith.mulf %y, %z : tensor<128x64xf32, #linear>
  tt.return %r : tensor<128x64xf32, #linear>
}

// Placeholders move to the start of the function.
// CHECK-LABEL: @poison
// CHECK-NEXT: ub.poison : i32
tt.func public @poison(%p: !tt.ptr<i32>) {
  %x = tt.load %p : !tt.ptr<i32>
  %u = ub.poison : i32
  %y = arith.addi %x, %u : i32
  tt.store %p, %y : !tt.ptr<i32>
  tt.return
}

// Loads and MMAs run on warps of their own.
// CHECK-LABEL: @product
// CHECK: ttg.warp_specialize(
// CHECK: partition0({{.*}}) num_warps(4) {
// CHECK: ttng.wait_barrier
// CHECK: ttng.tc_gen5_mma {{.*}}is_async
// CHECK: ttng.tc_gen5_commit
// CHECK: partition1({{.*}}) num_warps(4) {
// CHECK: ttng.wait_barrier
// CHECK: ttng.async_tma_copy_global_to_local
// CHECK: ttng.tmem_load
tt.func public @product(%a: !tt.tensordesc<tensor<128x64xf16, #shared>>, %b: !tt.tensordesc<tensor<64x64xf16, #shared>>, %row: i32, %k: i32) -> tensor<128x64xf32, #linear> {
  %false = arith.constant false
  %true = arith.constant true
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.000000e+00> : tensor<128x64xf32, #linear>
  %acc, %t0 = ttng.tmem_alloc %zero : (tensor<128x64xf32, #linear>) -> (!ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.async.token)
  %r:2 = scf.for %i = %c0 to %k step %c64 iter_args(%flag = %false, %t = %t0) -> (i1, !ttg.async.token) : i32 {
    %x = tt.descriptor_load %a[%row, %i] {loop.cluster = 1 : i32, loop.stage = 0 : i32} : !tt.tensordesc<tensor<128x64xf16, #shared>> -> tensor<128x64xf16, #blocked>
    %xs = ttg.local_alloc %x {loop.cluster = 0 : i32, loop.stage = 2 : i32} : (tensor<128x64xf16, #blocked>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
    %y = tt.descriptor_load %b[%row, %i] {loop.cluster = 1 : i32, loop.stage = 0 : i32} : !tt.tensordesc<tensor<64x64xf16, #shared>> -> tensor<64x64xf16, #blocked>
    %ys = ttg.local_alloc %y {loop.cluster = 0 : i32, loop.stage = 2 : i32} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %yt = ttg.memdesc_trans %ys {loop.cluster = 0 : i32, loop.stage = 2 : i32, order = array<i32: 1, 0>} : !ttg.memdesc<64x64xf16, #shared, #smem> -> !ttg.memdesc<64x64xf16, #shared_t, #smem>
    %t1 = ttng.tc_gen5_mma %xs, %yt, %acc[%t], %flag, %true {loop.cluster = 0 : i32, loop.stage = 2 : i32} : !ttg.memdesc<128x64xf16, #shared, #smem>, !ttg.memdesc<64x64xf16, #shared_t, #smem>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
    scf.yield %true, %t1 : i1, !ttg.async.token
  } {tt.scheduled_max_stage = 2 : i32, tt.warp_specialize}
  %d, %t2 = ttng.tmem_load %acc[%r#1] : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #linear>
  tt.return %d : tensor<128x64xf32, #linear>
}
}
