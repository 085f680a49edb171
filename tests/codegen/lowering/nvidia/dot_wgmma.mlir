// RUN: %lower %s | filecheck %s

// Both operands are in shared memory: two steps of k = 16, whose descriptors of A and B differ by
// constants. The accumulators are tied to the outputs, and the wait returns them.
// CHECK-LABEL: define {{.*}} @synchronous(
// CHECK: %[[PTRTOINT1:\w+]] = ptrtoint ptr addrspace(3) %[[B0:\w+]] to i32
// CHECK-NEXT: %[[LSHR1:\w+]] = lshr i32 %[[PTRTOINT1]], 4
// CHECK-NEXT: %[[AND1:\w+]] = and i32 %[[LSHR1]], 16383
// CHECK-NEXT: %[[ZEXT1:\w+]] = zext i32 %[[AND1]] to i64
// CHECK-NEXT: %[[FIELDS1:\w+]] = or i64 %[[ZEXT1]], -9223372032559742976
// CHECK-NEXT: %[[OR1:\w+]] = call i64 asm "", "=l,0"(i64 %[[FIELDS1]])
// CHECK-NEXT: %[[PTRTOINT2:\w+]] = ptrtoint ptr addrspace(3) @shared to i32
// CHECK-NEXT: %[[LSHR2:\w+]] = lshr i32 %[[PTRTOINT2]], 4
// CHECK-NEXT: %[[AND2:\w+]] = and i32 %[[LSHR2]], 16383
// CHECK-NEXT: %[[ZEXT2:\w+]] = zext i32 %[[AND2]] to i64
// CHECK-NEXT: %[[FIELDS2:\w+]] = or i64 %[[ZEXT2]], -9223371899415756800
// CHECK-NEXT: %[[OR2:\w+]] = call i64 asm "", "=l,0"(i64 %[[FIELDS2]])
// CHECK-NEXT: call void asm sideeffect "wgmma.fence.sync.aligned;", "~{memory}"() convergent
// CHECK-NEXT: %[[ADD1:\w+]] = add i64 %[[OR1]], 2
// CHECK-NEXT: %[[ADD2:\w+]] = add i64 %[[OR2]], 2
// CHECK-NEXT: %[[ASM1:\w+]] = call { float, float, float, float } asm sideeffect "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, $4, $5, 1, 1, 1, 0, 0;", "=f,=f,=f,=f,l,l,0,1,2,3"(i64 %[[OR2]], i64 %[[OR1]], float %[[C0:\w+]], float %[[C1:\w+]], float %[[C2:\w+]], float %[[C3:\w+]]) convergent
// CHECK-NEXT: %[[PART1:\w+]] = extractvalue { float, float, float, float } %[[ASM1]], 0
// CHECK-NEXT: %[[PART2:\w+]] = extractvalue { float, float, float, float } %[[ASM1]], 1
// CHECK: %[[ASM2:\w+]] = call { float, float, float, float } asm sideeffect "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, $4, $5, 1, 1, 1, 0, 0;", "=f,=f,=f,=f,l,l,0,1,2,3"(i64 %[[ADD2]], i64 %[[ADD1]], float %[[PART1]], float %[[PART2]], float %[[IN1:\w+]], float %[[IN2:\w+]]) convergent
// CHECK: call void asm sideeffect "wgmma.commit_group.sync.aligned;", "~{memory}"() convergent
// CHECK-NEXT: %[[ASM3:\w+]] = call { float, float, float, float } asm sideeffect "wgmma.wait_group.sync.aligned 0;", "=f,=f,=f,=f,0,1,2,3,~{memory}"(float %[[IN3:\w+]], float %[[IN4:\w+]], float %[[IN5:\w+]], float %[[IN6:\w+]]) convergent
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8, 16]}>
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
#t = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @synchronous(%c_ptr: !tt.ptr<f32>) {
    %a = ttg.local_alloc : () -> !ttg.memdesc<64x32xf16, #s, #smem, mutable>
    %b = ttg.local_alloc : () -> !ttg.memdesc<32x8xf16, #t, #smem, mutable>
    %c_ptrs = tt.splat %c_ptr : !tt.ptr<f32> -> tensor<64x8x!tt.ptr<f32>, #mma>
    %c = tt.load %c_ptrs : tensor<64x8x!tt.ptr<f32>, #mma>
    %d = ttng.warp_group_dot %a, %b, %c : !ttg.memdesc<64x32xf16, #s, #smem, mutable> * !ttg.memdesc<32x8xf16, #t, #smem, mutable> -> tensor<64x8xf32, #mma>
    tt.return
  }
}

// -----

// A zero accumulator is not read (the second operand of the immediates is 0). The dot is
// asynchronous, so its results pass through the wait.
// CHECK-LABEL: define {{.*}} @asynchronous_from_zero(
// CHECK: %[[PTRTOINT1:\w+]] = ptrtoint ptr addrspace(3) %[[B0:\w+]] to i32
// CHECK-NEXT: %[[LSHR1:\w+]] = lshr i32 %[[PTRTOINT1]], 4
// CHECK-NEXT: %[[AND1:\w+]] = and i32 %[[LSHR1]], 16383
// CHECK-NEXT: %[[ZEXT1:\w+]] = zext i32 %[[AND1]] to i64
// CHECK-NEXT: %[[FIELDS1:\w+]] = or i64 %[[ZEXT1]], -4611686014132355072
// CHECK-NEXT: %[[OR1:\w+]] = call i64 asm "", "=l,0"(i64 %[[FIELDS1]])
// CHECK-NEXT: %[[PTRTOINT2:\w+]] = ptrtoint ptr addrspace(3) @shared to i32
// CHECK-NEXT: %[[LSHR2:\w+]] = lshr i32 %[[PTRTOINT2]], 4
// CHECK-NEXT: %[[AND2:\w+]] = and i32 %[[LSHR2]], 16383
// CHECK-NEXT: %[[ZEXT2:\w+]] = zext i32 %[[AND2]] to i64
// CHECK-NEXT: %[[FIELDS2:\w+]] = or i64 %[[ZEXT2]], -4611685949707845632
// CHECK-NEXT: %[[OR2:\w+]] = call i64 asm "", "=l,0"(i64 %[[FIELDS2]])
// CHECK-NEXT: call void asm sideeffect "wgmma.fence.sync.aligned;", "~{memory}"() convergent
// CHECK-NEXT: %[[ASM1:\w+]] = call { float, float, float, float } asm sideeffect "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, $4, $5, 0, 1, 1, 0, 0;", "=f,=f,=f,=f,l,l,0,1,2,3"(i64 %[[OR2]], i64 %[[OR1]], float poison, float poison, float poison, float poison) convergent
// CHECK-NEXT: %[[D0:\w+]] = extractvalue { float, float, float, float } %[[ASM1]], 0
// CHECK-NEXT: %[[D1:\w+]] = extractvalue { float, float, float, float } %[[ASM1]], 1
// CHECK-NEXT: %[[D2:\w+]] = extractvalue { float, float, float, float } %[[ASM1]], 2
// CHECK-NEXT: %[[D3:\w+]] = extractvalue { float, float, float, float } %[[ASM1]], 3
// CHECK-NEXT: call void asm sideeffect "wgmma.commit_group.sync.aligned;", "~{memory}"() convergent
// CHECK-NEXT: %[[ASM2:\w+]] = call { float, float, float, float } asm sideeffect "wgmma.wait_group.sync.aligned 1;", "=f,=f,=f,=f,0,1,2,3,~{memory}"(float %[[D0]], float %[[D1]], float %[[D2]], float %[[D3]]) convergent
// CHECK-NEXT: %[[E0:\w+]] = extractvalue { float, float, float, float } %[[ASM2]], 0
// CHECK-NEXT: %[[E1:\w+]] = extractvalue { float, float, float, float } %[[ASM2]], 1
// CHECK-NEXT: %[[E2:\w+]] = extractvalue { float, float, float, float } %[[ASM2]], 2
// CHECK-NEXT: %[[E3:\w+]] = extractvalue { float, float, float, float } %[[ASM2]], 3
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8, 16]}>
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 16}>
#t = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @asynchronous_from_zero() {
    %a = ttg.local_alloc : () -> !ttg.memdesc<64x16xf16, #s, #smem, mutable>
    %b = ttg.local_alloc : () -> !ttg.memdesc<16x8xf16, #t, #smem, mutable>
    %zero = arith.constant dense<0.0> : tensor<64x8xf32, #mma>
    %d = ttng.warp_group_dot %a, %b, %zero {isAsync = true} : !ttg.memdesc<64x16xf16, #s, #smem, mutable> * !ttg.memdesc<16x8xf16, #t, #smem, mutable> -> tensor<64x8xf32, #mma>
    %e = ttng.warp_group_dot_wait %d {pendings = 1 : i32} : tensor<64x8xf32, #mma>
    tt.return
  }
}

// -----

// A is in registers, four words per instruction. `useC` is a predicate at run time.
// CHECK-LABEL: define {{.*}} @operand_in_registers(
// CHECK: call void asm sideeffect "fence.proxy.async.shared::cta;", "~{memory}"()
// CHECK-NEXT: %[[PTRTOINT1:\w+]] = ptrtoint ptr addrspace(3) @shared to i32
// CHECK-NEXT: %[[LSHR1:\w+]] = lshr i32 %[[PTRTOINT1]], 4
// CHECK-NEXT: %[[AND1:\w+]] = and i32 %[[LSHR1]], 16383
// CHECK-NEXT: %[[ZEXT1:\w+]] = zext i32 %[[AND1]] to i64
// CHECK-NEXT: %[[FIELDS1:\w+]] = or i64 %[[ZEXT1]], -4611685949707845632
// CHECK-NEXT: %[[OR1:\w+]] = call i64 asm "", "=l,0"(i64 %[[FIELDS1]])
// CHECK-NEXT: %[[VEC1:\w+]] = insertelement <2 x half> poison, half %[[A0:\w+]], i32 0
// CHECK-NEXT: %[[VEC2:\w+]] = insertelement <2 x half> %[[VEC1]], half %[[A1:\w+]], i32 1
// CHECK-NEXT: %[[BITCAST1:\w+]] = bitcast <2 x half> %[[VEC2]] to i32
// CHECK-NEXT: %[[VEC3:\w+]] = insertelement <2 x half> poison, half %[[A4:\w+]], i32 0
// CHECK-NEXT: %[[VEC4:\w+]] = insertelement <2 x half> %[[VEC3]], half %[[A5:\w+]], i32 1
// CHECK-NEXT: %[[BITCAST2:\w+]] = bitcast <2 x half> %[[VEC4]] to i32
// CHECK-NEXT: %[[VEC5:\w+]] = insertelement <2 x half> poison, half %[[A2:\w+]], i32 0
// CHECK-NEXT: %[[VEC6:\w+]] = insertelement <2 x half> %[[VEC5]], half %[[A3:\w+]], i32 1
// CHECK-NEXT: %[[BITCAST3:\w+]] = bitcast <2 x half> %[[VEC6]] to i32
// CHECK-NEXT: %[[VEC7:\w+]] = insertelement <2 x half> poison, half %[[A6:\w+]], i32 0
// CHECK-NEXT: %[[VEC8:\w+]] = insertelement <2 x half> %[[VEC7]], half %[[A7:\w+]], i32 1
// CHECK-NEXT: %[[BITCAST4:\w+]] = bitcast <2 x half> %[[VEC8]] to i32
// CHECK-NEXT: call void asm sideeffect "wgmma.fence.sync.aligned;", "~{memory}"() convergent
// CHECK-NEXT: %[[ASM1:\w+]] = call { float, float, float, float } asm sideeffect "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, {$4, $5, $6, $7}, $8, $9, 1, 1, 1;", "=f,=f,=f,=f,r,r,r,r,l,b,0,1,2,3"(i32 %[[BITCAST1]], i32 %[[BITCAST3]], i32 %[[BITCAST2]], i32 %[[BITCAST4]], i64 %[[OR1]], i1 %arg0, float %[[C0:\w+]], float %[[C1:\w+]], float %[[C2:\w+]], float %[[C3:\w+]]) convergent
// CHECK-NEXT: %[[D0:\w+]] = extractvalue { float, float, float, float } %[[ASM1]], 0
// CHECK-NEXT: %[[D1:\w+]] = extractvalue { float, float, float, float } %[[ASM1]], 1
// CHECK-NEXT: %[[D2:\w+]] = extractvalue { float, float, float, float } %[[ASM1]], 2
// CHECK-NEXT: %[[D3:\w+]] = extractvalue { float, float, float, float } %[[ASM1]], 3
// CHECK-NEXT: call void asm sideeffect "wgmma.commit_group.sync.aligned;", "~{memory}"() convergent
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8, 16]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @operand_in_registers(%use: i1, %a_ptr: !tt.ptr<f16>, %c_ptr: !tt.ptr<f32>) {
    %a_ptrs = tt.splat %a_ptr : !tt.ptr<f16> -> tensor<64x16x!tt.ptr<f16>, #a>
    %a = tt.load %a_ptrs : tensor<64x16x!tt.ptr<f16>, #a>
    %b = ttg.local_alloc : () -> !ttg.memdesc<16x16xf16, #s, #smem, mutable>
    %c_ptrs = tt.splat %c_ptr : !tt.ptr<f32> -> tensor<64x8x!tt.ptr<f32>, #mma>
    %c = tt.load %c_ptrs : tensor<64x8x!tt.ptr<f32>, #mma>
    %bb = ttg.memdesc_subslice %b[0, 0] : !ttg.memdesc<16x16xf16, #s, #smem, mutable> -> !ttg.memdesc<16x8xf16, #s, #smem, mutable, 16x16>
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %a, %bb, %c, %use {isAsync = true} : tensor<64x16xf16, #a> * !ttg.memdesc<16x8xf16, #s, #smem, mutable, 16x16> -> tensor<64x8xf32, #mma>
    tt.return
  }
}

// -----

// fp8 with a bound on the depth of imprecise sums: each partial sum of k = 32 starts from zero, is
// waited for, and added by the threads.
// CHECK-LABEL: define {{.*}} @partial_sums(
// CHECK: %[[PTRTOINT1:\w+]] = ptrtoint ptr addrspace(3) %[[B0:\w+]] to i32
// CHECK-NEXT: %[[LSHR1:\w+]] = lshr i32 %[[PTRTOINT1]], 4
// CHECK-NEXT: %[[AND1:\w+]] = and i32 %[[LSHR1]], 16383
// CHECK-NEXT: %[[ZEXT1:\w+]] = zext i32 %[[AND1]] to i64
// CHECK-NEXT: %[[FIELDS1:\w+]] = or i64 %[[ZEXT1]], -9223372032559742976
// CHECK-NEXT: %[[OR1:\w+]] = call i64 asm "", "=l,0"(i64 %[[FIELDS1]])
// CHECK-NEXT: %[[PTRTOINT2:\w+]] = ptrtoint ptr addrspace(3) @shared to i32
// CHECK-NEXT: %[[LSHR2:\w+]] = lshr i32 %[[PTRTOINT2]], 4
// CHECK-NEXT: %[[AND2:\w+]] = and i32 %[[LSHR2]], 16383
// CHECK-NEXT: %[[ZEXT2:\w+]] = zext i32 %[[AND2]] to i64
// CHECK-NEXT: %[[FIELDS2:\w+]] = or i64 %[[ZEXT2]], -9223371899415756800
// CHECK-NEXT: %[[OR2:\w+]] = call i64 asm "", "=l,0"(i64 %[[FIELDS2]])
// CHECK-NEXT: call void asm sideeffect "wgmma.fence.sync.aligned;", "~{memory}"() convergent
// CHECK-NEXT: %[[ADD1:\w+]] = add i64 %[[OR1]], 2
// CHECK-NEXT: %[[ADD2:\w+]] = add i64 %[[OR2]], 2
// CHECK-NEXT: %[[ASM1:\w+]] = call { float, float, float, float } asm sideeffect "wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3 {$0, $1, $2, $3}, $4, $5, 0, 1, 1;", "=f,=f,=f,=f,l,l,0,1,2,3"(i64 %[[OR2]], i64 %[[OR1]], float poison, float poison, float poison, float poison) convergent
// CHECK-NEXT: %[[PART1:\w+]] = extractvalue { float, float, float, float } %[[ASM1]], 0
// CHECK-NEXT: %[[PART2:\w+]] = extractvalue { float, float, float, float } %[[ASM1]], 1
// CHECK-NEXT: %[[PART3:\w+]] = extractvalue { float, float, float, float } %[[ASM1]], 2
// CHECK-NEXT: %[[PART4:\w+]] = extractvalue { float, float, float, float } %[[ASM1]], 3
// CHECK-NEXT: call void asm sideeffect "wgmma.commit_group.sync.aligned;", "~{memory}"() convergent
// CHECK-NEXT: %[[ASM2:\w+]] = call { float, float, float, float } asm sideeffect "wgmma.wait_group.sync.aligned 0;", "=f,=f,=f,=f,0,1,2,3,~{memory}"(float %[[PART1]], float %[[PART2]], float %[[PART3]], float %[[PART4]]) convergent
// CHECK-NEXT: %[[PART5:\w+]] = extractvalue { float, float, float, float } %[[ASM2]], 0
// CHECK-NEXT: %[[PART6:\w+]] = extractvalue { float, float, float, float } %[[ASM2]], 1
// CHECK-NEXT: %[[PART7:\w+]] = extractvalue { float, float, float, float } %[[ASM2]], 2
// CHECK-NEXT: %[[PART8:\w+]] = extractvalue { float, float, float, float } %[[ASM2]], 3
// CHECK-NEXT: %[[FADD1:\w+]] = fadd contract float %[[C0:\w+]], %[[PART5]]
// CHECK-NEXT: %[[FADD2:\w+]] = fadd contract float %[[C1:\w+]], %[[PART6]]
// CHECK-NEXT: %[[FADD3:\w+]] = fadd contract float %[[C2:\w+]], %[[PART7]]
// CHECK-NEXT: %[[FADD4:\w+]] = fadd contract float %[[C3:\w+]], %[[PART8]]
// CHECK-NEXT: call void asm sideeffect "wgmma.fence.sync.aligned;", "~{memory}"() convergent
// CHECK-NEXT: %[[ASM3:\w+]] = call { float, float, float, float } asm sideeffect "wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3 {$0, $1, $2, $3}, $4, $5, 0, 1, 1;", "=f,=f,=f,=f,l,l,0,1,2,3"(i64 %[[ADD2]], i64 %[[ADD1]], float poison, float poison, float poison, float poison) convergent
// CHECK-NEXT: %[[PART9:\w+]] = extractvalue { float, float, float, float } %[[ASM3]], 0
// CHECK-NEXT: %[[PART10:\w+]] = extractvalue { float, float, float, float } %[[ASM3]], 1
// CHECK-NEXT: %[[PART11:\w+]] = extractvalue { float, float, float, float } %[[ASM3]], 2
// CHECK-NEXT: %[[PART12:\w+]] = extractvalue { float, float, float, float } %[[ASM3]], 3
// CHECK-NEXT: call void asm sideeffect "wgmma.commit_group.sync.aligned;", "~{memory}"() convergent
// CHECK-NEXT: %[[ASM4:\w+]] = call { float, float, float, float } asm sideeffect "wgmma.wait_group.sync.aligned 0;", "=f,=f,=f,=f,0,1,2,3,~{memory}"(float %[[PART9]], float %[[PART10]], float %[[PART11]], float %[[PART12]]) convergent
// CHECK-NEXT: %[[PART13:\w+]] = extractvalue { float, float, float, float } %[[ASM4]], 0
// CHECK-NEXT: %[[PART14:\w+]] = extractvalue { float, float, float, float } %[[ASM4]], 1
// CHECK-NEXT: %[[PART15:\w+]] = extractvalue { float, float, float, float } %[[ASM4]], 2
// CHECK-NEXT: %[[PART16:\w+]] = extractvalue { float, float, float, float } %[[ASM4]], 3
// CHECK-NEXT: %[[FADD5:\w+]] = fadd contract float %[[FADD1]], %[[PART13]]
// CHECK-NEXT: %[[FADD6:\w+]] = fadd contract float %[[FADD2]], %[[PART14]]
// CHECK-NEXT: %[[FADD7:\w+]] = fadd contract float %[[FADD3]], %[[PART15]]
// CHECK-NEXT: %[[FADD8:\w+]] = fadd contract float %[[FADD4]], %[[PART16]]
// CHECK-NEXT: call void asm sideeffect "wgmma.fence.sync.aligned;", "~{memory}"() convergent
// CHECK-NEXT: call void asm sideeffect "wgmma.commit_group.sync.aligned;", "~{memory}"() convergent
// CHECK-NEXT: %[[ASM5:\w+]] = call { float, float, float, float } asm sideeffect "wgmma.wait_group.sync.aligned 0;", "=f,=f,=f,=f,0,1,2,3,~{memory}"(float %[[FADD5]], float %[[FADD6]], float %[[FADD7]], float %[[FADD8]]) convergent
// CHECK-NEXT: %[[D0:\w+]] = extractvalue { float, float, float, float } %[[ASM5]], 0
// CHECK-NEXT: %[[D1:\w+]] = extractvalue { float, float, float, float } %[[ASM5]], 1
// CHECK-NEXT: %[[D2:\w+]] = extractvalue { float, float, float, float } %[[ASM5]], 2
// CHECK-NEXT: %[[D3:\w+]] = extractvalue { float, float, float, float } %[[ASM5]], 3
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8, 32]}>
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#t = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @partial_sums(%c_ptr: !tt.ptr<f32>) {
    %a = ttg.local_alloc : () -> !ttg.memdesc<64x64xf8E4M3FN, #s, #smem, mutable>
    %b = ttg.local_alloc : () -> !ttg.memdesc<64x8xf8E4M3FN, #t, #smem, mutable>
    %c_ptrs = tt.splat %c_ptr : !tt.ptr<f32> -> tensor<64x8x!tt.ptr<f32>, #mma>
    %c = tt.load %c_ptrs : tensor<64x8x!tt.ptr<f32>, #mma>
    %d = ttng.warp_group_dot %a, %b, %c {maxNumImpreciseAcc = 32 : i32} : !ttg.memdesc<64x64xf8E4M3FN, #s, #smem, mutable> * !ttg.memdesc<64x8xf8E4M3FN, #t, #smem, mutable> -> tensor<64x8xf32, #mma>
    tt.return
  }
}
