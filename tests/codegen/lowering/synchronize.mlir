// RUN: %lower %s | filecheck %s

// A barrier of the CTA.
// CHECK-LABEL: define {{.*}} @cta(
// CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @cta() {
    ttg.barrier local
    tt.return
  }
}

// -----

// AMD's barriers wait for LDS, and for global memory where that is ordered, too.
// CHECK-LABEL: define {{.*}} @amd(
// CHECK: fence syncscope("wavefront") release
// CHECK-NEXT: call void @llvm.amdgcn.s.waitcnt(i32 49279) memory(inaccessiblemem: readwrite)
// CHECK-NEXT: call void @llvm.amdgcn.s.barrier()
// CHECK-NEXT: fence syncscope("workgroup") release
// CHECK-NEXT: call void @llvm.amdgcn.s.barrier()
// CHECK-NEXT: fence syncscope("workgroup") acquire
// CHECK-NEXT: br i1 %arg0, label %wait.1, label %after.2
// CHECK-NEXT: wait.1:
// CHECK-NEXT: call void @llvm.amdgcn.s.barrier()
// CHECK-NEXT: br label %after.2
// CHECK-NEXT: after.2:
// CHECK-NEXT: call void @llvm.amdgcn.s.waitcnt(i32 3954)
// CHECK-NEXT: call void @llvm.amdgcn.s.waitcnt(i32 49279)
// CHECK-NEXT: call void @llvm.amdgcn.sched.barrier(i32 0)
// CHECK: call void @llvm.amdgcn.sched.barrier(i32 0)
// CHECK-NEXT: call void @llvm.amdgcn.iglp.opt(i32 2)
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @amd(%c: i1) {
    ttg.barrier local
    ttg.barrier local|global_read|global_write
    amdg.cond_barrier %c
    amdg.memory_counter_wait load(2) ds(0)
    rocdl.sched.barrier 0
    rocdl.s.barrier
    amdg.instruction_sched_hint {variant = #amdg.SchedHintVariant<attention>}
    tt.return
  }
}

// -----

// The first wave of each workgroup signals, all waves wait.
// CHECK-LABEL: define {{.*}} @cluster(
// CHECK: %[[ICMP1:\w+]] = icmp ult i32 %[[IN1:\w+]], 1
// CHECK: br i1 %[[ICMP1]], label %signal.1, label %after.2
// CHECK-NEXT: signal.1:
// CHECK-NEXT: call void @llvm.amdgcn.s.barrier.signal(i32 -3)
// CHECK-NEXT: br label %after.2
// CHECK-NEXT: after.2:
// CHECK-NEXT: call void @llvm.amdgcn.s.barrier.wait(i16 -3)
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @cluster() {
    amdg.cluster_barrier_arrive
    amdg.cluster_barrier_wait
    tt.return
  }
}

// -----

// In a loop, the strategy and the second barrier stand at the end of the block.
// CHECK-LABEL: define {{.*}} @hint_in_loop(
// CHECK: body.{{[0-9]+}}:
// CHECK-NEXT: call void @llvm.amdgcn.sched.barrier(i32 0)
// CHECK: store
// CHECK: call void @llvm.amdgcn.iglp.opt(i32 2)
// CHECK-NEXT: call void @llvm.amdgcn.sched.barrier(i32 0)
// CHECK-NEXT: br label
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @hint_in_loop(%n: i32, %q: !tt.ptr<i32>) {
    %x = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>>
    %s = tt.splat %q : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>>
    %p = tt.addptr %s, %x : tensor<256x!tt.ptr<i32>, #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>>, tensor<256xi32, #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1  : i32 {
      amdg.instruction_sched_hint {variant = #amdg.SchedHintVariant<attention>}
      tt.store %p, %x : tensor<256x!tt.ptr<i32>, #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>>
    }
    tt.return
  }
}
