// RUN: weft opt %s -p triton-nvidia-gpu-remove-tmem-tokens | filecheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#linear = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {

// Uses of tokens outside of tensor memory get a placeholder.
// CHECK-LABEL: @tokens
// CHECK-NEXT: %[[P:.*]] = ub.poison : !ttg.async.token
// CHECK: %[[M:.*]] = ttng.tmem_alloc : () ->
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[P]])
// CHECK-NEXT: ttng.tmem_store %{{.*}}, %[[M]], %true
// CHECK-NEXT: ttng.tc_gen5_mma %{{.*}}, %{{.*}}, %[[M]], %true, %true
// CHECK-NEXT: scf.yield %[[P]]
// CHECK: ttng.tmem_load %[[M]] :
tt.func public @tokens(%n: i32, %a: !ttg.memdesc<128x64xf16, #shared, #smem>, %b: !ttg.memdesc<64x64xf16, #shared, #smem>, %x: tensor<128x64xf32, #linear>) -> tensor<128x64xf32, #linear> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %m, %t = ttng.tmem_alloc : () -> (!ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.async.token)
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%k = %t) -> (!ttg.async.token) : i32 {
    %s = ttng.tmem_store %x, %m[%k], %true : tensor<128x64xf32, #linear> -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
    %u = ttng.tc_gen5_mma %a, %b, %m[%s], %true, %true : !ttg.memdesc<128x64xf16, #shared, #smem>, !ttg.memdesc<64x64xf16, #shared, #smem>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
    scf.yield %u : !ttg.async.token
  }
  %d, %v = ttng.tmem_load %m[%r] : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #linear>
  tt.return %d : tensor<128x64xf32, #linear>
}
}
