// RUN: weft opt %s -p nvws-hoist-tmem-store | filecheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#linear = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {

// The first MMA of each tile ignores the accumulator, so that one initialization is enough.
// CHECK-LABEL: @tiles
// CHECK: %[[M:.*]], %[[T0:.*]] = ttng.tmem_alloc %{{.*}} : (tensor<128x64xf32, #linear>)
// CHECK-NEXT: scf.for {{.*}} iter_args(%[[T:.*]] = %[[T0]])
// CHECK-NOT: ttng.tmem_store
// CHECK: %[[R:.*]]:2 = scf.for {{.*}} %{{.*}} = %[[T]])
// CHECK: %{{.*}}, %[[LAST:.*]] = ttng.tmem_load %[[M]][%[[R]]#1]
// CHECK: scf.yield {{.*}}%[[LAST]] : !ttg.async.token
// CHECK: ttg.partition.outputs = [array<i32: 1>]
tt.func public @tiles(%a: !tt.tensordesc<tensor<128x64xf16, #shared>>, %b: !tt.tensordesc<tensor<64x64xf16, #shared>>, %out: !tt.tensordesc<tensor<128x64xf32, #shared>>, %n: i32, %k: i32) {
  %false = arith.constant false
  %true = arith.constant true
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.000000e+00> : tensor<128x64xf32, #linear>
  scf.for %row = %c0 to %n step %c64 : i32 {
    %acc, %t0 = ttng.tmem_alloc {ttg.partition = array<i32: 0, 1>} : () -> (!ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.async.token)
    %t1 = ttng.tmem_store %zero, %acc[%t0], %true {ttg.partition = array<i32: 0>} : tensor<128x64xf32, #linear> -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
    %r:2 = scf.for %i = %c0 to %k step %c64 iter_args(%flag = %false, %t = %t1) -> (i1, !ttg.async.token) : i32 {
      %x = tt.descriptor_load %a[%row, %i] {ttg.partition = array<i32: 2>} : !tt.tensordesc<tensor<128x64xf16, #shared>> -> tensor<128x64xf16, #blocked>
      %xs = ttg.local_alloc %x {ttg.partition = array<i32: 2>} : (tensor<128x64xf16, #blocked>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
      %y = tt.descriptor_load %b[%i, %row] {ttg.partition = array<i32: 2>} : !tt.tensordesc<tensor<64x64xf16, #shared>> -> tensor<64x64xf16, #blocked>
      %ys = ttg.local_alloc %y {ttg.partition = array<i32: 2>} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
      %m = ttng.tc_gen5_mma %xs, %ys, %acc[%t], %flag, %true {ttg.partition = array<i32: 1>} : !ttg.memdesc<128x64xf16, #shared, #smem>, !ttg.memdesc<64x64xf16, #shared, #smem>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
      scf.yield {ttg.partition = array<i32: 1, 2>} %true, %m : i1, !ttg.async.token
    } {ttg.partition = array<i32: 1, 2>, ttg.partition.outputs = [array<i32: 1>, array<i32: 1>]}
    %d, %t2 = ttng.tmem_load %acc[%r#1] {ttg.partition = array<i32: 0>} : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #linear>
    tt.descriptor_store %out[%row, %c0], %d {ttg.partition = array<i32: 0>} : !tt.tensordesc<tensor<128x64xf32, #shared>>, tensor<128x64xf32, #linear>
  } {tt.warp_specialize, ttg.partition = array<i32: 0, 1, 2>, ttg.partition.stages = [0 : i32, 1 : i32, 0 : i32], ttg.warp_specialize.tag = 0 : i32}
  tt.return
}

// The inner loop may not run for the first tile, which has to be zero then.
// CHECK-LABEL: @triangle
// CHECK: scf.for
// CHECK: ttng.tmem_alloc %{{.*}} {ttg.partition = array<i32: 1>}
// CHECK-NEXT: scf.for
tt.func public @triangle(%a: !tt.tensordesc<tensor<128x64xf16, #shared>>, %b: !tt.tensordesc<tensor<64x64xf16, #shared>>, %out: !tt.tensordesc<tensor<128x64xf32, #shared>>, %n: i32, %k: i32) {
  %false = arith.constant false
  %true = arith.constant true
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.000000e+00> : tensor<128x64xf32, #linear>
  scf.for %row = %c0 to %n step %c64 : i32 {
    %acc, %t0 = ttng.tmem_alloc {ttg.partition = array<i32: 0, 1>} : () -> (!ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.async.token)
    %t1 = ttng.tmem_store %zero, %acc[%t0], %true {ttg.partition = array<i32: 0>} : tensor<128x64xf32, #linear> -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
    %r:2 = scf.for %i = %c0 to %row step %c64 iter_args(%flag = %false, %t = %t1) -> (i1, !ttg.async.token) : i32 {
      %x = tt.descriptor_load %a[%row, %i] {ttg.partition = array<i32: 2>} : !tt.tensordesc<tensor<128x64xf16, #shared>> -> tensor<128x64xf16, #blocked>
      %xs = ttg.local_alloc %x {ttg.partition = array<i32: 2>} : (tensor<128x64xf16, #blocked>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
      %y = tt.descriptor_load %b[%i, %row] {ttg.partition = array<i32: 2>} : !tt.tensordesc<tensor<64x64xf16, #shared>> -> tensor<64x64xf16, #blocked>
      %ys = ttg.local_alloc %y {ttg.partition = array<i32: 2>} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
      %m = ttng.tc_gen5_mma %xs, %ys, %acc[%t], %flag, %true {ttg.partition = array<i32: 1>} : !ttg.memdesc<128x64xf16, #shared, #smem>, !ttg.memdesc<64x64xf16, #shared, #smem>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
      scf.yield {ttg.partition = array<i32: 1, 2>} %true, %m : i1, !ttg.async.token
    } {ttg.partition = array<i32: 1, 2>, ttg.partition.outputs = [array<i32: 1>, array<i32: 1>]}
    %d, %t2 = ttng.tmem_load %acc[%r#1] {ttg.partition = array<i32: 0>} : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #linear>
    tt.descriptor_store %out[%row, %c0], %d {ttg.partition = array<i32: 0>} : !tt.tensordesc<tensor<128x64xf32, #shared>>, tensor<128x64xf32, #linear>
  } {tt.warp_specialize, ttg.partition = array<i32: 0, 1, 2>, ttg.partition.stages = [0 : i32, 1 : i32, 0 : i32], ttg.warp_specialize.tag = 0 : i32}
  tt.return
}
}
