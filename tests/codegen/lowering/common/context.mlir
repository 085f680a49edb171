// RUN: %lower %s | filecheck %s

// A barrier precedes the load: other warps stored what it reads.
// CHECK-LABEL: define {{.*}} @barrier_before_hazard(
// CHECK: %[[OR1:\w+]] = or disjoint i32
// CHECK: %[[OR2:\w+]] = or disjoint i32
// CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
// CHECK-NEXT: %[[PTR1:\w+]] = getelementptr i8, ptr addrspace(3) @shared, i32 %[[OR2]]
// CHECK-NEXT: %[[LOAD1:\w+]] = load i32, ptr addrspace(3) %[[PTR1]], align 4
// CHECK-NEXT: %[[Y:\w+]] = bitcast i32 %[[LOAD1]] to float
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#t = #ttg.linear<{register = [], lane = [[4], [8], [16], [32], [64]], warp = [[1], [2]], block = []}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @barrier_before_hazard(%x_ptr: !tt.ptr<f32>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #b>
    %x = tt.load %x_ptrs : tensor<128x!tt.ptr<f32>, #b>
    %m = ttg.local_alloc %x : (tensor<128xf32, #b>) -> !ttg.memdesc<128xf32, #s, #smem, mutable>
    %y = ttg.local_load %m : !ttg.memdesc<128xf32, #s, #smem, mutable> -> tensor<128xf32, #t>
    tt.return
  }
}

// -----

// A fence of the async proxy follows the barrier: the threads' stores are visible to TMA.
// CHECK-LABEL: define {{.*}} @stores_before_tma(
// CHECK: %[[ICMP1:\w+]] = icmp ult i32 %[[IN1:\w+]], 1
// CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
// CHECK-NEXT: %[[ELECT1:\w+]] = call { i32, i1 } @llvm.nvvm.elect.sync(i32 -1)
// CHECK-NEXT: %[[PART1:\w+]] = extractvalue { i32, i1 } %[[ELECT1]], 1
// CHECK-NEXT: %[[AND1:\w+]] = and i1 %[[ICMP1]], %[[PART1]]
// CHECK-NEXT: call void asm sideeffect "@$0 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [$1, {$2, $3}], [$4];", "b,l,r,r,r,~{memory}"(i1 %[[AND1]], ptr %arg0, i32 %arg1, i32 %arg1, ptr addrspace(3) @shared)
// CHECK-NEXT: call void asm sideeffect "cp.async.bulk.commit_group;", "~{memory}"()
#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @stores_before_tma(%d: !tt.tensordesc<tensor<16x64xf16, #s>>, %i: i32, %x_ptr: !tt.ptr<f16>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f16> -> tensor<16x64x!tt.ptr<f16>, #b>
    %x = tt.load %x_ptrs : tensor<16x64x!tt.ptr<f16>, #b>
    %m = ttg.local_alloc %x : (tensor<16x64xf16, #b>) -> !ttg.memdesc<16x64xf16, #s, #smem, mutable>
    ttng.fence_async_shared {bCluster = false}
    ttng.async_tma_copy_local_to_global %d[%i, %i] %m : !tt.tensordesc<tensor<16x64xf16, #s>>, !ttg.memdesc<16x64xf16, #s, #smem, mutable>
    tt.return
  }
}
