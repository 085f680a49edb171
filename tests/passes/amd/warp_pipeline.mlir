// RUN: weft opt %s -p tritonamdgpu-warp-pipeline --split-input-file | filecheck %s

// Two borders make three clusters; the second one is empty. Values that later clusters use are
// yielded.
// CHECK-LABEL: @three
// CHECK: scf.for
// CHECK-NEXT: %[[A:.*]] = scf.execute_region -> i32 no_inline {
// CHECK-NEXT: %[[X:.*]] = tt.load
// CHECK-NEXT: %[[Y:.*]] = arith.addi %[[X]], %[[X]]
// CHECK-NEXT: scf.yield %[[Y]]
// CHECK-NEXT: } {triton.warp_pipeline.priority = 1 : i32, triton.warp_pipeline.stage = "load"}
// CHECK-NEXT: scf.execute_region no_inline {
// CHECK-NEXT: rocdl.sched.barrier 0 {triton.warp_pipeline.empty_cluster}
// CHECK-NEXT: scf.yield
// CHECK-NEXT: } {triton.warp_pipeline.stage = "bubble"}
// CHECK-NEXT: ttg.barrier local
// CHECK-NEXT: scf.execute_region no_inline {
// CHECK-NEXT: tt.store %arg0, %[[A]]
// CHECK-NEXT: scf.yield
// CHECK-NEXT: } {triton.warp_pipeline.stage = "last_cluster"}
// CHECK-NEXT: } {triton.warp_pipeline.pipelined_for}
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @three(%p: !tt.ptr<i32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1  : i32 {
      %x = tt.load %p : !tt.ptr<i32>
      %y = arith.addi %x, %x : i32
      rocdl.sched.barrier 0 {triton.warp_pipeline.border = "load", triton.warp_pipeline.priority = 1 : i32}
      rocdl.sched.barrier 0 {triton.warp_pipeline.border = "bubble"}
      ttg.barrier local
      tt.store %p, %y : !tt.ptr<i32>
    }
    tt.return
  }
}

// -----

// A barrier inside of a cluster: the loop is not pipelined.
// CHECK-LABEL: @barrier_inside
// CHECK-NOT: scf.execute_region
// CHECK-NOT: pipelined_for
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @barrier_inside(%p: !tt.ptr<i32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1  : i32 {
      %x = tt.load %p : !tt.ptr<i32>
      ttg.barrier local
      rocdl.sched.barrier 0 {triton.warp_pipeline.border = "load"}
      tt.store %p, %x : !tt.ptr<i32>
    }
    tt.return
  }
}
