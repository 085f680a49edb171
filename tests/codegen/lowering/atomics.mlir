// RUN: %lower %s | filecheck %s

// Each element by its owner; a scalar by the first thread, and its result is broadcast.
// CHECK-LABEL: define {{.*}} @add_and_cas(
// CHECK: %[[ICMP1:\w+]] = icmp eq i32 %[[P_OFFSETS:\w+]], 0
// CHECK: %[[BITCAST1:\w+]] = bitcast float %[[X:\w+]] to i32
// CHECK-NEXT: %[[ASM1:\w+]] = call i32 asm sideeffect "@$4 atom.global.gpu.acq_rel.add.f32 $0, [$2], $3;", "=r,0,l,r,b,~{memory}"(i32 0, ptr addrspace(1) %[[P:\w+]], i32 %[[BITCAST1]], i1 %[[M:\w+]])
// CHECK-NEXT: %[[BITCAST2:\w+]] = bitcast i32 %[[ASM1]] to float
// CHECK-NEXT: %[[ASM2:\w+]] = call i32 asm sideeffect "@$5 atom.global.acquire.sys.cas.b32 $0, [$2], $3, $4;", "=r,0,l,r,r,b,~{memory}"(i32 0, ptr addrspace(1) %arg0, i32 %arg1, i32 %arg1, i1 %[[ICMP1]])
// CHECK-NEXT: %[[S:\w+]] = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %[[ASM2]], i32 0, i32 31)
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @add_and_cas(%q: !tt.ptr<i32>, %c: i32, %p_base: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %m_size: i32, %x_ptr: !tt.ptr<f32>) {
    %p_offsets = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #b>
    %p_bases = tt.splat %p_base : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #b>
    %p = tt.addptr %p_bases, %p_offsets : tensor<32x!tt.ptr<f32>, #b>, tensor<32xi32, #b>
    %m_offsets = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #b>
    %m_sizes = tt.splat %m_size : i32 -> tensor<32xi32, #b>
    %m = arith.cmpi slt, %m_offsets, %m_sizes : tensor<32xi32, #b>
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #b>
    %x = tt.load %x_ptrs : tensor<32x!tt.ptr<f32>, #b>
    %r = tt.atomic_rmw fadd, acq_rel, gpu, %p, %x, %m : (tensor<32x!tt.ptr<f32>, #b>, tensor<32xf32, #b>, tensor<32xi1, #b>) -> tensor<32xf32, #b>
    %s = tt.atomic_cas acquire, sys, %q, %c, %c : (!tt.ptr<i32>, i32, i32) -> i32
    %t = arith.addi %s, %s : i32
    tt.return
  }
}

// -----

// AMD's atomics are LLVM's atomicrmw, in a branch of the masked lanes.
// CHECK-LABEL: define {{.*}} @amd(
// CHECK: br i1 %[[M:\w+]], label %update.1, label %after.2
// CHECK-NEXT: update.1:
// CHECK-NEXT: %[[ATOMICRMW1:\w+]] = atomicrmw max ptr addrspace(1) %[[P:\w+]], i32 %[[X:\w+]] syncscope("agent") monotonic, align 4
// CHECK-NEXT: br label %after.2
// CHECK-NEXT: after.2:
// CHECK-NEXT: %[[PHI1:\w+]] = phi i32 [ 0, %body ], [ %[[ATOMICRMW1]], %update.1 ]
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @amd(%p_base: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %m_size: i32, %x_ptr: !tt.ptr<i32>) {
    %p_offsets = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #b>
    %p_bases = tt.splat %p_base : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #b>
    %p = tt.addptr %p_bases, %p_offsets : tensor<64x!tt.ptr<i32>, #b>, tensor<64xi32, #b>
    %m_offsets = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #b>
    %m_sizes = tt.splat %m_size : i32 -> tensor<64xi32, #b>
    %m = arith.cmpi slt, %m_offsets, %m_sizes : tensor<64xi32, #b>
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #b>
    %x = tt.load %x_ptrs : tensor<64x!tt.ptr<i32>, #b>
    %r = tt.atomic_rmw max, relaxed, gpu, %p, %x, %m : (tensor<64x!tt.ptr<i32>, #b>, tensor<64xi32, #b>, tensor<64xi1, #b>) -> tensor<64xi32, #b>
    tt.return
  }
}

// -----

// Two contiguous halves are one packed atomic.
// CHECK-LABEL: define {{.*}} @packed(
// CHECK: %[[VEC1:\w+]] = insertelement <2 x half> poison, half %[[X0:\w+]], i32 0
// CHECK-NEXT: %[[VEC2:\w+]] = insertelement <2 x half> %[[VEC1]], half %[[X1:\w+]], i32 1
// CHECK-NEXT: %[[BITCAST1:\w+]] = bitcast <2 x half> %[[VEC2]] to i32
// CHECK-NEXT: %[[ASM1:\w+]] = call i32 asm sideeffect "atom.global.gpu.relaxed.add.noftz.f16x2 $0, [$1], $2;", "=r,l,r,~{memory}"(ptr addrspace(1) %[[P0:\w+]], i32 %[[BITCAST1]])
// CHECK-NEXT: %[[BITCAST2:\w+]] = bitcast i32 %[[ASM1]] to <2 x half>
// CHECK-NEXT: %[[ELT1:\w+]] = extractelement <2 x half> %[[BITCAST2]], i32 0
// CHECK-NEXT: %[[ELT2:\w+]] = extractelement <2 x half> %[[BITCAST2]], i32 1
#b = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @packed(%p_base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %x_ptr: !tt.ptr<f16>) {
    %p_offsets = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #b>
    %p_bases = tt.splat %p_base : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>, #b>
    %p = tt.addptr %p_bases, %p_offsets : tensor<64x!tt.ptr<f16>, #b>, tensor<64xi32, #b>
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>, #b>
    %x = tt.load %x_ptrs : tensor<64x!tt.ptr<f16>, #b>
    %r = tt.atomic_rmw fadd, relaxed, gpu, %p, %x : (tensor<64x!tt.ptr<f16>, #b>, tensor<64xf16, #b>) -> tensor<64xf16, #b>
    tt.return
  }
}
