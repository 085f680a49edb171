// RUN: %lower %s | filecheck %s

// A CTA pair computes 256 rows: only the first CTA starts the instruction, with cta_group::2, and
// its commit arrives at both mbarriers.
// CHECK-LABEL: define {{.*}} @pair(
// CHECK: %[[ICMP1:\w+]] = icmp eq i32 %[[IN1:\w+]], 0
// CHECK: %[[AND1:\w+]] = and i1 %[[IN2:\w+]], %[[ICMP1]]
// CHECK-NEXT: br i1 %[[AND1]], label %multiply.1, label %after.2
// CHECK-NEXT: multiply.1:
// CHECK-NEXT: %[[ELECT1:\w+]] = call { i32, i1 } @llvm.nvvm.elect.sync(i32 -1)
// CHECK-NEXT: %[[PART1:\w+]] = extractvalue { i32, i1 } %[[ELECT1]], 1
// CHECK-NEXT: %[[PTRTOINT1:\w+]] = ptrtoint ptr addrspace(3) @shared to i32
// CHECK-NEXT: %[[LSHR1:\w+]] = lshr i32 %[[PTRTOINT1]], 4
// CHECK-NEXT: %[[AND2:\w+]] = and i32 %[[LSHR1]], 16383
// CHECK-NEXT: %[[ZEXT1:\w+]] = zext i32 %[[AND2]] to i64
// CHECK-NEXT: %[[OR1:\w+]] = or i64 %[[ZEXT1]], 4611756662049538048
// CHECK-NEXT: %[[PTRTOINT2:\w+]] = ptrtoint ptr addrspace(3) %[[B0:\w+]] to i32
// CHECK-NEXT: %[[LSHR2:\w+]] = lshr i32 %[[PTRTOINT2]], 4
// CHECK-NEXT: %[[AND3:\w+]] = and i32 %[[LSHR2]], 16383
// CHECK-NEXT: %[[ZEXT2:\w+]] = zext i32 %[[AND3]] to i64
// CHECK-NEXT: %[[OR2:\w+]] = or i64 %[[ZEXT2]], 4611756662049538048
// CHECK-NEXT: call void asm sideeffect "@$0 tcgen05.mma.cta_group::2.kind::f16 [$1], $2, $3, $4, $5;", "b,r,l,l,r,b,~{memory}"(i1 %[[PART1]], i32 %[[D:\w+]], i64 %[[OR1]], i64 %[[OR2]], i32 270598160, i1 %arg0)
// CHECK-NEXT: %[[ADD1:\w+]] = add i64 %[[OR1]], 2
// CHECK-NEXT: %[[ADD2:\w+]] = add i64 %[[OR2]], 128
// CHECK-NEXT: call void asm sideeffect "@$0 tcgen05.mma.cta_group::2.kind::f16 [$1], $2, $3, $4, $5;", "b,r,l,l,r,b,~{memory}"(i1 %[[PART1]], i32 %[[D]], i64 %[[ADD1]], i64 %[[ADD2]], i32 270598160, i1 true)
// CHECK-NEXT: %[[ADD3:\w+]] = add i64 %[[OR1]], 4
// CHECK-NEXT: %[[ADD4:\w+]] = add i64 %[[OR2]], 256
// CHECK-NEXT: call void asm sideeffect "@$0 tcgen05.mma.cta_group::2.kind::f16 [$1], $2, $3, $4, $5;", "b,r,l,l,r,b,~{memory}"(i1 %[[PART1]], i32 %[[D]], i64 %[[ADD3]], i64 %[[ADD4]], i32 270598160, i1 true)
// CHECK-NEXT: %[[ADD5:\w+]] = add i64 %[[OR1]], 6
// CHECK-NEXT: %[[ADD6:\w+]] = add i64 %[[OR2]], 384
// CHECK-NEXT: call void asm sideeffect "@$0 tcgen05.mma.cta_group::2.kind::f16 [$1], $2, $3, $4, $5;", "b,r,l,l,r,b,~{memory}"(i1 %[[PART1]], i32 %[[D]], i64 %[[ADD5]], i64 %[[ADD6]], i32 270598160, i1 true)
// CHECK-NEXT: call void asm sideeffect "@$0 tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [$1], $2;", "b,r,h,~{memory}"(i1 %[[PART1]], ptr addrspace(3) %[[M0:\w+]], i16 3)
// CHECK-NEXT: br label %after.2
// CHECK-NEXT: after.2:
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[1, 0]]}>
#r = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[0, 1]]}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[1]]}>
#smem = #ttg.shared_memory
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1, CTASplitM = 2, twoCTAs = true>
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @pair(%p: i1) {
    %true = arith.constant true
    %d = ttng.tmem_alloc : () -> !ttg.memdesc<256x128xf32, #t, #ttng.tensor_memory, mutable>
    %a = ttg.local_alloc : () -> !ttg.memdesc<256x64xf16, #s, #smem, mutable>
    %b = ttg.local_alloc : () -> !ttg.memdesc<64x128xf16, #r, #smem, mutable>
    %m = ttg.local_alloc : () -> !ttg.memdesc<2xi64, #bar, #smem, mutable>
    ttng.tc_gen5_mma %a, %b, %d, %p, %true, %m[%true] {is_async, multicast, two_ctas} : !ttg.memdesc<256x64xf16, #s, #smem, mutable>, !ttg.memdesc<64x128xf16, #r, #smem, mutable>, !ttg.memdesc<256x128xf32, #t, #ttng.tensor_memory, mutable>, !ttg.memdesc<2xi64, #bar, #smem, mutable>
    tt.return
  }
}
