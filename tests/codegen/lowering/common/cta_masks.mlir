// RUN: %lower %s | filecheck %s

// CTAs 0 and 2 hold the same rows, and so do 1 and 3: the mask is 0b0101 shifted by bit 0 of the
// rank, and the tile of CTAs 1 and 3 starts 64 rows later.
// CHECK-LABEL: define {{.*}} @every_second_cta(
// CHECK: %[[AND1:\w+]] = and i32 %[[IN1:\w+]], 2
// CHECK-NEXT: %[[ICMP1:\w+]] = icmp eq i32 %[[AND1]], 0
// CHECK-NEXT: %[[AND2:\w+]] = and i32 %[[IN1]], 1
// CHECK-NEXT: %[[SHL1:\w+]] = shl nuw nsw i32 %[[IN1]], 6
// CHECK-NEXT: %[[AND3:\w+]] = and i32 %[[SHL1]], 64
// CHECK: %[[AND4:\w+]] = and i1 %arg3, %[[ICMP1]]
// CHECK-NEXT: %[[SHL2:\w+]] = shl i32 5, %[[AND2]]
// CHECK-NEXT: %[[TRUNC1:\w+]] = trunc i32 %[[SHL2]] to i16
// CHECK-NEXT: %[[ELECT1:\w+]] = call { i32, i1 } @llvm.nvvm.elect.sync(i32 -1)
// CHECK-NEXT: %[[PART1:\w+]] = extractvalue { i32, i1 } %[[ELECT1]], 1
// CHECK-NEXT: %[[AND5:\w+]] = and i1 %[[AND4]], %[[PART1]]
// CHECK-NEXT: %[[ADD1:\w+]] = add i32 %arg1, %[[AND3]]
// CHECK-NEXT: call void asm sideeffect "@$0 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [$1], [$2, {$3, $4}], [$5], $6;", "b,r,l,r,r,r,h,~{memory}"(i1 %[[AND5]], ptr addrspace(3) @shared, ptr %arg0, i32 %arg2, i32 %[[ADD1]], ptr addrspace(3) %[[B0:\w+]], i16 %[[TRUNC1]])
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[1, 0], [0, 0]]}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[1], [2]]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 4 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @every_second_cta(%d: !tt.tensordesc<tensor<128x64xf16, #s>>, %i: i32, %j: i32, %p: i1) {
    %m = ttg.local_alloc : () -> !ttg.memdesc<128x64xf16, #s, #smem, mutable>
    %b = ttg.local_alloc : () -> !ttg.memdesc<4xi64, #bar, #smem, mutable>
    ttng.async_tma_copy_global_to_local %d[%i, %j] %m, %b, %p {multicast} : !tt.tensordesc<tensor<128x64xf16, #s>>, !ttg.memdesc<4xi64, #bar, #smem, mutable> -> !ttg.memdesc<128x64xf16, #s, #smem, mutable>
    tt.return
  }
}
