// RUN: %lower %s | filecheck %s

// Clear a counter per thread, barrier, one atomic increment per element in range, barrier, load.
// CHECK-LABEL: define {{.*}} @warp(
// CHECK: %[[PTR1:\w+]] = getelementptr i32, ptr addrspace(3) @shared, i32 %[[IN1:\w+]]
// CHECK-NEXT: store i32 0, ptr addrspace(3) %[[PTR1]], align 4
// CHECK-NEXT: call void @llvm.nvvm.bar.warp.sync(i32 -1)
// CHECK-NEXT: %[[ICMP1:\w+]] = icmp ult i32 %[[X:\w+]], 32
// CHECK-NEXT: %[[PTR2:\w+]] = getelementptr i32, ptr addrspace(3) @shared, i32 %[[X]]
// CHECK-NEXT: %[[ASM1:\w+]] = call i32 asm sideeffect "@$2 atom.relaxed.cta.shared.add.u32 $0, [$1], 1;", "=r,r,b,~{memory}"(ptr addrspace(3) %[[PTR2]], i1 %[[ICMP1]])
// CHECK-NEXT: call void @llvm.nvvm.bar.warp.sync(i32 -1)
// CHECK-NEXT: %[[H:\w+]] = load i32, ptr addrspace(3) %[[PTR1]], align 4
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#c = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @warp(%x_ptr: !tt.ptr<i32>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>, #b>
    %x = tt.load %x_ptrs : tensor<32x!tt.ptr<i32>, #b>
    %h = tt.histogram %x : tensor<32xi32, #b> -> tensor<32xi32, #c>
    tt.return
  }
}

// -----

// Masked elements are not counted; the upper lanes hold replicas of the 16 bins.
// CHECK-LABEL: define {{.*}} @masked(
// CHECK: %[[AND1:\w+]] = and i32 %[[M_OFFSETS:\w+]], 15
// CHECK: %[[ICMP1:\w+]] = icmp ult i32 %[[M_OFFSETS]], 16
// CHECK-NEXT: br i1 %[[ICMP1]], label %clear.1, label %after.2
// CHECK-NEXT: clear.1:
// CHECK-NEXT: %[[PTR1:\w+]] = getelementptr i32, ptr addrspace(3) null, i32 %[[M_OFFSETS]]
// CHECK-NEXT: store i32 0, ptr addrspace(3) %[[PTR1]], align 4
// CHECK-NEXT: br label %after.2
// CHECK-NEXT: after.2:
// CHECK-NEXT: fence syncscope("wavefront") release
// CHECK-NEXT: call void @llvm.amdgcn.s.waitcnt(i32 49279) memory(inaccessiblemem: readwrite)
// CHECK-NEXT: call void @llvm.amdgcn.s.barrier()
// CHECK-NEXT: %[[ICMP2:\w+]] = icmp ult i32 %[[X:\w+]], 16
// CHECK-NEXT: %[[AND2:\w+]] = and i1 %[[ICMP2]], %[[M:\w+]]
// CHECK-NEXT: %[[PTR2:\w+]] = getelementptr i32, ptr addrspace(3) null, i32 %[[X]]
// CHECK-NEXT: br i1 %[[AND2]], label %count.3, label %after.4
// CHECK-NEXT: count.3:
// CHECK-NEXT: %[[ATOMICRMW1:\w+]] = atomicrmw add ptr addrspace(3) %[[PTR2]], i32 1 syncscope("workgroup") monotonic, align 4
// CHECK-NEXT: br label %after.4
// CHECK-NEXT: after.4:
// CHECK-NEXT: fence syncscope("wavefront") release
// CHECK-NEXT: call void @llvm.amdgcn.s.waitcnt(i32 49279) memory(inaccessiblemem: readwrite)
// CHECK-NEXT: call void @llvm.amdgcn.s.barrier()
// CHECK-NEXT: %[[PTR3:\w+]] = getelementptr i32, ptr addrspace(3) null, i32 %[[AND1]]
// CHECK-NEXT: %[[H:\w+]] = load i32, ptr addrspace(3) %[[PTR3]], align 4
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @masked(%x_ptr: !tt.ptr<i32>, %m_size: i32) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #b>
    %x = tt.load %x_ptrs : tensor<64x!tt.ptr<i32>, #b>
    %m_offsets = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #b>
    %m_sizes = tt.splat %m_size : i32 -> tensor<64xi32, #b>
    %m = arith.cmpi slt, %m_offsets, %m_sizes : tensor<64xi32, #b>
    %h = tt.histogram %x, %m : tensor<64xi32, #b> -> tensor<16xi32, #b>
    tt.return
  }
}

// -----

// Each CTA counts its elements; all threads add the counters of both, between cluster barriers.
// CHECK-LABEL: define {{.*}} @cluster(
// CHECK: %[[MAPA1:\w+]] = call ptr addrspace(7) @llvm.nvvm.mapa.shared.cluster(ptr addrspace(3) @shared, i32 0)
// CHECK-NEXT: %[[MAPA2:\w+]] = call ptr addrspace(7) @llvm.nvvm.mapa.shared.cluster(ptr addrspace(3) @shared, i32 1)
// CHECK: %[[PTR1:\w+]] = getelementptr i32, ptr addrspace(3) @shared, i32 %[[IN1:\w+]]
// CHECK-NEXT: store i32 0, ptr addrspace(3) %[[PTR1]], align 4
// CHECK-NEXT: call void @llvm.nvvm.bar.warp.sync(i32 -1)
// CHECK-NEXT: %[[ICMP1:\w+]] = icmp ult i32 %[[X:\w+]], 32
// CHECK-NEXT: %[[PTR2:\w+]] = getelementptr i32, ptr addrspace(3) @shared, i32 %[[X]]
// CHECK-NEXT: %[[ASM1:\w+]] = call i32 asm sideeffect "@$2 atom.relaxed.cta.shared.add.u32 $0, [$1], 1;", "=r,r,b,~{memory}"(ptr addrspace(3) %[[PTR2]], i1 %[[ICMP1]])
// CHECK-NEXT: call void @llvm.nvvm.barrier.cluster.arrive.aligned()
// CHECK-NEXT: call void @llvm.nvvm.barrier.cluster.wait.aligned()
// CHECK-NEXT: %[[PTR3:\w+]] = getelementptr i32, ptr addrspace(7) %[[MAPA1]], i32 %[[IN1]]
// CHECK-NEXT: %[[LOAD1:\w+]] = load i32, ptr addrspace(7) %[[PTR3]], align 4
// CHECK-NEXT: %[[ADD1:\w+]] = add i32 0, %[[LOAD1]]
// CHECK-NEXT: %[[PTR4:\w+]] = getelementptr i32, ptr addrspace(7) %[[MAPA2]], i32 %[[IN1]]
// CHECK-NEXT: %[[LOAD2:\w+]] = load i32, ptr addrspace(7) %[[PTR4]], align 4
// CHECK-NEXT: %[[H:\w+]] = add i32 %[[ADD1]], %[[LOAD2]]
// CHECK-NEXT: call void @llvm.nvvm.barrier.cluster.arrive.aligned()
// CHECK-NEXT: call void @llvm.nvvm.barrier.cluster.wait.aligned()
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0], CGALayout = [[1]]}>
#c = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0], CGALayout = [[0]]}>
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @cluster(%x_ptr: !tt.ptr<i32>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #b>
    %x = tt.load %x_ptrs : tensor<64x!tt.ptr<i32>, #b>
    %h = tt.histogram %x : tensor<64xi32, #b> -> tensor<32xi32, #c>
    tt.return
  }
}
