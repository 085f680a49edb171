// RUN: weft opt %s -p canonicalize --split-input-file | filecheck %s

#a = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#b = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#operand = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#turned = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// CHECK-LABEL: @there_and_back
// CHECK-NEXT: tt.return %arg0
tt.func public @there_and_back(%x: tensor<64x64xf16, #a>) -> tensor<64x64xf16, #a> {
  %y = ttg.convert_layout %x : tensor<64x64xf16, #a> -> tensor<64x64xf16, #b>
  %z = ttg.convert_layout %y : tensor<64x64xf16, #b> -> tensor<64x64xf16, #a>
  tt.return %z : tensor<64x64xf16, #a>
}

// CHECK-LABEL: @made_in_place
// CHECK: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : tensor<64x64xf16, #[[B:blocked1?]]>
// CHECK-NEXT: %[[S:.*]] = tt.splat %arg0 : f16 -> tensor<64x64xf16, #[[B]]>
// CHECK-NEXT: arith.addf %[[S]], %[[ONE]] : tensor<64x64xf16, #[[B]]>
tt.func public @made_in_place(%x: f16) -> tensor<64x64xf16, #b> {
  %c = arith.constant dense<1.0> : tensor<64x64xf16, #a>
  %s = tt.splat %x : f16 -> tensor<64x64xf16, #a>
  %d = ttg.convert_layout %c : tensor<64x64xf16, #a> -> tensor<64x64xf16, #b>
  %t = ttg.convert_layout %s : tensor<64x64xf16, #a> -> tensor<64x64xf16, #b>
  %r = arith.addf %t, %d : tensor<64x64xf16, #b>
  tt.return %r : tensor<64x64xf16, #b>
}

// A hint of the kernel stays with the tensor that it is written on.
// CHECK-LABEL: @hints
// CHECK: tt.make_range {end = 64 : i32, start = 0 : i32} :
// CHECK-NOT: tt.divisibility
// CHECK: tt.return
tt.func public @hints(%n: i32) -> tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>> {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32, tt.divisibility = dense<16> : tensor<1xi32>} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #a}>>
  %s = tt.splat %n {tt.divisibility = dense<16> : tensor<1xi32>} : i32 -> tensor<64xi32, #ttg.slice<{dim = 0, parent = #a}>>
  %0 = ttg.convert_layout %r : tensor<64xi32, #ttg.slice<{dim = 0, parent = #a}>> -> tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>>
  %1 = ttg.convert_layout %s : tensor<64xi32, #ttg.slice<{dim = 0, parent = #a}>> -> tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>>
  %2 = arith.addi %0, %1 : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>>
  tt.return %2 : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>>
}

// The load stays before the store to its buffer.
// CHECK-LABEL: @loaded_before_the_store
// CHECK-NEXT: ttg.local_load %arg0 : {{.*}} -> tensor<64x64xf16, #ttg.dot_op<
// CHECK-NEXT: ttg.local_store
tt.func public @loaded_before_the_store(%m: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>, %x: tensor<64x64xf16, #a>) -> tensor<64x64xf16, #operand> {
  %l = ttg.local_load %m : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf16, #a>
  ttg.local_store %x, %m : tensor<64x64xf16, #a> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  %r = ttg.convert_layout %l : tensor<64x64xf16, #a> -> tensor<64x64xf16, #operand>
  tt.return %r : tensor<64x64xf16, #operand>
}

// CHECK-LABEL: @stored_as_it_is
// CHECK-NEXT: ttg.local_alloc %arg0
// CHECK-NEXT: ttg.local_store %arg0, %arg1
tt.func public @stored_as_it_is(%x: tensor<64x64xf16, #mma>, %m: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>) -> !ttg.memdesc<64x64xf16, #shared, #smem> {
  %y = ttg.convert_layout %x : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #a>
  %r = ttg.local_alloc %y : (tensor<64x64xf16, #a>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
  ttg.local_store %y, %m : tensor<64x64xf16, #a> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  tt.return %r : !ttg.memdesc<64x64xf16, #shared, #smem>
}

// From a product to an operand of the next one: done in registers.
// CHECK-LABEL: @product_to_operand
// CHECK: arith.constant dense<1.000000e+00> : tensor<64x64xf16, #mma>
// CHECK-NEXT: ttg.convert_layout
tt.func public @product_to_operand() -> tensor<64x64xf16, #operand> {
  %c = arith.constant dense<1.0> : tensor<64x64xf16, #mma>
  %r = ttg.convert_layout %c : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #operand>
  tt.return %r : tensor<64x64xf16, #operand>
}

// CHECK-LABEL: @views
// CHECK-NEXT: ttg.memdesc_subslice %arg0[48, 16]
// CHECK-NEXT: tt.return %{{.*}}, %arg0
tt.func public @views(%m: !ttg.memdesc<64x32xf16, #shared, #smem, mutable>) -> (!ttg.memdesc<16x16xf16, #shared, #smem, mutable, 64x32>, !ttg.memdesc<64x32xf16, #shared, #smem, mutable>) {
  %a = ttg.memdesc_subslice %m[32, 0] : !ttg.memdesc<64x32xf16, #shared, #smem, mutable> -> !ttg.memdesc<32x32xf16, #shared, #smem, mutable, 64x32>
  %b = ttg.memdesc_subslice %a[16, 16] : !ttg.memdesc<32x32xf16, #shared, #smem, mutable, 64x32> -> !ttg.memdesc<16x16xf16, #shared, #smem, mutable, 64x32>
  %t = ttg.memdesc_trans %m {order = array<i32: 1, 0>} : !ttg.memdesc<64x32xf16, #shared, #smem, mutable> -> !ttg.memdesc<32x64xf16, #turned, #smem, mutable>
  %u = ttg.memdesc_trans %t {order = array<i32: 1, 0>} : !ttg.memdesc<32x64xf16, #turned, #smem, mutable> -> !ttg.memdesc<64x32xf16, #shared, #smem, mutable>
  tt.return %b, %u : !ttg.memdesc<16x16xf16, #shared, #smem, mutable, 64x32>, !ttg.memdesc<64x32xf16, #shared, #smem, mutable>
}

// CHECK-LABEL: @captures
// CHECK-NEXT: ttg.warp_specialize(%arg0, %arg2)
// CHECK: partition0(%[[A:.*]]: i32, %[[P:.*]]: !tt.ptr<i32>) num_warps(4)
// CHECK-NEXT: %[[SUM:.*]] = arith.addi %[[A]], %[[A]]
// CHECK-NEXT: tt.store %[[P]], %[[SUM]]
// CHECK: : (i32, !tt.ptr<i32>) -> ()
tt.func public @captures(%x: i32, %y: i32, %p: !tt.ptr<i32>) {
  %r = ttg.warp_specialize(%x, %y, %x, %p)
  default {
    ttg.warp_yield %x : i32
  }
  partition0(%a: i32, %b: i32, %c: i32, %q: !tt.ptr<i32>) num_warps(4) {
    %s = arith.addi %a, %c : i32
    tt.store %q, %s : !tt.ptr<i32>
    ttg.warp_return
  } : (i32, i32, i32, !tt.ptr<i32>) -> i32
  tt.return
}

// CHECK-LABEL: @boxes
// CHECK-NEXT: tt.return %arg1, %arg0
tt.func public @boxes(%x: tensor<32x64xf16, #a>, %y: tensor<32x64xf16, #a>) -> (tensor<32x64xf16, #a>, tensor<32x64xf16, #a>) {
  %c = amdg.concat %x, %y : tensor<32x64xf16, #a>, tensor<32x64xf16, #a> -> tensor<64x64xf16, #a>
  %s = amdg.extract_slice %c [32, 0] : tensor<64x64xf16, #a> to tensor<32x64xf16, #a>
  %o = amdg.concat %x : tensor<32x64xf16, #a> -> tensor<32x64xf16, #a>
  tt.return %s, %o : tensor<32x64xf16, #a>, tensor<32x64xf16, #a>
}
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#l = #ttg.linear<{register = [[0, 32], [4, 0], [8, 0], [16, 0], [32, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[1, 0], [2, 0]], block = []}>
#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#down = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
// A transpose that moves nothing gives its layout another name.
// CHECK-LABEL: @moves_nothing
// CHECK-NEXT: ttg.convert_layout
// CHECK-NEXT: tt.return %{{.*}}, %arg0
tt.func public @moves_nothing(%x: tensor<64x64xf32, #b>) -> (tensor<64x64xf32, #l>, tensor<64x64xf32, #b>) {
  %r = tt.trans %x {order = array<i32: 0, 1>} : tensor<64x64xf32, #b> -> tensor<64x64xf32, #l>
  %s = tt.trans %x {order = array<i32: 0, 1>} : tensor<64x64xf32, #b> -> tensor<64x64xf32, #b>
  tt.return %r, %s : tensor<64x64xf32, #l>, tensor<64x64xf32, #b>
}

// A reshape does not care by which name it knows the layout that it reads.
// CHECK-LABEL: @renamed
// CHECK-NEXT: tt.reshape %arg0
// CHECK-NEXT: tt.return
tt.func public @renamed(%x: tensor<128xf32, #ttg.slice<{dim = 1, parent = #down}>>) -> tensor<4x32xf32, #b> {
  %y = ttg.convert_layout %x : tensor<128xf32, #ttg.slice<{dim = 1, parent = #down}>> -> tensor<128xf32, #line>
  %r = tt.reshape %y : tensor<128xf32, #line> -> tensor<4x32xf32, #b>
  tt.return %r : tensor<4x32xf32, #b>
}

// Results that are equal on both sides are one.
// CHECK-LABEL: @equal_results
// CHECK: %[[R:.*]] = scf.if %{{.*}} -> (tensor<128xf32, #{{.*}}>) {
// CHECK: tt.return %[[R]], %[[R]]
tt.func public @equal_results(%c: i1, %u: tensor<128xf32, #line>) -> (tensor<128xf32, #line>, tensor<128xf32, #line>) {
  %i:2 = scf.if %c -> (tensor<128xf32, #line>, tensor<128xf32, #line>) {
    %k = arith.addf %u, %u : tensor<128xf32, #line>
    scf.yield %k, %k : tensor<128xf32, #line>, tensor<128xf32, #line>
  } else {
    %k = arith.mulf %u, %u : tensor<128xf32, #line>
    scf.yield %k, %k : tensor<128xf32, #line>, tensor<128xf32, #line>
  }
  tt.return %i#0, %i#1 : tensor<128xf32, #line>, tensor<128xf32, #line>
}

// Two iter_args that are swapped and have the same init arg are invariant.
// CHECK-LABEL: @take_turns
// CHECK-NEXT: tt.return %arg0
tt.func public @take_turns(%x: tensor<128xf32, #line>, %n: i32) -> tensor<128xf32, #line> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %x) -> (tensor<128xf32, #line>, tensor<128xf32, #line>) : i32 {
    scf.yield %b, %a : tensor<128xf32, #line>, tensor<128xf32, #line>
  }
  tt.return %r#1 : tensor<128xf32, #line>
}
}

// -----

#line = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>
#pair = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [16, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 32]], warp = [[32, 0], [64, 0]], block = []}>
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
#scales = #ttng.tensor_memory_scales_encoding<>
#scale_lanes = #ttg.linear<{register = [[0, 1], [0, 2], [32, 0], [64, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[0, 0], [0, 0]], block = []}>
#vector = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#a = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
// A layout that tensor memory accesses needs no conversion before the store; others do.
// CHECK-LABEL: @tensor_memory
// CHECK-NEXT: arith.constant
// CHECK-NEXT: ttng.tmem_store %arg0
// CHECK-NEXT: %[[C:.*]] = ttg.convert_layout %arg1
// CHECK-NEXT: ttng.tmem_store %[[C]]
tt.func public @tensor_memory(%x: tensor<128x64xf32, #pair>, %y: tensor<128x64xf32, #b>, %m: !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>) {
  %true = arith.constant true
  %0 = ttg.convert_layout %x : tensor<128x64xf32, #pair> -> tensor<128x64xf32, #line>
  ttng.tmem_store %0, %m, %true : tensor<128x64xf32, #line> -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  %1 = ttg.convert_layout %y : tensor<128x64xf32, #b> -> tensor<128x64xf32, #line>
  ttng.tmem_store %1, %m, %true : tensor<128x64xf32, #line> -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  tt.return
}

// Scales in tensor memory have one register layout: the conversion to it stays.
// CHECK-LABEL: @scales
// CHECK: %[[S:.*]] = ttg.convert_layout %arg0
// CHECK-NEXT: ttng.tmem_store %[[S]]
tt.func public @scales(%x: tensor<128x4xi8, #b>, %m: !ttg.memdesc<128x4xi8, #scales, #ttng.tensor_memory, mutable>) {
  %true = arith.constant true
  %0 = ttg.convert_layout %x : tensor<128x4xi8, #b> -> tensor<128x4xi8, #scale_lanes>
  ttng.tmem_store %0, %m, %true : tensor<128x4xi8, #scale_lanes> -> !ttg.memdesc<128x4xi8, #scales, #ttng.tensor_memory, mutable>
  tt.return
}

// A histogram accepts any layout; its mask is converted to the same one.
// CHECK-LABEL: @histogram
// CHECK-NEXT: %[[H:.*]] = tt.histogram %arg0 : tensor<64xi32, #[[L:.*]]> ->
// CHECK-NEXT: %[[M:.*]] = ttg.convert_layout %arg1 : {{.*}} -> tensor<64xi1, #[[L]]>
// CHECK-NEXT: %[[G:.*]] = tt.histogram %arg0, %[[M]]
// CHECK-NEXT: tt.return %[[H]], %[[G]]
tt.func public @histogram(%x: tensor<64xi32, #ttg.slice<{dim = 1, parent = #a}>>, %m: tensor<64xi1, #vector>) -> (tensor<16xi32, #vector>, tensor<16xi32, #vector>) {
  %0 = ttg.convert_layout %x : tensor<64xi32, #ttg.slice<{dim = 1, parent = #a}>> -> tensor<64xi32, #vector>
  %1 = tt.histogram %0 : tensor<64xi32, #vector> -> tensor<16xi32, #vector>
  %2 = tt.histogram %0, %m : tensor<64xi32, #vector> -> tensor<16xi32, #vector>
  tt.return %1, %2 : tensor<16xi32, #vector>, tensor<16xi32, #vector>
}
}

// -----

#linear = #ttg.linear<{register = [[0, 1], [8, 0], [16, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 8], [0, 16]], block = []}>
#rows = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [2, 1], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [0, 1]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
// Both encodings are one linear layout, so the conversion before the transposition moves nothing.
// CHECK-LABEL: @transpose_another_encoding
// CHECK-NEXT: %[[T:.*]] = tt.trans %arg0
// CHECK-NEXT: tt.return %[[T]]
tt.func public @transpose_another_encoding(%x: tensor<32x32xf32, #linear>) -> tensor<32x32xf32, #columns> {
  %0 = ttg.convert_layout %x : tensor<32x32xf32, #linear> -> tensor<32x32xf32, #rows>
  %1 = tt.trans %0 {order = array<i32: 1, 0>} : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
  tt.return %1 : tensor<32x32xf32, #columns>
}
}
