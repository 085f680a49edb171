// RUN: weft opt %s -p tritongpu-pipeline --split-input-file | filecheck %s

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {

// The load of iteration i + 2 is issued in iteration i, into one of two buffers. Two copies are
// issued before the loop if there are that many iterations. The wait leaves the newest group
// pending. Copies beyond the last iteration are waited for after the loop.
// CHECK-LABEL: @sum
// CHECK: %[[BUFFERS:.*]] = ttg.local_alloc : () -> !ttg.memdesc<2x512xf32, #shared, #smem, mutable>
// CHECK: %[[P0:.*]] = arith.cmpi sgt, %arg0, %c0_i32
// CHECK: ttg.memdesc_index %[[BUFFERS]][%c0_i32]
// CHECK: %[[M0:.*]] = tt.splat %[[P0]]
// CHECK: ttg.async_copy_global_to_local %{{.*}} mask %[[M0]] {contiguity = 4 : i32}
// CHECK: %[[G0:.*]] = ttg.async_commit_group
// CHECK: %[[P1:.*]] = arith.cmpi sgt, %arg0, %c1_i32
// CHECK: ttg.async_copy_global_to_local
// CHECK: %[[G1:.*]] = ttg.async_commit_group
// CHECK: scf.for %[[I:.*]] = %c0_i32 to %arg0 step %c1_i32 iter_args({{.*}} = %[[G0]], %[[NEXT:.*]] = %[[G1]])
// CHECK: arith.cmpi slt, %[[I]], %
// CHECK: %[[W:.*]] = ttg.async_wait %{{.*}} {num = 1 : i32}
// CHECK: %[[X:.*]] = ttg.local_load %{{.*}} token %[[W]]
// CHECK: arith.addf %{{.*}}, %[[X]]
// CHECK: ttg.async_copy_global_to_local
// CHECK: %[[G2:.*]] = ttg.async_commit_group
// CHECK: scf.yield {{.*}}%[[NEXT]], %[[G2]]
// CHECK: }
// CHECK-NEXT: ttg.async_wait {num = 0 : i32}
// CHECK-NEXT: ttg.local_dealloc %[[BUFFERS]]
// CHECK-NOT: loop.stage
tt.func @sum(%n: i32, %p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %zero: tensor<512xf32, #blocked>) -> tensor<512xf32, #blocked> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #blocked>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #blocked>
  %q = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>, #blocked>, tensor<512xi32, #blocked>
  %result = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<512xf32, #blocked>) : i32 {
    %x = tt.load %q {loop.cluster = 1 : i32, loop.stage = 0 : i32} : tensor<512x!tt.ptr<f32>, #blocked>
    %y = arith.addf %acc, %x {loop.cluster = 0 : i32, loop.stage = 2 : i32} : tensor<512xf32, #blocked>
    scf.yield %y : tensor<512xf32, #blocked>
  } {tt.scheduled_max_stage = 2 : i32}
  tt.return %result : tensor<512xf32, #blocked>
}

// A masked load with a value other than zero selects it after the copy, which wrote zeros.
// CHECK-LABEL: @other
// CHECK: scf.for
// CHECK: %[[X:.*]] = ttg.local_load
// CHECK-NEXT: %[[Y:.*]] = arith.select %{{.*}}, %[[X]], %cst
// CHECK: arith.addf %{{.*}}, %[[Y]]
tt.func @other(%n: i32, %p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %mask: tensor<512xi1, #blocked>, %zero: tensor<512xf32, #blocked>) -> tensor<512xf32, #blocked> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant dense<1.0> : tensor<512xf32, #blocked>
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #blocked>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #blocked>
  %q = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>, #blocked>, tensor<512xi32, #blocked>
  %result = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<512xf32, #blocked>) : i32 {
    %x = tt.load %q, %mask, %one {loop.cluster = 1 : i32, loop.stage = 0 : i32} : tensor<512x!tt.ptr<f32>, #blocked>
    %y = arith.addf %acc, %x {loop.cluster = 0 : i32, loop.stage = 1 : i32} : tensor<512xf32, #blocked>
    scf.yield %y : tensor<512xf32, #blocked>
  } {tt.scheduled_max_stage = 1 : i32}
  tt.return %result : tensor<512xf32, #blocked>
}

// A scalar is copied as a tensor of one element.
// CHECK-LABEL: @scalar
// CHECK: ttg.local_alloc : () -> !ttg.memdesc<1x1xi32
// CHECK: scf.for
// CHECK: %[[X:.*]] = ttg.local_load
// CHECK-NEXT: tt.unsplat %[[X]]
tt.func @scalar(%n: i32, %p: !tt.ptr<i32>, %zero: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %result = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (i32) : i32 {
    %q = tt.addptr %p, %i {loop.cluster = 1 : i32, loop.stage = 0 : i32} : !tt.ptr<i32>, i32
    %x = tt.load %q {loop.cluster = 1 : i32, loop.stage = 0 : i32} : !tt.ptr<i32>
    %y = arith.addi %acc, %x {loop.cluster = 0 : i32, loop.stage = 1 : i32} : i32
    scf.yield %y : i32
  } {tt.scheduled_max_stage = 1 : i32}
  tt.return %result : i32
}

// Without a schedule, a loop stays as it is.
// CHECK-LABEL: @unscheduled
// CHECK: scf.for
// CHECK-NEXT: tt.load %arg1 : !tt.ptr<f32>
tt.func @unscheduled(%n: i32, %p: !tt.ptr<f32>, %zero: f32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %result = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f32) : i32 {
    %x = tt.load %p : !tt.ptr<f32>
    %y = arith.addf %acc, %x : f32
    scf.yield %y : f32
  }
  tt.return %result : f32
}

// Stores of iterations that do not exist are masked; a conditional gets a condition.
// CHECK-LABEL: @effects
// CHECK: scf.for
// CHECK: %[[P:.*]] = arith.cmpi slt
// CHECK: %[[M:.*]] = tt.splat %[[P]] : i1 -> tensor<512xi1, #blocked>
// CHECK: tt.store %{{.*}}, %{{.*}}, %[[M]]
// CHECK: %[[C:.*]] = arith.andi %[[P]], %arg3
// CHECK: scf.if %[[C]]
tt.func @effects(%n: i32, %q: tensor<512x!tt.ptr<f32>, #blocked>, %x: tensor<512xf32, #blocked>, %c: i1, %o: !tt.ptr<f32>, %f: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    tt.store %q, %x {loop.cluster = 0 : i32, loop.stage = 0 : i32} : tensor<512x!tt.ptr<f32>, #blocked>
    scf.if %c {
      tt.store %o, %f : !tt.ptr<f32>
    } {loop.cluster = 0 : i32, loop.stage = 0 : i32}
    %y = tt.addptr %o, %i {loop.cluster = 1 : i32, loop.stage = 1 : i32} : !tt.ptr<f32>, i32
    tt.store %y, %f {loop.cluster = 1 : i32, loop.stage = 1 : i32} : !tt.ptr<f32>
  } {tt.scheduled_max_stage = 1 : i32}
  tt.return
}

}

// -----

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
#left = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// The MMA of one iteration runs while the next one starts. All are waited for after the loop.
// CHECK-LABEL: @accumulate
// CHECK: %[[R:.*]] = scf.for
// CHECK: %[[D:.*]] = ttng.warp_group_dot %arg1, %arg2, %{{.*}} {{{.*}}isAsync = true}
// CHECK-NEXT: %[[W:.*]]:3 = ttng.warp_group_dot_wait %[[D]], %arg1, %arg2 {pendings = 1 : i32}
// CHECK-NEXT: scf.yield %[[W]]#0
// CHECK: ttng.warp_group_dot_wait %[[R]] {pendings = 0 : i32}
tt.func @accumulate(%n: i32, %a: !ttg.memdesc<64x64xf16, #shared, #smem>, %b: !ttg.memdesc<64x64xf16, #shared, #smem>, %zero: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

// A use in the loop waits at once, and a buffer that the loop fills anew is not read any longer.
// CHECK-LABEL: @used
// CHECK: %[[D:.*]] = ttng.warp_group_dot
// CHECK-NEXT: %[[W:.*]]:3 = ttng.warp_group_dot_wait %[[D]], {{.*}} {pendings = 0 : i32}
// CHECK-NEXT: arith.addf %[[W]]#0, %[[W]]#0
// CHECK-NOT: warp_group_dot_wait
tt.func @used(%n: i32, %x: tensor<64x64xf16>, %a: !ttg.memdesc<64x64xf16, #shared, #smem>, %b: !ttg.memdesc<64x64xf16, #shared, #smem>, %zero: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    %e = arith.addf %d, %d : tensor<64x64xf32, #mma>
    scf.yield %e : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

// A left operand in registers is split, so that half of its registers are free earlier. The wait
// leaves only the second half pending.
// CHECK-LABEL: @registers
// CHECK: tt.reshape
// CHECK-NEXT: tt.trans
// CHECK-NEXT: %{{.*}}, %{{.*}} = tt.split
// CHECK: ttg.memdesc_subslice %arg2[0, 0]
// CHECK-NEXT: ttg.memdesc_subslice %arg2[32, 0]
// CHECK-NEXT: %[[D:.*]] = ttng.warp_group_dot
// CHECK: ttng.warp_group_dot_wait %[[D]], %{{.*}} {pendings = 1 : i32}
// CHECK: %[[E:.*]] = ttng.warp_group_dot
// CHECK: ttng.warp_group_dot_wait %[[E]], %{{.*}} {pendings = 1 : i32}
tt.func @registers(%n: i32, %p: tensor<64x64x!tt.ptr<f16>, #left>, %b: !ttg.memdesc<64x64xf16, #shared, #smem>, %zero: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %a = tt.load %p : tensor<64x64x!tt.ptr<f16>, #left>
    %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32} : tensor<64x64xf16, #left> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

// Under a condition, the wait is in the conditional.
// CHECK-LABEL: @conditional
// CHECK: %[[D:.*]] = ttng.warp_group_dot
// CHECK-NEXT: %[[W:.*]]:3 = ttng.warp_group_dot_wait %[[D]], {{.*}} {pendings = 1 : i32}
// CHECK: scf.if
// CHECK-NEXT: ttng.warp_group_dot_wait %[[W]]#0, {{.*}} {pendings = 0 : i32}
// CHECK: tt.store
tt.func @conditional(%n: i32, %o: tensor<64x64x!tt.ptr<f32>, #mma>, %c: i1, %a: !ttg.memdesc<64x64xf16, #shared, #smem>, %b: !ttg.memdesc<64x64xf16, #shared, #smem>, %zero: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    scf.if %c {
      tt.store %o, %d : tensor<64x64x!tt.ptr<f32>, #mma>
    }
    scf.yield %d : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// Two loads through descriptors share an mbarrier, which expects the bytes of both. The store
// waits for the one of the previous iteration.
// CHECK-LABEL: @descriptors
// CHECK: ttng.init_barrier
// CHECK: ttng.barrier_expect %[[B:.*]], 16384, %
// CHECK: ttng.async_tma_copy_global_to_local %arg1[%c0_i32, %c0_i32] %{{.*}}, %[[B]], %
// CHECK: ttng.async_tma_copy_global_to_local %arg2[%c0_i32, %c0_i32] %{{.*}}, %[[B]], %
// CHECK: %[[OUT:.*]] = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
// CHECK: scf.for
// CHECK: ttng.wait_barrier
// CHECK: ttg.local_load
// CHECK: ttg.local_load
// CHECK: ttng.async_tma_store_wait {pendings = 0 : i32}
// CHECK-NEXT: ttg.local_store %{{.*}}, %[[OUT]]
// CHECK-NEXT: ttng.fence_async_shared {bCluster = false}
// CHECK-NEXT: ttng.async_tma_copy_local_to_global %arg3{{.*}} %[[OUT]]
// CHECK: ttng.barrier_expect
// CHECK: }
// CHECK-NEXT: ttng.async_tma_store_wait {pendings = 0 : i32}
// CHECK-NEXT: ttg.local_dealloc %[[OUT]]
// CHECK: ttng.inval_barrier
tt.func public @descriptors(%n: i32, %x: !tt.tensordesc<tensor<64x64xf16, #shared>>, %y: !tt.tensordesc<tensor<64x64xf16, #shared>>, %o: !tt.tensordesc<tensor<64x64xf16, #shared>>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %a = tt.descriptor_load %x[%i, %c0] {loop.cluster = 1 : i32, loop.stage = 0 : i32} : !tt.tensordesc<tensor<64x64xf16, #shared>> -> tensor<64x64xf16, #blocked>
    %b = tt.descriptor_load %y[%i, %c0] {loop.cluster = 1 : i32, loop.stage = 0 : i32} : !tt.tensordesc<tensor<64x64xf16, #shared>> -> tensor<64x64xf16, #blocked>
    %s = arith.addf %a, %b {loop.cluster = 0 : i32, loop.stage = 1 : i32} : tensor<64x64xf16, #blocked>
    tt.descriptor_store %o[%i, %c0], %s {loop.cluster = 0 : i32, loop.stage = 1 : i32} : !tt.tensordesc<tensor<64x64xf16, #shared>>, tensor<64x64xf16, #blocked>
  } {tt.scheduled_max_stage = 1 : i32}
  tt.return
}

// A descriptor that the loop makes is in one of several buffers of global memory.
// CHECK-LABEL: @made
// CHECK: %[[MEMORY:.*]] = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 256 : i32}
// CHECK: scf.for {{.*}} iter_args(%[[I:.*]] = %c0_i32{{.*}})
// CHECK: %[[OFFSET:.*]] = arith.muli %c128_i32, %[[I]]
// CHECK: %[[P:.*]] = tt.addptr %[[MEMORY]], %[[OFFSET]]
// CHECK: ttng.tensormap_create %[[P]]
// CHECK: ttng.tensormap_fenceproxy_acquire %[[P]]
// CHECK: ttng.reinterpret_tensor_descriptor %[[P]]
tt.func public @made(%n: i32, %m: i32, %k: i64, %p: !tt.ptr<f16>, %v: tensor<64x64xf16, #blocked>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  scf.for %i = %c0 to %n step %c1 : i32 {
    %q = tt.addptr %p, %i : !tt.ptr<f16>, i32
    %d = tt.make_tensor_descriptor %q, [%m, %m], [%k, %one] : !tt.ptr<f16>, !tt.tensordesc<tensor<64x64xf16, #shared>>
    tt.descriptor_store %d[%i, %c0], %v : !tt.tensordesc<tensor<64x64xf16, #shared>>, tensor<64x64xf16, #blocked>
  }
  tt.return
}

}

// -----

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
// The predicate of the load stays as it is before it is computed.
// CHECK-LABEL: @kept_predicate
// CHECK: scf.for %[[I:.*]] = %c0_i32 to %arg0 step %c1_i32
// CHECK: ttg.predicate_stage %[[I]], %arg0, %c1_i32 maxStage 1 stage 0 : i32 -> i1
tt.func public @kept_predicate(%n: i32, %p: tensor<1024x!tt.ptr<f32>, #blocked>) {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  scf.for %i = %c0_i32 to %n step %c1_i32 : i32 {
    %x = tt.load %p {loop.cluster = 1 : i32, loop.stage = 0 : i32} : tensor<1024x!tt.ptr<f32>, #blocked>
    tt.store %p, %x {loop.cluster = 0 : i32, loop.stage = 1 : i32} : tensor<1024x!tt.ptr<f32>, #blocked>
  } {tt.scheduled_max_stage = 1 : i32, __test_keep_predicate_stage}
  tt.return
}
}
