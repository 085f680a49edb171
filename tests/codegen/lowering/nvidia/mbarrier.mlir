// RUN: %lower %s | filecheck %s

// One thread initializes, expects bytes and arrives; all threads wait, in a loop of try_wait.
// CHECK-LABEL: define {{.*}} @phases(
// CHECK: %[[OR1:\w+]] = or i32 %[[IN1:\w+]], %[[IN2:\w+]]
// CHECK-NEXT: %[[ICMP1:\w+]] = icmp eq i32 %[[OR1]], 0
// CHECK: call void asm sideeffect "@$0 mbarrier.init.shared::cta.b64 [$1], 1;", "b,r,~{memory}"(i1 %[[ICMP1]], ptr addrspace(3) @shared)
// CHECK-NEXT: call void @llvm.nvvm.bar.warp.sync(i32 -1)
// CHECK-NEXT: %[[AND1:\w+]] = and i1 %[[ICMP1]], %arg1
// CHECK-NEXT: call void asm sideeffect "@$0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [$1], 4096;", "b,r,~{memory}"(i1 %[[AND1]], ptr addrspace(3) @shared)
// CHECK-NEXT: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
// CHECK-NEXT: call void asm sideeffect "@$0 mbarrier.arrive.shared::cta.b64 _, [$1], 2;", "b,r,~{memory}"(i1 %[[AND1]], ptr addrspace(3) @shared)
// CHECK-NEXT: call void asm sideeffect "{ .reg .pred done; @!$2 bra.uni over; again: mbarrier.try_wait.parity.shared::cta.b64 done, [$0], $1; @!done bra.uni again; over: }", "r,r,b,~{memory}"(ptr addrspace(3) @shared, i32 %arg0, i1 %arg1)
// CHECK-NEXT: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
// CHECK-NEXT: call void asm sideeffect "@$0 mbarrier.inval.shared::cta.b64 [$1];", "b,r,~{memory}"(i1 %[[ICMP1]], ptr addrspace(3) @shared)
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @phases(%phase: i32, %p: i1) {
    %m = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #s, #smem, mutable>
    %true = arith.constant true
    ttng.init_barrier %m, 1 : !ttg.memdesc<1xi64, #s, #smem, mutable>
    ttng.barrier_expect %m, 4096, %p : !ttg.memdesc<1xi64, #s, #smem, mutable>
    ttng.arrive_barrier %m, 2, %p : !ttg.memdesc<1xi64, #s, #smem, mutable>
    ttng.wait_barrier %m, %phase, %p : !ttg.memdesc<1xi64, #s, #smem, mutable>
    ttng.inval_barrier %m : !ttg.memdesc<1xi64, #s, #smem, mutable>
    tt.return
  }
}

// -----

// Copies by cp.async arrive; `noincr` keeps the expected count.
// CHECK-LABEL: define {{.*}} @copies_arrive(
// CHECK: call void asm sideeffect "fence.mbarrier_init.release.cluster;", "~{memory}"()
// CHECK-NEXT: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
// CHECK-NEXT: call void asm sideeffect "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [$0];", "r,~{memory}"(ptr addrspace(3) @shared)
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @copies_arrive() {
    %m = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #s, #smem, mutable>
    ttng.init_barrier %m, 128 : !ttg.memdesc<1xi64, #s, #smem, mutable>
    ttng.fence_mbarrier_init_release_cluster
    ttng.async_copy_mbarrier_arrive %m {noIncrement} : !ttg.memdesc<1xi64, #s, #smem, mutable>
    tt.return
  }
}

// -----

// Two CTAs share an mbarrier: CTA 0 expects the bytes of both.
// CHECK-LABEL: define {{.*}} @shared_by_ctas(
// CHECK: %[[ICMP1:\w+]] = icmp eq i32 %[[IN1:\w+]], 0
// CHECK-NEXT: %[[OR1:\w+]] = or i32 %[[IN2:\w+]], %[[IN3:\w+]]
// CHECK-NEXT: %[[ICMP2:\w+]] = icmp eq i32 %[[OR1]], 0
// CHECK: %[[AND1:\w+]] = and i1 %arg0, %[[ICMP1]]
// CHECK-NEXT: %[[AND2:\w+]] = and i1 %[[ICMP2]], %[[AND1]]
// CHECK-NEXT: call void asm sideeffect "@$0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [$1], 8192;", "b,r,~{memory}"(i1 %[[AND2]], ptr addrspace(3) @shared)
// CHECK-NEXT: %[[AND3:\w+]] = and i1 %[[ICMP2]], %arg0
// CHECK-NEXT: call void asm sideeffect "@$0 mbarrier.arrive.shared::cta.b64 _, [$1], 1;", "b,r,~{memory}"(i1 %[[AND3]], ptr addrspace(3) @shared)
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[0]]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @shared_by_ctas(%p: i1) {
    %m = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #s, #smem, mutable>
    ttng.barrier_expect %m, 4096, %p : !ttg.memdesc<1xi64, #s, #smem, mutable>
    ttng.arrive_barrier %m, 1, %p : !ttg.memdesc<1xi64, #s, #smem, mutable>
    tt.return
  }
}

// -----

// Nothing waits for the mbarrier or arrives on it: no code.
// CHECK-LABEL: define {{.*}} @unused(
// CHECK-NOT: mbarrier.init
// CHECK-NOT: mbarrier.inval
// CHECK: ret void
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @unused() {
    %m = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #s, #smem, mutable>
    ttng.init_barrier %m, 1 : !ttg.memdesc<1xi64, #s, #smem, mutable>
    ttng.inval_barrier %m : !ttg.memdesc<1xi64, #s, #smem, mutable>
    tt.return
  }
}
