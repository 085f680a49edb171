// RUN: %lower %s | filecheck %s

// One warp: the lanes read the result of the first lane by a shuffle.
// CHECK-LABEL: define {{.*}} @scalar(
// CHECK: %[[ICMP1:\w+]] = icmp eq i32 %[[IN1:\w+]], 0
// CHECK: %[[ASM1:\w+]] = call i32 asm sideeffect "@$4 atom.global.gpu.relaxed.add.u32 $0, [$2], $3;", "=r,0,l,r,b,~{memory}"(i32 0, ptr addrspace(1) %arg0, i32 %arg1, i1 %[[ICMP1]])
// CHECK-NEXT: %[[S:\w+]] = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %[[ASM1]], i32 0, i32 31)
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @scalar(%q: !tt.ptr<i32>, %c: i32) {
    %s = tt.atomic_rmw add, relaxed, gpu, %q, %c : (!tt.ptr<i32>, i32) -> i32
    tt.store %q, %s : !tt.ptr<i32>
    tt.return
  }
}

// -----

// Four warps hold the same 32 elements: the owner stores each old value to shared memory, and all
// warps load it after a barrier.
// CHECK-LABEL: define {{.*}} @replicas(
// CHECK: %[[ICMP1:\w+]] = icmp eq i32 %[[IN1:\w+]], 0
// CHECK: %[[ASM1:\w+]] = call i32 asm sideeffect "@$4 atom.global.gpu.relaxed.add.u32 $0, [$2], $3;", "=r,0,l,r,b,~{memory}"(i32 0, ptr addrspace(1) %[[P:\w+]], i32 %[[X:\w+]], i1 %[[ICMP1]])
// CHECK-NEXT: %[[PTR1:\w+]] = getelementptr i32, ptr addrspace(3) @shared, i32 %[[P_OFFSETS:\w+]]
// CHECK-NEXT: br i1 %[[ICMP1]], label %share.1, label %after.2
// CHECK-NEXT: share.1:
// CHECK-NEXT: store i32 %[[ASM1]], ptr addrspace(3) %[[PTR1]]
// CHECK-NEXT: br label %after.2
// CHECK-NEXT: after.2:
// CHECK-NEXT: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
// CHECK-NEXT: %[[S:\w+]] = load i32, ptr addrspace(3) %[[PTR1]]
#b = #ttg.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[0], [0]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @replicas(%p_base: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %x_ptr: !tt.ptr<i32>) {
    %p_offsets = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #b>
    %p_bases = tt.splat %p_base : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>, #b>
    %p = tt.addptr %p_bases, %p_offsets : tensor<32x!tt.ptr<i32>, #b>, tensor<32xi32, #b>
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>, #b>
    %x = tt.load %x_ptrs : tensor<32x!tt.ptr<i32>, #b>
    %s = tt.atomic_rmw add, relaxed, gpu, %p, %x : (tensor<32x!tt.ptr<i32>, #b>, tensor<32xi32, #b>) -> tensor<32xi32, #b>
    tt.store %p, %s : tensor<32x!tt.ptr<i32>, #b>
    tt.return
  }
}

// -----

// A result without users is not broadcast.
// CHECK-LABEL: define {{.*}} @unused(
// CHECK: %[[ICMP1:\w+]] = icmp eq i32 %[[IN1:\w+]], 0
// CHECK: %[[ASM1:\w+]] = call i32 asm sideeffect "@$4 atom.global.gpu.relaxed.add.u32 $0, [$2], $3;", "=r,0,l,r,b,~{memory}"(i32 0, ptr addrspace(1) %arg0, i32 %arg1, i1 %[[ICMP1]])
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @unused(%q: !tt.ptr<i32>, %c: i32) {
    %s = tt.atomic_rmw add, relaxed, gpu, %q, %c : (!tt.ptr<i32>, i32) -> i32
    tt.return
  }
}

// -----

// Two CTAs: the second one loads from the shared memory of the first.
// CHECK-LABEL: define {{.*}} @cluster(
// CHECK: %[[OR1:\w+]] = or i32 %[[IN1:\w+]], %[[IN2:\w+]]
// CHECK-NEXT: %[[ICMP1:\w+]] = icmp eq i32 %[[OR1]], 0
// CHECK-NEXT: %[[MAPA1:\w+]] = call ptr addrspace(7) @llvm.nvvm.mapa.shared.cluster(ptr addrspace(3) @shared, i32 0)
// CHECK: %[[ASM1:\w+]] = call i32 asm sideeffect "@$4 atom.global.gpu.relaxed.add.u32 $0, [$2], $3;", "=r,0,l,r,b,~{memory}"(i32 0, ptr addrspace(1) %arg0, i32 %arg1, i1 %[[ICMP1]])
// CHECK-NEXT: %[[PTR1:\w+]] = getelementptr i32, ptr addrspace(3) @shared, i32 0
// CHECK-NEXT: br i1 %[[ICMP1]], label %share.1, label %after.2
// CHECK-NEXT: share.1:
// CHECK-NEXT: store i32 %[[ASM1]], ptr addrspace(3) %[[PTR1]]
// CHECK-NEXT: br label %after.2
// CHECK-NEXT: after.2:
// CHECK-NEXT: call void @llvm.nvvm.barrier.cluster.arrive.aligned()
// CHECK-NEXT: call void @llvm.nvvm.barrier.cluster.wait.aligned()
// CHECK-NEXT: %[[PTR2:\w+]] = getelementptr i32, ptr addrspace(7) %[[MAPA1]], i32 0
// CHECK-NEXT: %[[S:\w+]] = load i32, ptr addrspace(7) %[[PTR2]]
// CHECK-NEXT: call void @llvm.nvvm.barrier.cluster.arrive.aligned()
// CHECK-NEXT: call void @llvm.nvvm.barrier.cluster.wait.aligned()
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @cluster(%q: !tt.ptr<i32>, %c: i32) {
    %s = tt.atomic_rmw add, relaxed, gpu, %q, %c : (!tt.ptr<i32>, i32) -> i32
    tt.store %q, %s : !tt.ptr<i32>
    tt.return
  }
}
