// RUN: weft opt %s -p nvgpu-test-ws-code-partition{num-buffers=2} --split-input-file | filecheck %s

// The producer fills two buffers that the consumer releases; tokens stay.
// CHECK-LABEL: @product
// CHECK: nvws.create_token {loadType = 2 : i32, numBuffers = 2 : i32}
// CHECK: ttg.warp_specialize
// CHECK: default {
// CHECK: nvws.producer_acquire
// CHECK: ttng.async_tma_copy_global_to_local
// CHECK: ttng.async_tma_copy_global_to_local
// CHECK: ttg.warp_yield
// CHECK: partition0
// CHECK: ttng.wait_barrier
// CHECK: ttng.warp_group_dot
// CHECK: nvws.consumer_release
// CHECK: tt.store
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @product(%arg0: !tt.tensordesc<tensor<64x64xf16, #shared>>, %arg1: !tt.tensordesc<tensor<64x64xf16, #shared>>, %arg2: tensor<64x64x!tt.ptr<f32>, #mma>, %arg3: i32) {
    %cst = arith.constant {async_task_id = array<i32: 1>} dense<0.000000e+00> : tensor<64x64xf32, #mma>
    %c0_i32 = arith.constant {async_task_id = array<i32: 0, 1>} 0 : i32
    %c64_i32 = arith.constant {async_task_id = array<i32: 0, 1>} 64 : i32
    %0 = scf.for %arg4 = %c0_i32 to %arg3 step %c64_i32 iter_args(%arg5 = %cst) -> (tensor<64x64xf32, #mma>)  : i32 {
      %3 = tt.descriptor_load %arg0[%c0_i32, %arg4] {async_task_id = array<i32: 0>} : !tt.tensordesc<tensor<64x64xf16, #shared>> -> tensor<64x64xf16, #blocked>
      %4 = ttg.local_alloc %3 {async_task_id = array<i32: 1>} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
      %5 = tt.descriptor_load %arg1[%arg4, %c0_i32] {async_task_id = array<i32: 0>} : !tt.tensordesc<tensor<64x64xf16, #shared>> -> tensor<64x64xf16, #blocked>
      %6 = ttg.local_alloc %5 {async_task_id = array<i32: 1>} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
      %7 = ttng.warp_group_dot %4, %6, %arg5 {async_task_id = array<i32: 1>} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
      scf.yield {async_task_id = array<i32: 1>} %7 : tensor<64x64xf32, #mma>
    } {async_task_id = array<i32: 0, 1>, tt.warp_specialize}
    %1 = tt.splat %arg3 {async_task_id = array<i32: 1>} : i32 -> tensor<64x64xi32, #mma>
    %2 = tt.addptr %arg2, %1 {async_task_id = array<i32: 1>} : tensor<64x64x!tt.ptr<f32>, #mma>, tensor<64x64xi32, #mma>
    tt.store %2, %0 {async_task_id = array<i32: 1>} : tensor<64x64x!tt.ptr<f32>, #mma>
    tt.return
  }
}

// -----

// A load by pointers becomes an asynchronous copy, and a token says when the buffer is full.
// CHECK-LABEL: @load_by_pointers
// CHECK: %[[T:.*]] = nvws.create_token {loadType = 1 : i32, numBuffers = 2 : i32}
// CHECK: default {
// CHECK: scf.for
// CHECK: nvws.producer_acquire %[[T]], %[[I:.*]], %{{.*}}
// CHECK-NEXT: ttg.async_copy_global_to_local %arg0, %{{[0-9]+}} {async_task_id
// CHECK-NEXT: nvws.producer_commit %[[T]], %[[I]]
// CHECK: partition0
// CHECK: scf.for
// CHECK: nvws.consumer_wait
// CHECK-NEXT: %[[X:.*]] = ttg.local_load
// CHECK-NEXT: %[[Y:.*]] = arith.addf %{{.*}}, %[[X]]
// CHECK-NEXT: nvws.consumer_release
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @load_by_pointers(%p: tensor<64x64x!tt.ptr<f32>, #blocked>, %q: tensor<64x64x!tt.ptr<f32>, #blocked>, %n: i32) {
    %zero = arith.constant {async_task_id = array<i32: 1>} dense<0.000000e+00> : tensor<64x64xf32, #blocked>
    %c0 = arith.constant {async_task_id = array<i32: 0, 1>} 0 : i32
    %c1 = arith.constant {async_task_id = array<i32: 0, 1>} 1 : i32
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #blocked>)  : i32 {
      %x = tt.load %p {async_task_id = array<i32: 0>} : tensor<64x64x!tt.ptr<f32>, #blocked>
      %y = arith.addf %acc, %x {async_task_id = array<i32: 1>} : tensor<64x64xf32, #blocked>
      scf.yield {async_task_id = array<i32: 1>} %y : tensor<64x64xf32, #blocked>
    } {async_task_id = array<i32: 0, 1>, tt.warp_specialize}
    tt.store %q, %sum {async_task_id = array<i32: 1>} : tensor<64x64x!tt.ptr<f32>, #blocked>
    tt.return
  }
}

// -----

// The result of a dot is stored to the buffer after the operation that has it.
// CHECK-LABEL: @sum_of_dots
// CHECK: %[[T:.*]] = nvws.create_token {loadType = 3 : i32, numBuffers = 1 : i32}
// CHECK: default {
// CHECK: %[[D:.*]] = scf.for
// CHECK: nvws.producer_acquire %[[T]], %[[I:.*]], %{{.*}}
// CHECK-NEXT: ttg.local_store %[[D]], %
// CHECK-NEXT: nvws.producer_commit %[[T]], %[[I]]
// CHECK: partition0
// CHECK: nvws.consumer_wait
// CHECK-NEXT: %[[X:.*]] = ttg.local_load
// CHECK-NEXT: tt.store %{{.*}}, %[[X]]
// CHECK-NEXT: nvws.consumer_release
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @sum_of_dots(%a: !ttg.memdesc<64x64xf16, #shared, #smem>, %q: tensor<64x64x!tt.ptr<f32>, #mma>, %n: i32) {
    %zero = arith.constant {async_task_id = array<i32: 0>} dense<0.000000e+00> : tensor<64x64xf32, #mma>
    %c0 = arith.constant {async_task_id = array<i32: 0>} 0 : i32
    %c1 = arith.constant {async_task_id = array<i32: 0>} 1 : i32
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>)  : i32 {
      %d = ttng.warp_group_dot %a, %a, %acc {async_task_id = array<i32: 0>} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
      scf.yield {async_task_id = array<i32: 0>} %d : tensor<64x64xf32, #mma>
    } {async_task_id = array<i32: 0>}
    tt.store %q, %sum {async_task_id = array<i32: 1>} : tensor<64x64x!tt.ptr<f32>, #mma>
    tt.return
  }
}
