// RUN: weft opt %s -p nvgpu-test-ws-data-partition{num-warp-groups=3} | filecheck %s

// Each of two consumers computes 64 of 128 rows; both read all of the right operand.
// CHECK-LABEL: @rows
// CHECK: ttg.local_alloc {{.*}} {async_task_id = array<i32: 1, 2>}
// CHECK: ttng.warp_group_dot {{.*}} {async_task_id = array<i32: 1>} : !ttg.memdesc<64x64xf16{{.*}} -> tensor<64x64xf32
// CHECK: ttng.warp_group_dot {{.*}} {async_task_id = array<i32: 2>} : !ttg.memdesc<64x64xf16{{.*}} -> tensor<64x64xf32
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func public @rows(%p: !tt.ptr<f16>, %s: i64, %db: !tt.tensordesc<tensor<64x64xf16, #shared>>, %q: !tt.ptr<f32>, %n: i32) {
  %c = tt.splat %q {async_task_id = array<i32: 1, 2>} : !tt.ptr<f32> -> tensor<128x64x!tt.ptr<f32>, #mma>
  %zero = arith.constant {async_task_id = array<i32: 1, 2>} dense<0.000000e+00> : tensor<128x64xf32, #mma>
  %one = arith.constant {async_task_id = array<i32: 0>} 1 : i64
  %da = tt.make_tensor_descriptor %p, [%n, %n], [%s, %one] {async_task_id = array<i32: 0>} : <f16>, <tensor<128x64xf16, #shared>>
  %a = tt.descriptor_load %da[%n, %n] {async_task_id = array<i32: 0>} : !tt.tensordesc<tensor<128x64xf16, #shared>> -> tensor<128x64xf16, #blocked>
  %ma = ttg.local_alloc %a {async_task_id = array<i32: 1, 2>} : (tensor<128x64xf16, #blocked>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
  %b = tt.descriptor_load %db[%n, %n] {async_task_id = array<i32: 0>} : !tt.tensordesc<tensor<64x64xf16, #shared>> -> tensor<64x64xf16, #blocked>
  %mb = ttg.local_alloc %b {async_task_id = array<i32: 1, 2>} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
  %d = ttng.warp_group_dot %ma, %mb, %zero {async_task_id = array<i32: 1, 2>} : !ttg.memdesc<128x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<128x64xf32, #mma>
  tt.store %c, %d {async_task_id = array<i32: 1, 2>} : tensor<128x64x!tt.ptr<f32>, #mma>
  tt.return
}
}
