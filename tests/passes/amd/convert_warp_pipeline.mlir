// RUN: weft opt %s -p 'convert-warp-pipeline{arch=gfx950}' --split-input-file | filecheck %s

// The second barrier orders the store to shared memory of the first cluster and the load of the
// third; the barrier before the first cluster ends the iteration.
// CHECK-LABEL: @ordered
// CHECK: ttg.barrier local
// CHECK: %[[T:.*]] = rocdl.workitem.id.x : i32
// CHECK: %[[G:.*]] = arith.divsi %[[T]], %c256_i32
// CHECK: %[[LOW:.*]] = arith.cmpi eq, %[[G]]
// CHECK: %[[HIGH:.*]] = arith.cmpi ne, %[[G]]
// CHECK: amdg.cond_barrier %[[HIGH]]
// CHECK-NEXT: rocdl.s.setprio 0
// CHECK-NEXT: scf.for
// CHECK-NEXT: ttg.local_store
// CHECK-NEXT: rocdl.s.setprio 1
// CHECK-NEXT: rocdl.sched.barrier 0
// CHECK-NEXT: ttg.barrier local
// CHECK-NEXT: rocdl.sched.barrier 0
// CHECK-NEXT: rocdl.sched.barrier 0 {triton.warp_pipeline.empty_cluster}
// CHECK-NEXT: rocdl.s.setprio 0
// CHECK-NEXT: rocdl.sched.barrier 0
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: rocdl.sched.barrier 0
// CHECK-NEXT: ttg.local_load
// CHECK-NEXT: tt.store
// CHECK-NEXT: rocdl.s.setprio 0
// CHECK-NEXT: rocdl.sched.barrier 0
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: rocdl.sched.barrier 0
// CHECK-NEXT: }
// CHECK-NEXT: rocdl.s.setprio 0
// CHECK-NEXT: amdg.cond_barrier %[[LOW]]
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [8], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @ordered(%p: tensor<512x!tt.ptr<i32>, #blocked>, %x: tensor<512xi32, #blocked>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %b = ttg.local_alloc : () -> !ttg.memdesc<512xi32, #shared, #smem, mutable>
    scf.for %i = %c0 to %n step %c1  : i32 {
      scf.execute_region no_inline {
        ttg.local_store %x, %b : tensor<512xi32, #blocked> -> !ttg.memdesc<512xi32, #shared, #smem, mutable>
        scf.yield
      } {triton.warp_pipeline.stage = "store"}
      scf.execute_region no_inline {
        rocdl.sched.barrier 0 {triton.warp_pipeline.empty_cluster}
        scf.yield
      } {triton.warp_pipeline.stage = "bubble", triton.warp_pipeline.priority = 1 : i32}
      scf.execute_region no_inline {
        %y = ttg.local_load %b : !ttg.memdesc<512xi32, #shared, #smem, mutable> -> tensor<512xi32, #blocked>
        tt.store %p, %y : tensor<512x!tt.ptr<i32>, #blocked>
        scf.yield
      } {triton.warp_pipeline.stage = "load"}
    } {triton.warp_pipeline.pipelined_for}
    tt.return
  }
}

// -----

// Another operation between clusters: they are inlined, without barriers.
// CHECK-LABEL: @between
// CHECK-NOT: cond_barrier
// CHECK: tt.store %arg0, %arg1
// CHECK-NEXT: tt.store %arg0, %arg1
// CHECK-NEXT: tt.store %arg0, %arg1
// CHECK-NEXT: }
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @between(%p: !tt.ptr<i32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1  : i32 {
      scf.execute_region no_inline {
        tt.store %p, %n : !tt.ptr<i32>
        scf.yield
      } {triton.warp_pipeline.stage = "one"}
      tt.store %p, %n : !tt.ptr<i32>
      scf.execute_region no_inline {
        tt.store %p, %n : !tt.ptr<i32>
        scf.yield
      } {triton.warp_pipeline.stage = "two"}
    } {triton.warp_pipeline.pipelined_for}
    tt.return
  }
}
