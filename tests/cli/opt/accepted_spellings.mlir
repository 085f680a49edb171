// RUN: weft opt %s --split-input-file --allow-unregistered-dialect | FileCheck %s

// Text that Triton's parser accepts and does not print.

// versionMinor and version are 0, `isTranspose` is an unknown key, and 32 threads per warp are meant.
// CHECK-DAG: #[[MMA:.*]] = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
// CHECK-DAG: #[[MFMA:.*]] = #ttg.amd_mfma<{version = 0, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = false}>
// CHECK-DAG: #[[LINEAR:.*]] = #ttg.linear<{register = {{\[\[}}0, 1]], lane = {{\[\[}}0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp = {{\[\[}}4, 0], [8, 0]], block = []}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#mfma = #ttg.amd_mfma<{warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTranspose = false}>
#linear = #ttg.linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = [], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  // CHECK-LABEL: @encodings
  // CHECK-SAME: tensor<32x32xf32, #[[MFMA]]>
  tt.func @encodings(%x: tensor<64x64xf32, #mma>, %m: tensor<32x32xf32, #mfma>) {
    // CHECK: ttg.convert_layout {{.*}} : tensor<64x64xf32, #[[MMA]]> -> tensor<64x64xf32, #[[LINEAR]]>
    %0 = ttg.convert_layout %x : tensor<64x64xf32, #mma> -> tensor<64x64xf32, #linear>
    tt.return
  }

  // A function may state its own number of warps, and take tensors that it does not use.
  // CHECK-LABEL: @warps
  tt.func @warps(%x: tensor<64x64xf32, #mma>) attributes {"ttg.num-warps" = 8 : i32} {
    // CHECK: arith.constant dense<0.000000e+00> : tensor<64x64xf32, #[[MMA]]>
    %0 = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    "test.use"(%0) : (tensor<64x64xf32, #mma>) -> ()
    tt.return
  }
}

// -----

// CHECK-LABEL: @keywords_as_strings
tt.func @keywords_as_strings(%x: i32, %y: f32) {
  // CHECK: arith.cmpi slt, %{{.*}}, %{{.*}} : i32
  %0 = arith.cmpi "slt", %x, %x : i32
  // CHECK: arith.cmpf oge, %{{.*}}, %{{.*}} : f32
  %1 = arith.cmpf "oge", %y, %y : f32
  tt.return
}

// -----

// CHECK-LABEL: @vectors_as_attributes
tt.func @vectors_as_attributes() {
  // CHECK: arith.constant {tasks = dense<0> : vector<1xi32>} 0 : i32
  %0 = arith.constant {tasks = dense<0> : vector<1xi32>} 0 : i32
  // CHECK: arith.constant {tasks = dense<[0, 1]> : vector<2xi32>} true
  %1 = arith.constant {tasks = dense<[0, 1]> : vector<2xi32>} true
  tt.return
}

// -----

// CHECK-LABEL: @unregistered
tt.func @unregistered(%x: i32) {
  // CHECK: "name"() <{p = 1 : i32}> {a = 2 : i8} : () -> i32
  %0 = "name"() <{p = 1 : i32}> {a = 2 : i8} : () -> i32
  // CHECK-NEXT: "dialect.with.regions"(%{{.*}}) ({
  // CHECK-NEXT:   arith.addi
  // CHECK-NEXT: }, {
  // CHECK-NEXT: }) : (i32) -> (i32, i32)
  %1:2 = "dialect.with.regions"(%0) ({ %a = arith.addi %x, %x : i32 }, {}) : (i32) -> (i32, i32)
  // CHECK-NEXT: scf.for
  // CHECK-NEXT:   "last.of.a.block"(%{{.*}})
  // CHECK-NEXT: }
  scf.for %i = %x to %x step %x : i32 { "last.of.a.block"(%1#1) : (i32) -> () }
  // CHECK-NEXT: "terminator"()
  // CHECK-NEXT: }
  "terminator"() : () -> ()
}

// -----

// Names that Triton printed before 3.2.
// CHECK: #[[SHARED:.*]] = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
// CHECK: module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32}
// CHECK-LABEL: @legacy_names
// CHECK-NEXT: ttg.local_alloc {{.*}} -> !ttg.memdesc<64x32xf16, #[[SHARED]], #smem, mutable>
// CHECK-NEXT: ttg.local_load {{.*}} -> tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
// CHECK-NEXT: ttg.convert_layout
// CHECK-NEXT: ttg.async_wait %arg1 {num = 0 : i32}
#blocked = #triton_gpu.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #triton_gpu.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#shared = #triton_gpu.shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0], hasLeadingOffset = false}>
#smem = #triton_gpu.shared_memory
module attributes {"triton_gpu.num-ctas" = 1 : i32, "triton_gpu.num-warps" = 4 : i32, triton_gpu.target = "cuda:80", "triton_gpu.threads-per-warp" = 32 : i32} {
  tt.func public @legacy_names(%x: tensor<64x32xf16, #blocked>, %t: !triton_gpu.async.token) {
    %0 = triton_gpu.local_alloc %x : (tensor<64x32xf16, #blocked>) -> !tt.memdesc<64x32xf16, #shared, #triton_gpu.shared_memory, mutable>
    %1 = triton_gpu.local_load %0 : !tt.memdesc<64x32xf16, #shared, #smem, mutable> -> tensor<64x32xf16, #triton_gpu.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
    %4 = "triton_gpu.convert_layout"(%x) : (tensor<64x32xf16, #blocked>) -> tensor<64x32xf16, #mma>
    triton_gpu.async_wait %t {num = 0 : i32}
    tt.return
  }
}

// -----

// A terminator that the text leaves out takes its attributes along, as in MLIR.
// CHECK-LABEL: @terminators
tt.func @terminators(%n: i32) {
  // CHECK-NEXT: scf.for
  // CHECK-NEXT: }
  scf.for %i = %n to %n step %n : i32 {
    scf.yield {ttg.partition = array<i32: 0>}
  }
  // CHECK-NEXT: scf.for
  // CHECK-NEXT:   scf.yield {ttg.partition = array<i32: 0>} %{{.*}} : i32
  %r = scf.for %i = %n to %n step %n iter_args(%a = %n) -> (i32) : i32 {
    scf.yield {ttg.partition = array<i32: 0>} %a : i32
  }
  tt.return
}
