// RUN: %lower %s | filecheck %s

// Two boxes of 64 columns, each started by an elected thread of warps 0 and 1. Coordinates are
// listed from the fastest dimension.
// CHECK-LABEL: define {{.*}} @load(
// CHECK: %[[SHL1:\w+]] = shl nuw nsw i32 %[[IN1:\w+]], 13
// CHECK-NEXT: %[[AND1:\w+]] = and i32 %[[SHL1]], 8192
// CHECK-NEXT: %[[SHL2:\w+]] = shl nuw nsw i32 %[[IN1]], 6
// CHECK-NEXT: %[[AND2:\w+]] = and i32 %[[SHL2]], 64
// CHECK-NEXT: %[[ICMP1:\w+]] = icmp ult i32 %[[IN1]], 2
// CHECK: %[[ELECT1:\w+]] = call { i32, i1 } @llvm.nvvm.elect.sync(i32 -1)
// CHECK-NEXT: %[[PART1:\w+]] = extractvalue { i32, i1 } %[[ELECT1]], 1
// CHECK-NEXT: %[[AND3:\w+]] = and i1 %[[ICMP1]], %arg3
// CHECK-NEXT: %[[AND4:\w+]] = and i1 %[[AND3]], %[[PART1]]
// CHECK-NEXT: %[[ADD1:\w+]] = add i32 %arg2, %[[AND2]]
// CHECK-NEXT: %[[PTR1:\w+]] = getelementptr i8, ptr addrspace(3) @shared, i32 %[[AND1]]
// CHECK-NEXT: call void asm sideeffect "@$0 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [$1], [$2, {$3, $4}], [$5];", "b,r,l,r,r,r,~{memory}"(i1 %[[AND4]], ptr addrspace(3) %[[PTR1]], ptr %arg0, i32 %[[ADD1]], i32 %arg1, ptr addrspace(3) %[[B0:\w+]])
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @load(%d: !tt.tensordesc<tensor<64x128xf16, #s>>, %i: i32, %j: i32, %p: i1) {
    %m = ttg.local_alloc : () -> !ttg.memdesc<64x128xf16, #s, #smem, mutable>
    %b = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
    ttng.async_tma_copy_global_to_local %d[%i, %j] %m, %b, %p : !tt.tensordesc<tensor<64x128xf16, #s>>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<64x128xf16, #s, #smem, mutable>
    tt.return
  }
}

// -----

// Stores and reductions are a bulk group. One warp starts both boxes.
// CHECK-LABEL: define {{.*}} @store_and_reduce(
// CHECK: %[[ELECT1:\w+]] = call { i32, i1 } @llvm.nvvm.elect.sync(i32 -1)
// CHECK-NEXT: %[[PART1:\w+]] = extractvalue { i32, i1 } %[[ELECT1]], 1
// CHECK-NEXT: call void asm sideeffect "@$0 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [$1, {$2, $3}], [$4];", "b,l,r,r,r,~{memory}"(i1 %[[PART1]], ptr %arg0, i32 %arg2, i32 %arg1, ptr addrspace(3) @shared)
// CHECK-NEXT: %[[ADD1:\w+]] = add i32 %arg2, 64
// CHECK-NEXT: %[[PTR1:\w+]] = getelementptr i8, ptr addrspace(3) @shared, i32 8192
// CHECK-NEXT: call void asm sideeffect "@$0 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [$1, {$2, $3}], [$4];", "b,l,r,r,r,~{memory}"(i1 %[[PART1]], ptr %arg0, i32 %[[ADD1]], i32 %arg1, ptr addrspace(3) %[[PTR1]])
// CHECK-NEXT: call void asm sideeffect "cp.async.bulk.commit_group;", "~{memory}"()
// CHECK-NEXT: %[[ELECT2:\w+]] = call { i32, i1 } @llvm.nvvm.elect.sync(i32 -1)
// CHECK-NEXT: %[[PART2:\w+]] = extractvalue { i32, i1 } %[[ELECT2]], 1
// CHECK-NEXT: call void asm sideeffect "@$0 cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [$1, {$2, $3}], [$4];", "b,l,r,r,r,~{memory}"(i1 %[[PART2]], ptr %arg0, i32 %arg2, i32 %arg1, ptr addrspace(3) @shared)
// CHECK-NEXT: call void asm sideeffect "@$0 cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [$1, {$2, $3}], [$4];", "b,l,r,r,r,~{memory}"(i1 %[[PART2]], ptr %arg0, i32 %[[ADD1]], i32 %arg1, ptr addrspace(3) %[[PTR1]])
// CHECK-NEXT: call void asm sideeffect "cp.async.bulk.commit_group;", "~{memory}"()
// CHECK-NEXT: call void asm sideeffect "cp.async.bulk.wait_group.read 1;", "~{memory}"()
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @store_and_reduce(%d: !tt.tensordesc<tensor<64x128xf16, #s>>, %i: i32, %j: i32) {
    %m = ttg.local_alloc : () -> !ttg.memdesc<64x128xf16, #s, #smem, mutable>
    ttng.async_tma_copy_local_to_global %d[%i, %j] %m : !tt.tensordesc<tensor<64x128xf16, #s>>, !ttg.memdesc<64x128xf16, #s, #smem, mutable>
    ttng.async_tma_reduce add, %d[%i, %j] %m : !tt.tensordesc<tensor<64x128xf16, #s>>, !ttg.memdesc<64x128xf16, #s, #smem, mutable>
    ttng.async_tma_store_wait {pendings = 1 : i32}
    tt.return
  }
}

// -----

// Both CTAs hold the whole tile: the first one copies it to both, and arrives at both mbarriers.
// CHECK-LABEL: define {{.*}} @multicast(
// CHECK: %[[ICMP1:\w+]] = icmp eq i32 %[[IN1:\w+]], 0
// CHECK: %[[AND1:\w+]] = and i1 %arg3, %[[ICMP1]]
// CHECK-NEXT: %[[ELECT1:\w+]] = call { i32, i1 } @llvm.nvvm.elect.sync(i32 -1)
// CHECK-NEXT: %[[PART1:\w+]] = extractvalue { i32, i1 } %[[ELECT1]], 1
// CHECK-NEXT: %[[AND2:\w+]] = and i1 %[[AND1]], %[[PART1]]
// CHECK-NEXT: call void asm sideeffect "@$0 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [$1], [$2, {$3, $4}], [$5], $6;", "b,r,l,r,r,r,h,~{memory}"(i1 %[[AND2]], ptr addrspace(3) @shared, ptr %arg0, i32 %arg2, i32 %arg1, ptr addrspace(3) %[[B0:\w+]], i16 3)
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[0, 0]]}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[1]]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @multicast(%d: !tt.tensordesc<tensor<64x64xf16, #s>>, %i: i32, %j: i32, %p: i1) {
    %m = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #s, #smem, mutable>
    %b = ttg.local_alloc : () -> !ttg.memdesc<2xi64, #bar, #smem, mutable>
    ttng.async_tma_copy_global_to_local %d[%i, %j] %m, %b, %p {multicast} : !tt.tensordesc<tensor<64x64xf16, #s>>, !ttg.memdesc<2xi64, #bar, #smem, mutable> -> !ttg.memdesc<64x64xf16, #s, #smem, mutable>
    tt.return
  }
}

// -----

// Gathers and scatters move four rows each, by their indices.
// CHECK-LABEL: define {{.*}} @rows(
// CHECK: %[[ELECT1:\w+]] = call { i32, i1 } @llvm.nvvm.elect.sync(i32 -1)
// CHECK-NEXT: %[[PART1:\w+]] = extractvalue { i32, i1 } %[[ELECT1]], 1
// CHECK-NEXT: %[[AND1:\w+]] = and i1 %arg2, %[[PART1]]
// CHECK-NEXT: call void asm sideeffect "@$0 cp.async.bulk.tensor.2d.tile::gather4.shared::cta.global.mbarrier::complete_tx::bytes [$1], [$2, {$3, $4, $5, $6, $7}], [$8];", "b,r,l,r,r,r,r,r,r,~{memory}"(i1 %[[AND1]], ptr addrspace(3) @shared, ptr %arg0, i32 %arg1, i32 %[[R0:\w+]], i32 %[[R1:\w+]], i32 %[[R2:\w+]], i32 %[[R3:\w+]], ptr addrspace(3) %[[BAR0:\w+]])
// CHECK-NEXT: %[[PTR1:\w+]] = getelementptr i8, ptr addrspace(3) @shared, i32 512
// CHECK-NEXT: call void asm sideeffect "@$0 cp.async.bulk.tensor.2d.tile::gather4.shared::cta.global.mbarrier::complete_tx::bytes [$1], [$2, {$3, $4, $5, $6, $7}], [$8];", "b,r,l,r,r,r,r,r,r,~{memory}"(i1 %[[AND1]], ptr addrspace(3) %[[PTR1]], ptr %arg0, i32 %arg1, i32 %[[R4:\w+]], i32 %[[R5:\w+]], i32 %[[R6:\w+]], i32 %[[R7:\w+]], ptr addrspace(3) %[[BAR0]])
// CHECK-NEXT: %[[ELECT2:\w+]] = call { i32, i1 } @llvm.nvvm.elect.sync(i32 -1)
// CHECK-NEXT: %[[PART2:\w+]] = extractvalue { i32, i1 } %[[ELECT2]], 1
// CHECK-NEXT: call void asm sideeffect "@$0 cp.async.bulk.tensor.2d.tile::scatter4.global.shared::cta.bulk_group [$1, {$2, $3, $4, $5, $6}], [$7];", "b,l,r,r,r,r,r,r,~{memory}"(i1 %[[PART2]], ptr %arg0, i32 %arg1, i32 %[[R0]], i32 %[[R1]], i32 %[[R2]], i32 %[[R3]], ptr addrspace(3) @shared)
// CHECK-NEXT: call void asm sideeffect "@$0 cp.async.bulk.tensor.2d.tile::scatter4.global.shared::cta.bulk_group [$1, {$2, $3, $4, $5, $6}], [$7];", "b,l,r,r,r,r,r,r,~{memory}"(i1 %[[PART2]], ptr %arg0, i32 %arg1, i32 %[[R4]], i32 %[[R5]], i32 %[[R6]], i32 %[[R7]], ptr addrspace(3) %[[PTR1]])
// CHECK-NEXT: call void asm sideeffect "cp.async.bulk.commit_group;", "~{memory}"()
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [32, 1], warpsPerCTA = [1, 1], order = [1, 0]}>
#i = #ttg.slice<{dim = 0, parent = #b}>
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @rows(%d: !tt.tensordesc<tensor<1x64xf16, #s>>, %j: i32, %p: i1, %r_ptr: !tt.ptr<i32>) {
    %r_ptrs = tt.splat %r_ptr : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>, #i>
    %r = tt.load %r_ptrs : tensor<8x!tt.ptr<i32>, #i>
    %m = ttg.local_alloc : () -> !ttg.memdesc<8x64xf16, #s, #smem, mutable>
    %bar = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
    ttng.async_tma_gather %d[%r, %j] %m, %bar, %p : !tt.tensordesc<tensor<1x64xf16, #s>>, tensor<8xi32, #i>, i32, !ttg.memdesc<1xi64, #bar, #smem, mutable>, !ttg.memdesc<8x64xf16, #s, #smem, mutable>, i1
    ttng.async_tma_scatter %d[%r, %j] %m : !tt.tensordesc<tensor<1x64xf16, #s>>, tensor<8xi32, #i>, i32, !ttg.memdesc<8x64xf16, #s, #smem, mutable>
    tt.return
  }
}
