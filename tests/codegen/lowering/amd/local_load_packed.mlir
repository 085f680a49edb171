// RUN: %lower %s | filecheck %s

// Transposed loads of 4-bit elements: ds_read_tr4 gives a lane 16 elements of a column.
// CHECK-LABEL: define {{.*}} @first_operand(
// CHECK: %[[AND1:\w+]] = and i32 %[[IN1:\w+]], 16
// CHECK-NEXT: %[[SHL1:\w+]] = shl nuw nsw i32 %[[IN1]], 3
// CHECK-NEXT: %[[AND2:\w+]] = and i32 %[[SHL1]], 32
// CHECK-NEXT: %[[SHL2:\w+]] = shl nuw nsw i32 %[[IN1]], 6
// CHECK: %[[OR1:\w+]] = or disjoint i32 %[[AND1]], %[[AND2]]
// CHECK-NEXT: %[[OR2:\w+]] = or disjoint i32 %[[OR1]], %[[IN2:\w+]]
// CHECK-NEXT: %[[LSHR1:\w+]] = lshr i32 %[[IN1]], 1
// CHECK: %[[PTR1:\w+]] = getelementptr i8, ptr addrspace(3) null, i32 %[[IN3:\w+]]
// CHECK-NEXT: %[[DS1:\w+]] = call <2 x i32> @llvm.amdgcn.ds.read.tr4.b64.v2i32(ptr addrspace(3) %[[PTR1]]), !noalias !3
// CHECK-NEXT: %[[BITCAST1:\w+]] = bitcast <2 x i32> %[[DS1]] to <8 x i8>
// CHECK-NEXT: %[[X0:\w+]] = extractelement <8 x i8> %[[BITCAST1]], i32 0
// CHECK-NEXT: %[[X1:\w+]] = extractelement <8 x i8> %[[BITCAST1]], i32 1
// CHECK: %[[PTR2:\w+]] = getelementptr i8, ptr addrspace(3) %[[PTR1]], i32 512
// CHECK-NEXT: %[[DS2:\w+]] = call <2 x i32> @llvm.amdgcn.ds.read.tr4.b64.v2i32(ptr addrspace(3) %[[PTR2]]), !noalias !3
// CHECK-NEXT: %[[BITCAST2:\w+]] = bitcast <2 x i32> %[[DS2]] to <8 x i8>
// CHECK: %[[PTR3:\w+]] = getelementptr i8, ptr addrspace(3) %[[PTR1]], i32 2048
// CHECK: %[[XOR1:\w+]] = xor i32 %[[IN3]], 16
// CHECK-NEXT: %[[PTR4:\w+]] = getelementptr i8, ptr addrspace(3) null, i32 %[[XOR1]]
#mma = #ttg.amd_mfma<{version = 4, warpsPerCTA = [1, 1], instrShape = [32, 32, 64], isTransposed = true}>
#s = #ttg.swizzled_shared<{vec = 16, perPhase = 4, maxPhase = 4, order = [0, 1]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @first_operand() {
    %m = ttg.local_alloc : () -> !ttg.memdesc<32x128xi8, #s, #smem, mutable>
    %x = amdg.local_load_packed_tranposed %m : !ttg.memdesc<32x128xi8, #s, #smem, mutable> -> tensor<64x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 16}>>
    tt.return
  }
}

// -----

// The second operand has its columns along dimension 1.
// CHECK-LABEL: define {{.*}} @second_operand(
// CHECK: %[[AND1:\w+]] = and i32 %[[IN1:\w+]], 16
// CHECK-NEXT: %[[SHL1:\w+]] = shl nuw nsw i32 %[[IN1]], 3
// CHECK-NEXT: %[[AND2:\w+]] = and i32 %[[SHL1]], 32
// CHECK-NEXT: %[[SHL2:\w+]] = shl nuw nsw i32 %[[IN1]], 6
// CHECK: %[[OR1:\w+]] = or disjoint i32 %[[AND1]], %[[AND2]]
// CHECK-NEXT: %[[OR2:\w+]] = or disjoint i32 %[[OR1]], %[[IN2:\w+]]
// CHECK-NEXT: %[[LSHR1:\w+]] = lshr i32 %[[IN1]], 1
// CHECK: %[[PTR1:\w+]] = getelementptr i8, ptr addrspace(3) null, i32 %[[IN3:\w+]]
// CHECK-NEXT: %[[DS1:\w+]] = call <2 x i32> @llvm.amdgcn.ds.read.tr4.b64.v2i32(ptr addrspace(3) %[[PTR1]]), !noalias !3
// CHECK-NEXT: %[[BITCAST1:\w+]] = bitcast <2 x i32> %[[DS1]] to <8 x i8>
// CHECK-NEXT: %[[X0:\w+]] = extractelement <8 x i8> %[[BITCAST1]], i32 0
// CHECK-NEXT: %[[X1:\w+]] = extractelement <8 x i8> %[[BITCAST1]], i32 1
// CHECK: %[[PTR2:\w+]] = getelementptr i8, ptr addrspace(3) %[[PTR1]], i32 512
// CHECK-NEXT: %[[DS2:\w+]] = call <2 x i32> @llvm.amdgcn.ds.read.tr4.b64.v2i32(ptr addrspace(3) %[[PTR2]]), !noalias !3
// CHECK-NEXT: %[[BITCAST2:\w+]] = bitcast <2 x i32> %[[DS2]] to <8 x i8>
// CHECK: %[[PTR3:\w+]] = getelementptr i8, ptr addrspace(3) %[[PTR1]], i32 2048
// CHECK: %[[XOR1:\w+]] = xor i32 %[[IN3]], 16
// CHECK-NEXT: %[[PTR4:\w+]] = getelementptr i8, ptr addrspace(3) null, i32 %[[XOR1]]
#mma = #ttg.amd_mfma<{version = 4, warpsPerCTA = [1, 1], instrShape = [32, 32, 64], isTransposed = true}>
#s = #ttg.swizzled_shared<{vec = 16, perPhase = 4, maxPhase = 4, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @second_operand() {
    %m = ttg.local_alloc : () -> !ttg.memdesc<128x32xi8, #s, #smem, mutable>
    %x = amdg.local_load_packed_tranposed %m : !ttg.memdesc<128x32xi8, #s, #smem, mutable> -> tensor<64x64xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 16}>>
    tt.return
  }
}
