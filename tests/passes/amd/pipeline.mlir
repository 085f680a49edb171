// RUN: weft opt %s -p tritonamdgpu-pipeline --split-input-file | filecheck %s
// RUN: weft opt %s -p 'tritonamdgpu-pipeline{use_async_copy=true}' --split-input-file | filecheck %s --check-prefix=ASYNC
// RUN: weft opt %s -p 'tritonamdgpu-pipeline{use_async_copy=true use_pingpong=true}' --split-input-file | filecheck %s --check-prefix=PINGPONG

// With two stages, the registers of one iteration are stored to the only buffer at the end of the
// iteration before, after it was read. The last iteration is peeled; its dot is conditional.
// CHECK-LABEL: @two_stages
// CHECK: %[[M:.*]] = ttg.local_alloc : () -> !ttg.memdesc<1x128x32xf16, #shared, #smem, mutable>
// CHECK: %[[P:.*]] = arith.cmpi sgt, %arg0, %c0_i32
// CHECK: %[[MASK:.*]] = tt.splat %[[P]]
// CHECK: %[[FIRST:.*]] = tt.load %arg1, %[[MASK]] {amd.pipeliner_part = "prologue"}
// CHECK: ttg.local_store %[[FIRST]]
// CHECK: %[[LAST:.*]] = arith.subi %arg0, %c1_i32
// CHECK: scf.for %{{.*}} = %c0_i32 to %[[LAST]] step %c1_i32
// CHECK: %[[NEXT:.*]] = tt.load %{{[^{]*}} : tensor
// CHECK: ttg.local_load
// CHECK: tt.dot
// CHECK: ttg.local_store %[[NEXT]]
// CHECK: }
// CHECK: %[[Q:.*]] = arith.cmpi sge, %{{.*}}, %c1_i32
// CHECK: ttg.local_load
// CHECK: scf.if %[[Q]]
// CHECK-NEXT: tt.dot
// CHECK: ttg.local_dealloc %[[M]]
// CHECK-NOT: loop.stage

// The copy of an iteration has a buffer beside that of the dot's iteration. The wait comes first.
// ASYNC-LABEL: @two_stages
// ASYNC: ttg.local_alloc : () -> !ttg.memdesc<2x128x32xf16
// ASYNC: ttg.async_copy_global_to_local
// ASYNC: scf.for
// ASYNC: ttg.async_wait
// ASYNC: ttg.async_copy_global_to_local
// ASYNC-NEXT: ttg.async_commit_group
// ASYNC: ttg.local_load %{{.*}} token
// ASYNC: tt.dot
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [4, 1], instrShape = [32, 32, 8], isTransposed = true}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
tt.func @two_stages(%n: i32, %pa: tensor<128x32x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 32]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %y: tensor<32x128xf16, #b>, %zero: tensor<128x128xf32, #mma>) -> tensor<128x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<32> : tensor<128x32xi32, #blocked>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %p = %pa) -> (tensor<128x128xf32, #mma>, tensor<128x32x!tt.ptr<f16>, #blocked>) : i32 {
    %v = tt.load %p {loop.cluster = 0 : i32, loop.stage = 0 : i32} : tensor<128x32x!tt.ptr<f16>, #blocked>
    %x = ttg.convert_layout %v : tensor<128x32xf16, #blocked> -> tensor<128x32xf16, #a>
    %d = tt.dot %x, %y, %acc {loop.cluster = 1 : i32, loop.stage = 1 : i32} : tensor<128x32xf16, #a> * tensor<32x128xf16, #b> -> tensor<128x128xf32, #mma>
    %q = tt.addptr %p, %step : tensor<128x32x!tt.ptr<f16>, #blocked>, tensor<128x32xi32, #blocked>
    scf.yield %d, %q : tensor<128x128xf32, #mma>, tensor<128x32x!tt.ptr<f16>, #blocked>
  } {tt.scheduled_max_stage = 1 : i32}
  tt.return %r#0 : tensor<128x128xf32, #mma>
}

// With three stages the registers are stored one iteration before the dot, to one of two buffers.
// CHECK-LABEL: @three_stages
// CHECK: ttg.local_alloc : () -> !ttg.memdesc<2x128x32xf16, #shared, #smem, mutable>
// ASYNC-LABEL: @three_stages
// ASYNC: ttg.local_alloc : () -> !ttg.memdesc<3x128x32xf16, #shared, #smem, mutable>
// ASYNC: scf.for
// ASYNC: ttg.async_wait
// ASYNC: ttg.local_load
// ASYNC: tt.dot

// Before pingpong, the wait for the next iteration's copy is at the end of an iteration.
// PINGPONG-LABEL: @three_stages
// PINGPONG: ttg.async_copy_global_to_local
// PINGPONG: ttg.async_copy_global_to_local
// PINGPONG: ttg.async_wait
// PINGPONG: scf.for
// PINGPONG: ttg.async_copy_global_to_local
// PINGPONG: ttg.local_load
// PINGPONG: tt.dot
// PINGPONG: ttg.async_wait
// PINGPONG: scf.yield
tt.func @three_stages(%n: i32, %pa: tensor<128x32x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 32]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %y: tensor<32x128xf16, #b>, %zero: tensor<128x128xf32, #mma>) -> tensor<128x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<32> : tensor<128x32xi32, #blocked>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %p = %pa) -> (tensor<128x128xf32, #mma>, tensor<128x32x!tt.ptr<f16>, #blocked>) : i32 {
    %v = tt.load %p {loop.cluster = 0 : i32, loop.stage = 0 : i32} : tensor<128x32x!tt.ptr<f16>, #blocked>
    %x = ttg.convert_layout %v : tensor<128x32xf16, #blocked> -> tensor<128x32xf16, #a>
    %d = tt.dot %x, %y, %acc {loop.cluster = 1 : i32, loop.stage = 2 : i32} : tensor<128x32xf16, #a> * tensor<32x128xf16, #b> -> tensor<128x128xf32, #mma>
    %q = tt.addptr %p, %step : tensor<128x32x!tt.ptr<f16>, #blocked>, tensor<128x32xi32, #blocked>
    scf.yield %d, %q : tensor<128x128xf32, #mma>, tensor<128x32x!tt.ptr<f16>, #blocked>
  } {tt.scheduled_max_stage = 2 : i32}
  tt.return %r#0 : tensor<128x128xf32, #mma>
}
}

// -----

// gfx950's copies write rows with padding between groups of 64 lanes. Loads to registers are stored
// with a swizzle.
// CHECK-DAG: #[[SWIZZLED:.*]] = #ttg.swizzled_shared<{vec = 4, perPhase = 4, maxPhase = 4, order = [1, 0]}>
// CHECK-LABEL: @padded
// CHECK: ttg.local_alloc : () -> !ttg.memdesc<1x128x32xf16, #[[SWIZZLED]]
// ASYNC: #[[PADDED:.*]] = #ttg.padded_shared<[512:+4] {offset = {{.*}}, block = []}>
// ASYNC-LABEL: @padded
// ASYNC: ttg.local_alloc : () -> !ttg.memdesc<2x128x32xf16, #[[PADDED]]
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.amd_mfma<{version = 4, warpsPerCTA = [4, 1], instrShape = [32, 32, 8], isTransposed = true}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
tt.func @padded(%n: i32, %pa: tensor<128x32x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 32]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %y: tensor<32x128xf16, #b>, %zero: tensor<128x128xf32, #mma>) -> tensor<128x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<32> : tensor<128x32xi32, #blocked>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %p = %pa) -> (tensor<128x128xf32, #mma>, tensor<128x32x!tt.ptr<f16>, #blocked>) : i32 {
    %v = tt.load %p {loop.cluster = 0 : i32, loop.stage = 0 : i32} : tensor<128x32x!tt.ptr<f16>, #blocked>
    %x = ttg.convert_layout %v : tensor<128x32xf16, #blocked> -> tensor<128x32xf16, #a>
    %d = tt.dot %x, %y, %acc {loop.cluster = 1 : i32, loop.stage = 1 : i32} : tensor<128x32xf16, #a> * tensor<32x128xf16, #b> -> tensor<128x128xf32, #mma>
    %q = tt.addptr %p, %step : tensor<128x32x!tt.ptr<f16>, #blocked>, tensor<128x32xi32, #blocked>
    scf.yield %d, %q : tensor<128x128xf32, #mma>, tensor<128x32x!tt.ptr<f16>, #blocked>
  } {tt.scheduled_max_stage = 1 : i32}
  tt.return %r#0 : tensor<128x128xf32, #mma>
}
}

// -----

// A load through a descriptor cannot be predicated, so the loop stays as it is, without a schedule.
// CHECK-LABEL: @descriptor
// CHECK: scf.for
// CHECK-NEXT: tt.descriptor_load %{{[^{]*}} : !tt.tensordesc
// CHECK-NEXT: arith.addf
// CHECK-NEXT: scf.yield
// CHECK-NOT: tt.scheduled_max_stage
// ASYNC-LABEL: @descriptor
// PINGPONG-LABEL: @descriptor
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
tt.func @descriptor(%n: i32, %desc: !tt.tensordesc<tensor<64x32xf16>>, %zero: tensor<64x32xf16, #blocked>) -> tensor<64x32xf16, #blocked> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x32xf16, #blocked>) : i32 {
    %x = tt.descriptor_load %desc[%i, %c0] {loop.cluster = 0 : i32, loop.stage = 0 : i32} : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16, #blocked>
    %s = arith.addf %acc, %x {loop.cluster = 1 : i32, loop.stage = 1 : i32} : tensor<64x32xf16, #blocked>
    scf.yield %s : tensor<64x32xf16, #blocked>
  } {tt.num_stages = 2 : i32, tt.scheduled_max_stage = 1 : i32}
  tt.return %r : tensor<64x32xf16, #blocked>
}
}
