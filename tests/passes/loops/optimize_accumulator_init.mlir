// RUN: weft opt %s -p tritongpu-optimize-accumulator-init | filecheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#linear = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {

// The accumulator starts at zero: the MMA of the first iteration does not read it.
// CHECK-LABEL: @iter_arg
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[FLAG:.*]] = %false)
// CHECK: ttng.tc_gen5_mma %{{.*}}, %{{.*}}, %{{.*}}[%{{.*}}], %[[FLAG]], %true
// CHECK: scf.yield %{{.*}}, %true
tt.func public @iter_arg(%n: i32, %a: !ttg.memdesc<128x64xf16, #shared, #smem>, %b: !ttg.memdesc<64x64xf16, #shared, #smem>) -> tensor<128x64xf32, #linear> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<128x64xf32, #linear>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x64xf32, #linear>) : i32 {
    %m, %t = ttng.tmem_alloc %acc : (tensor<128x64xf32, #linear>) -> (!ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.async.token)
    %u = ttng.tc_gen5_mma %a, %b, %m[%t], %true, %true : !ttg.memdesc<128x64xf16, #shared, #smem>, !ttg.memdesc<64x64xf16, #shared, #smem>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
    %d, %v = ttng.tmem_load %m[%u] : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #linear>
    scf.yield %d : tensor<128x64xf32, #linear>
  }
  tt.return %r : tensor<128x64xf32, #linear>
}

// A constant zero needs no storing.
// CHECK-LABEL: @constant
// CHECK: ttng.tmem_alloc : ()
// CHECK: ttng.tc_gen5_mma %{{.*}}, %{{.*}}, %{{.*}}[%{{.*}}], %false, %true
tt.func public @constant(%n: i32, %a: !ttg.memdesc<128x64xf16, #shared, #smem>, %b: !ttg.memdesc<64x64xf16, #shared, #smem>, %init: tensor<128x64xf32, #linear>) -> tensor<128x64xf32, #linear> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %acc = arith.constant dense<0.0> : tensor<128x64xf32, #linear>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%last = %init) -> (tensor<128x64xf32, #linear>) : i32 {
    %m, %t = ttng.tmem_alloc %acc : (tensor<128x64xf32, #linear>) -> (!ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.async.token)
    %u = ttng.tc_gen5_mma %a, %b, %m[%t], %true, %true : !ttg.memdesc<128x64xf16, #shared, #smem>, !ttg.memdesc<64x64xf16, #shared, #smem>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
    %d, %v = ttng.tmem_load %m[%u] : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #linear>
    scf.yield %d : tensor<128x64xf32, #linear>
  }
  tt.return %r : tensor<128x64xf32, #linear>
}

// A select resets the accumulator at the end of a tile. The flag is false in the next iteration
// then, and the accumulator stays as it is.
// CHECK-LABEL: @reset
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[FLAG:.*]] = %true)
// CHECK: ttng.tc_gen5_mma %{{.*}}, %{{.*}}, %{{.*}}[%{{.*}}], %[[FLAG]], %true
// CHECK: %[[D:.*]], %{{.*}} = ttng.tmem_load
// CHECK: %[[NEXT:.*]] = arith.select %{{.*}}, %false, %true : i1
// CHECK: scf.yield %[[D]], %[[NEXT]]
tt.func public @reset(%n: i32, %a: !ttg.memdesc<128x64xf16, #shared, #smem>, %b: !ttg.memdesc<64x64xf16, #shared, #smem>, %init: tensor<128x64xf32, #linear>, %p: tensor<128x64x!tt.ptr<f32>, #linear>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<128x64xf32, #linear>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (tensor<128x64xf32, #linear>) : i32 {
    %m, %t = ttng.tmem_alloc %acc : (tensor<128x64xf32, #linear>) -> (!ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.async.token)
    %u = ttng.tc_gen5_mma %a, %b, %m[%t], %true, %true : !ttg.memdesc<128x64xf16, #shared, #smem>, !ttg.memdesc<64x64xf16, #shared, #smem>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
    %d, %v = ttng.tmem_load %m[%u] : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #linear>
    tt.store %p, %d : tensor<128x64x!tt.ptr<f32>, #linear>
    %ends = arith.cmpi eq, %i, %c1 : i32
    %next = arith.select %ends, %zero, %d : tensor<128x64xf32, #linear>
    scf.yield %next : tensor<128x64xf32, #linear>
  }
  tt.return
}

// A conditional before the MMA resets it in the same iteration.
// CHECK-LABEL: @conditional
// CHECK: %[[FLAG:.*]] = arith.select %{{.*}}, %false, %{{.*}} : i1
// CHECK: ttng.tc_gen5_mma %{{.*}}, %{{.*}}, %{{.*}}[%{{.*}}], %[[FLAG]], %true
tt.func public @conditional(%n: i32, %a: !ttg.memdesc<128x64xf16, #shared, #smem>, %b: !ttg.memdesc<64x64xf16, #shared, #smem>, %init: tensor<128x64xf32, #linear>, %p: !tt.ptr<i32>) -> tensor<128x64xf32, #linear> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<128x64xf32, #linear>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%last = %init) -> (tensor<128x64xf32, #linear>) : i32 {
    %starts = arith.cmpi eq, %i, %c1 : i32
    %acc = scf.if %starts -> (tensor<128x64xf32, #linear>) {
      tt.store %p, %i : !tt.ptr<i32>
      scf.yield %zero : tensor<128x64xf32, #linear>
    } else {
      scf.yield %last : tensor<128x64xf32, #linear>
    }
    %m, %t = ttng.tmem_alloc %acc : (tensor<128x64xf32, #linear>) -> (!ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.async.token)
    %u = ttng.tc_gen5_mma %a, %b, %m[%t], %true, %true : !ttg.memdesc<128x64xf16, #shared, #smem>, !ttg.memdesc<64x64xf16, #shared, #smem>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
    %d, %v = ttng.tmem_load %m[%u] : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #linear>
    scf.yield %d : tensor<128x64xf32, #linear>
  }
  tt.return %r : tensor<128x64xf32, #linear>
}
}
