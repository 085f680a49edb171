// RUN: %lower %s | filecheck %s

// A relaxed arrival orders no memory accesses.
// CHECK-LABEL: define {{.*}} @arrive_and_wait(
// CHECK: call void @llvm.nvvm.barrier.cluster.arrive.relaxed.aligned()
// CHECK-NEXT: call void @llvm.nvvm.barrier.cluster.wait.aligned()
// CHECK-NEXT: call void @llvm.nvvm.barrier.cluster.arrive.aligned()
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @arrive_and_wait() {
    ttng.cluster_arrive {relaxed = true}
    ttng.cluster_wait
    ttng.cluster_arrive {relaxed = false}
    ttng.cluster_wait
    tt.return
  }
}
