// RUN: %lower %s | filecheck %s

// A tile of f32 is copied in rows of 32 bytes; the descriptors of A are matrix descriptors.
// CHECK-LABEL: define {{.*}} @tile(
// CHECK: %[[PTRTOINT1:\w+]] = ptrtoint ptr addrspace(3) @shared to i32
// CHECK-NEXT: %[[LSHR1:\w+]] = lshr i32 %[[PTRTOINT1]], 4
// CHECK-NEXT: %[[AND1:\w+]] = and i32 %[[LSHR1]], 16383
// CHECK-NEXT: %[[ZEXT1:\w+]] = zext i32 %[[AND1]] to i64
// CHECK-NEXT: %[[OR1:\w+]] = or i64 %[[ZEXT1]], 4611756662049538048
// CHECK-NEXT: %[[ELECT1:\w+]] = call { i32, i1 } @llvm.nvvm.elect.sync(i32 -1)
// CHECK-NEXT: %[[PART1:\w+]] = extractvalue { i32, i1 } %[[ELECT1]], 1
// CHECK-NEXT: %[[AND2:\w+]] = and i1 %[[IN1:\w+]], %[[PART1]]
// CHECK-NEXT: call void asm sideeffect "@$0 tcgen05.cp.cta_group::1.128x256b [$1], $2;", "b,r,l,~{memory}"(i1 %[[AND2]], i32 %[[D:\w+]], i64 %[[OR1]])
// CHECK-NEXT: %[[ADD1:\w+]] = add i32 %[[D]], 8
// CHECK-NEXT: %[[ADD2:\w+]] = add i64 %[[OR1]], 2
// CHECK-NEXT: call void asm sideeffect "@$0 tcgen05.cp.cta_group::1.128x256b [$1], $2;", "b,r,l,~{memory}"(i1 %[[AND2]], i32 %[[ADD1]], i64 %[[ADD2]])
// CHECK-NEXT: %[[ADD3:\w+]] = add i32 %[[D]], 16
// CHECK-NEXT: %[[ADD4:\w+]] = add i64 %[[OR1]], 4
// CHECK-NEXT: call void asm sideeffect "@$0 tcgen05.cp.cta_group::1.128x256b [$1], $2;", "b,r,l,~{memory}"(i1 %[[AND2]], i32 %[[ADD3]], i64 %[[ADD4]])
// CHECK-NEXT: %[[ADD5:\w+]] = add i32 %[[D]], 24
// CHECK-NEXT: %[[ADD6:\w+]] = add i64 %[[OR1]], 6
// CHECK-NEXT: call void asm sideeffect "@$0 tcgen05.cp.cta_group::1.128x256b [$1], $2;", "b,r,l,~{memory}"(i1 %[[AND2]], i32 %[[ADD5]], i64 %[[ADD6]])
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#smem = #ttg.shared_memory
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 32, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @tile() {
    %d = ttng.tmem_alloc : () -> !ttg.memdesc<128x32xf32, #t, #ttng.tensor_memory, mutable>
    %a = ttg.local_alloc : () -> !ttg.memdesc<128x32xf32, #s, #smem, mutable>
    ttng.tmem_copy %a, %d : !ttg.memdesc<128x32xf32, #s, #smem, mutable>, !ttg.memdesc<128x32xf32, #t, #ttng.tensor_memory, mutable>
    tt.return
  }
}
