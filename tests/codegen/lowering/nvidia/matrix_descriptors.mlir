// RUN: %lower %s | filecheck %s

// The descriptor has the address in units of 16 bytes, strides and the swizzle mode. Tiles along k
// are constants that are added. The second warp group starts 64 rows later.
// CHECK-LABEL: define {{.*}} @two_warp_groups(
// CHECK: %[[PTRTOINT1:\w+]] = ptrtoint ptr addrspace(3) %[[B0:\w+]] to i32
// CHECK-NEXT: %[[LSHR1:\w+]] = lshr i32 %[[PTRTOINT1]], 4
// CHECK-NEXT: %[[AND1:\w+]] = and i32 %[[LSHR1]], 16383
// CHECK: %[[FIELDS1:\w+]] = or i64 %[[IN1:\w+]], 4611686022722420736
// CHECK-NEXT: %[[OR1:\w+]] = call i64 asm "", "=l,0"(i64 %[[FIELDS1]])
// CHECK: %[[PTRTOINT2:\w+]] = ptrtoint ptr addrspace(3) %[[A0:\w+]] to i32
// CHECK: %[[LSHR2:\w+]] = lshr i32 %[[IN2:\w+]], 4
// CHECK-NEXT: %[[AND2:\w+]] = and i32 %[[LSHR2]], 16383
// CHECK: %[[FIELDS2:\w+]] = or i64 %[[IN3:\w+]], 4611686293305360384
// CHECK-NEXT: %[[OR2:\w+]] = call i64 asm "", "=l,0"(i64 %[[FIELDS2]])
// CHECK: %[[ADD1:\w+]] = add i64 %[[OR1]], 2
// CHECK-NEXT: %[[ADD2:\w+]] = add i64 %[[OR2]], 2
// CHECK-NEXT: %[[ADD3:\w+]] = add i64 %[[OR1]], 4
// CHECK-NEXT: %[[ADD4:\w+]] = add i64 %[[OR2]], 4
// CHECK-NEXT: %[[ADD5:\w+]] = add i64 %[[OR1]], 6
// CHECK-NEXT: %[[ADD6:\w+]] = add i64 %[[OR2]], 6
// CHECK-NEXT: %[[ASM1:\w+]] = call { float, float, float, float } asm sideeffect "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, $4, $5, 0, 1, 1, 0, 0;", "=f,=f,=f,=f,l,l,0,1,2,3"(i64 %[[OR2]], i64 %[[OR1]], float poison, float poison, float poison, float poison) convergent
// CHECK: %[[ASM2:\w+]] = call { float, float, float, float } asm sideeffect "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, $4, $5, 1, 1, 1, 0, 0;", "=f,=f,=f,=f,l,l,0,1,2,3"(i64 %[[ADD2]], i64 %[[ADD1]], float %[[IN4:\w+]], float %[[IN5:\w+]], float %[[IN6:\w+]], float %[[IN7:\w+]]) convergent
// CHECK: %[[ASM3:\w+]] = call { float, float, float, float } asm sideeffect "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, $4, $5, 1, 1, 1, 0, 0;", "=f,=f,=f,=f,l,l,0,1,2,3"(i64 %[[ADD4]], i64 %[[ADD3]], float %[[IN8:\w+]], float %[[IN9:\w+]], float %[[IN10:\w+]], float %[[IN11:\w+]]) convergent
// CHECK: %[[ASM4:\w+]] = call { float, float, float, float } asm sideeffect "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, $4, $5, 1, 1, 1, 0, 0;", "=f,=f,=f,=f,l,l,0,1,2,3"(i64 %[[ADD6]], i64 %[[ADD5]], float %[[IN12:\w+]], float %[[IN13:\w+]], float %[[IN14:\w+]], float %[[IN15:\w+]]) convergent
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 8, 16]}>
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#t = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @two_warp_groups(%i: i32) {
    %buffers = ttg.local_alloc : () -> !ttg.memdesc<2x128x64xf16, #s, #smem, mutable>
    %a = ttg.memdesc_index %buffers[%i] : !ttg.memdesc<2x128x64xf16, #s, #smem, mutable> -> !ttg.memdesc<128x64xf16, #s, #smem, mutable>
    %b = ttg.local_alloc : () -> !ttg.memdesc<64x8xf16, #t, #smem, mutable>
    %zero = arith.constant dense<0.0> : tensor<128x8xf32, #mma>
    %d = ttng.warp_group_dot %a, %b, %zero {isAsync = true} : !ttg.memdesc<128x64xf16, #s, #smem, mutable> * !ttg.memdesc<64x8xf16, #t, #smem, mutable> -> tensor<128x8xf32, #mma>
    tt.return
  }
}

// -----

// k is not contiguous in either operand: the strides change roles, and the instruction transposes.
// CHECK-LABEL: define {{.*}} @transposed(
// CHECK: %[[FIELDS1:\w+]] = or i64 %[[IN1:\w+]], 4611686293305360384
// CHECK-NEXT: %[[OR1:\w+]] = call i64 asm "", "=l,0"(i64 %[[FIELDS1]])
// CHECK: %[[FIELDS2:\w+]] = or i64 %[[IN2:\w+]], 4611686293305360384
// CHECK-NEXT: %[[OR2:\w+]] = call i64 asm "", "=l,0"(i64 %[[FIELDS2]])
// CHECK: %[[ADD1:\w+]] = add i64 %[[OR1]], 128
// CHECK-NEXT: %[[ADD2:\w+]] = add i64 %[[OR2]], 128
// CHECK-NEXT: %[[ASM1:\w+]] = call { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } asm sideeffect "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {$0, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31}, $32, $33, 0, 1, 1, 1, 1;", "=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,l,l,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31"(i64 %[[OR2]], i64 %[[OR1]], float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison) convergent
// CHECK: %[[ASM2:\w+]] = call { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } asm sideeffect "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {$0, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31}, $32, $33, 1, 1, 1, 1, 1;", "=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,l,l,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31"(i64 %[[ADD2]], i64 %[[ADD1]], float %[[IN3:\w+]], float %[[IN4:\w+]], float %[[IN5:\w+]], float %[[IN6:\w+]], float %[[IN7:\w+]], float %[[IN8:\w+]], float %[[IN9:\w+]], float %[[IN10:\w+]], float %[[IN11:\w+]], float %[[IN12:\w+]], float %[[IN13:\w+]], float %[[IN14:\w+]], float %[[IN15:\w+]], float %[[IN16:\w+]], float %[[IN17:\w+]], float %[[IN18:\w+]], float %[[IN19:\w+]], float %[[IN20:\w+]], float %[[IN21:\w+]], float %[[IN22:\w+]], float %[[IN23:\w+]], float %[[IN24:\w+]], float %[[IN25:\w+]], float %[[IN26:\w+]], float %[[IN27:\w+]], float %[[IN28:\w+]], float %[[IN29:\w+]], float %[[IN30:\w+]], float %[[IN31:\w+]], float %[[IN32:\w+]], float %[[IN33:\w+]], float %[[IN34:\w+]]) convergent
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#t = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @transposed() {
    %a = ttg.local_alloc : () -> !ttg.memdesc<64x32xf16, #s, #smem, mutable>
    %b = ttg.local_alloc : () -> !ttg.memdesc<32x64xf16, #t, #smem, mutable>
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %d = ttng.warp_group_dot %a, %b, %zero {isAsync = true} : !ttg.memdesc<64x32xf16, #s, #smem, mutable> * !ttg.memdesc<32x64xf16, #t, #smem, mutable> -> tensor<64x64xf32, #mma>
    tt.return
  }
}
