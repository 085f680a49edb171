// RUN: weft opt %s -p tritonamdgpu-block-pingpong{num-stages=2} --split-input-file | filecheck %s

// Four warps: one memory cluster, in which loads from global and shared memory alternate, and one
// dot cluster with a higher priority.
// CHECK-LABEL: @one_cluster
// CHECK-NOT: amdg.cond_barrier
// CHECK: scf.for
// CHECK: %[[A:.*]] = ttg.local_load
// CHECK-NEXT: rocdl.s.setprio 1
// CHECK-NEXT: %[[X:.*]] = tt.load %arg0
// CHECK-NEXT: rocdl.sched.barrier 0
// CHECK-NEXT: %[[B:.*]] = ttg.local_load
// CHECK-NEXT: rocdl.s.setprio 0
// CHECK-NEXT: %[[Y:.*]] = tt.load %arg1
// CHECK-NEXT: rocdl.sched.barrier 1
// CHECK-NEXT: rocdl.s.setprio 1
// CHECK-NEXT: tt.dot %[[A]], %[[B]]
// CHECK-NEXT: rocdl.s.setprio 0
// CHECK: ttg.local_store %[[X]]
// CHECK: ttg.local_store %[[Y]]
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
#shared = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 16, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @one_cluster(%p: tensor<64x64x!tt.ptr<f16>, #blocked>, %q: tensor<64x64x!tt.ptr<f16>, #blocked>, %init: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %as = ttg.local_alloc : () -> !ttg.memdesc<1x64x64xf16, #shared, #smem, mutable>
    %bs = ttg.local_alloc : () -> !ttg.memdesc<1x64x64xf16, #shared, #smem, mutable>
    %a0 = ttg.memdesc_index %as[%c0] : !ttg.memdesc<1x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    %b0 = ttg.memdesc_index %bs[%c0] : !ttg.memdesc<1x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init, %av = %a0, %bv = %b0) -> (tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>)  : i32 {
      %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #blocked>
      %a = ttg.local_load %av : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf16, #a>
      %y = tt.load %q : tensor<64x64x!tt.ptr<f16>, #blocked>
      %b = ttg.local_load %bv : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf16, #b>
      %d = tt.dot %a, %b, %acc : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      %an = ttg.memdesc_index %as[%c0] : !ttg.memdesc<1x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
      ttg.local_store %x, %an : tensor<64x64xf16, #blocked> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
      %bn = ttg.memdesc_index %bs[%c0] : !ttg.memdesc<1x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
      ttg.local_store %y, %bn : tensor<64x64xf16, #blocked> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
      scf.yield %d, %an, %bn : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    }
    tt.return %r#0 : tensor<64x64xf32, #mma>
  }
}

// -----

// Eight warps and a tile of 256×128×64: the dot is split in two, and half of the warps start late.
// CHECK-LABEL: @two_clusters
// CHECK: ttg.barrier local
// CHECK: %[[T:.*]] = rocdl.workitem.id.x : i32
// CHECK: %[[G:.*]] = arith.divsi %[[T]], %c256_i32
// CHECK: %[[LOW:.*]] = arith.cmpi eq, %[[G]]
// CHECK: %[[HIGH:.*]] = arith.cmpi ne, %[[G]]
// CHECK: amdg.cond_barrier %[[HIGH]]
// CHECK: scf.for {{.*}}iter_args(%[[ACC:.*]] = %arg2, %[[AV:.*]] = %{{.*}}, %[[BV:.*]] = %{{[^)]*}})
// CHECK: ttg.memdesc_subslice %[[AV]][0, 0]
// CHECK-NEXT: %[[A0:.*]] = ttg.local_load
// CHECK-NEXT: ttg.memdesc_subslice %[[BV]][0, 0]
// CHECK-NEXT: %[[B0:.*]] = ttg.local_load
// CHECK-NEXT: rocdl.sched.barrier 0
// CHECK-NEXT: tt.load %arg0
// CHECK-NEXT: rocdl.sched.barrier 0
// CHECK-NEXT: ttg.memdesc_subslice %[[AV]][0, 32]
// CHECK-NEXT: %[[A1:.*]] = ttg.local_load
// CHECK-NEXT: ttg.memdesc_subslice %[[BV]][32, 0]
// CHECK-NEXT: %[[B1:.*]] = ttg.local_load
// CHECK-NEXT: rocdl.sched.barrier 0
// CHECK-NEXT: tt.load %arg1
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: rocdl.sched.barrier 0
// CHECK-NEXT: rocdl.s.setprio 1
// CHECK-NEXT: %[[D0:.*]] = tt.dot %[[A0]], %[[B0]], %[[ACC]]
// CHECK-NEXT: rocdl.s.setprio 0
// CHECK-NEXT: ttg.barrier local
// CHECK-NEXT: rocdl.sched.barrier 0
// CHECK: ttg.local_store
// CHECK: ttg.local_store
// CHECK-NEXT: ttg.barrier local
// CHECK-NEXT: rocdl.sched.barrier 0
// CHECK-NEXT: rocdl.s.setprio 1
// CHECK-NEXT: tt.dot %[[A1]], %[[B1]], %[[D0]]
// CHECK-NEXT: rocdl.s.setprio 0
// CHECK-NEXT: ttg.barrier local
// CHECK-NEXT: rocdl.sched.barrier 0
// CHECK-NEXT: scf.yield
// CHECK: amdg.cond_barrier %[[LOW]]
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
#mma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [4, 2], instrShape = [32, 32, 8], isTransposed = true}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
#shared = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 16, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @two_clusters(%p: tensor<256x64x!tt.ptr<f16>, #blocked>, %q: tensor<64x128x!tt.ptr<f16>, #blocked>, %init: tensor<256x128xf32, #mma>, %n: i32) -> tensor<256x128xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %as = ttg.local_alloc : () -> !ttg.memdesc<1x256x64xf16, #shared, #smem, mutable>
    %bs = ttg.local_alloc : () -> !ttg.memdesc<1x64x128xf16, #shared, #smem, mutable>
    %a0 = ttg.memdesc_index %as[%c0] : !ttg.memdesc<1x256x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<256x64xf16, #shared, #smem, mutable>
    %b0 = ttg.memdesc_index %bs[%c0] : !ttg.memdesc<1x64x128xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x128xf16, #shared, #smem, mutable>
    %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init, %av = %a0, %bv = %b0) -> (tensor<256x128xf32, #mma>, !ttg.memdesc<256x64xf16, #shared, #smem, mutable>, !ttg.memdesc<64x128xf16, #shared, #smem, mutable>)  : i32 {
      %x = tt.load %p : tensor<256x64x!tt.ptr<f16>, #blocked>
      %a = ttg.local_load %av : !ttg.memdesc<256x64xf16, #shared, #smem, mutable> -> tensor<256x64xf16, #a>
      %y = tt.load %q : tensor<64x128x!tt.ptr<f16>, #blocked>
      %b = ttg.local_load %bv : !ttg.memdesc<64x128xf16, #shared, #smem, mutable> -> tensor<64x128xf16, #b>
      %d = tt.dot %a, %b, %acc : tensor<256x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<256x128xf32, #mma>
      %an = ttg.memdesc_index %as[%c0] : !ttg.memdesc<1x256x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<256x64xf16, #shared, #smem, mutable>
      ttg.local_store %x, %an : tensor<256x64xf16, #blocked> -> !ttg.memdesc<256x64xf16, #shared, #smem, mutable>
      %bn = ttg.memdesc_index %bs[%c0] : !ttg.memdesc<1x64x128xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x128xf16, #shared, #smem, mutable>
      ttg.local_store %y, %bn : tensor<64x128xf16, #blocked> -> !ttg.memdesc<64x128xf16, #shared, #smem, mutable>
      scf.yield %d, %an, %bn : tensor<256x128xf32, #mma>, !ttg.memdesc<256x64xf16, #shared, #smem, mutable>, !ttg.memdesc<64x128xf16, #shared, #smem, mutable>
    }
    tt.return %r#0 : tensor<256x128xf32, #mma>
  }
}
