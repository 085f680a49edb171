// RUN: weft opt %s -p nvgpu-test-ws-task-partition{num-warp-groups=2} | filecheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// Loads are the producer's, the dot and the store of its result the consumer's.
// CHECK-LABEL: @product
// CHECK: tt.descriptor_load {{.*}} {async_task_id = array<i32: 0>}
// CHECK: tt.descriptor_load {{.*}} {async_task_id = array<i32: 0>}
// CHECK: ttng.warp_group_dot {{.*}} {async_task_id = array<i32: 1>}
// CHECK: tt.store {{.*}} {async_task_id = array<i32: 1>}
tt.func public @product(%da: !tt.tensordesc<tensor<64x64xf16, #shared>>, %db: !tt.tensordesc<tensor<64x64xf16, #shared>>, %c: tensor<64x64x!tt.ptr<f32>, #mma>, %n: i32) {
  %zero = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #mma>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %r = scf.for %k = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>)  : i32 {
    %a = tt.descriptor_load %da[%c0, %k] : !tt.tensordesc<tensor<64x64xf16, #shared>> -> tensor<64x64xf16, #blocked>
    %ma = ttg.local_alloc %a : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %b = tt.descriptor_load %db[%k, %c0] : !tt.tensordesc<tensor<64x64xf16, #shared>> -> tensor<64x64xf16, #blocked>
    %mb = ttg.local_alloc %b : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %d = ttng.warp_group_dot %ma, %mb, %acc : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  } {tt.warp_specialize}
  %p = tt.splat %n : i32 -> tensor<64x64xi32, #mma>
  %q = tt.addptr %c, %p : tensor<64x64x!tt.ptr<f32>, #mma>, tensor<64x64xi32, #mma>
  tt.store %q, %r : tensor<64x64x!tt.ptr<f32>, #mma>
  tt.return
}
}
