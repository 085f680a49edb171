// RUN: %lower %s | filecheck %s

// Two steps of k = 16, started by one elected thread; the second one always accumulates. The
// instruction descriptor is a constant. The commit arrives at the mbarrier.
// CHECK-LABEL: define {{.*}} @f16(
// CHECK: %[[AND1:\w+]] = and i1 %[[IN1:\w+]], %arg1
// CHECK-NEXT: br i1 %[[AND1]], label %multiply.1, label %after.2
// CHECK-NEXT: multiply.1:
// CHECK-NEXT: %[[ELECT1:\w+]] = call { i32, i1 } @llvm.nvvm.elect.sync(i32 -1)
// CHECK-NEXT: %[[PART1:\w+]] = extractvalue { i32, i1 } %[[ELECT1]], 1
// CHECK-NEXT: %[[PTRTOINT1:\w+]] = ptrtoint ptr addrspace(3) @shared to i32
// CHECK-NEXT: %[[LSHR1:\w+]] = lshr i32 %[[PTRTOINT1]], 4
// CHECK-NEXT: %[[AND2:\w+]] = and i32 %[[LSHR1]], 16383
// CHECK-NEXT: %[[ZEXT1:\w+]] = zext i32 %[[AND2]] to i64
// CHECK-NEXT: %[[OR1:\w+]] = or i64 %[[ZEXT1]], -9223301530671579136
// CHECK-NEXT: %[[PTRTOINT2:\w+]] = ptrtoint ptr addrspace(3) %[[B0:\w+]] to i32
// CHECK-NEXT: %[[LSHR2:\w+]] = lshr i32 %[[PTRTOINT2]], 4
// CHECK-NEXT: %[[AND3:\w+]] = and i32 %[[LSHR2]], 16383
// CHECK-NEXT: %[[ZEXT2:\w+]] = zext i32 %[[AND3]] to i64
// CHECK-NEXT: %[[OR2:\w+]] = or i64 %[[ZEXT2]], -9223301530671579136
// CHECK-NEXT: call void asm sideeffect "@$0 tcgen05.mma.cta_group::1.kind::f16 [$1], $2, $3, $4, $5;", "b,r,l,l,r,b,~{memory}"(i1 %[[PART1]], i32 %[[D:\w+]], i64 %[[OR1]], i64 %[[OR2]], i32 134807568, i1 %arg0)
// CHECK-NEXT: %[[ADD1:\w+]] = add i64 %[[OR1]], 2
// CHECK-NEXT: %[[ADD2:\w+]] = add i64 %[[OR2]], 64
// CHECK-NEXT: call void asm sideeffect "@$0 tcgen05.mma.cta_group::1.kind::f16 [$1], $2, $3, $4, $5;", "b,r,l,l,r,b,~{memory}"(i1 %[[PART1]], i32 %[[D]], i64 %[[ADD1]], i64 %[[ADD2]], i32 134807568, i1 true)
// CHECK-NEXT: %[[AND4:\w+]] = and i1 %[[PART1]], %arg1
// CHECK-NEXT: call void asm sideeffect "@$0 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [$1];", "b,r,~{memory}"(i1 %[[AND4]], ptr addrspace(3) %[[M0:\w+]])
// CHECK-NEXT: br label %after.2
// CHECK-NEXT: after.2:
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 32, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f16(%use: i1, %p: i1) {
    %d = ttng.tmem_alloc : () -> !ttg.memdesc<128x32xf32, #t, #ttng.tensor_memory, mutable>
    %a = ttg.local_alloc : () -> !ttg.memdesc<128x32xf16, #s, #smem, mutable>
    %b = ttg.local_alloc : () -> !ttg.memdesc<32x32xf16, #s, #smem, mutable>
    %m = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
    ttng.tc_gen5_mma %a, %b, %d, %use, %p, %m[%p] {is_async} : !ttg.memdesc<128x32xf16, #s, #smem, mutable>, !ttg.memdesc<32x32xf16, #s, #smem, mutable>, !ttg.memdesc<128x32xf32, #t, #ttng.tensor_memory, mutable>, !ttg.memdesc<1xi64, #bar, #smem, mutable>
    tt.return
  }
}

// -----

// Scales are in tensor memory; each step selects its scales by the instruction descriptor.
// CHECK-LABEL: define {{.*}} @scaled(
// CHECK: br i1 %[[IN1:\w+]], label %multiply.1, label %after.2
// CHECK-NEXT: multiply.1:
// CHECK-NEXT: %[[ELECT1:\w+]] = call { i32, i1 } @llvm.nvvm.elect.sync(i32 -1)
// CHECK-NEXT: %[[PART1:\w+]] = extractvalue { i32, i1 } %[[ELECT1]], 1
// CHECK-NEXT: %[[PTRTOINT1:\w+]] = ptrtoint ptr addrspace(3) @shared to i32
// CHECK-NEXT: %[[LSHR1:\w+]] = lshr i32 %[[PTRTOINT1]], 4
// CHECK-NEXT: %[[AND1:\w+]] = and i32 %[[LSHR1]], 16383
// CHECK-NEXT: %[[ZEXT1:\w+]] = zext i32 %[[AND1]] to i64
// CHECK-NEXT: %[[OR1:\w+]] = or i64 %[[ZEXT1]], -9223301530671579136
// CHECK-NEXT: %[[PTRTOINT2:\w+]] = ptrtoint ptr addrspace(3) %[[B0:\w+]] to i32
// CHECK-NEXT: %[[LSHR2:\w+]] = lshr i32 %[[PTRTOINT2]], 4
// CHECK-NEXT: %[[AND2:\w+]] = and i32 %[[LSHR2]], 16383
// CHECK-NEXT: %[[ZEXT2:\w+]] = zext i32 %[[AND2]] to i64
// CHECK-NEXT: %[[OR2:\w+]] = or i64 %[[ZEXT2]], -9223301530671579136
// CHECK-NEXT: call void asm sideeffect "@$0 tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X [$1], $2, $3, $4, [$5], [$6], $7;", "b,r,l,l,r,r,r,b,~{memory}"(i1 %[[PART1]], i32 %[[D:\w+]], i64 %[[OR1]], i64 %[[OR2]], i32 144703488, i32 %[[X:\w+]], i32 %[[Y:\w+]], i1 true)
// CHECK-NEXT: %[[ADD1:\w+]] = add i64 %[[OR1]], 2
// CHECK-NEXT: %[[ADD2:\w+]] = add i64 %[[OR2]], 2
// CHECK-NEXT: call void asm sideeffect "@$0 tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X [$1], $2, $3, $4, [$5], [$6], $7;", "b,r,l,l,r,r,r,b,~{memory}"(i1 %[[PART1]], i32 %[[D]], i64 %[[ADD1]], i64 %[[ADD2]], i32 681574416, i32 %[[X]], i32 %[[Y]], i1 true)
// CHECK-NEXT: call void asm sideeffect "@$0 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [$1];", "b,r,~{memory}"(i1 %[[PART1]], ptr addrspace(3) %[[M0:\w+]])
// CHECK-NEXT: br label %after.2
// CHECK-NEXT: after.2:
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#r = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
#sc = #ttng.tensor_memory_scales_encoding<>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @scaled(%p: i1) {
    %true = arith.constant true
    %d = ttng.tmem_alloc : () -> !ttg.memdesc<128x128xf32, #t, #ttng.tensor_memory, mutable>
    %a = ttg.local_alloc : () -> !ttg.memdesc<128x64xf8E4M3FN, #s, #smem, mutable>
    %b = ttg.local_alloc : () -> !ttg.memdesc<64x128xf8E4M3FN, #r, #smem, mutable>
    %x = ttng.tmem_alloc : () -> !ttg.memdesc<128x2xi8, #sc, #ttng.tensor_memory, mutable>
    %y = ttng.tmem_alloc : () -> !ttg.memdesc<128x2xi8, #sc, #ttng.tensor_memory, mutable>
    %m = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
    ttng.tc_gen5_mma_scaled %a, %b, %d, %x, %y, %true, %true lhs = e4m3 rhs = e4m3, %m[%true] {is_async} : !ttg.memdesc<128x64xf8E4M3FN, #s, #smem, mutable>, !ttg.memdesc<64x128xf8E4M3FN, #r, #smem, mutable>, !ttg.memdesc<128x128xf32, #t, #ttng.tensor_memory, mutable>, !ttg.memdesc<128x2xi8, #sc, #ttng.tensor_memory, mutable>, !ttg.memdesc<128x2xi8, #sc, #ttng.tensor_memory, mutable>, !ttg.memdesc<1xi64, #bar, #smem, mutable>
    tt.return
  }
}
