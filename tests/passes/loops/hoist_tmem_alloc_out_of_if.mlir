// RUN: weft opt %s -p tritongpu-hoist-tmem-alloc{hoist-out-of-if=true} | filecheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#linear = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {

// One branch updates the accumulator, the other keeps it: both use one buffer.
// CHECK-LABEL: @branch
// CHECK: %[[M:.*]], %[[T:.*]] = ttng.tmem_alloc : ()
// CHECK: %[[S:.*]] = ttng.tmem_store %{{.*}}, %[[M]][%[[T]]], %true
// CHECK: %[[K:.*]] = scf.if
// CHECK: %[[U:.*]] = ttng.tc_gen5_mma %{{.*}}, %{{.*}}, %[[M]][%[[S]]]
// CHECK: scf.yield %[[U]]
// CHECK: else
// CHECK: scf.yield %[[S]]
// CHECK: ttng.tmem_load %[[M]][%[[K]]]
tt.func public @branch(%c: i1, %a: !ttg.memdesc<128x64xf16, #shared, #smem>, %b: !ttg.memdesc<64x64xf16, #shared, #smem>, %acc: tensor<128x64xf32, #linear>) -> tensor<128x64xf32, #linear> {
  %true = arith.constant true
  %r = scf.if %c -> (tensor<128x64xf32, #linear>) {
    %m, %t = ttng.tmem_alloc : () -> (!ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.async.token)
    %s = ttng.tmem_store %acc, %m[%t], %true : tensor<128x64xf32, #linear> -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
    %u = ttng.tc_gen5_mma %a, %b, %m[%s], %true, %true : !ttg.memdesc<128x64xf16, #shared, #smem>, !ttg.memdesc<64x64xf16, #shared, #smem>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
    %d, %v = ttng.tmem_load %m[%u] : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #linear>
    scf.yield %d : tensor<128x64xf32, #linear>
  } else {
    scf.yield %acc : tensor<128x64xf32, #linear>
  }
  tt.return %r : tensor<128x64xf32, #linear>
}

// A value that was just loaded is used where it lies.
// CHECK-LABEL: @forwarded
// CHECK: ttng.tmem_alloc
// CHECK-NOT: ttng.tmem_alloc
// CHECK: tt.return
tt.func public @forwarded(%a: !ttg.memdesc<128x64xf16, #shared, #smem>, %b: !ttg.memdesc<64x64xf16, #shared, #smem>, %acc: tensor<128x64xf32, #linear>) -> tensor<128x64xf32, #linear> {
  %true = arith.constant true
  %m, %t = ttng.tmem_alloc %acc : (tensor<128x64xf32, #linear>) -> (!ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.async.token)
  %u = ttng.tc_gen5_mma %a, %b, %m[%t], %true, %true : !ttg.memdesc<128x64xf16, #shared, #smem>, !ttg.memdesc<64x64xf16, #shared, #smem>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  %d, %v = ttng.tmem_load %m[%u] : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #linear>
  %m2, %t2 = ttng.tmem_alloc %d : (tensor<128x64xf32, #linear>) -> (!ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.async.token)
  %u2 = ttng.tc_gen5_mma %a, %b, %m2[%t2], %true, %true : !ttg.memdesc<128x64xf16, #shared, #smem>, !ttg.memdesc<64x64xf16, #shared, #smem>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  %d2, %v2 = ttng.tmem_load %m2[%u2] : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #linear>
  tt.return %d2 : tensor<128x64xf32, #linear>
}
}
