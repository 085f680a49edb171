// RUN: %lower %s | filecheck %s

// One elected thread of warp 0 commits.
// CHECK-LABEL: define {{.*}} @own_mbarrier(
// CHECK: %[[ICMP1:\w+]] = icmp ult i32 %[[IN1:\w+]], 1
// CHECK: %[[ELECT1:\w+]] = call { i32, i1 } @llvm.nvvm.elect.sync(i32 -1)
// CHECK-NEXT: %[[PART1:\w+]] = extractvalue { i32, i1 } %[[ELECT1]], 1
// CHECK-NEXT: %[[AND1:\w+]] = and i1 %[[ICMP1]], %arg0
// CHECK-NEXT: %[[AND2:\w+]] = and i1 %[[AND1]], %[[PART1]]
// CHECK-NEXT: call void asm sideeffect "@$0 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [$1];", "b,r,~{memory}"(i1 %[[AND2]], ptr addrspace(3) @shared)
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @own_mbarrier(%p: i1) {
    %m = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
    ttng.tc_gen5_commit %m, %p : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    tt.return
  }
}

// -----

// An operand that both CTAs hold was multicast, so the commit arrives at the mbarriers of both.
// CHECK-LABEL: define {{.*}} @multicast(
// CHECK: %[[ICMP1:\w+]] = icmp ult i32 %[[IN1:\w+]], 1
// CHECK: %[[ELECT1:\w+]] = call { i32, i1 } @llvm.nvvm.elect.sync(i32 -1)
// CHECK-NEXT: %[[PART1:\w+]] = extractvalue { i32, i1 } %[[ELECT1]], 1
// CHECK-NEXT: %[[AND1:\w+]] = and i1 %[[ICMP1]], %[[PART1]]
// CHECK-NEXT: call void asm sideeffect "@$0 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [$1], $2;", "b,r,h,~{memory}"(i1 %[[AND1]], ptr addrspace(3) %[[M0:\w+]], i16 3)
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[0, 0]]}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[1]]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @multicast() {
    %m = ttg.local_alloc : () -> !ttg.memdesc<2xi64, #bar, #smem, mutable>
    %a = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #s, #smem, mutable>
    ttng.tc_gen5_commit %m descs %a : !ttg.memdesc<2xi64, #bar, #smem, mutable>, !ttg.memdesc<64x64xf16, #s, #smem, mutable>
    tt.return
  }
}
