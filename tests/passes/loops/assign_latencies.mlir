// RUN: weft opt %s -p tritongpu-assign-latencies{num-stages=3} --split-input-file | filecheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#narrow = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#index = #ttg.slice<{dim = 0, parent = #blocked}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {

// Both operands of the dot get all stages but the last one.
// CHECK-LABEL: @matmul
// CHECK: tt.load %{{.*}} {tt.latency = 2 : i32}
// CHECK: tt.load %{{.*}} {tt.latency = 2 : i32}
// CHECK-NOT: tt.latency
tt.func @matmul(%n: i32, %ap: tensor<64x64x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %bp: tensor<64x64x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %zero: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %x = tt.load %ap : tensor<64x64x!tt.ptr<f16>, #blocked>
    %y = tt.load %bp : tensor<64x64x!tt.ptr<f16>, #blocked>
    %xa = ttg.convert_layout %x : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #a>
    %yb = ttg.convert_layout %y : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #b>
    %d = tt.dot %xa, %yb, %acc : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

// The loop itself asks for more stages, and so for loads that feed no dot.
// CHECK-LABEL: @sum
// CHECK: tt.load %{{.*}} {tt.latency = 4 : i32}
tt.func @sum(%n: i32, %p: tensor<64x64x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %zero: tensor<64x64xf16, #blocked>) -> tensor<64x64xf16, #blocked> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf16, #blocked>) : i32 {
    %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #blocked>
    %s = arith.addf %acc, %x : tensor<64x64xf16, #blocked>
    scf.yield %s : tensor<64x64xf16, #blocked>
  } {tt.num_stages = 5 : i32}
  tt.return %r : tensor<64x64xf16, #blocked>
}

// Two bytes per thread are too narrow for cp.async.
// CHECK-LABEL: @narrow
// CHECK-NOT: tt.latency
tt.func @narrow(%n: i32, %p: tensor<64x64x!tt.ptr<f16>, #narrow>, %zero: tensor<64x64xf16, #narrow>) -> tensor<64x64xf16, #narrow> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf16, #narrow>) : i32 {
    %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #narrow>
    %s = arith.addf %acc, %x : tensor<64x64xf16, #narrow>
    scf.yield %s : tensor<64x64xf16, #narrow>
  } {tt.num_stages = 5 : i32}
  tt.return %r : tensor<64x64xf16, #narrow>
}

// A latency in the IR stays, and the loop gets no other one.
// CHECK-LABEL: @given
// CHECK: tt.load %{{.*}} {tt.latency = 1 : i32}
// CHECK: tt.load
// CHECK-NOT: tt.latency
tt.func @given(%n: i32, %p: tensor<64x64x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %zero: tensor<64x64xf16, #blocked>) -> tensor<64x64xf16, #blocked> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf16, #blocked>) : i32 {
    %x = tt.load %p {tt.latency = 1 : i32} : tensor<64x64x!tt.ptr<f16>, #blocked>
    %y = tt.load %p : tensor<64x64x!tt.ptr<f16>, #blocked>
    %s = arith.addf %x, %y : tensor<64x64xf16, #blocked>
    %t = arith.addf %acc, %s : tensor<64x64xf16, #blocked>
    scf.yield %t : tensor<64x64xf16, #blocked>
  } {tt.num_stages = 3 : i32}
  tt.return %r : tensor<64x64xf16, #blocked>
}

// A value that crosses two iterations cannot be pipelined.
// CHECK-LABEL: @distance_two
// CHECK-NOT: tt.latency
tt.func @distance_two(%n: i32, %p: tensor<64x64x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %zero: tensor<64x64xf16, #blocked>) -> tensor<64x64xf16, #blocked> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %zero, %v = %zero) -> (tensor<64x64xf16, #blocked>, tensor<64x64xf16, #blocked>) : i32 {
    %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #blocked>
    %s = arith.addf %v, %x : tensor<64x64xf16, #blocked>
    scf.yield %s, %u : tensor<64x64xf16, #blocked>, tensor<64x64xf16, #blocked>
  } {tt.num_stages = 3 : i32}
  tt.return %r#0 : tensor<64x64xf16, #blocked>
}
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 128], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {

// The MMA may run into the next iteration, and nothing in the loop reads the accumulator.
// CHECK-LABEL: @mma
// CHECK: ttng.tc_gen5_mma {{.*}} {tt.latency = 1 : i32, tt.self_latency = 1 : i32}
tt.func @mma(%n: i32, %a: !ttg.memdesc<128x64xf16, #shared, #smem>, %b: !ttg.memdesc<64x128xf16, #shared, #smem>) -> tensor<128x128xf32, #blocked> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %m, %t = ttng.tmem_alloc : () -> (!ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.async.token)
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%u = %t) -> (!ttg.async.token) : i32 {
    %d = ttng.tc_gen5_mma %a, %b, %m[%u], %true, %true : !ttg.memdesc<128x64xf16, #shared, #smem>, !ttg.memdesc<64x128xf16, #shared, #smem>, !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>
    scf.yield %d : !ttg.async.token
  }
  %x, %t2 = ttng.tmem_load %m[%r] : !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x128xf32, #blocked>
  tt.return %x : tensor<128x128xf32, #blocked>
}

// The loop reads the accumulator and never starts a new sum: no other MMA can run meanwhile.
// CHECK-LABEL: @read
// CHECK: ttng.tc_gen5_mma {{.*}} {tt.self_latency = 1 : i32}
tt.func @read(%n: i32, %p: tensor<128x128x!tt.ptr<f32>, #blocked>, %a: !ttg.memdesc<128x64xf16, #shared, #smem>, %b: !ttg.memdesc<64x128xf16, #shared, #smem>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %m, %t = ttng.tmem_alloc : () -> (!ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.async.token)
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%u = %t) -> (!ttg.async.token) : i32 {
    %d = ttng.tc_gen5_mma %a, %b, %m[%u], %true, %true : !ttg.memdesc<128x64xf16, #shared, #smem>, !ttg.memdesc<64x128xf16, #shared, #smem>, !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>
    %x, %t2 = ttng.tmem_load %m[%d] : !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x128xf32, #blocked>
    tt.store %p, %x : tensor<128x128x!tt.ptr<f32>, #blocked>
    scf.yield %t2 : !ttg.async.token
  }
  tt.return
}

}
